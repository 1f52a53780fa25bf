// Profiles of ranks as one, parts of a profile, and what follows from call paths.
#include "metrics/analyse/load_profile.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/derive/profile_filter.h"
#include "metrics/profile/derive/profile_merge.h"
#include "metrics/profile/profile_findings.h"
#include "metrics/profile/profile_graph.h"
#include "metrics/profile/profile_parts.h"
#include "metrics/profile/profile_rows.h"
#include "metrics/profile/profile_table.h"
#include "metrics/table/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_ranks(const char *const *paths, size_t count, const int64_t *expected)
{
    int64_t ranks[8];
    pj_load_profile_ranks(paths, count, ranks);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(ranks[i], expected[i]);
}

static void names_tell_ranks(void **state)
{
    (void)state;
    static const char *const plain[] = {"d1/cpu_4.prof", "d1/cpu_0.prof", "d1/cpu_12.prof"};
    assert_ranks(plain, 3, (const int64_t[]){4, 0, 12});
    static const char *const tau[] = {"profile.3.0.1", "profile.7.0.1"};
    assert_ranks(tau, 2, (const int64_t[]){3, 7});
    static const char *const suffix[] = {"x.lprof10", "x.lprof2"};
    assert_ranks(suffix, 2, (const int64_t[]){10, 2});
    static const char *const folders[] = {"rank5/a.prof", "rank6/a.prof"};
    assert_ranks(folders, 2, (const int64_t[]){5, 6});
    static const char *const none[] = {"a.prof", "b.prof"};
    assert_ranks(none, 2, (const int64_t[]){0, 1});
    static const char *const one[] = {"cpu_7.prof"};
    assert_ranks(one, 1, (const int64_t[]){0});
}

static pj_profile *finish(pj_build *build)
{
    pj_err err = {0};
    pj_profile *profile = pj_build_finish(build, &err);
    assert_string_equal(err.text, "");
    return profile;
}

/// A graph of one rank: main calls work, unless the rank is idle; every rank waits in MPI_Barrier.
static pj_profile *made_rank(int64_t rank, bool idle)
{
    pj_job job = {0};
    pj_auto_build b = pj_build_new("rank", &job);
    pj_build_profile(b)->shape = PJ_SHAPE_GRAPH;
    pj_build_profile(b)->format = "made";
    pj_build_file(b, idle ? "idle.prof" : "busy.prof");
    uint32_t at = pj_build_location(b, (pj_profile_location){.rank = rank});
    uint32_t time = pj_build_measure(
        b, (pj_measure){.key = "time", .title = "Time", .unit = "s", .stored = PJ_STORED_BOTH});
    uint32_t own = pj_build_column(b, PJ_AT_REGION, PJ_EXCLUSIVE, time, false);
    uint32_t calls = pj_build_column(b, PJ_AT_REGION, PJ_CALLS, PJ_NO_ITEM, true);
    uint32_t given = pj_build_column(b, PJ_AT_EDGE, PJ_CALLS, PJ_NO_ITEM, true);
    uint32_t barrier = pj_build_region(b, PJ_S("MPI_Barrier"), PJ_S(""), 0);
    uint32_t main_region = pj_build_region(b, PJ_S("main"), PJ_S("/opt/a.py"), 1);
    pj_build_add(b, own, barrier, at, idle ? 9 : 1);
    pj_build_add(b, own, main_region, at, 0.01);
    pj_build_count(b, given, pj_build_edge(b, main_region, barrier), at, 2);
    if (!idle) {
        uint32_t work = pj_build_region(b, PJ_S("work"), PJ_S("/opt/a.py"), 5);
        pj_build_add(b, own, work, at, 4 + (double)rank);
        pj_build_count(b, calls, work, at, 10);
        pj_build_count(b, given, pj_build_edge(b, main_region, work), at, 10);
    }
    return finish(b);
}

static pj_profile *merged(pj_profile *const *parts, size_t count)
{
    pj_job job = {0};
    pj_err err = {0};
    pj_auto_build b = pj_build_new("all", &job);
    assert_true(pj_profile_merge(b, parts, count, (pj_profile_merging){0}, &err));
    return finish(b);
}

static pj_profile *made_ranks(void)
{
    pj_profile *parts[4];
    for (size_t i = 0; i < 4; i++)
        parts[i] = made_rank((int64_t)i, i >= 2);
    pj_profile *all = merged(parts, 4);
    for (size_t i = 0; i < 4; i++)
        pj_profile_release(parts[i]);
    return all;
}

