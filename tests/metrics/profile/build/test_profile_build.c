// What a builder is told is in the profile, once; what breaks the rules of profiles is counted.
#include "metrics/profile/build/cycles.h"
#include "metrics/profile/build/profile_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const pj_measure seconds = {.key = "time", .title = "Time", .unit = "s"};

static pj_profile *finish(pj_build *build)
{
    pj_err err = {0};
    pj_profile *profile = pj_build_finish(build, &err);
    assert_string_equal(err.text, "");
    assert_non_null(profile);
    return profile;
}

static void regions_are_one_by_name_file_and_line(void **state)
{
    (void)state;
    pj_job job = {0};
    pj_auto_build b = pj_build_new("a.prof", &job);
    uint32_t f = pj_build_region(b, PJ_S("f"), PJ_S("a.py"), 3);
    assert_int_equal(pj_build_region(b, PJ_S("f"), PJ_S("a.py"), 3), f);
    assert_int_not_equal(pj_build_region(b, PJ_S("f"), PJ_S("a.py"), 4), f);
    assert_int_not_equal(pj_build_region(b, PJ_S("f"), PJ_S("b.py"), 3), f);
    uint32_t name = pj_build_text(b, PJ_S("f")), file = pj_build_text(b, PJ_S("a.py"));
    assert_int_equal(pj_build_region_apart(b, name, file, 3, 0), f);
    uint32_t other = pj_build_region_apart(b, name, file, 3, name);
    assert_int_not_equal(other, f);
    assert_int_equal(pj_build_region_apart(b, name, file, 3, name), other);
    assert_int_equal(pj_build_text(b, PJ_S("")), 0);
    uint32_t group = pj_build_text(b, PJ_S("io"));
    pj_build_groups(b, f, &group, 1);
    pj_build_region_at(b, f)->kind = PJ_REGION_mpi;
    pj_build_pair(b, PJ_NO_ITEM, PJ_S("host"), PJ_S("n1"));
    assert_true(job.memory_used > 0);
    pj_auto_profile p = finish(b);
    assert_int_equal(job.memory_used, 0);
    assert_int_equal(p->count[PJ_AT_REGION], 4);
    assert_true(pj_str_equal(pj_profile_name(p, f), PJ_S("f")));
    assert_string_equal(pj_region_kind_key(p->regions[f].kind), "mpi");
    assert_true(pj_str_equal(pj_profile_text(p, p->groups[p->regions[f].first_group]), PJ_S("io")));
    assert_true(pj_str_equal(pj_profile_text(p, p->pairs[0].value), PJ_S("n1")));
}

/// Locations that come late widen the rows: nothing moves to another item, absent stays absent.
static void values_keep_their_place(void **state)
{
    (void)state;
    enum { REGIONS = 300, LOCATIONS = 11 };
    pj_job job = {0};
    pj_auto_build b = pj_build_new("a", &job);
    uint32_t time = pj_build_measure(b, seconds);
    assert_int_equal(pj_build_measure(b, seconds), time);
    uint32_t self = pj_build_column(b, PJ_AT_REGION, PJ_EXCLUSIVE, time, false);
    uint32_t calls = pj_build_column(b, PJ_AT_REGION, PJ_CALLS, PJ_NO_ITEM, true);
    char name[16];
    for (uint32_t at = 0; at < LOCATIONS; at++) {
        assert_int_equal(pj_build_location(b, (pj_profile_location){.rank = at}), at);
        for (uint32_t r = at % 3; r < REGIONS; r += 3) {
            int len = snprintf(name, sizeof name, "f%u", r);
            uint32_t region = pj_build_region(b, (pj_str){name, (size_t)len}, PJ_S(""), 0);
            pj_build_add(b, self, region, at, r);
            pj_build_add(b, self, region, at, at);
            pj_build_count(b, calls, region, at, INT64_C(1) << 60);
        }
    }
    pj_auto_profile p = finish(b);
    assert_int_equal(p->location_count, LOCATIONS);
    assert_int_equal(p->count[PJ_AT_REGION], REGIONS);
    const pj_profile_column *column = pj_profile_find(p, PJ_AT_REGION, PJ_EXCLUSIVE, time);
    for (uint32_t region = 0; region < REGIONS; region++)
        for (uint32_t at = 0; at < LOCATIONS; at++) {
            size_t cell = (size_t)region * LOCATIONS + at;
            pj_str label = pj_profile_name(p, region);
            uint32_t r = (uint32_t)strtoul(label.at + 1, NULL, 10);
            double value = pj_profile_value(p, column, region, at);
            assert_true(r % 3 == at % 3 ? value == r + at : isnan(value));
            assert_true(p->columns[calls].integer[cell] ==
                        (r % 3 == at % 3 ? INT64_C(1) << 60 : PJ_ABSENT_WHOLE));
        }
}

