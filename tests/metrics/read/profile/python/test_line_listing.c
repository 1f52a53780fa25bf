// Listings as line_profiler prints them.
#include "tests/support/csv.h"
#include "tests/support/profile/read_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define REFERENCE PJ_SOURCE_DIR "/../shared/data/reference/profiles/lprof/"

static void test_sample(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(PJ_SOURCE_DIR "/tests/samples/line_listing/grid.txt");
    assert_int_equal(p->count[PJ_AT_REGION], 2);
    assert_true(pj_str_equal(pj_profile_name(p, 0), PJ_S("Grid.residual")));
    assert_int_equal(p->regions[0].line, 11);
    assert_true(pj_str_equal(pj_profile_name(p, 1), PJ_S("<function at line 26>")));
    assert_true(pj_str_equal(pj_profile_text(p, p->regions[1].file), PJ_S("away.py")));
    same_value(profile_value(p, PJ_AT_REGION, PJ_INCLUSIVE, "time", 0, 0), 0.0702009);
    assert_int_equal(p->lines[2].line, 13);
    assert_true(profile_value(p, PJ_AT_LINE, PJ_CALLS, NULL, 2, 0) == 3);
    same_value(profile_value(p, PJ_AT_LINE, PJ_EXCLUSIVE, "time", 4, 0), 200.9e-6);
    assert_true(isnan(profile_value(p, PJ_AT_LINE, PJ_EXCLUSIVE, "time", 3, 0)));
    assert_true(pj_str_equal(pj_profile_text(p, p->lines[4].text), PJ_S("        return worst")));
}

/// line_profiler 5: wide columns, exponents, and a summary that repeats what tables have told.
static void test_of_version_5(void **state)
{
    (void)state;
    pj_err err = {0};
    static const char text[] =
        "Wrote profile results to grid.py.lprof\n"
        "Timer unit: 1e-06 s\n\n"
        "Total time: 81.25 s\nFile: /opt/grid.py\nFunction: Grid.sweep at line 4\n\n"
        "Line #         Hits           Time    Per Hit   % Time  Line Contents\n"
        "=====================================================================\n"
        "     4                                                  @profile\n"
        "     5                                                  def sweep(self):\n"
        "     6    987654321     8.125e+07      0.0658    100.0      self.step()\n"
        "     7  1.23457e+09           0.0         0.0      0.0      self.tick()\n\n"
        " 81.25 seconds - /opt/grid.py:4 - Grid.sweep\n"
        "  0.50 seconds - C:\\a - b.py:9 - never.<locals>.told\n";
    pj_auto_profile p = read_profile_bytes("x.txt", pj_str_of(text), &err);
    assert_int_equal(p->count[PJ_AT_REGION], 2);
    same_value(profile_value(p, PJ_AT_REGION, PJ_INCLUSIVE, "time", 0, 0), 81.25);
    assert_true(profile_value(p, PJ_AT_LINE, PJ_CALLS, NULL, 2, 0) == 987654321);
    assert_true(profile_value(p, PJ_AT_LINE, PJ_CALLS, NULL, 3, 0) == 1234570000);
    same_value(profile_value(p, PJ_AT_LINE, PJ_EXCLUSIVE, "time", 2, 0), 81.25);
    assert_true(pj_str_equal(pj_profile_text(p, p->lines[2].text), PJ_S("    self.step()")));
    same_value(profile_value(p, PJ_AT_REGION, PJ_INCLUSIVE, "time", 1, 0), 0.5);
    for (unsigned k = 0; k < PJ_ODDITY_COUNT; k++)
        assert_int_equal(p->oddities.count[k], 0);
}

/// The listing in nanoseconds holds every tick.
static void test_real(void **state)
{
    (void)state;
    csv table;
    if (!csv_read(REFERENCE "lp_lines.csv", &table)) {
        print_message("skipped: %s is not there\n", REFERENCE);
        skip();
    }
    pj_auto_profile p = read_profile_file(REFERENCE "lp_listing_u1e-9.txt");
    assert_int_equal(p->count[PJ_AT_REGION], 4);
    size_t row = 0;
    for (uint32_t i = 0; i < p->count[PJ_AT_LINE]; i++) {
        double hits = profile_value(p, PJ_AT_LINE, PJ_CALLS, NULL, i, 0);
        if (isnan(hits))
            continue;
        assert_true(hits == csv_number(&table, row, "hits"));
        assert_int_equal(p->lines[i].line, csv_number(&table, row, "line"));
        assert_true(pj_str_equal(pj_profile_name(p, p->lines[i].region),
                                 csv_cell(&table, row, "function")));
        same_value(profile_value(p, PJ_AT_LINE, PJ_EXCLUSIVE, "time", i, 0),
                   csv_number(&table, row, "time_s"));
        row++;
    }
    assert_int_equal(row, table.rows);
    csv_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_of_version_5),
        cmocka_unit_test(test_real),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
