// Timers of libraries: what PyOP2 and PETSc print and write, value by value.
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/oddities.h"
#include "metrics/profile/profile.h"
#include "tests/support/csv.h"
#include "tests/support/profile/read_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SAMPLES PJ_SOURCE_DIR "/tests/samples/"
#define DATA PJ_SOURCE_DIR "/../shared/data/profiles/timers/"
#define REFERENCE PJ_SOURCE_DIR "/../shared/data/reference/profiles/timers/"

/// Skips the test when there is no such file.
static csv reference(const char *name)
{
    csv table;
    char path[512];
    snprintf(path, sizeof path, REFERENCE "%s", name);
    if (!csv_read(path, &table)) {
        print_message("skipped: %s is not there\n", path);
        skip();
    }
    return table;
}

static double time_of(const pj_profile *p, uint32_t region, uint32_t location)
{
    return profile_value(p, PJ_AT_REGION, PJ_INCLUSIVE, "time", region, location);
}

static double calls_of(const pj_profile *p, uint32_t region, uint32_t location)
{
    return profile_value(p, PJ_AT_REGION, PJ_CALLS, NULL, region, location);
}

static double rate_of(const pj_profile *p, uint32_t region, const char *key)
{
    return profile_value(p, PJ_AT_REGION, PJ_INCLUSIVE, key, region, 0);
}

/// An event of a stage, of which PETSc has one in several.
static uint32_t event_of(const pj_profile *p, pj_str stage, pj_str event)
{
    for (uint32_t i = 0; i < p->count[PJ_AT_REGION]; i++)
        if (pj_str_equal(pj_profile_name(p, i), event) &&
            pj_str_equal(pj_profile_text(p, p->regions[i].module), stage))
            return i;
    fail_msg("no event " PJ_STR_FMT " in " PJ_STR_FMT, PJ_STR_ARG(event), PJ_STR_ARG(stage));
    return 0;
}

static void test_pyop2(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "pyop2/timers.csv");
    assert_int_equal(p->count[PJ_AT_REGION], 3);
    uint32_t halo = region_called(p, PJ_S("Halo, \"overlapped\""), NULL);
    assert_true(time_of(p, halo, 0) == 6.25e-05 && calls_of(p, halo, 0) == 25);
    pj_auto_profile text = read_profile_file(SAMPLES "pyop2/timers.txt");
    assert_int_equal(text->count[PJ_AT_REGION], 2);
    uint32_t solver = region_called(text, PJ_S("Solver | outer"), NULL);
    assert_true(time_of(text, solver, 0) == 2.5 && calls_of(text, solver, 0) == 1);
    pj_err err = {0};
    pj_auto_profile odd = read_profile_bytes(
        "a.csv", PJ_S("Timer, Total time ,Calls,Average time\na,b,c\nx,nan,1,1\ny,1,2,0.5"), &err);
    assert_int_equal(odd->count[PJ_AT_REGION], 1);
    assert_int_equal(odd->oddities.count[PJ_ODDITY_malformed_record], 2);
    pj_auto_profile log = read_profile_bytes(
        "run.log",
        PJ_S(
            "step 1\nTimer  | Total time | Calls | Average time\nHalo   |  2.5 |  2 | 1.25\nbye\n"),
        &err);
    assert_int_equal(log->count[PJ_AT_REGION], 1);
    assert_int_equal(log->oddities.count[PJ_ODDITY_malformed_record], 0);
}

