// Tables by line as memory_profiler prints them.
#include "tests/support/profile/read_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

static double at_line(const pj_profile *p, uint32_t line, const char *key)
{
    return profile_value(p, PJ_AT_LINE, key ? PJ_EXCLUSIVE : PJ_CALLS, key, line, 0);
}

static void test_sample(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(PJ_SOURCE_DIR "/tests/samples/memory_lines/grid.txt");
    assert_int_equal(p->count[PJ_AT_REGION], 1);
    assert_int_equal(p->count[PJ_AT_LINE], 6);
    assert_true(pj_str_equal(pj_profile_name(p, 0), PJ_S("build")));
    assert_true(pj_str_equal(pj_profile_text(p, p->regions[0].file), PJ_S("grid.py")));
    assert_int_equal(p->regions[0].line, 3);
    assert_int_equal(p->lines[3].line, 6);
    assert_true(pj_str_equal(pj_profile_text(p, p->lines[3].text), PJ_S("    del rows[n // 2:]")));
    assert_true(at_line(p, 3, "memory") == 35);
    assert_true(at_line(p, 3, "increment") == -16.25);
    assert_true(at_line(p, 3, NULL) == 1000);
    assert_true(isnan(at_line(p, 1, "memory")));
    assert_true(isnan(at_line(p, 1, NULL)));
    assert_true(profile_value(p, PJ_AT_REGION, PJ_INCLUSIVE, "memory", 0, 0) == 51.25);
}

/// Tables before memory_profiler 0.56 tell no occurrences; numbers may be wider than their columns.
static void test_old_and_wide(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_profile p =
        read_profile_bytes("log.txt",
                           PJ_S("Filename: a.py\r\n\r\n"
                                "Line #    Mem usage    Increment   Line Contents\r\n"
                                "================================================\r\n"
                                "     1     12.2 MB      0.0 MB   async def work(n):\r\n"
                                "     2 1234567890.5 MiB 1234567880.5 MiB   x = 1 * n\r\n"
                                "     3     1 MiB     2 kB   y\r\n"
                                "no row\r\n"),
                           &err);
    assert_non_null(p);
    assert_true(pj_str_equal(pj_profile_name(p, 0), PJ_S("work")));
    assert_true(at_line(p, 0, "memory") == 12.2);
    assert_true(at_line(p, 1, "memory") == 1234567890.5);
    assert_true(isnan(at_line(p, 0, NULL)));
    assert_int_equal(p->oddities.count[PJ_ODDITY_malformed_record], 2);
}

static void test_real(void **state)
{
    (void)state;
    static const char path[] = PJ_SOURCE_DIR "/../shared/data/profiles/mprofile/mem_lines.txt";
    if (access(path, R_OK) != 0) {
        print_message("skipped: %s is not there\n", path);
        skip();
    }
    pj_auto_profile p = read_profile_file(path);
    assert_int_equal(p->count[PJ_AT_REGION], 3);
    assert_int_equal(p->count[PJ_AT_LINE], 20);
    assert_true(pj_str_equal(pj_profile_name(p, 2), PJ_S("outer")));
    assert_true(at_line(p, 6, "increment") == -26.742);
    assert_true(at_line(p, 6, "memory") == 58.012);
    assert_true(at_line(p, 6, NULL) == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_old_and_wide),
        cmocka_unit_test(test_real),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
