// The region plot: bars where regions are, in the colour of their load balance, with all that is
// known of them on top; as quick with very many.
#include "metrics/run/regions.h"
#include "tests/support/made_run.h"
#include "widgets/figure/figure_file.h"
#include "widgets/plot/plot.h"

#include <math.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const pj_draw *draw;

static int open_draw(void **state)
{
    (void)state;
    draw = pj_draw_open(NULL);
    return draw ? 0 : -1;
}

static const pj_mark *first_image(const pj_figure *figure)
{
    for (size_t i = 0; i < figure->mark_count; i++)
        if (figure->marks[i].kind == PJ_MARK_IMAGE)
            return &figure->marks[i];
    fail();
    return NULL;
}

static size_t hovered(const pj_figure *figure, const char *text)
{
    size_t count = 0;
    for (size_t i = 0; i < figure->mark_count; i++)
        count += figure->marks[i].hover && strstr(figure->marks[i].hover, text);
    return count;
}

/// A run of `count` regions of 400 ns each 1000 ns on every rank.
static pj_run *run_of(uint32_t ranks, size_t count, uint64_t max_ns)
{
    pj_run *run = made_run_even("made.prv", ranks, 2);
    run->end_ns = 1000 * count;
    pj_regions *regions = pj_new(run->arena, pj_regions);
    pj_region_instance *instances = pj_new_n(run->arena, pj_region_instance, ranks * count);
    for (size_t i = 0; i < ranks * count; i++)
        instances[i] = (pj_region_instance){.start_ns = 1000 * (i % count) + 200,
                                            .end_ns = 1000 * (i % count) + 600,
                                            .total_ns = max_ns,
                                            .max_ns = max_ns,
                                            .rank = (uint32_t)(i / count),
                                            .threads = 2};
    static pj_region_sum functions[] = {{.name = "solve"}}, locations[] = {{.name = "7 (a.c)"}};
    *regions = (pj_regions){.instances = instances,
                            .count = ranks * count,
                            .functions = functions,
                            .locations = locations,
                            .function_count = 1,
                            .location_count = 1};
    run->openmp_regions = regions;
    return run;
}

static pj_figure *figure_of(const pj_run *run)
{
    pj_err err = {0};
    pj_figure *figure =
        pj_plot_regions.make((pj_plot_data){.run = run}, (pj_plot_opts){0}, draw, &err);
    assert_non_null(figure);
    return figure;
}

static void bars_stand_at_their_time_in_their_colour(void **state)
{
    (void)state;
    pj_auto_run run = run_of(2, 2, 400); // one thread idles: load balance 0.5
    pj_auto_figure figure = figure_of(run);
    const pj_mark *image = first_image(figure);
    const pj_colour want = pj_palette_fill((pj_palette){0}, 0.5, false);
    for (size_t lane = 0; lane < 2; lane++) {
        size_t y = image->pixel_rows * (2 * lane + 1) / 4;
        const pj_colour *line = &image->pixels[y * image->pixel_columns];
        for (size_t x = 0; x < image->pixel_columns; x++) {
            double t = fmod(2000 * ((double)x + 0.5) / (double)image->pixel_columns, 1000);
            if (t > 205 && t < 595)
                assert_int_equal(line[x], want);
            if (t < 195 || t > 605)
                assert_int_equal(line[x], 0);
        }
    }
}

static void hover_texts_say_all_of_a_region(void **state)
{
    (void)state;
    static const char *const parts[] = {"Function: solve",
                                        "Location: 7 (a.c)",
                                        "Rank: 1",
                                        "Start: 1.20 us",
                                        "Length: 400 ns",
                                        "Load balance: 0.500",
                                        "Parallel efficiency: 0.500",
                                        "Mean computation: 200 ns",
                                        "Largest computation: 400 ns"};
    pj_auto_run run = run_of(2, 2, 400);
    pj_auto_figure figure = figure_of(run);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!hovered(figure, parts[i]))
            fail_msg("no hover text says \"%s\"", parts[i]);
    assert_non_null(strstr(figure->summary, "0.500 in the mean"));
}

static void very_many_regions_stay_small(void **state)
{
    (void)state;
    pj_auto_run run = run_of(40, 2500, 400);
    pj_auto_figure figure = figure_of(run);
    assert_true(figure->mark_count < 1000);
    assert_true(hovered(figure, "regions\nLoad balance, mean: 0.500") > 100);
    pj_auto_buf html = {0};
    assert_true(pj_figure_file(figure, PJ_S("html"), NULL, &html, NULL));
    assert_true(html.len < 1000000);
    pj_auto_run wide = run_of(3000, 3, 400);
    pj_auto_figure many = figure_of(wide);
    assert_true(many->height < 900 && many->mark_count < 1000);
    assert_true(hovered(many, "Ranks 0 to ") > 0);
}

static void a_run_without_regions_is_refused(void **state)
{
    (void)state;
    pj_auto_run run = made_run_even("made.prv", 2, 2);
    pj_err err = {0};
    assert_null(pj_plot_regions.make((pj_plot_data){.run = run}, (pj_plot_opts){0}, draw, &err));
    assert_int_equal(err.code, PJ_E_MISSING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_stand_at_their_time_in_their_colour),
        cmocka_unit_test(hover_texts_say_all_of_a_region),
        cmocka_unit_test(very_many_regions_stay_small),
        cmocka_unit_test(a_run_without_regions_is_refused),
    };
    return cmocka_run_group_tests(tests, open_draw, NULL);
}
