// Call graphs in blocks of lines: gprof's, and VTune's after it.
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/oddities.h"
#include "metrics/profile/profile.h"
#include "tests/support/csv.h"
#include "tests/support/profile/read_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define SAMPLES PJ_SOURCE_DIR "/tests/samples/"
#define DATA PJ_SOURCE_DIR "/../shared/data/profiles/"
#define REFERENCE PJ_SOURCE_DIR "/../shared/data/reference/profiles/"

static double at_region(const pj_profile *p, pj_str name, pj_value_part part, const char *key)
{
    return profile_value(p, PJ_AT_REGION, part, key, region_called(p, name, NULL), 0);
}

/// An edge by names; PJ_NO_ITEM when there is none.
static uint32_t edge_of(const pj_profile *p, pj_str caller, pj_str callee)
{
    for (uint32_t i = 0; i < p->count[PJ_AT_EDGE]; i++)
        if (pj_str_equal(pj_profile_name(p, p->edges[i].caller), caller) &&
            pj_str_equal(pj_profile_name(p, p->edges[i].callee), callee))
            return i;
    return PJ_NO_ITEM;
}

static double at_edge(const pj_profile *p, pj_str caller, pj_str callee, pj_value_part part,
                      const char *key)
{
    uint32_t edge = edge_of(p, caller, callee);
    assert_int_not_equal(edge, PJ_NO_ITEM);
    return profile_value(p, PJ_AT_EDGE, part, key, edge, 0);
}

static void test_gprof(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "gprof/work.txt");
    assert_int_equal(p->shape, PJ_SHAPE_GRAPH);
    assert_true(p->tick == 0.01);
    assert_int_equal(p->count[PJ_AT_REGION], 5);
    assert_int_equal(p->count[PJ_AT_EDGE], 8);
    assert_true(at_region(p, PJ_S("fib"), PJ_CALLS, NULL) == 501660);
    assert_true(at_region(p, PJ_S("fib"), PJ_PRIMITIVE_CALLS, NULL) == 60);
    same_value(at_region(p, PJ_S("main"), PJ_INCLUSIVE, "time"), 0.07);
    assert_true(isnan(at_region(p, PJ_S("main"), PJ_CALLS, NULL)));
    same_value(at_region(p, PJ_S("leaf"), PJ_EXCLUSIVE, "time"), 0.07);
    assert_true(at_edge(p, PJ_S("fib"), PJ_S("leaf"), PJ_CALLS, NULL) == 501660);
    assert_true(at_edge(p, PJ_S("fib"), PJ_S("fib"), PJ_CALLS, NULL) == 501600);
    assert_true(at_edge(p, PJ_S("even"), PJ_S("odd"), PJ_CALLS, NULL) == 12000);
    assert_true(isnan(at_edge(p, PJ_S("odd"), PJ_S("even"), PJ_INCLUSIVE, "time")));
    same_value(at_edge(p, PJ_S("fib"), PJ_S("leaf"), PJ_INCLUSIVE, "time"), 0.07);
    assert_int_equal(p->oddities.count[PJ_ODDITY_cycle_members], 2);
    assert_int_equal(p->oddities.count[PJ_ODDITY_malformed_record], 0);
    pj_auto_profile flat = read_profile_file(SAMPLES "gprof/flat.txt");
    assert_int_equal(flat->shape, PJ_SHAPE_FLAT);
    assert_int_equal(flat->count[PJ_AT_REGION], 4);
    same_value(at_region(flat, PJ_S("leaf"), PJ_EXCLUSIVE, "time"), 0.07);
    assert_true(at_region(flat, PJ_S("odd"), PJ_CALLS, NULL) == 12000);
}

/// Functions of one name are told apart by their index; one edge may be told by either end.
static void test_names(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_profile p = read_profile_bytes(
        "a.txt",
        PJ_S("index % time    self  children    called     name\n"
             "[1]    100.0    1.00    3.00       1         operator<(int, a [3]) [1]\n"
             "                2.00    0.00       1/1           init [2]\n"
             "-----\n"
             "                2.00    0.00       1/1           operator<(int, a [3]) [1]\n"
             "[2]     50.0    2.00    0.00       1         init [2]\n"
             "-----\n"
             "                1.00    0.00       1/1           lost [9]\n"
             "[3]     25.0    1.00    0.00       1         init [3]\n"
             "no line of it\n"),
        &err);
    assert_non_null(p);
    assert_int_equal(p->count[PJ_AT_REGION], 4);
    assert_int_equal(p->count[PJ_AT_EDGE], 2);
    assert_true(at_edge(p, PJ_S("operator<(int, a [3])"), PJ_S("init"), PJ_CALLS, NULL) == 1);
    assert_true(at_edge(p, PJ_S("lost"), PJ_S("init"), PJ_INCLUSIVE, "time") == 1);
    assert_int_equal(p->oddities.count[PJ_ODDITY_malformed_record], 1);
}

