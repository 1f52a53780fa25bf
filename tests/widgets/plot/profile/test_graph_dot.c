// The call graph is gprof2dot's: nodes, edges, labels and colours.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/call_graph.h"
#include "metrics/profile/profile_sums.h"
#include "tests/support/csv.h"
#include "tests/support/profile/made_profile.h"
#include "tests/support/profile/read_profile.h"
#include "widgets/plot/profile/graph_dot.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define PROFILES PJ_SOURCE_DIR "/../shared/data/profiles/"
#define PSTATS PROFILES "pstats/"
#define REFERENCE PJ_SOURCE_DIR "/../shared/data/reference/profiles/dot/"

typedef struct sample {
    const char *profile, *want;
    pj_call_graph_opts opts;
    const char *theme;
    pj_graph_dot_opts how;
    double skew;
    const char *other; // that it is compared with; NULL = none
} sample;

/// `key="value"` of a line as the reference writes it; times and the skew of colours are options of
/// gprof2dot that are none of ours.
static void expect_part(pj_str dot, const char *format, pj_str a, pj_str b)
{
    char text[4096];
    snprintf(text, sizeof text, format, PJ_STR_ARG(a), PJ_STR_ARG(b));
    if (!pj_str_contains(dot, pj_str_of(text)))
        fail_msg("no %s", text);
}

static void compare(const sample *of)
{
    csv want;
    csv_of_real_tools(of->want, &want);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_err err = {0};
    pj_auto_profile p = read_profile_file(of->profile);
    p->format = "pstats";
    const pj_profile_sums *sums = pj_profile_sums_new(p, 0, NULL, arena);
    const pj_call_graph *graph = pj_call_graph_new(sums, of->opts, arena, &err);
    assert_string_equal(err.text, "");
    pj_auto_buf dot = {0};
    pj_graph_theme theme = *pj_graph_theme_of(of->theme, &err);
    pj_graph_dot_opts how = of->how;
    theme.skew = of->skew;
    how.theme = &theme;
    pj_auto_profile q = of->other ? read_profile_file(of->other) : NULL;
    if (q)
        how.other =
            pj_call_graph_new(pj_profile_sums_new(q, 0, NULL, arena), of->opts, arena, &err);
    pj_graph_dot(graph, how, &dot);
    uint32_t nodes = 0, edges = 0;
    for (size_t row = 0; row < want.rows; row++) {
        bool node = pj_str_equal(csv_cell(&want, row, "kind"), PJ_S("node"));
        nodes += node ? 1 : 0;
        edges += node ? 0 : 1;
        if (theme.solid) // its letters have other sizes
            expect_part(pj_buf_str(&dot), node ? "color=\"%.*s\", fontcolor=" : "color=\"%.*s\",",
                        csv_cell(&want, row, "color"), (pj_str){0});
        else
            expect_part(pj_buf_str(&dot),
                        node && q ? "color=\"%.*s\", fontcolor=\"#ffffff\", "
                                    "fontsize=\"10.000000\", label=\"%.*s\""
                        : node    ? "color=\"%.*s\", fontcolor=\"#ffffff\", fontsize=\"10.00\", "
                                    "label=\"%.*s\""
                                  : "color=\"%.*s\", fontcolor=",
                        csv_cell(&want, row, "color"), csv_cell(&want, row, "label"));
        if (!node)
            expect_part(pj_buf_str(&dot), "label=\"%.*s\", labeldistance=\"%.*s\"",
                        csv_cell(&want, row, "label"), csv_cell(&want, row, "penwidth"));
    }
    assert_int_equal(graph->node_count, nodes);
    assert_int_equal(graph->edge_count, edges);
    csv_free(&want);
}

