// Times laid over pixels.
// A trace that turns out longer than its header says makes the pixels of twice the time.
#include "metrics/stat/timeline_pixels.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/run/run.h"

#include <stdlib.h>
#include <string.h>

size_t pj_timeline_pixels_count(const pj_timeline_pixels *pixels)
{
    return (size_t)pixels->view.rows * pixels->view.columns * PJ_TIMELINE_KINDS;
}

size_t pj_timeline_pixels_sums(const pj_timeline_pixels *pixels)
{
    return (size_t)pixels->view.lanes * PJ_TIMELINE_KINDS;
}

static uint64_t *zeros(size_t count)
{
    return memset(pj_take_memory(count * sizeof(uint64_t)), 0, count * sizeof(uint64_t));
}

void pj_timeline_pixels_free(pj_timeline_pixels *pixels)
{
    free(pixels->ticks);
    free(pixels->sums);
    *pixels = (pj_timeline_pixels){.ticks = NULL};
}

bool pj_timeline_pixels_begin(pj_timeline_pixels *pixels, const pj_timeline_opts *opts,
                              const pj_run *run, pj_err *err)
{
    pj_timeline_pixels_free(pixels);
    if (!pj_timeline_view_choose(&pixels->view, opts, run, err))
        return false;
    pixels->ticks = zeros(pj_timeline_pixels_count(pixels));
    pixels->sums = zeros(pj_timeline_pixels_sums(pixels));
    return true;
}

/// Pairs of columns become one.
static void widen(pj_timeline_pixels *pixels)
{
    size_t columns = pixels->view.columns;
    for (size_t row = 0; row < pixels->view.rows; row++) {
        uint64_t *line = &pixels->ticks[row * columns * PJ_TIMELINE_KINDS];
        for (size_t c = 0; c < columns; c++)
            for (size_t k = 0; k < PJ_TIMELINE_KINDS; k++) {
                const uint64_t *two = &line[2 * c * PJ_TIMELINE_KINDS + k];
                line[c * PJ_TIMELINE_KINDS + k] = 2 * c + 1 < columns
                                                      ? two[0] + two[PJ_TIMELINE_KINDS]
                                                  : 2 * c + 1 == columns ? two[0]
                                                                         : 0;
            }
    }
    pj_timeline_view_double(&pixels->view);
}

void pj_timeline_pixels_reach(pj_timeline_pixels *pixels, uint64_t ns)
{
    while (pixels->view.open_end && !pj_timeline_view_holds(&pixels->view, ns))
        widen(pixels);
}

void pj_timeline_pixels_span(pj_timeline_pixels *pixels, uint64_t span_ns)
{
    while (pixels->view.open_end && pixels->view.span_ns < span_ns)
        widen(pixels);
}

/// `sign` 1 = there is more of it, -1 = less, in numbers that wrap around.
static void change(pj_timeline_pixels *pixels, uint32_t lane, pj_timeline_kind kind,
                   const uint64_t times[2], uint64_t sign)
{
    const pj_timeline_view *view = &pixels->view;
    pixels->sums[(size_t)lane * PJ_TIMELINE_KINDS + kind] += sign * (times[1] - times[0]);
    uint64_t from = pj_timeline_view_ticks(view, times[0]);
    uint64_t to = pj_timeline_view_ticks(view, times[1]);
    uint64_t width = pj_timeline_view_width(view), c = from / width;
    size_t row = pj_timeline_view_row(view, lane);
    uint64_t *line = &pixels->ticks[row * view->columns * PJ_TIMELINE_KINDS + kind];
    for (; c < view->columns && from < to; c++) {
        uint64_t until = (c + 1) * width < to ? (c + 1) * width : to;
        line[c * PJ_TIMELINE_KINDS] += sign * (until - from);
        from = until;
    }
}

/// What of a time is in the view; false when nothing is.
static bool clip(pj_timeline_pixels *pixels, uint64_t times[2])
{
    const pj_timeline_view *view = &pixels->view;
    times[0] = times[0] > view->from_ns ? times[0] : view->from_ns;
    if (!view->open_end)
        times[1] = times[1] < view->to_ns ? times[1] : view->to_ns;
    if (times[1] <= times[0])
        return false;
    pj_timeline_pixels_reach(pixels, times[1]);
    return true;
}

void pj_timeline_pixels_lay(pj_timeline_pixels *pixels, uint32_t lane, pj_timeline_kind kind,
                            uint64_t begin, uint64_t end)
{
    uint64_t times[] = {begin, end};
    if (clip(pixels, times))
        change(pixels, lane, kind, times, 1);
}

void pj_timeline_pixels_move(pj_timeline_pixels *pixels, uint32_t lane,
                             const pj_timeline_kind kinds[2], uint64_t begin, uint64_t end)
{
    uint64_t times[] = {begin, end};
    if (!clip(pixels, times))
        return;
    change(pixels, lane, kinds[0], times, UINT64_MAX);
    change(pixels, lane, kinds[1], times, 1);
}

void pj_timeline_pixels_add(const pj_timeline_pixels *pixels, pj_timeline *timeline)
{
    const pj_timeline_view *view = &pixels->view;
    const double tick_ns = (double)(UINT64_C(1) << view->coarse) / view->columns;
    for (size_t i = 0; i < pj_timeline_pixels_count(pixels); i++)
        timeline->time[i] += (float)((double)pixels->ticks[i] * tick_ns);
    for (size_t i = 0; i < pj_timeline_pixels_sums(pixels); i++)
        timeline->sums[i] += pixels->sums[i];
}
