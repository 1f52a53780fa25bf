// scalene: shares of the elapsed time as times, memory, by function and by line.
#include "tests/support/csv.h"
#include "tests/support/profile/profile_totals.h"
#include "tests/support/profile/read_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define SAMPLES PJ_SOURCE_DIR "/tests/samples/scalene/"
#define DATA PJ_SOURCE_DIR "/../shared/data/profiles/"
#define REFERENCE PJ_SOURCE_DIR "/../shared/data/reference/profiles/"

static void functions_and_lines(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "grid.json");
    assert_int_equal(p->shape, PJ_SHAPE_FLAT);
    uint32_t relax = region_called(p, PJ_S("relax"), &PJ_S("grid.py"));
    same_value(profile_value(p, PJ_AT_REGION, PJ_EXCLUSIVE, "python_time", relax, 0), 1.6);
    same_value(profile_value(p, PJ_AT_REGION, PJ_EXCLUSIVE, "time", relax, 0), 2.2);
    same_value(profile_value(p, PJ_AT_REGION, PJ_EXCLUSIVE, "peak_mib", relax, 0), 30.5);
    assert_int_equal(p->lines[0].line, 14);
    assert_true(pj_str_equal(pj_profile_text(p, p->lines[0].text), PJ_S("    total += norm(x)\n")));
    same_value(profile_value(p, PJ_AT_LINE, PJ_EXCLUSIVE, "native_time", 0, 0), 0.2);
    assert_true(isnan(profile_value(p, PJ_AT_LINE, PJ_EXCLUSIVE, "native_time", 1, 0)));
    assert_int_equal(p->measures[pj_profile_measure(p, PJ_S("native_time"))].above, 1);
}

static void as_scalene_tells(void **state)
{
    (void)state;
    static const char *const columns[] = {"python_percent", "c_percent", "system_percent"};
    static const char *const keys[] = {"python_time", "native_time", "system_time"};
    const double elapsed = 9.762811660766602;
    csv table;
    csv_of_real_tools(REFERENCE "json/scalene_lines.csv", &table);
    pj_auto_profile p = read_profile_file(DATA "json/scalene.json");
    for (size_t row = 0; row < table.rows; row++) {
        uint32_t at = 0;
        while (at < p->count[PJ_AT_LINE] && p->lines[at].line != csv_number(&table, row, "line"))
            at++;
        assert_true(at < p->count[PJ_AT_LINE]);
        for (size_t i = 0; i < 3; i++)
            same_value(profile_value(p, PJ_AT_LINE, PJ_EXCLUSIVE, keys[i], at, 0),
                       csv_number(&table, row, columns[i]) / 100 * elapsed);
        same_value(profile_value(p, PJ_AT_LINE, PJ_EXCLUSIVE, "peak_mib", at, 0),
                   csv_number(&table, row, "peak_mb"));
        same_value(profile_value(p, PJ_AT_LINE, PJ_EXCLUSIVE, "allocated_mib", at, 0),
                   csv_number(&table, row, "malloc_mb"));
        same_value(profile_value(p, PJ_AT_LINE, PJ_EXCLUSIVE, "copy_rate", at, 0),
                   csv_number(&table, row, "copy_mb_s"));
    }
    csv_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_and_lines),
        cmocka_unit_test(as_scalene_tells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
