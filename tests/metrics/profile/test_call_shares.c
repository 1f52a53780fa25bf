// Times shared out by numbers of calls: what each caller bears, and how time flows in a cycle.
#include "metrics/base/arena.h"
#include "metrics/profile/call_graph.h"
#include "metrics/profile/call_shares.h"
#include "metrics/profile/profile_sums.h"
#include "tests/support/profile/read_profile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char report[] =
    "\t\t\tCall graph\n"
    "\n"
    "granularity: each sample hit covers 2 byte(s) for 1.00% of 1.00 seconds\n"
    "\n"
    "index % time    self  children    called     name\n"
    "                                                 <spontaneous>\n"
    "[1]    100.0    0.00    1.00                 main [1]\n"
    "                0.00    0.70       1/1           left [2]\n"
    "                0.00    0.20       1/1           right [3]\n"
    "                0.10    0.00       1/1           even <cycle 1> [5]\n"
    "-----------------------------------------------\n"
    "                0.00    0.70       1/1           main [1]\n"
    "[2]     70.0    0.00    0.70       1         left [2]\n"
    "                0.70    0.00       3/4           leaf [4]\n"
    "-----------------------------------------------\n"
    "                0.00    0.20       1/1           main [1]\n"
    "[3]     20.0    0.00    0.20       1         right [3]\n"
    "                0.20    0.00       1/4           leaf [4]\n"
    "-----------------------------------------------\n"
    "                0.20    0.00       1/4           right [3]\n"
    "                0.70    0.00       3/4           left [2]\n"
    "[4]     80.0    0.80    0.00       4         leaf [4]\n"
    "-----------------------------------------------\n"
    "[7]     20.0    0.20    0.00       1+4       <cycle 1 as a whole> [7]\n"
    "                0.15    0.00       3             even <cycle 1> [5]\n"
    "                0.05    0.00       2             odd <cycle 1> [6]\n"
    "-----------------------------------------------\n"
    "                                   2             odd <cycle 1> [6]\n"
    "                0.10    0.00       1/1           main [1]\n"
    "[5]     15.0    0.15    0.00       3         even <cycle 1> [5]\n"
    "                                   2             odd <cycle 1> [6]\n"
    "-----------------------------------------------\n"
    "                                   2             even <cycle 1> [5]\n"
    "[6]      5.0    0.05    0.00       2         odd <cycle 1> [6]\n"
    "                                   2             even <cycle 1> [5]\n"
    "-----------------------------------------------\n";

static double edge_share(const pj_profile_sums *sums, const pj_call_shares *shares,
                         const char *caller, const char *callee)
{
    const pj_profile *p = sums->profile;
    uint32_t from = region_called(p, pj_str_of(caller), NULL),
             to = region_called(p, pj_str_of(callee), NULL);
    for (uint32_t e = 0; e < sums->edge_count; e++)
        if (sums->edge[e].caller == from && sums->edge[e].callee == to)
            return shares->edges[e];
    fail_msg("no call of %s by %s", callee, caller);
    return 0;
}

/// Own times are 0.80, 0.15 and 0.05 s; the report has rounded the rest.
static void callers_bear_by_calls(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_profile p = read_profile_bytes("x.txt", pj_str_of(report), &err);
    assert_string_equal(err.text, "");
    assert_true(p->shared);
    const pj_profile_sums *sums = pj_profile_sums_new(p, 0, NULL, arena);
    pj_call_shares shares = pj_call_shares_new(sums, arena);
    static const struct {
        const char *name;
        double inclusive;
    } regions[] = {{"main", 1},   {"left", 0.6}, {"right", 0.2},
                   {"leaf", 0.8}, {"even", 0.2}, {"odd", 0.05}};
    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++)
        same_value(shares.regions[region_called(p, pj_str_of(regions[i].name), NULL)],
                   regions[i].inclusive);
    same_value(edge_share(sums, &shares, "main", "left"), 0.6);
    same_value(edge_share(sums, &shares, "left", "leaf"), 0.6);
    same_value(edge_share(sums, &shares, "right", "leaf"), 0.2);
    same_value(edge_share(sums, &shares, "main", "even"), 0.2);
    same_value(edge_share(sums, &shares, "even", "odd"), 0.05);
    assert_true(isnan(edge_share(sums, &shares, "odd", "even"))); // back to where it was entered
}

