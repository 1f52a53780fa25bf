// The tree that is shown of a call graph is SnakeViz's, box by box; of a tree it is the tree.
#include "metrics/base/arena.h"
#include "metrics/base/job.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/call_tree.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile_sums.h"
#include "tests/support/csv.h"
#include "tests/support/profile/read_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define DATA PJ_SOURCE_DIR "/../shared/data/"
#define REFERENCE DATA "reference/profiles/snakeviz/"

// ---- against SnakeViz's own JavaScript

typedef struct sample {
    const char *profile, *boxes;
    pj_call_tree_opts opts;
} sample;

/// "file:line(name)", as SnakeViz names functions.
static const char *named(const pj_profile *p, uint32_t region, pj_arena *arena)
{
    const pj_profile_region *r = &p->regions[region];
    pj_str file = pj_profile_text(p, r->file);
    return pj_arena_format(arena, PJ_STR_FMT ":%u(" PJ_STR_FMT ")", PJ_STR_ARG(file), r->line,
                           PJ_STR_ARG(pj_profile_name(p, region)));
}

static void compare(const sample *of)
{
    csv want;
    pj_err err = {0};
    csv_of_real_tools(of->boxes, &want);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_profile p = read_profile_file(of->profile);
    const pj_profile_sums *sums = pj_profile_sums_new(p, 0, NULL, arena);
    const pj_call_tree *tree = pj_call_tree_new(sums, of->opts, arena, &err);
    assert_string_equal(err.text, "");
    const uint32_t *order = pj_call_tree_preorder(tree, arena);
    size_t row = 0;
    for (uint32_t k = 0; k < tree->count; k++) {
        const pj_call_box *box = &tree->boxes[order[k]];
        if (box->size * 1000 <= 0.5)
            continue;
        assert_true(row < want.rows);
        assert_true(
            pj_str_equal(csv_cell(&want, row, "name"), pj_str_of(named(p, box->region, arena))));
        assert_int_equal(box->depth, (int)csv_number(&want, row, "depth"));
        assert_float_equal(box->start * 1000, csv_number(&want, row, "x"), 1e-3);
        assert_float_equal(box->size * 1000, csv_number(&want, row, "dx"), 1e-3);
        row++;
    }
    assert_int_equal(row, want.rows);
    csv_free(&want);
}

static void graphs_are_expanded_as_snakeviz_does(void **state)
{
    (void)state;
    static const sample samples[] = {
        {DATA "profiles/pstats/cycle.pstats", REFERENCE "cycle_icicle_depth10.csv", {.depth = 10}},
        {DATA "profiles/pstats/ranks32/cpu_0.prof",
         REFERENCE "cpu_0_icicle_depth10.csv",
         {.depth = 10}},
        {DATA "profiles/pstats/ranks32/cpu_0.prof",
         REFERENCE "cpu_0_icicle_depth5.csv",
         {.depth = 5}},
        {DATA "profiles/pstats/memtrail.pstats",
         REFERENCE "memtrail_icicle_depth10.csv",
         {.depth = 10}},
        {DATA "profiles/pstats/memtrail.pstats",
         REFERENCE "memtrail_icicle_depth10_cut100.csv",
         {.cutoff = 0.01}},
        {DATA "profiles/pstats/versions/survey_py3.11.pstats",
         REFERENCE "survey_py3.11_icicle_depth5.csv",
         {.depth = 5}},
        {DATA "profiles/pstats/versions/survey_py3.11.pstats",
         REFERENCE "survey_py3.11_icicle_depth10.csv",
         {.depth = 10}},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        sample exact = samples[i];
        exact.opts.least = 1e-7;
        compare(&exact);
    }
}

// ---- small profiles

static const pj_measure seconds = {.key = "time", .title = "Time", .unit = "s"};

/// A graph: main calls work (3 s) and Barrier (1 s); work calls leaf (2 s) and itself; odd, too,
/// calls leaf (1 s), so that nobody knows whose time leaf's callee is.
static pj_profile *made_graph(void)
{
    static const char *const names[] = {"main", "work", "<method 'Barrier' of 'Comm' objects>",
                                        "leaf", "odd",  "deep"};
    static const double own[] = {1, 1, 1, 1, 0, 2}, whole[] = {6, 3, 1, 3, 1, 2};
    static const struct {
        uint32_t caller, callee;
        double time;
    } calls[] = {{0, 1, 3}, {0, 2, 1}, {0, 4, 1}, {1, 3, 2}, {1, 1, 0.5}, {4, 3, 1}, {3, 5, 2}};
    pj_job job = {0};
    pj_auto_build b = pj_build_new("a.prof", &job);
    pj_build_profile(b)->shape = PJ_SHAPE_GRAPH;
    uint32_t at = pj_build_location(b, (pj_profile_location){.rank = 0});
    uint32_t time = pj_build_measure(b, seconds);
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint32_t r = pj_build_region(b, pj_str_of(names[i]), PJ_S("/x/a.py"), i);
        pj_build_add(b, pj_build_column(b, PJ_AT_REGION, PJ_EXCLUSIVE, time, false), r, at, own[i]);
        pj_build_add(b, pj_build_column(b, PJ_AT_REGION, PJ_INCLUSIVE, time, false), r, at,
                     whole[i]);
    }
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        uint32_t edge = pj_build_edge(b, calls[i].caller, calls[i].callee);
        pj_build_add(b, pj_build_column(b, PJ_AT_EDGE, PJ_INCLUSIVE, time, false), edge, at,
                     calls[i].time);
    }
    pj_err err = {0};
    return pj_build_finish(b, &err);
}

