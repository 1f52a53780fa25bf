// The timeline's picture: states share the height of a pixel, messages are lines between lanes, and
// hover texts say what stands where.
#include "metrics/run/timeline.h"
#include "tests/support/made_run.h"
#include "widgets/figure/figure_file.h"
#include "widgets/plot/plot.h"

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

/// Every lane runs in the first half of the time and shares the second with collectives.
static pj_run *run_of(uint32_t ranks, uint32_t threads, size_t messages)
{
    enum { COLUMNS = 1120 };
    pj_run *run = made_run_even("made.prv", ranks, threads);
    uint32_t lanes = run->layout.locations, rows = lanes < 560 ? lanes : 560;
    run->end_ns = COLUMNS * 100;
    pj_timeline *timeline = pj_new(run->arena, pj_timeline);
    *timeline = (pj_timeline){.to_ns = run->end_ns,
                              .threads = lanes,
                              .lanes = lanes,
                              .rows = rows,
                              .columns = COLUMNS,
                              .column_ns = 100,
                              .messages = messages,
                              .bundle_count = messages};
    timeline->time = pj_new_n(run->arena, float, (size_t)rows *COLUMNS *PJ_TIMELINE_KINDS);
    float all = 100.0F * (float)lanes / (float)rows;
    for (size_t i = 0; i < (size_t)rows * COLUMNS; i++) {
        bool mixed = i % COLUMNS >= COLUMNS / 2;
        timeline->time[i * PJ_TIMELINE_KINDS + PJ_TIMELINE_running] = mixed ? all / 4 : all;
        timeline->time[i * PJ_TIMELINE_KINDS + PJ_TIMELINE_collective] = mixed ? 3 * all / 4 : 0;
    }
    pj_timeline_bundle *bundles = pj_new_n(run->arena, pj_timeline_bundle, messages + 1);
    for (size_t i = 0; i < messages; i++)
        bundles[i] = (pj_timeline_bundle){.from = 0,
                                          .to = lanes - 1,
                                          .sent_ns = 1000,
                                          .received_ns = 2000,
                                          .messages = 1,
                                          .bytes = 4096};
    timeline->bundles = bundles;
    run->timeline = timeline;
    return run;
}

static pj_figure *figure_of(const pj_run *run)
{
    pj_err err = {0};
    pj_figure *figure =
        pj_plot_timeline.make((pj_plot_data){.run = run}, (pj_plot_opts){0}, draw, &err);
    assert_non_null(figure);
    return figure;
}

static size_t count(const pj_figure *figure, pj_mark_kind kind, const char *hover)
{
    size_t found = 0;
    for (size_t i = 0; i < figure->mark_count; i++) {
        const pj_mark *mark = &figure->marks[i];
        found += mark->kind == kind && (!hover || (mark->hover && strstr(mark->hover, hover)));
    }
    return found;
}

/// Pixels of a column, by whether they have the colour of the first column's.
static void states_share_the_height_of_a_lane(void **state)
{
    (void)state;
    pj_auto_run run = run_of(2, 1, 0);
    pj_auto_figure figure = figure_of(run);
    assert_int_equal(figure->from_ns, run->timeline->from_ns); // pages ask where a time is in it
    assert_int_equal(figure->to_ns, run->timeline->to_ns);
    assert_true(figure->time_left > 0 && figure->time_right < figure->width);
    for (size_t i = 0; i < figure->mark_count; i++) {
        const pj_mark *image = &figure->marks[i];
        if (image->kind != PJ_MARK_IMAGE)
            continue;
        size_t columns = image->pixel_columns, half = image->pixel_rows / 2;
        pj_colour running = image->pixels[half / 2 * columns];
        assert_int_not_equal(running, 0);
        size_t alone = 0, shared = 0, body = 0;
        for (size_t y = 0; y < half; y++) {
            alone += image->pixels[y * columns + 10] == running;
            shared += image->pixels[y * columns + columns - 10] == running;
            body += image->pixels[y * columns + columns - 10] != 0;
        }
        assert_int_equal(alone, body);
        assert_in_range(shared, body / 4 - 1, body / 4 + 1);
        return;
    }
    fail();
}