static void test_pyop2_reference(void **state)
{
    (void)state;
    csv table = reference("pyop2.csv");
    pj_auto_profile p = read_profile_file(DATA "pyop2_summary.csv");
    pj_auto_profile text = read_profile_file(DATA "pyop2_summary.txt");
    assert_int_equal(p->count[PJ_AT_REGION], table.rows);
    assert_int_equal(text->count[PJ_AT_REGION], table.rows);
    for (size_t row = 0; row < table.rows; row++) {
        pj_str name = csv_cell(&table, row, "timer");
        double total = csv_number(&table, row, "total_s"), calls = csv_number(&table, row, "calls");
        uint32_t at = region_called(p, name, NULL), in_text = region_called(text, name, NULL);
        assert_true(time_of(p, at, 0) == total);
        assert_true(calls_of(p, at, 0) == calls && calls_of(text, in_text, 0) == calls);
        assert_true(fabs(time_of(text, in_text, 0) - total) < 1e-5 * total);
    }
    csv_free(&table);
}

static void test_petsc(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "petsc/log_view.txt");
    pj_str stage = PJ_S("Solve: two");
    assert_int_equal(p->count[PJ_AT_REGION], 6);
    assert_true(pj_str_equal(pj_profile_text(p, p->command), PJ_S("./grid")));
    assert_true(pj_str_equal(pj_profile_text(p, p->locations[0].name), PJ_S("largest of 3 ranks")));
    uint32_t first = event_of(p, PJ_S("Main Stage"), PJ_S("VecDot"));
    assert_true(time_of(p, first, 0) == 0.125 && calls_of(p, first, 0) == 10);
    assert_true(rate_of(p, first, "time_ratio") == 0 && rate_of(p, first, "mflops") == 1);
    assert_true(rate_of(p, first, "flop") == 80 && rate_of(p, first, "reductions") == 10);
    assert_true(time_of(p, event_of(p, stage, PJ_S("VecDot")), 0) == 0.0625);
    uint32_t wide = event_of(p, stage, PJ_S("MyVeryLongEventName With Blanks"));
    assert_true(calls_of(p, wide, 0) == 40 && rate_of(p, wide, "count_ratio") == 1.3);
    assert_true(isnan(rate_of(p, wide, "mflops")));
    uint32_t solve = event_of(p, stage, PJ_S("KSPSolve"));
    assert_true(time_of(p, solve, 0) == 2.5 && rate_of(p, solve, "mflops") == 7);
    assert_true(isnan(rate_of(p, solve, "stage_time_percent")));
    assert_true(rate_of(p, solve, "global_time_percent") == 62);
    uint32_t whole = event_of(p, stage, stage);
    assert_true(rate_of(p, whole, "time_mean") == 2.5 && isnan(time_of(p, whole, 0)));
    assert_int_equal(p->regions[whole].kind, PJ_REGION_user);
    assert_int_equal(p->oddities.count[PJ_ODDITY_malformed_record], 0);
}

/// Shares of 100 % leave no blank before them.
static void test_petsc_full_shares(void **state)
{
    (void)state;
    static const char text[] =
        "--------- PETSc Performance Summary: ---------\n\n"
        "./ex5 on a arch named host with 8 processors, by me Mon Feb  1 12:00:00 2010\n"
        "Event                Count      Time (sec)     Flops\n"
        "                   Max Ratio  Max     Ratio   Max  Ratio  Mess   Avg len Reduct  %T %F %M "
        "%L "
        "%R  %T %F %M %L %R Mflop/s\n"
        "--- Event Stage 0: Main Stage\n\n"
        "KSPSolve               1 1.0 1.0000e+00 1.0 1.00e+06 1.0 9.0e+01 1.0e+03 8.0e+01 80100 90 "
        "90 "
        "80  81100 90 90 88     8\n"
        "SNESSolve              3 1.0 2.0000e+00 1.5 1.00e+06 1.0 9.0e+01 1.0e+03 8.0e+01 "
        "100100100100100 100100100100100  1234\n";
    pj_err err = {0};
    pj_auto_profile p = read_profile_bytes("x.txt", pj_str_of(text), &err);
    assert_non_null(p);
    assert_int_equal(p->oddities.count[PJ_ODDITY_malformed_record], 0);
    uint32_t solve = event_of(p, PJ_S("Main Stage"), PJ_S("KSPSolve"));
    assert_true(time_of(p, solve, 0) == 1 && calls_of(p, solve, 0) == 1);
    assert_true(rate_of(p, solve, "global_time_percent") == 80);
    assert_true(rate_of(p, solve, "stage_time_percent") == 81);
    assert_true(rate_of(p, solve, "mflops") == 8);
    uint32_t all = event_of(p, PJ_S("Main Stage"), PJ_S("SNESSolve"));
    assert_true(time_of(p, all, 0) == 2 && rate_of(p, all, "time_ratio") == 1.5);
    assert_true(rate_of(p, all, "global_time_percent") == 100);
    assert_true(rate_of(p, all, "stage_time_percent") == 100);
    assert_true(rate_of(p, all, "mflops") == 1234);
}