/// A tree: main { f { f { g } } g }, each with 1 s of its own at each of two ranks.
static pj_profile *made_tree(void)
{
    pj_job job = {0};
    pj_auto_build b = pj_build_new("a.tree", &job);
    pj_build_profile(b)->shape = PJ_SHAPE_TREE;
    uint32_t time = pj_build_measure(b, seconds);
    uint32_t own = pj_build_column(b, PJ_AT_NODE, PJ_EXCLUSIVE, time, false);
    uint32_t main_ = pj_build_region(b, PJ_S("main"), PJ_S(""), 0);
    uint32_t f = pj_build_region(b, PJ_S("f"), PJ_S(""), 0);
    uint32_t g = pj_build_region(b, PJ_S("g"), PJ_S(""), 0);
    uint32_t n[5];
    n[0] = pj_build_node(b, PJ_NO_ITEM, main_);
    n[1] = pj_build_node(b, n[0], f);
    n[2] = pj_build_node(b, n[1], f);
    n[3] = pj_build_node(b, n[2], g);
    n[4] = pj_build_node(b, n[0], g);
    for (int64_t rank = 0; rank < 2; rank++) {
        uint32_t at = pj_build_location(b, (pj_profile_location){.rank = rank});
        for (size_t i = 0; i < 5; i++)
            pj_build_add(b, own, n[i], at, 1);
    }
    pj_err err = {0};
    return pj_build_finish(b, &err);
}

/// "main 6; work 3" and so on, a mark for what is estimated.
static void say(const pj_call_tree *tree, pj_buf *out, pj_arena *arena)
{
    const uint32_t *order = pj_call_tree_preorder(tree, arena);
    for (uint32_t k = 0; k < tree->count; k++) {
        const pj_call_box *box = &tree->boxes[order[k]];
        bool whole = box->region == PJ_NO_ITEM;
        pj_buf_addf(out, "%s%.*s%s %g%s", k ? ", " : "", (int)box->depth, "........",
                    whole       ? "all"
                    : box->self ? "own"
                                : pj_function_short(tree->profile, box->region, arena),
                    box->value, box->estimated ? "?" : "");
    }
}

static void expect(pj_profile *p, pj_call_tree_opts opts, const char *want)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_err err = {0};
    const pj_profile_sums *sums = pj_profile_sums_new(p, 0, NULL, arena);
    const pj_call_tree *tree = pj_call_tree_new(sums, opts, arena, &err);
    assert_string_equal(err.text, "");
    pj_auto_buf text = {0};
    say(tree, &text, arena);
    assert_string_equal(text.at, want);
    for (uint32_t i = 0; i < tree->count; i++) {
        double end = tree->boxes[i].start;
        for (uint32_t k = 0; k < tree->boxes[i].count; k++) {
            const pj_call_box *child = &tree->boxes[tree->order[tree->boxes[i].first + k]];
            assert_float_equal(child->start, end, 1e-12);
            end += child->size;
        }
        assert_true(end <= tree->boxes[i].start + tree->boxes[i].size + 1e-12);
    }
}

/// Only what lies below the end of the path is looked into, and is the whole.
static void a_path_is_the_whole_of_what_lies_below(void **state)
{
    (void)state;
    static const uint32_t in_graph[] = {0, 1}, in_tree[] = {0, 1, 1}, nowhere[] = {0, 3, 1};
    pj_auto_profile graph = made_graph();
    pj_auto_profile tree = made_tree();
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_call_tree_opts opts = {.path = in_graph, .path_count = 2, .least = 0.5, .depth = 1};
    expect(graph, opts, "main 6, .work 3, ..leaf 2, ..all 1, .all 3");
    opts = (pj_call_tree_opts){.path = in_tree, .path_count = 3};
    expect(tree, opts, "main 10, .f 6, ..f 4, ...g 2, ...own 2, ..own 2, .g 2, .own 2");
    const pj_profile_sums *sums = pj_profile_sums_new(tree, 0, NULL, arena);
    const pj_call_tree *t = pj_call_tree_new(sums, opts, arena, NULL);
    const pj_call_box *top = &t->boxes[t->top];
    assert_true(top->depth == 2 && top->start == 0 && top->size == 1);
    opts.path = nowhere;
    assert_int_equal(pj_call_tree_new(sums, opts, arena, NULL)->top, 0);
}