static const sample samples[] = {
    {PSTATS "ranks32/cpu_0.prof",
     REFERENCE "cpu_0_default.csv",
     {.depth = 0},
     NULL,
     {.times = false},
     0,
     NULL},
    {PSTATS "ranks32/cpu_0.prof",
     REFERENCE "cpu_0_n0_e0.csv",
     {.least_node = -1, .least_edge = -1},
     NULL,
     {.times = false},
     0,
     NULL},
    {PSTATS "ranks32/cpu_0.prof",
     REFERENCE "cpu_0_n5_e5_pink_selftime.csv",
     {.least_node = 0.05, .least_edge = 0.05, .by_self = true},
     "pink",
     {.times = false},
     0,
     NULL},
    {PSTATS "ranks32/cpu_0.prof",
     REFERENCE "cpu_0_leaf_xypix.csv",
     {.leaf = "*xypix"},
     NULL,
     {.times = false},
     0,
     NULL},
    {PSTATS "ranks32/cpu_0.prof",
     REFERENCE "cpu_0_path.csv",
     {.path = "/opt/survey", .least_node = -1, .least_edge = -1},
     NULL,
     {.times = false},
     0,
     NULL},
    {PSTATS "memtrail.pstats",
     REFERENCE "memtrail_default.csv",
     {.depth = 0},
     NULL,
     {.times = false},
     0,
     NULL},
    {PSTATS "ranks32/cpu_0.prof",
     REFERENCE "cpu_0_gray_skew_times.csv",
     {.depth = 0},
     "gray",
     {.times = true},
     0.1,
     NULL},
    {PSTATS "ranks32/cpu_0.prof",
     REFERENCE "cpu_0_print_wrap_root_main.csv",
     {.root = "*main"},
     "print",
     {.wrap = true},
     0,
     NULL},
    {PSTATS "ranks32/cpu_0.prof",
     REFERENCE "compare_0_5.csv",
     {.depth = 0},
     NULL,
     {.times = false},
     0,
     PSTATS "ranks32/cpu_5.prof"},
    {PROFILES "native/work.gprof.txt",
     REFERENCE "../native/gprof_work.csv",
     {.depth = 0},
     NULL,
     {.times = false},
     0,
     NULL},
    {PROFILES "gprof2dot/gnu2.prof",
     REFERENCE "../native/gprof2dot_gnu2.prof.csv",
     {.depth = 0},
     NULL,
     {.times = false},
     0,
     NULL},
    {PROFILES "gprof2dot/cycle.prof",
     REFERENCE "../native/gprof2dot_cycle.prof.csv",
     {.depth = 0},
     NULL,
     {.times = false},
     0,
     NULL},
    {PROFILES "gprof2dot/darwin.prof",
     REFERENCE "../native/gprof2dot_darwin.prof.csv",
     {.depth = 0},
     NULL,
     {.times = false},
     0,
     NULL},
};

static void graphs_are_those_of_gprof2dot(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        compare(&samples[i]);
}

/// gprof2dot's own names of these functions (Function.stripped_name, wrap_function_name).
static void names_are_stripped_and_wrapped(void **state)
{
    (void)state;
    static const struct {
        const char *name, *stripped, *wrapped;
    } names[] = {
        {"std::map<int, std::vector<char> >::find(int const&) const", "std::map::find",
         "std::map<int,std::vector<char>\n>::find(int const&) const"},
        {"operator()(int)", "operator", "operator()(int)"},
        {"f(g(h))", "f", "f(g(h))"},
        {"a) b (", "a) b (", "a) b ("},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        pj_auto_buf text = {0};
        pj_auto_arena arena = pj_arena_new(NULL);
        pj_err err = {0};
        pj_buf_addf(&text, "r;%s 7\n", names[i].name);
        pj_auto_profile p = read_profile_bytes("x.collapsed", pj_buf_str(&text), &err);
        assert_string_equal(err.text, "");
        const pj_profile_sums *sums = pj_profile_sums_new(p, 0, NULL, arena);
        const pj_call_graph *graph = pj_call_graph_new(sums, (pj_call_graph_opts){0}, arena, &err);
        uint32_t node = pj_profile_name(p, graph->nodes[0].region).len == 1;
        const char *label =
            pj_graph_dot_label(graph, node, (pj_graph_dot_opts){.strip = true}, arena);
        assert_int_equal(strncmp(label, names[i].stripped, strlen(names[i].stripped)), 0);
        assert_int_equal(label[strlen(names[i].stripped)], '\n');
        label = pj_graph_dot_label(graph, node, (pj_graph_dot_opts){.wrap = true}, arena);
        assert_int_equal(strncmp(label, names[i].wrapped, strlen(names[i].wrapped)), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_are_those_of_gprof2dot),
        cmocka_unit_test(names_are_stripped_and_wrapped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