static void test_petsc_reference(void **state)
{
    (void)state;
    static const char *const same[][2] = {{"count_ratio", "count_ratio"},
                                          {"time_max_s", "time"},
                                          {"time_ratio", "time_ratio"},
                                          {"flop_max", "flop"},
                                          {"flop_ratio", "flop_ratio"},
                                          {"messages", "messages"},
                                          {"message_length", "message_length"},
                                          {"reductions", "reductions"},
                                          {"global_time_percent", "global_time_percent"},
                                          {"stage_time_percent", "stage_time_percent"},
                                          {"mflops", "mflops"}};
    csv table = reference("petsc_log_view.csv");
    pj_auto_profile p = read_profile_file(DATA "petsc/log_view.txt");
    assert_int_equal(p->count[PJ_AT_REGION], table.rows + 3); // and the stages
    for (size_t row = 0; row < table.rows; row++) {
        uint32_t at = event_of(p, csv_cell(&table, row, "stage"), csv_cell(&table, row, "event"));
        assert_true(calls_of(p, at, 0) == csv_number(&table, row, "count_max"));
        for (size_t i = 0; i < sizeof same / sizeof *same; i++)
            same_value(rate_of(p, at, same[i][1]), csv_number(&table, row, same[i][0]));
    }
    csv_free(&table);
}

static void test_petsc_csv(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "petsc_csv/log.csv");
    assert_int_equal(p->location_count, 3);
    assert_int_equal(p->locations[2].rank, 2);
    assert_int_equal(p->count[PJ_AT_REGION], 3);
    uint32_t dot = event_of(p, PJ_S("Main Stage"), PJ_S("VecDot"));
    assert_true(time_of(p, dot, 2) == 0.375 && calls_of(p, dot, 2) == 12);
    uint32_t second = event_of(p, PJ_S("Second"), PJ_S("VecDot"));
    assert_true(isnan(time_of(p, second, 0)) && time_of(p, second, 2) == 0.0625);
    uint32_t whole = event_of(p, PJ_S("Main Stage"), PJ_S("Main Stage"));
    assert_true(time_of(p, whole, 0) == 0.5 && rate_of(p, whole, "flop") == 100);
    pj_err err = {0};
    pj_auto_profile odd = read_profile_bytes(
        "a.csv",
        PJ_S("Stage Name,Event Name,Rank,Count,Time,999999999\n"
             "A,e,7,1,2.\nA,e,1048576,1,2.\nA,e,0,-1,2.\nA,e,0,1\nA,e,0,1,inf\n"),
        &err);
    assert_non_null(odd);
    assert_int_equal(odd->oddities.count[PJ_ODDITY_malformed_record], 4);
}