/// A function whose time with callees is less than that without.
static pj_profile *made_odd(int64_t rank)
{
    pj_job job = {0};
    pj_auto_build b = pj_build_new("odd.prof", &job);
    uint32_t at = pj_build_location(b, (pj_profile_location){.rank = rank});
    uint32_t time = pj_build_measure(
        b, (pj_measure){.key = "time", .title = "Time", .unit = "s", .stored = PJ_STORED_BOTH});
    uint32_t f = pj_build_region(b, PJ_S("f"), PJ_S(""), 0);
    pj_build_add(b, pj_build_column(b, PJ_AT_REGION, PJ_EXCLUSIVE, time, false), f, at, 2);
    pj_build_add(b, pj_build_column(b, PJ_AT_REGION, PJ_INCLUSIVE, time, false), f, at, 1);
    return finish(b);
}

/// A profile with a function at a line of a file.
static pj_profile *made_function(const char *name, const char *file, uint32_t line)
{
    pj_job job = {0};
    pj_auto_build b = pj_build_new("one.prof", &job);
    uint32_t at = pj_build_location(b, (pj_profile_location){.rank = 0});
    uint32_t calls = pj_build_column(b, PJ_AT_REGION, PJ_CALLS, PJ_NO_ITEM, true);
    pj_build_count(b, calls, pj_build_region(b, pj_str_of(name), pj_str_of(file), line), at, 1);
    return finish(b);
}