static void what_a_graph_does_not_tell_is_estimated(void **state)
{
    (void)state;
    pj_auto_profile p = made_graph();
    expect(p, (pj_call_tree_opts){0},
           "main 6, .work 3, ..leaf 2, ...deep 2?, ..own 1, .Barrier 1, .odd 1, ..leaf 1, "
           "...deep 1?, .own 1");
    expect(p, (pj_call_tree_opts){.depth = 1}, "main 6, .work 3, .Barrier 1, .odd 1, .own 1");
    expect(p, (pj_call_tree_opts){.root = PJ_S("work")}, "work 3, .leaf 2, ..deep 2?, .own 1");
    expect(p, (pj_call_tree_opts){.cutoff = 0.2},
           "main 6, .work 3, ..leaf 2, ...deep 2?, ..own 1, .own 1");
}

static void callers_share_what_their_callee_takes(void **state)
{
    (void)state;
    pj_auto_profile p = made_graph();
    expect(p, (pj_call_tree_opts){.reverse = true, .root = PJ_S("deep")},
           "deep 2, .leaf 2, ..work 1.33333?, ...main 1.33333?, ..odd 0.666667?, ...main "
           "0.666667?");
}

static void trees_are_drawn_as_they_are(void **state)
{
    (void)state;
    pj_auto_profile p = made_tree();
    expect(p, (pj_call_tree_opts){0},
           "main 10, .f 6, ..f 4, ...g 2, ...own 2, ..own 2, .g 2, .own 2");
    expect(p, (pj_call_tree_opts){.root = PJ_S("g")}, "g 4");
    expect(p, (pj_call_tree_opts){.reverse = true},
           "all 10, .main 2, .f 4, ..main 2, ..f 2, ...main 2, .g 4, ..main 2, ..f 2, ...f 2, "
           "....main 2");
    pj_auto_arena arena = pj_arena_new(NULL);
    static const bool second[] = {false, true};
    const pj_profile_sums *sums = pj_profile_sums_new(p, 0, second, arena);
    uint32_t f = region_called(p, PJ_S("f"), NULL);
    assert_float_equal(sums->regions.inclusive[f], 3, 0); // recursion is not counted twice
    assert_float_equal(sums->regions.exclusive[f], 2, 0);
    assert_float_equal(pj_profile_sums_total(sums), 5, 0);
    assert_int_equal(sums->edge_count, 4);
}

static void names_are_shortened_by_their_meaning(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"<built-in method builtins.exec>", "exec"},
        {"{method 'acquire' of '_thread.lock' objects}", "acquire"},
        {"int ns::Grid<double, std::vector<int> >::solve(int, char**)", "ns::Grid::solve"},
        {"std::operator<<(std::ostream&, int)", "std::operator<<"},
        {"main [{heat.c} {10,1}-{90,1}]", "main"},
        {"_$LT$core..Opt$LT$T$GT$$GT$::new::h0123456789abcdef", "<core::Opt<T>>::new"},
        {"<lambda>", "<lambda>"},
        {"<module>", "a (module)"},
        {"\xE6\x97\xA5", "\xE6\x97\xA5"},
        {"", "(no name)"},
    };
    pj_job job = {0};
    pj_auto_build b = pj_build_new("a", &job);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        pj_build_region(b, pj_str_of(names[i][0]), PJ_S("/x/a.py"), 0);
    pj_err err = {0};
    pj_auto_profile p = pj_build_finish(b, &err);
    pj_auto_arena arena = pj_arena_new(NULL);
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(pj_function_short(p, i, arena), names[i][1]);
}

static void what_has_no_paths_says_which_files_have(void **state)
{
    (void)state;
    pj_job job = {0};
    pj_auto_build b = pj_build_new("flat.prof", &job);
    pj_err err = {0};
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_build_region(b, PJ_S("f"), PJ_S(""), 0);
    pj_auto_profile flat = pj_build_finish(b, &err);
    const pj_profile_sums *sums = pj_profile_sums_new(flat, PJ_NO_ITEM, NULL, arena);
    assert_null(pj_call_tree_new(sums, (pj_call_tree_opts){0}, arena, &err));
    assert_int_equal(err.code, PJ_E_MISSING);
    assert_non_null(strstr(err.text, "callgrind"));
    pj_auto_profile graph = made_graph();
    sums = pj_profile_sums_new(graph, 0, NULL, arena);
    err = (pj_err){0};
    assert_null(pj_call_tree_new(sums, (pj_call_tree_opts){.root = PJ_S("wrok")}, arena, &err));
    assert_int_equal(err.code, PJ_E_USAGE);
    assert_non_null(strstr(err.text, "did you mean work"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_are_expanded_as_snakeviz_does),
        cmocka_unit_test(what_a_graph_does_not_tell_is_estimated),
        cmocka_unit_test(a_path_is_the_whole_of_what_lies_below),
        cmocka_unit_test(callers_share_what_their_callee_takes),
        cmocka_unit_test(trees_are_drawn_as_they_are),
        cmocka_unit_test(names_are_shortened_by_their_meaning),
        cmocka_unit_test(what_has_no_paths_says_which_files_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
