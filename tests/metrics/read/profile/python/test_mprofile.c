// Memory over time: every sample and call of a recording, and the numbers that mprof makes of them.
#include "metrics/profile/memory_curve.h"
#include "tests/support/csv.h"
#include "tests/support/profile/read_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define DATA PJ_SOURCE_DIR "/../shared/data/profiles/mprofile/"
#define REFERENCE PJ_SOURCE_DIR "/../shared/data/reference/profiles/mprofile/"

static double at_region(const pj_profile *p, const char *name, pj_value_part part, const char *key)
{
    uint32_t region = region_called(p, pj_str_of(name), NULL);
    assert_int_not_equal(region, PJ_NO_ITEM);
    return profile_value(p, PJ_AT_REGION, part, key, region, 0);
}

static void test_sample(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(PJ_SOURCE_DIR "/tests/samples/mprofile/plain.dat");
    assert_true(pj_str_equal(pj_profile_text(p, p->command), PJ_S("/usr/bin/python3 grid.py 40")));
    assert_int_equal(p->series_count, 3);
    assert_int_equal(p->series[0].count, 5);
    assert_true(pj_str_equal(pj_profile_text(p, p->locations[p->series[1].location].name),
                             PJ_S("child 4711")));
    assert_int_equal(p->series[1].count, 2);
    assert_true(p->series[2].points[0].value == 4.5);
    assert_true(p->series[2].points[0].time == 1700000000.2102);
    assert_int_equal(p->bracket_count, 3);
    assert_int_equal(p->brackets[2].level, 0);
    assert_true(p->brackets[0].value_end == 31.25);
    assert_true(at_region(p, "__main__.relax", PJ_CALLS, NULL) == 2);
    assert_true(at_region(p, "__main__.relax", PJ_PRIMITIVE_CALLS, NULL) == 2);
    assert_true(fabs(at_region(p, "__main__.relax", PJ_INCLUSIVE, "time") - 0.15) < 1e-6);
    assert_true(at_region(p, "__main__.relax", PJ_INCLUSIVE, "memory") == 31.25);
    assert_true(at_region(p, "__main__.run", PJ_INCLUSIVE, "memory") == 62.5);
    pj_auto_arena arena = pj_arena_new(NULL);
    double start = pj_memory_curve_start(p, 0);
    assert_true(start == 1700000000.0);
    pj_memory_curve curve = pj_memory_curve_of(p, 0, start, arena);
    assert_int_equal(curve.count, 11);
    assert_true(curve.points[2].value == 20.25 && curve.points[2].time == 1700000000.14);
    assert_true(curve.peak == 62.5 && curve.peak_time == 1700000000.3002);
}

/// Recursive calls are one call from outside; where times touch, levels tell.
static void test_recursion(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_profile p = read_profile_bytes("a.dat",
                                           PJ_S("FUNC f 1 10.0 1 14.0 0\n"
                                                "FUNC f 1 11.0 1 12.0 1\n"
                                                "FUNC f 1 14.0 1 14.0 1\n"
                                                "FUNC f 1 14.0 1 15.0 0\n"
                                                "FUNC g 1 1.0 1 2.5\n"
                                                "MEM 5 11.5\n"),
                                           &err);
    assert_non_null(p);
    assert_true(at_region(p, "f", PJ_CALLS, NULL) == 4);
    assert_true(at_region(p, "f", PJ_PRIMITIVE_CALLS, NULL) == 2);
    assert_true(at_region(p, "f", PJ_INCLUSIVE, "time") == 5);
    assert_true(at_region(p, "f", PJ_INCLUSIVE, "memory") == 5);
    assert_true(at_region(p, "g", PJ_INCLUSIVE, "time") == 1.5);
    assert_true(isnan(at_region(p, "g", PJ_INCLUSIVE, "memory")));
}

static void test_odd_lines(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_profile p = read_profile_bytes("a.dat",
                                           PJ_S("MEM 1.0 100.0000\r\n"
                                                "MEM nan 101.0\nMEM 0x10 3\nMEM 1\nMEM 1 2 3\n"
                                                "FUNC f 1 2 3\nFUNC f 1 2 3 4 x\nCHLD -1 2 3\n"
                                                "NOTE other words\n\n"
                                                "MEM 2.000000 102.00"),
                                           &err);
    assert_non_null(p);
    assert_int_equal(p->series[0].count, 1);
    assert_int_equal(p->oddities.count[PJ_ODDITY_malformed_record], 7);
    assert_int_equal(p->oddities.first_line[PJ_ODDITY_malformed_record], 2);
    assert_int_equal(p->oddities.count[PJ_ODDITY_sampling_short], 1);
    assert_int_equal(p->oddities.count[PJ_ODDITY_ends_early], 1);
    pj_auto_profile whole = read_profile_bytes("a.dat", PJ_S("MEM 1.000000 100.0000"), &err);
    assert_int_equal(whole->series[0].count, 1);
    assert_int_equal(whole->oddities.count[PJ_ODDITY_ends_early], 0);
}