static void test_vtune(void **state)
{
    (void)state;
    pj_auto_profile p = read_profile_file(SAMPLES "vtune_graph/report.axe");
    assert_int_equal(p->shape, PJ_SHAPE_GRAPH);
    assert_int_equal(p->count[PJ_AT_REGION], 5); // two of them are called relax
    assert_true(at_region(p, PJ_S("main"), PJ_INCLUSIVE, "time") == 8);
    assert_true(at_region(p, PJ_S("even"), PJ_INCLUSIVE, "time") == 3);
    assert_true(at_edge(p, PJ_S("relax"), PJ_S("even"), PJ_INCLUSIVE, "time") == 7);
    assert_true(isnan(at_edge(p, PJ_S("even"), PJ_S("odd"), PJ_INCLUSIVE, "time")));
    assert_null(pj_profile_find(p, PJ_AT_REGION, PJ_CALLS, PJ_NO_ITEM));
    assert_int_equal(p->oddities.count[PJ_ODDITY_edges_estimated], 1);
    assert_int_equal(p->oddities.count[PJ_ODDITY_malformed_record], 0);
}

/// The parts of a label: "main\n96.54%\n(0.00%)\n1494x": share of its own, and calls; NaN = none.
static void take_label(pj_str label, double *own, double *calls)
{
    *own = *calls = NAN;
    while (label.len) {
        size_t end = 0;
        while (end + 1 < label.len && !(label.at[end] == '\\' && label.at[end + 1] == 'n'))
            end++;
        bool last = end + 1 >= label.len;
        pj_str part = pj_str_head(label, last ? label.len : end);
        label = pj_str_from(label, last ? label.len : end + 2);
        if (pj_str_starts(part, PJ_S("(")) && pj_str_ends(part, PJ_S("%)")))
            pj_parse_double((pj_str){part.at + 1, part.len - 3}, own);
        else if (pj_str_ends(part, PJ_S("\xc3\x97")))
            pj_parse_double(pj_str_head(part, part.len - 2), calls);
    }
}

static double total_of(const pj_profile *p)
{
    double total = 0;
    for (uint32_t i = 0; i < p->count[PJ_AT_REGION]; i++) {
        double self = profile_value(p, PJ_AT_REGION, PJ_EXCLUSIVE, "time", i, 0);
        total += isnan(self) ? 0 : self;
    }
    return total;
}

/// That calls and shares are those that gprof2dot writes beside nodes and edges.
static void check_dot(const char *input, const char *name, bool timed)
{
    char path[512];
    csv table;
    snprintf(path, sizeof path, REFERENCE "%s", name);
    if (!csv_read(path, &table)) {
        print_message("skipped: %s is not there\n", path);
        skip();
    }
    pj_auto_profile p = read_profile_file(input);
    double total = total_of(p), own, calls;
    for (size_t row = 0; row < table.rows; row++) {
        pj_str function = csv_cell(&table, row, "name"), callee = csv_cell(&table, row, "callee");
        take_label(csv_cell(&table, row, "label"), &own, &calls);
        if (callee.len) {
            if (!isnan(calls))
                assert_true(at_edge(p, function, callee, PJ_CALLS, NULL) == calls);
            assert_int_not_equal(edge_of(p, function, callee), PJ_NO_ITEM);
            continue;
        }
        assert_int_not_equal(region_called(p, function, NULL), PJ_NO_ITEM);
        double self = at_region(p, function, PJ_EXCLUSIVE, "time");
        if (timed)
            assert_true(fabs(100 * self / total - own) < 0.00501);
        if (!isnan(calls))
            assert_true(at_region(p, function, PJ_CALLS, NULL) == calls);
    }
    csv_free(&table);
}

static void test_reference(void **state)
{
    (void)state;
    check_dot(DATA "native/work.gprof.txt", "native/gprof_work.csv", true);
    check_dot(DATA "gprof2dot/gnu2.prof", "native/gprof2dot_gnu2.prof.csv", true);
    check_dot(DATA "gprof2dot/darwin.prof", "native/gprof2dot_darwin.prof.csv", true);
    check_dot(DATA "gprof2dot/cycle.prof", "native/gprof2dot_cycle.prof.csv", true);
    check_dot(DATA "gprof2dot/zeros.prof", "native/gprof2dot_zeros.prof.csv", false);
    check_dot(DATA "vtune/r000hs_gprof_cc.axe", "dot/r000hs_gprof_cc.csv", true);
    check_dot(DATA "vtune/r000hs_vtune_gprof_2015.axe", "dot/r000hs_vtune_gprof_2015.csv", true);
    pj_auto_profile none = read_profile_file(DATA "gprof2dot/issue88.prof"); // UTF-16
    assert_int_equal(none->count[PJ_AT_REGION], 0);
    pj_auto_profile p = read_profile_file(DATA "gprof2dot/gnu2.prof");
    assert_int_equal(p->oddities.count[PJ_ODDITY_malformed_record], 0);
    pj_auto_profile darwin = read_profile_file(DATA "gprof2dot/darwin.prof");
    assert_int_equal(darwin->oddities.count[PJ_ODDITY_malformed_record], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gprof),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_vtune),
        cmocka_unit_test(test_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
