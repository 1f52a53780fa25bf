// Every plot of profiles on small, large and odd ones: a figure that holds together and a page that
// is not too large, or an error that helps.
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "tests/support/profile/made_profile.h"
#include "tests/support/sized_figure.h"
#include "tests/support/xml_check.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure_file.h"
#include "widgets/figure/figure_hover.h"
#include "widgets/figure/figure_terminal.h"
#include "widgets/plot/plot.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { PAGE_MOST = 2000000 };
static const pj_draw *draw;

static int open_draw(void **state)
{
    (void)state;
    draw = pj_draw_open(NULL);
    return draw ? 0 : -1;
}

static bool sound(double number)
{
    return isfinite(number) && fabs(number) < 1e5;
}

static void check_figure(const pj_figure *figure)
{
    assert_true(figure->width > 100 && figure->height > 60 && sound(figure->height));
    assert_non_null(figure->title);
    assert_non_null(figure->summary);
    for (size_t i = 0; i < figure->mark_count; i++) {
        const pj_mark *mark = &figure->marks[i];
        assert_true(sound(mark->x) && sound(mark->y) && sound(mark->w) && sound(mark->h));
        for (size_t p = 0; p < mark->point_count; p++)
            assert_true(sound(mark->points[p].x) && sound(mark->points[p].y));
    }
}

static void check_page(const pj_figure *figure)
{
    pj_auto_buf svg = {0}, html = {0};
    assert_true(pj_figure_file(figure, PJ_S("svg"), NULL, &svg, NULL));
    assert_true(pj_figure_file(figure, PJ_S("html"), NULL, &html, NULL));
    assert_true(pj_xml_good(pj_buf_str(&svg)));
    assert_true(pj_xml_good(pj_buf_str(&html)));
    assert_true(svg.len < PAGE_MOST && html.len < PAGE_MOST);
}

static const pj_plot_opts variants[] = {
    {0},
    {.width = 1400, .height = 900, .title = "<Title> & \"quotes\" \u65e5"},
    {.width = 320, .height = 240},
    {.width = 900, .height = 80},
    {.profile = {.reverse = true}},
    {.profile = {.depth = 3, .cutoff = -1, .colours = "snakeviz"}},
    {.profile = {.root = "function_1", .function = "function_1"}},
    {.profile = {.one_rank = true, .rank = 0}},
};

static void try_profile(made_profile_opts made, bool files)
{
    pj_auto_profile profile = made_profile(made);
    for (size_t p = 0; pj_plot_at(p); p++)
        for (size_t v = 0;
             pj_plot_at(p)->source == PJ_PLOT_PROFILE && v < sizeof variants / sizeof *variants;
             v++) {
            pj_err err = {0};
            pj_plot_data data = {.profile = profile};
            pj_auto_figure figure = pj_plot_at(p)->make(data, variants[v], draw, &err);
            if (!figure) {
                assert_true(err.code == PJ_E_USAGE || err.code == PJ_E_MISSING);
                assert_true(*err.text);
                continue;
            }
            check_figure(figure);
            sized_figure_check(figure, variants[v].width, variants[v].height);
            if (files && v % 5 == 0)
                check_page(figure);
        }
}

static void every_plot_survives_every_profile(void **state)
{
    (void)state;
    static const made_profile_opts made[] = {
        {MADE_GRAPH, 0, 1, false, false, false},   {MADE_GRAPH, 1, 1, false, false, false},
        {MADE_GRAPH, 5, 1, false, false, false},   {MADE_GRAPH, 40, 3, true, true, false},
        {MADE_GRAPH, 400, 32, false, true, false}, {MADE_TREE, 1, 1, false, false, false},
        {MADE_TREE, 60, 4, true, false, false},    {MADE_TREE, 400, 64, false, false, true},
        {MADE_FLAT, 30, 4, true, false, false},    {MADE_FLAT, 0, 0, false, false, false},
    };
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        try_profile(made[i], true);
}

static void large_profiles_make_small_pages(void **state)
{
    (void)state;
    try_profile((made_profile_opts){.shape = MADE_GRAPH, .functions = 100000, .cyclic = true},
                true);
    try_profile((made_profile_opts){.shape = MADE_TREE, .functions = 50000, .ranks = 4}, true);
}

static void terminals_show_them_too(void **state)
{
    (void)state;
    pj_auto_profile profile =
        made_profile((made_profile_opts){.shape = MADE_TREE, .functions = 40, .ranks = 2});
    for (size_t p = 0; pj_plot_at(p); p++) {
        if (pj_plot_at(p)->source != PJ_PLOT_PROFILE)
            continue;
        pj_err err = {0};
        pj_auto_buf text = {0};
        pj_plot_opts opts = {.width = pj_figure_terminal_width((pj_terminal_opts){.columns = 120}),
                             .profile = {.function = "function_3"}};
        pj_auto_figure figure =
            pj_plot_at(p)->make((pj_plot_data){.profile = profile}, opts, &pj_draw_terminal, &err);
        if (!figure)
            continue;
        pj_figure_terminal(figure, (pj_terminal_opts){.columns = 120}, &text);
        assert_true(pj_str_contains(pj_buf_str(&text), PJ_S("function_")));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_plot_survives_every_profile),
        cmocka_unit_test(large_profiles_make_small_pages),
        cmocka_unit_test(terminals_show_them_too),
    };
    return cmocka_run_group_tests(tests, open_draw, NULL);
}