/// Numbers are near where both are small beside the largest: slopes of curves that are flat.
static void near(double a, double b, double scale)
{
    if (!(fabs(a - b) <= 1e-9 * scale))
        fail_msg("%.17g is not %.17g", a, b);
}

static void check_process(const pj_profile *p, const csv *table, size_t row)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    uint32_t series = 0;
    pj_str process = csv_cell(table, row, "process");
    for (uint32_t i = 1; i < p->series_count; i++)
        if (pj_str_ends(pj_profile_text(p, p->locations[p->series[i].location].name), process))
            series = i;
    double start = pj_memory_curve_start(p, 0);
    pj_memory_curve curve = pj_memory_curve_of(p, series, start, arena);
    assert_int_equal(curve.count, csv_number(table, row, "samples"));
    assert_true(start == csv_number(table, row, "start_unix_s"));
    assert_true(curve.peak == csv_number(table, row, "peak_mib"));
    near(curve.peak_time - start, csv_number(table, row, "peak_at_s"), 1);
    near(curve.points[curve.count - 1].time - start, csv_number(table, row, "duration_s"), 1);
    near(curve.slope, csv_number(table, row, "slope_mib_per_s"), 100);
    near(curve.intercept, csv_number(table, row, "intercept_mib"), 100);
}

static void check_numbers(const char *name)
{
    csv table;
    char path[512];
    snprintf(path, sizeof path, REFERENCE "%s", name);
    if (!csv_read(path, &table)) {
        print_message("skipped: %s is not there\n", path);
        skip();
    }
    for (size_t row = 0; row < table.rows; row++) {
        pj_str file = csv_cell(&table, row, "file");
        snprintf(path, sizeof path, DATA PJ_STR_FMT, PJ_STR_ARG(file));
        pj_auto_profile p = read_profile_file(path);
        check_process(p, &table, row);
    }
    csv_free(&table);
}

static void test_numbers(void **state)
{
    (void)state;
    check_numbers("numbers.csv");
    check_numbers("old_numbers.csv");
}

/// Whether one of the calls is that of a row.
static bool is_call(const pj_profile *p, const csv *table, size_t row, double start)
{
    for (uint32_t i = 0; i < p->bracket_count; i++) {
        const pj_profile_bracket *call = &p->brackets[i];
        if (pj_str_equal(pj_profile_name(p, call->region), csv_cell(table, row, "function")) &&
            fabs(call->begin - start - csv_number(table, row, "start_s")) < 1e-9 &&
            fabs(call->end - start - csv_number(table, row, "end_s")) < 1e-9 &&
            call->value_begin == csv_number(table, row, "memory_start_mib") &&
            call->value_end == csv_number(table, row, "memory_end_mib") &&
            call->level == csv_number(table, row, "level"))
            return true;
    }
    return false;
}

static void test_calls(void **state)
{
    (void)state;
    csv table;
    if (!csv_read(REFERENCE "functions.csv", &table)) {
        print_message("skipped: %s is not there\n", REFERENCE);
        skip();
    }
    pj_auto_profile p = read_profile_file(DATA "run1.dat");
    double start = pj_memory_curve_start(p, 0);
    assert_int_equal(table.rows, p->bracket_count);
    for (size_t row = 0; row < table.rows; row++)
        assert_true(is_call(p, &table, row, start));
    csv_free(&table);
    assert_true(csv_read(REFERENCE "series.csv", &table));
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_memory_curve curve = pj_memory_curve_of(p, 0, start, arena);
    for (size_t row = 0, at = 0; row < table.rows; row++)
        if (pj_str_equal(csv_cell(&table, row, "file"), PJ_S("run1.dat"))) {
            near(curve.points[at].time - start, csv_number(&table, row, "time_s"), 1);
            at++;
        }
    csv_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample),    cmocka_unit_test(test_recursion),
        cmocka_unit_test(test_odd_lines), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