/// A run that was too short to be sampled: calls weigh.
static void calls_weigh_where_no_time_was_measured(void **state)
{
    (void)state;
    static const char zeros[] = "index  % time    self  children called     name\n"
                                "[1]    100.0    0.00     0.00                 main [1]\n"
                                "                0.00     0.00    1/1        left [2]\n"
                                "                0.00     0.00    2/6        leaf [3]\n"
                                "----------------------------------------\n"
                                "                0.00     0.00    1/1        main [1]\n"
                                "[2]      0.0    0.00     0.00    1      left [2]\n"
                                "                0.00     0.00    4/6        leaf [3]\n"
                                "----------------------------------------\n"
                                "                0.00     0.00    2/6        main [1]\n"
                                "                0.00     0.00    4/6        left [2]\n"
                                "[3]      0.0    0.00     0.00    6      leaf [3]\n"
                                "----------------------------------------\n";
    pj_err err = {0};
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_profile p = read_profile_bytes("x.txt", pj_str_of(zeros), &err);
    assert_string_equal(err.text, "");
    const pj_profile_sums *sums = pj_profile_sums_new(p, 0, NULL, arena);
    assert_true(pj_call_graph_by_calls(sums));
    const pj_call_graph *graph = pj_call_graph_new(sums, (pj_call_graph_opts){0}, arena, &err);
    assert_non_null(graph);
    assert_int_equal(graph->node_count, 3);
    assert_int_equal(graph->edge_count, 3);
    for (uint32_t n = 0; n < 3; n++) {
        pj_str name = pj_profile_name(p, graph->nodes[n].region);
        bool leaf = pj_str_equal(name, PJ_S("leaf")), left = pj_str_equal(name, PJ_S("left"));
        same_value(graph->nodes[n].total, leaf ? 6 / 7.0 : left ? 5 / 7.0 : 1);
        if (leaf || left)
            same_value(graph->nodes[n].self, leaf ? 6 / 7.0 : 1 / 7.0);
    }
    pj_auto_profile timed = read_profile_bytes("x.txt", pj_str_of(report), &err);
    assert_false(pj_call_graph_by_calls(pj_profile_sums_new(timed, 0, NULL, arena)));
}

/// What f costs at each level of its recursion is more than there is; its parts are not.
static void recursion_of_callgrind_is_counted_once(void **state)
{
    (void)state;
    static const char text[] = "# callgrind format\nevents: Ir\n\n"
                               "fn=main\n1 10\ncfn=f\ncalls=1 0\n1 90\n\n"
                               "fn=f\n2 50\ncfn=f\ncalls=9 0\n2 300\n"
                               "cfn=leaf\ncalls=9 0\n2 40\n\n"
                               "fn=leaf\n3 40\n";
    pj_err err = {0};
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_profile p = read_profile_bytes("callgrind.out.1", pj_str_of(text), &err);
    assert_string_equal(err.text, "");
    const pj_profile_sums *sums = pj_profile_sums_new(p, 0, NULL, arena);
    same_value(pj_profile_sums_total(sums), 100);
    const pj_call_graph *graph = pj_call_graph_new(sums, (pj_call_graph_opts){0}, arena, &err);
    assert_non_null(graph);
    assert_int_equal(graph->node_count, 3);
    assert_int_equal(graph->edge_count, 3);
    for (uint32_t n = 0; n < 3; n++) {
        pj_str name = pj_profile_name(p, graph->nodes[n].region);
        bool leaf = pj_str_equal(name, PJ_S("leaf")), root = pj_str_equal(name, PJ_S("main"));
        same_value(graph->nodes[n].total, root ? 1 : leaf ? 0.4 : 0.9);
        same_value(graph->nodes[n].self, root ? 0.1 : leaf ? 0.4 : 0.5);
    }
    for (uint32_t e = 0; e < 3; e++)
        if (graph->edges[e].caller == graph->edges[e].callee)
            assert_true(isnan(graph->edges[e].total));
}

/// A part that was inlined from a header has no box of its own; functions of another object do.
static void inlined_parts_are_the_functions_own(void **state)
{
    (void)state;
    static const char text[] = "# callgrind format\nevents: Ir\n\n"
                               "ob=app\nfl=main.c\nfn=main\n1 10\n"
                               "cfi=f.c\ncfn=f\ncalls=1 0\n1 90\n\n"
                               "fl=f.c\nfn=f\n2 50\nfe=f.h\n7 40\n\n"
                               "ob=libother\nfl=other.c\nfn=f\n9 100\n";
    pj_err err = {0};
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_profile p = read_profile_bytes("callgrind.out.1", pj_str_of(text), &err);
    assert_string_equal(err.text, "");
    assert_int_equal(p->count[PJ_AT_REGION], 4);
    const pj_profile_sums *sums = pj_profile_sums_new(p, 0, NULL, arena);
    const pj_call_graph *graph =
        pj_call_graph_new(sums, (pj_call_graph_opts){.least_node = -1}, arena, &err);
    assert_non_null(graph);
    assert_int_equal(graph->node_count, 3);
    for (uint32_t n = 0; n < 3; n++) {
        const pj_profile_region *region = &p->regions[graph->nodes[n].region];
        bool root = pj_str_equal(pj_profile_text(p, region->name), PJ_S("main"));
        bool other = pj_str_equal(pj_profile_text(p, region->module), PJ_S("libother"));
        same_value(graph->nodes[n].self, root ? 0.05 : other ? 0.5 : 0.45);
        same_value(graph->nodes[n].total, other || root ? 0.5 : 0.45);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callers_bear_by_calls),
        cmocka_unit_test(calls_weigh_where_no_time_was_measured),
        cmocka_unit_test(recursion_of_callgrind_is_counted_once),
        cmocka_unit_test(inlined_parts_are_the_functions_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
