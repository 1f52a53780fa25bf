// The difference of two profiles: every path with what it took before, what is new and what is
// gone, noise of samples as such; ranks beside what they were.
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/derive/profile_difference.h"
#include "metrics/table/table.h"
#include "tests/support/profile/read_profile.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/figure_terminal.h"
#include "widgets/plot/plot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

static const char before[] = "main;work 100\nmain;wait 300\nmain;gone;deep 70\nmain;steady 400\n";
static const char after[] = "main;work 300\nmain;wait 100\nmain;fresh 90\nmain;steady 405\n";

static pj_profile *read_text(const char *name, const char *text)
{
    pj_err err = {0};
    pj_profile *profile = read_profile_bytes(name, pj_str_of(text), &err);
    assert_string_equal(err.text, "");
    return profile;
}

static pj_figure *drawn(const pj_plot *plot, const pj_profile *now, pj_profile_opts opts)
{
    pj_err err = {0};
    pj_figure *figure =
        plot->make((pj_plot_data){.profile = now}, (pj_plot_opts){.width = 1400, .profile = opts},
                   &pj_draw_terminal, &err);
    assert_string_equal(err.text, "");
    return figure;
}

/// The mark whose hover text begins with the name of the function and holds the rest.
static const pj_mark *hovering(const pj_figure *figure, const char *name, const char *part)
{
    for (size_t i = 0; i < figure->mark_count; i++) {
        const char *hover = figure->marks[i].hover;
        if (hover && strncmp(hover, name, strlen(name)) == 0 && strstr(hover, part))
            return &figure->marks[i];
    }
    fail_msg("no %s with %s", name, part);
    return NULL;
}

static bool says(const pj_figure *figure, const char *part)
{
    for (size_t i = 0; i < figure->mark_count; i++)
        if (figure->marks[i].text && strstr(figure->marks[i].text, part))
            return true;
    return false;
}

static unsigned red(const pj_mark *mark)
{
    return mark->fill >> 24;
}

static unsigned blue(const pj_mark *mark)
{
    return mark->fill >> 8 & 0xff;
}

static void paths_tell_what_they_took_before(void **state)
{
    (void)state;
    pj_auto_profile a = read_text("a.txt", before);
    pj_auto_profile b = read_text("b.txt", after);
    pj_auto_figure figure = drawn(&pj_plot_difference, b, (pj_profile_opts){.before = a});
    const pj_mark *more = hovering(figure, "work", "300, before 100: +200");
    const pj_mark *less = hovering(figure, "wait", "100, before 300: \u2212200");
    hovering(figure, "fresh", "new: 90");
    assert_true(red(more) > blue(more) + 60 && blue(less) > red(less) + 60);
    const pj_mark *steady = hovering(figure, "steady", "within the noise of sampling");
    assert_int_equal(steady->fill, 0xd9dde3ff);
    assert_true(says(figure, "Only before: gone 70"));
    assert_true(says(figure, "895, before 870: +25 (+2.9"));
    assert_true(more->w > 3 * less->w - 10 && more->w < 3 * less->w + 10); // as wide as now
}

static void totals_can_be_made_alike(void **state)
{
    (void)state;
    pj_auto_profile a = read_text("a.txt", "main;x 50\nmain;y 50\n");
    pj_auto_profile b = read_text("b.txt", "main;x 500\nmain;y 500\n");
    pj_auto_figure figure =
        drawn(&pj_plot_difference, b, (pj_profile_opts){.before = a, .normalise = true});
    hovering(figure, "x", "500, before 500");
    pj_err err = {0};
    pj_table *table = pj_profile_difference(a, b, true, &err);
    size_t change = (size_t)pj_table_column(table, PJ_S("difference"));
    for (size_t row = 0; row < table->row_count; row++)
        assert_float_equal(pj_cell_number(*pj_table_cell(table, row, change)), 0, 1e-9);
    pj_table_release(table);
}