static void test_petsc_csv_reference(void **state)
{
    (void)state;
    csv table = reference("petsc_csv.csv");
    pj_auto_profile p = read_profile_file(DATA "petsc/log.csv");
    assert_int_equal(p->location_count, 4);
    for (size_t row = 0; row < table.rows; row++) {
        pj_str stage = csv_cell(&table, row, "stage"), event = csv_cell(&table, row, "event");
        bool whole = pj_str_equal(event, PJ_S("summary"));
        uint32_t at = event_of(p, stage, whole ? stage : event);
        uint32_t rank = (uint32_t)csv_number(&table, row, "rank");
        assert_true(calls_of(p, at, rank) == csv_number(&table, row, "count"));
        assert_true(time_of(p, at, rank) == csv_number(&table, row, "time_s"));
        static const char *const keys[] = {"messages", "message_length", "reductions", "flop"};
        for (unsigned i = 0; i < 4; i++)
            assert_true(profile_value(p, PJ_AT_REGION, PJ_INCLUSIVE, keys[i], at, rank) ==
                        csv_number(&table, row, keys[i]));
    }
    csv_free(&table);
}

static double at_node(const pj_profile *p, uint32_t node, pj_value_part part, const char *key)
{
    return profile_value(p, PJ_AT_NODE, part, key, node, 0);
}

static void test_petsc_xml(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "petsc_xml/log.xml");
    assert_int_equal(p->shape, PJ_SHAPE_TREE);
    assert_int_equal(p->count[PJ_AT_NODE], 2);
    assert_int_equal(p->nodes[1].parent, 0);
    assert_true(pj_str_equal(pj_profile_name(p, p->nodes[1].region), PJ_S("VecDot")));
    assert_true(at_node(p, 0, PJ_INCLUSIVE, "time") == 2);
    assert_true(at_node(p, 0, PJ_EXCLUSIVE, "time") == 1);
    assert_true(at_node(p, 0, PJ_CALLS, NULL) == 5 && at_node(p, 1, PJ_CALLS, NULL) == 160);
    same_value(at_node(p, 1, PJ_INCLUSIVE, "time"), 0.8);
    same_value(at_node(p, 1, PJ_EXCLUSIVE, "time"), 0.8);
    same_value(at_node(p, 1, PJ_INCLUSIVE, "time_min"), 0.4);
    same_value(at_node(p, 1, PJ_INCLUSIVE, "time_max"), 1.2);
    assert_true(at_node(p, 0, PJ_INCLUSIVE, "mflops") == 1.25);
    static const char *const bad[] = {
        "<root><petscroot><timertree><event><name>a</name>",
        "<!DOCTYPE a [<!ENTITY b \"c\">]><petscroot/>",
        "<petscroot><totaltime>inf</totaltime></petscroot>",
    };
    for (unsigned i = 0; i < 3; i++) {
        pj_err err = {0};
        pj_auto_profile none = read_profile_bytes("a.xml", pj_str_of(bad[i]), &err);
        assert_null(none);
        assert_non_null(strstr(err.text, "damaged PETSc log as XML"));
    }
}

static void test_petsc_xml_real(void **state)
{
    (void)state;
    csv table = reference("petsc_csv.csv"); // another run: the same calls
    pj_auto_profile p = read_profile_file(DATA "petsc/log.xml");
    uint32_t found = 0;
    for (uint32_t node = 0; node < p->count[PJ_AT_NODE]; node++)
        if (pj_str_equal(pj_profile_name(p, p->nodes[node].region), PJ_S("VecTDot"))) {
            assert_true(at_node(p, node, PJ_CALLS, NULL) == 160);
            same_value(at_node(p, node, PJ_INCLUSIVE, "time"), 0.153687 * 0.424990);
            found++;
        }
    assert_int_equal(found, 1);
    csv_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pyop2),
        cmocka_unit_test(test_pyop2_reference),
        cmocka_unit_test(test_petsc),
        cmocka_unit_test(test_petsc_reference),
        cmocka_unit_test(test_petsc_full_shares),
        cmocka_unit_test(test_petsc_csv),
        cmocka_unit_test(test_petsc_csv_reference),
        cmocka_unit_test(test_petsc_xml),
        cmocka_unit_test(test_petsc_xml_real),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