static void hover_texts_say_what_is_there(void **state)
{
    (void)state;
    pj_auto_run run = run_of(2, 2, 1);
    pj_auto_figure figure = figure_of(run);
    assert_int_equal(
        count(figure, PJ_MARK_RECT, "Rank 1 thread 1\nFrom 0 ns to 56.0 us\nRunning: 100.0 %"), 1);
    assert_true(count(figure, PJ_MARK_RECT, "Collective: 75.0 %") > 4);
    assert_int_equal(
        count(figure, PJ_MARK_DISC, "Message of 4.10 kB\nfrom Rank 0 thread 0 to Rank 1"), 1);
    assert_non_null(strstr(figure->summary, "Running 62.5 %"));
}

static void calls_are_named(void **state)
{
    (void)state;
    pj_auto_run run = run_of(2, 1, 0);
    static const pj_timeline_call calls[] = {{0, 1, 50000, 60000}, {1, 1, 70000, 70001}};
    pj_timeline timeline = *run->timeline;
    timeline.calls = calls;
    timeline.call_count = 2;
    run->timeline = &timeline;
    pj_auto_figure figure = figure_of(run);
    pj_auto_buf text = {0};
    pj_buf_addf(&text, "Rank 0\n%s: 10.0 us\nFrom 50.0 us to 60.0 us", pj_mpi_call_at(1)->name);
    assert_int_equal(count(figure, PJ_MARK_RECT, text.at), 1);
    assert_int_equal(count(figure, PJ_MARK_RECT, "Rank 1\nMPI_"), 0); // too narrow
}

static void large_runs_stay_small(void **state)
{
    (void)state;
    pj_auto_run run = run_of(4000, 1, 900);
    pj_auto_figure figure = figure_of(run);
    assert_true(figure->height < 900);
    assert_true(count(figure, PJ_MARK_RECT, NULL) < 1400);
    assert_true(count(figure, PJ_MARK_RECT, "Rank 0 to Rank 7") > 0);
    pj_auto_buf html = {0};
    assert_true(pj_figure_file(figure, PJ_S("html"), NULL, &html, NULL));
    assert_true(html.len < 1000000);
}

static void nothing_to_see_is_an_error(void **state)
{
    (void)state;
    pj_auto_run run = made_run_even("made.prv", 2, 1);
    pj_err err = {0};
    assert_null(pj_plot_timeline.make((pj_plot_data){.run = run}, (pj_plot_opts){0}, draw, &err));
    assert_int_equal(err.code, PJ_E_MISSING);
}

/// Devices are named below the ranks, their streams below them.
static void devices_have_lanes(void **state)
{
    (void)state;
    static const pj_device_stream streams[] = {{.name = "CUDA-D0.S7", .device = "n:D0"},
                                               {.name = "CUDA-D1.S8", .device = "n:D1"}};
    static const pj_timeline_device devices[] = {
        {"n:D0", 0, NULL}, {"n:D0", 0, &streams[0]}, {"n:D1", 1, NULL}, {"n:D1", 1, &streams[1]}};
    pj_auto_run run = run_of(6, 1, 0);
    pj_timeline timeline = *run->timeline;
    timeline.threads = 2;
    timeline.devices = devices;
    run->timeline = &timeline;
    pj_auto_figure figure = figure_of(run);
    assert_non_null(strstr(figure->summary, "2 threads and 2 devices over time"));
    assert_true(count(figure, PJ_MARK_RECT, "Rank 1\n") > 0);
    assert_true(count(figure, PJ_MARK_RECT, "Device D1 of n\n") > 0);
    assert_true(count(figure, PJ_MARK_RECT, "Device D1 stream S8\n") > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_share_the_height_of_a_lane),
        cmocka_unit_test(hover_texts_say_what_is_there),
        cmocka_unit_test(calls_are_named),
        cmocka_unit_test(large_runs_stay_small),
        cmocka_unit_test(devices_have_lanes),
        cmocka_unit_test(nothing_to_see_is_an_error),
    };
    return cmocka_run_group_tests(tests, open_draw, NULL);
}