static void values_fold_as_their_measure_says(void **state)
{
    (void)state;
    pj_job job = {0};
    pj_auto_build b = pj_build_new("a", &job);
    pj_build_location(b, (pj_profile_location){.rank = 0});
    uint32_t f = pj_build_region(b, PJ_S("f"), PJ_S(""), 0);
    uint32_t least = pj_build_measure(
        b, (pj_measure){.key = "least", .title = "Least", .unit = "", .fold = PJ_MEASURE_MIN});
    uint32_t most = pj_build_measure(
        b, (pj_measure){.key = "most", .title = "Most", .unit = "", .fold = PJ_MEASURE_MAX});
    uint32_t low = pj_build_column(b, PJ_AT_REGION, PJ_EXCLUSIVE, least, true);
    uint32_t high = pj_build_column(b, PJ_AT_REGION, PJ_EXCLUSIVE, most, false);
    static const int values[] = {4, -2, 9};
    for (size_t i = 0; i < 3; i++) {
        pj_build_count(b, low, f, 0, values[i]);
        pj_build_add(b, high, f, 0, values[i]);
    }
    uint32_t calls = pj_build_column(b, PJ_AT_REGION, PJ_CALLS, PJ_NO_ITEM, true);
    pj_build_count(b, calls, f, 0, -1);
    pj_build_add(b, high, f, 0, INFINITY);
    pj_build_count(b, low, f, 0, INT64_MAX);
    pj_build_add(b, low, f, 0, 1e300);
    pj_auto_profile p = finish(b);
    assert_true(pj_profile_value(p, &p->columns[low], f, 0) == -2);
    assert_true(pj_profile_value(p, &p->columns[high], f, 0) == 9);
    assert_true(isnan(pj_profile_value(p, &p->columns[calls], f, 0)));
    assert_int_equal(p->oddities.count[PJ_ODDITY_calls_unknown], 1);
    assert_int_equal(p->oddities.count[PJ_ODDITY_not_finite], 1);
    assert_int_equal(p->oddities.count[PJ_ODDITY_large_value], 1);
}

static void deep_paths_are_cut_and_counted(void **state)
{
    (void)state;
    pj_job job = {0};
    pj_auto_build b = pj_build_new("a", &job);
    pj_build_profile(b)->shape = PJ_SHAPE_TREE;
    pj_build_location(b, (pj_profile_location){.rank = 0});
    uint32_t f = pj_build_region(b, PJ_S("f"), PJ_S(""), 0), node = PJ_NO_ITEM;
    for (unsigned depth = 0; depth < PJ_BUILD_DEPTH + 5; depth++)
        node = pj_build_node(b, node, f);
    assert_true(node & PJ_NODE_CUT);
    uint32_t last = node & ~PJ_NODE_CUT;
    uint32_t time = pj_build_measure(b, seconds);
    uint32_t self = pj_build_column(b, PJ_AT_NODE, PJ_EXCLUSIVE, time, false);
    uint32_t calls = pj_build_column(b, PJ_AT_NODE, PJ_CALLS, PJ_NO_ITEM, true);
    pj_build_add(b, self, last, 0, 1);
    pj_build_add(b, self, node, 0, 2);
    pj_build_count(b, calls, node, 0, 2);
    assert_null(pj_build_row(b, self, node));
    assert_int_not_equal(pj_build_node_with(b, 0, f, pj_build_text(b, PJ_S("n=1"))), 1);
    pj_auto_profile p = finish(b);
    assert_int_equal(p->count[PJ_AT_NODE], PJ_BUILD_DEPTH + 1);
    assert_true(pj_profile_value(p, &p->columns[self], last, 0) == 3);
    assert_true(isnan(pj_profile_value(p, &p->columns[calls], last, 0)));
    assert_int_equal(p->oddities.count[PJ_ODDITY_too_deep], 1);
}

static void a_failed_builder_tells_the_first_error(void **state)
{
    (void)state;
    pj_job job = {.memory_budget = 3 << 20};
    pj_auto_build b = pj_build_new("big.prof", &job);
    pj_auto_buf name = {0};
    memset(pj_buf_room(&name, PJ_BUILD_NAME_BYTES + 1), 'x', PJ_BUILD_NAME_BYTES + 1);
    name.len = PJ_BUILD_NAME_BYTES + 1;
    uint32_t time = pj_build_measure(b, seconds);
    uint32_t self = pj_build_column(b, PJ_AT_REGION, PJ_EXCLUSIVE, time, false);
    assert_int_equal(pj_build_region(b, pj_buf_str(&name), PJ_S(""), 0), PJ_NO_ITEM);
    assert_false(pj_build_ok(b));
    pj_build_add(b, self, PJ_NO_ITEM, PJ_NO_ITEM, 1);
    pj_build_region_at(b, PJ_NO_ITEM)->line = 1;
    pj_err err = {0};
    assert_null(pj_build_finish(b, &err));
    assert_int_equal(err.code, PJ_E_FORMAT);
    assert_string_equal(err.where, "big.prof");

    pj_auto_build large = pj_build_new("large", &job);
    uint32_t series = pj_build_series(large, 0, PJ_S("memory"), PJ_S("MiB"));
    for (unsigned i = 0; i < 1 << 20 && pj_build_ok(large); i++)
        pj_build_point(large, series, i, i);
    err = (pj_err){0};
    assert_null(pj_build_finish(large, &err));
    assert_int_equal(err.code, PJ_E_MEMORY);
}