static void name_file_and_line_make_a_function(void **state)
{
    (void)state;
    pj_profile *parts[] = {made_function("<lambda>", "a.py", 1),
                           made_function("<lambda>", "a.py", 2),
                           made_function("<lambda>", "b.py", 2), made_function("f", "b.py", 2),
                           made_function("f", "b.py", 2)};
    for (size_t i = 1; i < sizeof parts / sizeof *parts; i++) {
        pj_auto_profile all = merged(parts + i - 1, 2);
        assert_int_equal(all->count[PJ_AT_REGION], i < 4 ? 2 : 1);
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        pj_profile_release(parts[i]);
}

static void oddities_of_parts_are_counted_once(void **state)
{
    (void)state;
    pj_profile *parts[] = {made_odd(0), made_odd(1)};
    pj_auto_profile all = merged(parts, 2);
    assert_int_equal(all->oddities.count[PJ_ODDITY_inclusive_less], 2);
    pj_profile_release(parts[0]);
    pj_profile_release(parts[1]);
}

static void ranks_keep_their_values(void **state)
{
    (void)state;
    pj_auto_profile all = made_ranks();
    assert_int_equal(all->location_count, 4);
    assert_int_equal(all->count[PJ_AT_REGION], 3);
    assert_int_equal(all->count[PJ_AT_EDGE], 2);
    assert_int_equal(all->file_count, 4);
    const pj_profile_column *own = pj_profile_find(all, PJ_AT_REGION, PJ_EXCLUSIVE, 0);
    assert_true(pj_profile_value(all, own, 2, 1) == 5);
    assert_true(isnan(pj_profile_value(all, own, 2, 3)));
    pj_auto_buf found = {0};
    pj_profile_findings(all, &found);
    assert_string_equal(found.at,
                        "2 of 4 ranks work; the others, 2, 3, wait 99.9 % of their time and never "
                        "call work, which takes 99.8 % of the work of those that work\n");
}

static void statistics_count_the_absent_as_nothing(void **state)
{
    (void)state;
    pj_auto_profile all = made_ranks();
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_profile_rows rows =
        pj_profile_rows_of(all, (pj_profile_grouping){.item = PJ_BY_FUNCTION}, 0, arena);
    assert_int_equal(rows.count, 3);
    const pj_profile_row *work = &rows.rows[2];
    assert_true(work->exclusive == 9 && work->calls.whole == 20 && work->have == 2);
    assert_true(work->least == 0 && work->mean == 2.25 && work->most == 5 && work->where == 1);
    assert_true(fabs(work->balance - 0.45) < 1e-12);
    pj_auto_profile_rows ranks =
        pj_profile_rows_of(all, (pj_profile_grouping){.rank = true}, 0, arena);
    assert_int_equal(ranks.count, 4);
    assert_true(ranks.rows[3].rank == 3 && fabs(ranks.rows[3].exclusive - 9.01) < 1e-12);
}

static void parts_of_a_graph(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_profile all = made_ranks();
    pj_auto_profile one = pj_profile_of_rank(all, 1, &err);
    assert_int_equal(one->location_count, 1);
    assert_int_equal(one->locations[0].rank, 1);
    assert_null(pj_profile_of_rank(all, 9, &err));
    assert_non_null(strstr(err.text, "no rank 9"));
    err = (pj_err){0};
    pj_auto_profile below = pj_profile_below(all, PJ_S("work"), &err);
    assert_int_equal(below->count[PJ_AT_REGION], 1);
    assert_int_equal(below->count[PJ_AT_EDGE], 0);
    assert_null(pj_profile_below(all, PJ_S("nobody"), &err));
}

/// main -> f -> g -> f, of two threads: of f only the outer call counts as inclusive.
static pj_profile *made_tree(void)
{
    pj_job job = {0};
    pj_auto_build b = pj_build_new("tree", &job);
    pj_build_profile(b)->shape = PJ_SHAPE_TREE;
    uint32_t time = pj_build_measure(b, (pj_measure){.key = "time", .title = "Time", .unit = "s"});
    uint32_t own = pj_build_column(b, PJ_AT_NODE, PJ_EXCLUSIVE, time, false);
    uint32_t calls = pj_build_column(b, PJ_AT_NODE, PJ_CALLS, PJ_NO_ITEM, true);
    static const char *const names[] = {"main", "f", "g", "f"};
    for (uint32_t at = 0; at < 2; at++) {
        pj_build_location(b, (pj_profile_location){.rank = 0, .thread = at});
        uint32_t node = PJ_NO_ITEM;
        for (uint32_t i = 0; i < 4; i++) {
            node = pj_build_node(b, node, pj_build_region(b, pj_str_of(names[i]), PJ_S(""), 0));
            pj_build_add(b, own, node, at, i + 1 + at);
            pj_build_count(b, calls, node, at, i + 1);
        }
    }
    return finish(b);
}

static void recursion_counts_once(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_job job = {0};
    pj_auto_profile tree = made_tree();
    pj_auto_profile graph = pj_profile_graph(tree, &job, &err);
    assert_int_equal(graph->shape, PJ_SHAPE_GRAPH);
    assert_int_equal(graph->count[PJ_AT_EDGE], 3);
    const pj_profile_column *all = pj_profile_find(graph, PJ_AT_REGION, PJ_INCLUSIVE, 0);
    const pj_profile_column *own = pj_profile_find(graph, PJ_AT_REGION, PJ_EXCLUSIVE, 0);
    assert_true(pj_profile_value(graph, all, 0, 0) == 10);
    assert_true(pj_profile_value(graph, all, 1, 0) == 9 && pj_profile_value(graph, own, 1, 0) == 6);
    const pj_profile_column *calls =
        pj_profile_find(graph, PJ_AT_REGION, PJ_PRIMITIVE_CALLS, PJ_NO_ITEM);
    assert_true(pj_profile_value(graph, calls, 1, 0) == 2);
    for (unsigned k = 0; k < PJ_ODDITY_COUNT; k++)
        assert_int_equal(graph->oddities.count[k], 0);

    pj_auto_profile below = pj_profile_below(tree, PJ_S("^g"), &err);
    assert_int_equal(below->count[PJ_AT_NODE], 2);
    assert_int_equal(below->nodes[0].parent, PJ_NO_ITEM);
}

static void call_paths_are_listed_as_a_tree(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_profile tree = made_tree();
    pj_auto_table table = pj_profile_table(tree, &(pj_profile_ask){.by.item = PJ_BY_PATH}, &err);
    assert_int_equal(table->row_count, 4);
    size_t path = (size_t)pj_table_column(table, PJ_S("path"));
    size_t total = (size_t)pj_table_column(table, PJ_S("inclusive_s"));
    assert_string_equal(pj_table_cell(table, 3, path)->text, "main => f => g => f");
    assert_true(pj_cell_number(*pj_table_cell(table, 0, total)) == 24);
    assert_true(pj_table_column(table, PJ_S("threads")) >= 0);
    pj_auto_profile graph = made_rank(0, false);
    assert_null(pj_profile_table(graph, &(pj_profile_ask){.by.item = PJ_BY_PATH}, &err));
    assert_int_equal(err.code, PJ_E_MISSING);
}

static double total_of(const pj_profile *p)
{
    const pj_profile_column *own = pj_profile_find(p, PJ_AT_REGION, PJ_EXCLUSIVE, 0);
    double sum = 0;
    for (uint32_t r = 0; r < p->count[PJ_AT_REGION]; r++)
        for (uint32_t at = 0; at < p->location_count; at++) {
            double value = pj_profile_value(p, own, r, at);
            sum += isnan(value) ? 0 : value;
        }
    return sum;
}

static pj_profile *made_flat(void)
{
    pj_job job = {0};
    pj_auto_build b = pj_build_new("flat", &job);
    uint32_t time = pj_build_measure(b, (pj_measure){.key = "time", .title = "Time", .unit = "s"});
    uint32_t own = pj_build_column(b, PJ_AT_REGION, PJ_EXCLUSIVE, time, false);
    uint32_t at = pj_build_location(b, (pj_profile_location){.rank = 5});
    pj_build_add(b, own, pj_build_region(b, PJ_S("f"), PJ_S(""), 0), at, 2);
    return finish(b);
}

/// Different shapes are one in the least of them, with all of the time, and it is told.
static void shapes_are_made_even(void **state)
{
    (void)state;
    pj_job job = {0};
    pj_err err = {0};
    pj_auto_profile graph = made_rank(0, false);
    pj_auto_profile tree = made_tree();
    pj_auto_profile flat = made_flat();
    pj_auto_profile from_tree = pj_profile_graph(tree, &job, &err);
    pj_profile *parts[] = {graph, tree, flat};
    for (size_t count = 2; count <= 3; count++) {
        pj_auto_build b = pj_build_new("all", &job);
        assert_true(pj_profile_merge(b, parts, count, (pj_profile_merging){0}, &err));
        pj_auto_profile all = finish(b);
        bool whole = count == 2;
        assert_int_equal(all->shape, whole ? PJ_SHAPE_GRAPH : PJ_SHAPE_FLAT);
        assert_int_equal(all->count[PJ_AT_NODE], 0);
        assert_int_equal(all->count[PJ_AT_EDGE] > 0, whole);
        assert_int_equal(all->oddities.count[PJ_ODDITY_paths_added], whole);
        assert_int_equal(all->oddities.count[PJ_ODDITY_calls_left_out], whole ? 0 : 2);
        double sum = total_of(graph) + total_of(from_tree) + (whole ? 0 : 2);
        assert_float_equal(total_of(all), sum, 1e-9);
    }
}

/// Few rows of many are those that sorting all of them puts first.
static void the_first_rows_are_the_same(void **state)
{
    (void)state;
    enum { REGIONS = 500, FIRST = 7 };
    pj_job job = {0};
    pj_err err = {0};
    pj_auto_build b = pj_build_new("many", &job);
    pj_build_location(b, (pj_profile_location){.rank = 0});
    uint32_t time = pj_build_measure(b, (pj_measure){.key = "time", .title = "Time", .unit = "s"});
    uint32_t own = pj_build_column(b, PJ_AT_REGION, PJ_EXCLUSIVE, time, false);
    char name[16];
    for (uint32_t r = 0; r < REGIONS; r++) {
        int len = snprintf(name, sizeof name, "f%u", r);
        uint32_t region = pj_build_region(b, (pj_str){name, (size_t)len}, PJ_S(""), 0);
        pj_build_add(b, own, region, 0, r * 7919 % 101);
    }
    pj_auto_profile p = finish(b);
    pj_profile_ask ask = {.by.item = PJ_BY_FUNCTION};
    pj_auto_table all = pj_profile_table(p, &ask, &err);
    ask.first = FIRST;
    pj_auto_table some = pj_profile_table(p, &ask, &err);
    assert_int_equal(some->row_count, FIRST);
    size_t function = (size_t)pj_table_column(all, PJ_S("function"));
    for (size_t row = 0; row < FIRST; row++)
        assert_string_equal(pj_table_cell(all, row, function)->text,
                            pj_table_cell(some, row, function)->text);
}

/// Whatever is asked for: functions, call paths, calls.
static void an_interrupt_ends_what_is_asked_for(void **state)
{
    (void)state;
    static const pj_profile_by items[] = {PJ_BY_FUNCTION, PJ_BY_PATH};
    atomic_bool stop = true;
    pj_auto_profile tree = made_tree();
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        for (uint64_t first = 0; first < 2; first++) {
            pj_err err = {0};
            pj_profile_ask ask = {.by.item = items[i], .first = first, .stop = &stop};
            assert_null(pj_profile_table(tree, &ask, &err));
            assert_int_equal(err.code, PJ_E_STOPPED);
        }
    pj_err err = {0};
    pj_profile_ask ask = {.stop = &stop};
    assert_null(pj_profile_edges(tree, PJ_ALL_EDGES, PJ_S(""), &ask, &err));
    assert_int_equal(err.code, PJ_E_STOPPED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_tell_ranks),
        cmocka_unit_test(ranks_keep_their_values),
        cmocka_unit_test(name_file_and_line_make_a_function),
        cmocka_unit_test(oddities_of_parts_are_counted_once),
        cmocka_unit_test(statistics_count_the_absent_as_nothing),
        cmocka_unit_test(parts_of_a_graph),
        cmocka_unit_test(recursion_counts_once),
        cmocka_unit_test(call_paths_are_listed_as_a_tree),
        cmocka_unit_test(shapes_are_made_even),
        cmocka_unit_test(the_first_rows_are_the_same),
        cmocka_unit_test(an_interrupt_ends_what_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