/// Percent are for what is comparable; numbers say what they count, and of how many samples.
static void words_say_what_is_counted(void **state)
{
    (void)state;
    pj_auto_profile a = read_text("a.txt", "main;work 2\nmain;rest 998\n");
    pj_auto_profile b = read_text("b.txt", "main;work 900\nmain;rest 100\n");
    pj_auto_figure figure = drawn(&pj_plot_difference, b, (pj_profile_opts){.before = a});
    hovering(figure, "work", "+898 (450 times)");
    pj_auto_figure flame =
        drawn(pj_plot_of_profile(PJ_S("flame")), b, (pj_profile_opts){.one_rank = false});
    assert_true(says(flame, "1,000 samples"));
    pj_auto_profile perf =
        read_text("a.perf", "p 7/7 1.5: 3000000 cycles:u:\n"
                            "\t55d4 work+0x1 (/bin/p)\n\t55d8 main+0x1 (/bin/p)\n\n");
    pj_auto_figure sampled =
        drawn(pj_plot_of_profile(PJ_S("flame")), perf, (pj_profile_opts){.one_rank = false});
    assert_true(says(sampled, "3,000,000 cycles:u in 1 sample"));
}

static void ranks_stand_beside_what_they_were(void **state)
{
    (void)state;
    pj_auto_profile a = read_text("a.txt", "run-7/7;work 10\nrun-8/8;work 30\n");
    pj_auto_profile b = read_text("b.txt", "run-7/7;work 20\nrun-8/8;work 60\n");
    pj_auto_figure figure = drawn(pj_plot_of_profile(PJ_S("ranks")), b,
                                  (pj_profile_opts){.before = a, .function = "work"});
    assert_true(says(figure, "mean 40, before 20"));
}

/// A graph says by how much its functions and calls have changed, and what it no longer shows.
static void a_call_graph_is_compared(void **state)
{
    (void)state;
    pj_auto_profile a = read_text("a.txt", before);
    pj_auto_profile b = read_text("b.txt", after);
    pj_profile_opts opts = {.before = a, .least_node = 0.1};
    pj_auto_figure figure = drawn(&pj_plot_callgraph, b, opts);
    if (access(PJ_BINARY_DIR "/lib/popinjay/popinjay-graph.so", F_OK) != 0) {
        print_message("skipped: built without graphviz\n");
        skip();
    }
    if (figure->lack)
        fail_msg("%s", figure->lack);
    const pj_mark *more = hovering(figure, "work", "300, before 100: +200 (+200");
    const pj_mark *less = hovering(figure, "wait", "100, before 300: \u2212200");
    hovering(figure, "fresh", "new: 90");
    assert_true(red(more) > blue(more) + 60 && blue(less) > red(less) + 60);
    assert_true(says(figure, "895, before 870: +25 (+2.9"));
    assert_true(says(figure, "+200, +200"));
    assert_non_null(strstr(figure->dot, "shape=cds"));
    pj_auto_profile c = read_text("c.txt", "main;work 995\nmain;wait 5\n");
    opts.before = b;
    pj_auto_figure later = drawn(&pj_plot_callgraph, c, opts);
    assert_true(says(later, "steady (405, gone)") && says(later, "wait (100, now 5)"));
}

static void one_profile_is_not_enough(void **state)
{
    (void)state;
    pj_auto_profile b = read_text("b.txt", after);
    pj_err err = {0};
    assert_null(pj_plot_difference.make((pj_plot_data){.profile = b}, (pj_plot_opts){0},
                                        &pj_draw_terminal, &err));
    assert_int_equal(err.code, PJ_E_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_tell_what_they_took_before),
        cmocka_unit_test(totals_can_be_made_alike),
        cmocka_unit_test(words_say_what_is_counted),
        cmocka_unit_test(ranks_stand_beside_what_they_were),
        cmocka_unit_test(a_call_graph_is_compared),
        cmocka_unit_test(one_profile_is_not_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