/// a -> b -> a, c -> c, c -> b: only d gets more from its callers than it has outside a cycle.
/// Readers ask in every loop whether to go on.
static void an_interrupt_ends_the_reading(void **state)
{
    (void)state;
    atomic_bool stop = false;
    pj_job job = {.stop = &stop};
    pj_err err = {0};
    pj_auto_build b = pj_build_new("a.prof", &job);
    assert_true(pj_build_ok(b));
    atomic_store(&stop, true);
    assert_false(pj_build_ok(b));
    assert_null(pj_build_finish(b, &err));
    assert_int_equal(err.code, PJ_E_STOPPED);
}

static void what_does_not_add_up_is_counted(void **state)
{
    (void)state;
    pj_job job = {0};
    pj_auto_build b = pj_build_new("a", &job);
    pj_build_profile(b)->shape = PJ_SHAPE_GRAPH;
    pj_build_location(b, (pj_profile_location){.rank = 0});
    uint32_t time = pj_build_measure(b, seconds);
    uint32_t own = pj_build_column(b, PJ_AT_REGION, PJ_EXCLUSIVE, time, false);
    uint32_t all = pj_build_column(b, PJ_AT_REGION, PJ_INCLUSIVE, time, false);
    uint32_t given = pj_build_column(b, PJ_AT_EDGE, PJ_INCLUSIVE, time, false);
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    uint32_t r[5];
    for (size_t i = 0; i < 5; i++) {
        r[i] = pj_build_region(b, pj_str_of(names[i]), PJ_S(""), 0);
        if (i < 4)
            pj_build_add(b, all, r[i], 0, 1);
    }
    pj_build_add(b, own, r[0], 0, 1.5);
    pj_build_add(b, own, r[1], 0, -1);
    static const uint32_t edges[][2] = {{0, 1}, {1, 0}, {2, 2}, {2, 1}, {4, 3}};
    for (size_t e = 0; e < 5; e++)
        pj_build_add(b, given, pj_build_edge(b, r[edges[e][0]], r[edges[e][1]]), 0, 1.25);
    pj_auto_profile p = finish(b);
    assert_int_equal(p->count[PJ_AT_EDGE], 5);
    assert_int_equal(p->oddities.count[PJ_ODDITY_inclusive_less], 1);
    assert_int_equal(p->oddities.count[PJ_ODDITY_negative_time], 1);
    assert_int_equal(p->oddities.count[PJ_ODDITY_edges_not_sum], 1);
    assert_int_equal(p->oddities.count[PJ_ODDITY_caller_unknown], 1);
    pj_auto_arena arena = pj_arena_new(NULL);
    const uint32_t *cycle = pj_profile_cycles(p, arena);
    assert_true(cycle[r[0]] && cycle[r[0]] == cycle[r[1]]);
    assert_true(cycle[r[2]] && cycle[r[2]] != cycle[r[0]]);
    assert_true(!cycle[r[3]] && !cycle[r[4]]);
}

static void paths_that_are_no_sum_are_counted(void **state)
{
    (void)state;
    pj_job job = {0};
    pj_auto_build b = pj_build_new("a", &job);
    pj_build_location(b, (pj_profile_location){.rank = 0});
    pj_measure both = seconds;
    both.stored = PJ_STORED_BOTH;
    uint32_t time = pj_build_measure(b, both);
    uint32_t own = pj_build_column(b, PJ_AT_NODE, PJ_EXCLUSIVE, time, false);
    uint32_t all = pj_build_column(b, PJ_AT_NODE, PJ_INCLUSIVE, time, false);
    uint32_t root = pj_build_node(b, PJ_NO_ITEM, pj_build_region(b, PJ_S("a"), PJ_S(""), 0));
    uint32_t child = pj_build_node(b, root, pj_build_region(b, PJ_S("b"), PJ_S(""), 0));
    pj_build_add(b, own, root, 0, 1);
    pj_build_add(b, all, root, 0, 3.5);
    pj_build_add(b, own, child, 0, 2);
    pj_build_add(b, all, child, 0, 2);
    pj_auto_profile p = finish(b);
    assert_int_equal(p->oddities.count[PJ_ODDITY_paths_not_sum], 1);
    pj_auto_buf said = {0};
    pj_oddity_say(&p->oddities, PJ_ODDITY_paths_not_sum, &said);
    assert_string_equal(said.at, "times of call paths are not the sum of their parts");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_are_one_by_name_file_and_line),
        cmocka_unit_test(values_keep_their_place),
        cmocka_unit_test(values_fold_as_their_measure_says),
        cmocka_unit_test(deep_paths_are_cut_and_counted),
        cmocka_unit_test(a_failed_builder_tells_the_first_error),
        cmocka_unit_test(an_interrupt_ends_the_reading),
        cmocka_unit_test(what_does_not_add_up_is_counted),
        cmocka_unit_test(paths_that_are_no_sum_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
