// Efficiencies of a run over time, or over its iterations: a strip for each metric, and below them
// the part of time in which ranks compute.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/run/parts/iterations.h"
#include "metrics/run/parts/slices.h"
#include "metrics/run/parts/slices_table.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"
#include "widgets/figure/axis.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/column_text.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"
#include "widgets/plot/plot.h"
#include "widgets/plot/plot_panels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    METRICS = 6, // at most; IPC where it was counted
    IPC = METRICS - 1,
    TICKS_MOST = 200,   // iterations that are marked
    HOVERED_MOST = 600, // of ranks
    CELLS_MOST = 1024,  // that are drawn one by one
    LANE_LABELS = 8,
    LANE_UNITS = 12,
};
static const double row_height = 26, lanes_height = 200, frame_height = 110;
static const pj_colour nothing = 0xeceef1ff;

typedef struct strips {
    const pj_run *run;
    const pj_slices *slices;
    pj_plot_opts opts;
    pj_palette palette;
    pj_chart chart;
    uint32_t metrics; // that are known
    double high_ipc;  // of a slice
    uint32_t
        unit; // rows of the y axis that a strip of a metric is high: odd, its name is in the middle
} strips;

static const char *const titles[METRICS] = {"Parallel efficiency", "Load balance", "Communication",
                                            "Serialisation",       "Transfer",     "IPC"};

static pj_cell metric_of(const strips *s, uint32_t metric, uint32_t slice)
{
    pj_slice_metrics m = pj_slice_metrics_of(s->slices, slice);
    const pj_cell cells[METRICS] = {m.parallel_efficiency,      m.load_balance,
                                    m.communication_efficiency, m.serialisation_efficiency,
                                    m.transfer_efficiency,      m.ipc};
    return cells[metric];
}

static bool is_time(const pj_slices *slices)
{
    return strcmp(slices->what, "slice") == 0;
}

/// Metrics from top to bottom, then ranks; the axis counts upwards.
static pj_axis rows_axis(const strips *s, pj_arena *arena)
{
    const pj_slices *slices = s->slices;
    uint32_t rows = s->metrics * s->unit + slices->lanes, stride = 1 + slices->lanes / LANE_LABELS;
    const char **labels = pj_new_n(arena, const char *, rows + 1);
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t from_top = rows - 1 - i, lane = from_top - s->metrics * s->unit;
        labels[i] = "";
        if (from_top < s->metrics * s->unit && from_top % s->unit == s->unit / 2)
            labels[i] = titles[from_top / s->unit];
        else if (from_top >= s->metrics * s->unit && lane % stride == 0)
            labels[i] = pj_arena_format(arena, "rank %u",
                                        pj_slices_lane_rank(slices, s->run->layout.ranks, lane));
    }
    return pj_axis_categories(arena, labels, rows);
}

static pj_axis time_axis(const strips *s, pj_arena *arena, double *scale)
{
    const pj_slices *slices = s->slices;
    const pj_run_slice *last = &slices->items[slices->count - 1];
    *scale = 1;
    if (!is_time(slices)) {
        pj_axis axis =
            pj_axis_new(PJ_AXIS_LINEAR, slices->first, slices->first + slices->count, false);
        axis.title = "Iteration";
        axis.from = slices->first;
        axis.to = slices->first + slices->count;
        axis.whole = true;
        return axis;
    }
    double end = (double)last->end_ns;
    pj_column_text form = pj_column_text_unit(PJ_UNIT_NS, end);
    *scale = form.factor;
    double from = (double)slices->items[0].start_ns * form.factor, to = end * form.factor;
    pj_axis axis = pj_axis_new(PJ_AXIS_LINEAR, from, to, false);
    axis.title = pj_arena_format(arena, "Time [%s]", form.unit);
    axis.from = from;
    axis.to = to;
    return axis;
}

static const char *span_of(const strips *s, uint32_t slice, pj_arena *arena)
{
    const pj_run_slice *at = &s->slices->items[slice];
    char from[32], to[32];
    if (!is_time(s->slices))
        return pj_arena_format(arena, "%s %u", s->slices->what, s->slices->first + slice);
    pj_format_duration((double)at->start_ns, from);
    pj_format_duration((double)at->end_ns, to);
    return pj_arena_format(arena, "%s to %s", from, to);
}

typedef struct box { // px
    double left, right, top, bottom;
} box;

static void add_box(strips *s, box b, pj_colour fill, const char *hover)
{
    pj_figure_add(s->chart.figure, (pj_mark){.kind = PJ_MARK_RECT,
                                             .x = b.left,
                                             .y = b.top,
                                             .w = b.right - b.left,
                                             .h = b.bottom - b.top,
                                             .fill = fill,
                                             .hover = hover});
}

static double row_top(const strips *s, uint32_t from_top)
{
    double rows = s->metrics * s->unit + s->slices->lanes;
    return s->chart.top + (s->chart.bottom - s->chart.top) * from_top / rows;
}

static double left_of(const strips *s, uint32_t slice, double scale)
{
    if (!is_time(s->slices))
        return pj_chart_x(&s->chart, s->slices->first + slice);
    const pj_slices *slices = s->slices;
    uint64_t ns = slice < slices->count ? slices->items[slice].start_ns
                                        : slices->items[slices->count - 1].end_ns;
    return pj_chart_x(&s->chart, (double)ns * scale);
}

/// Efficiencies as they are, IPC against what is high in this run.
static double shade_of(const strips *s, uint32_t metric, double value)
{
    return fmin(metric == IPC && s->high_ipc > 0 ? value / s->high_ipc : value, 1);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// High is the IPC that a tenth of the slices has or exceeds: single ones may be far off.
static void choose_metrics(strips *s, pj_arena *arena)
{
    double *values = pj_new_n(arena, double, s->slices->count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->slices->count; i++) {
        pj_cell ipc = metric_of(s, IPC, i);
        if (ipc.kind == PJ_CELL_REAL)
            values[count++] = ipc.real;
    }
    qsort(values, count, sizeof *values, by_value);
    s->metrics = count ? METRICS : IPC;
    s->high_ipc = count ? values[count - 1 - count / 10] : 0;
}

/// Whether the begins of iterations are marked.
static bool has_ticks(const strips *s)
{
    const pj_iterations *it = s->run->iterations;
    return is_time(s->slices) && it && !it->lack && it->starts && it->borders.count <= TICKS_MOST;
}

/// Above the strips: where the first rank begins an iteration.
static void draw_ticks(strips *s, double scale)
{
    const double length = 8, gap = 2;
    for (uint32_t i = 0; has_ticks(s) && i <= s->run->iterations->borders.count; i++) {
        double x = pj_chart_x(&s->chart, (double)s->run->iterations->starts[i] * scale);
        pj_point ends[] = {{x, s->chart.top - gap - length}, {x, s->chart.top - gap}};
        if (x >= s->chart.left && x <= s->chart.right)
            pj_chart_line(&s->chart, ends, 2, (pj_mark){.stroke = PJ_MUTED, .stroke_width = 1.5});
    }
}

static void draw_metrics(strips *s, double scale)
{
    const double gap = 2;
    pj_arena *arena = s->chart.arena;
    for (uint32_t m = 0; m < s->metrics; m++)
        for (uint32_t i = 0; i < s->slices->count; i++) {
            pj_cell cell = metric_of(s, m, i);
            bool known = cell.kind == PJ_CELL_REAL;
            const char *hover = NULL;
            if (known)
                hover = pj_arena_format(arena, "%s: %.3f\n%s", titles[m], cell.real,
                                        span_of(s, i, arena));
            else
                hover = pj_arena_format(arena, "%s: %s\n%s", titles[m],
                                        cell.text ? cell.text : "unknown", span_of(s, i, arena));
            add_box(s,
                    (box){left_of(s, i, scale), left_of(s, i + 1, scale), row_top(s, m * s->unit),
                          row_top(s, (m + 1) * s->unit) - gap},
                    known ? pj_palette_fill(s->palette, shade_of(s, m, cell.real), false) : nothing,
                    hover);
        }
}

static const char *lane_hover(const strips *s, uint32_t lane, uint32_t slice)
{
    pj_arena *arena = s->chart.arena;
    uint32_t ranks = s->run->layout.ranks, first = pj_slices_lane_rank(s->slices, ranks, lane);
    uint32_t last = pj_slices_lane_rank(s->slices, ranks, lane + 1) - 1;
    const char *who = first == last ? pj_arena_format(arena, "Rank %u", first)
                                    : pj_arena_format(arena, "Ranks %u to %u", first, last);
    double useful = (double)s->slices->useful[(size_t)lane * s->slices->count + slice];
    return pj_arena_format(arena, "%s: %.1f %% useful\n%s", who, 100 * useful,
                           span_of(s, slice, arena));
}

/// Cells one by one are sharp at any size of the page; of very many an image is.
static void draw_lanes(strips *s, double scale)
{
    const pj_slices *slices = s->slices;
    size_t count = (size_t)slices->lanes * slices->count;
    pj_colour *pixels = pj_new_n(s->chart.arena, pj_colour, count + 1);
    for (size_t i = 0; i < count; i++) {
        uint32_t lane = (uint32_t)(i / slices->count), slice = (uint32_t)(i % slices->count);
        pixels[i] = pj_palette_fill(s->palette, fmin((double)slices->useful[i], 1), false);
        bool hovers = i < HOVERED_MOST;
        if (count <= CELLS_MOST || hovers)
            add_box(s,
                    (box){left_of(s, slice, scale), left_of(s, slice + 1, scale),
                          row_top(s, s->metrics * s->unit + lane),
                          row_top(s, s->metrics * s->unit + lane + 1)},
                    count <= CELLS_MOST ? pixels[i] : PJ_NONE,
                    hovers ? lane_hover(s, lane, slice) : NULL);
    }
    if (count > CELLS_MOST)
        pj_figure_add(s->chart.figure,
                      (pj_mark){.kind = PJ_MARK_IMAGE,
                                .x = left_of(s, 0, scale),
                                .y = row_top(s, s->metrics * s->unit),
                                .w = left_of(s, slices->count, scale) - left_of(s, 0, scale),
                                .h = s->chart.bottom - row_top(s, s->metrics * s->unit),
                                .pixels = pixels,
                                .pixel_columns = slices->count,
                                .pixel_rows = slices->lanes});
}

static bool may_be_drawn(const pj_run *run, const char *x, pj_err *err)
{
    const pj_slices *slices = run->slices;
    const char *lack = run->iterations ? run->iterations->lack : NULL;
    if (x && strcmp(x, "time") != 0 && strcmp(x, "iteration") != 0)
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "plot: slices has x = time or iteration, not \"%s\"", x);
    if (!slices || !slices->count || run->no_states)
        return pj_fail(err, PJ_E_MISSING, run->path, 0, "has nothing to draw over time%s%s",
                       lack ? ": no iterations found: " : "", lack ? lack : "");
    if (slices->count > PJ_SLICES_MOST)
        return pj_fail(err, PJ_E_MISSING, run->path, 0,
                       "has %u iterations, more than the %d that are drawn; --roi "
                       "iterations:0..%d chooses these",
                       slices->count, PJ_SLICES_MOST, PJ_SLICES_MOST - 1);
    return true;
}

/// Why strips are grey; NULL where none is.
static const char *note_of(const pj_run *run, pj_arena *arena)
{
    const char *reason = run->ideal.reason;
    if (run->ideal.available)
        return NULL;
    return pj_arena_format(arena, "Grey: serialisation and transfer are not known%s%s",
                           reason ? ": " : "", reason ? reason : "");
}

static const char *subtitle_of(const strips *s, pj_arena *arena)
{
    const char *ipc =
        s->metrics == METRICS ? pj_arena_format(arena, " (IPC against %.2f)", s->high_ipc) : "";
    return pj_arena_format(arena, "Metrics of each %s%s; below: useful time of ranks%s",
                           s->slices->what, ipc, has_ticks(s) ? "; ticks: iterations" : "");
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    if (data.study)
        return pj_plot_panels(&pj_plot_slices, data.study, opts, draw, err);
    const pj_slices *slices = data.run->slices;
    if (!may_be_drawn(data.run, opts.x, err))
        return NULL;
    pj_auto_arena arena = pj_arena_new(NULL);
    strips s = {.run = data.run,
                .slices = slices,
                .opts = opts,
                .palette = pj_palette_resolve(opts.palette),
                .unit = (slices->lanes / LANE_UNITS) | 1};
    choose_metrics(&s, arena);
    double scale, rows = s.metrics * row_height + (slices->lanes ? lanes_height : 0);
    pj_axis x = time_axis(&s, arena, &scale);
    s.chart = pj_chart_new(
        (pj_chart_opts){.title = opts.title
                                     ? opts.title
                                     : pj_arena_format(arena, "Efficiencies over %s: %s",
                                                       is_time(slices) ? "time" : "iterations",
                                                       data.run->name),
                        .subtitle = subtitle_of(&s, arena),
                        .note = note_of(data.run, arena),
                        .width = opts.width > 0 ? opts.width : PJ_CHART_WIDTH,
                        .height = opts.height > 0 ? opts.height : rows + frame_height,
                        .x = x,
                        .y = rows_axis(&s, arena)},
        draw);
    draw_ticks(&s, scale);
    draw_metrics(&s, scale);
    draw_lanes(&s, scale);
    s.chart.figure->summary = pj_arena_format(
        s.chart.arena,
        "Strips of five efficiencies%s over %u %ss, and of the useful time of %u %s.",
        s.metrics == METRICS ? " and of IPC" : "", slices->count, slices->what, slices->lanes,
        slices->lanes < data.run->layout.ranks ? "groups of ranks" : "ranks");
    return s.chart.figure;
}

static pj_table *numbers(const pj_run *run)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_table *table = pj_slices_table(run, &err);
    return table ? table : pj_table_new("");
}

static pj_table *numbers_of_study(const pj_study *study, pj_err *err)
{
    (void)err;
    return pj_plot_panels_table(&pj_plot_slices, study);
}

const pj_plot pj_plot_slices = {
    .name = "slices",
    .title = "Efficiencies over time",
    .help = "A strip of each efficiency over time, and the useful part of the time of ranks; -x "
            "iteration: over the iterations of the run. Several runs stand below each other.",
    .source = PJ_PLOT_RUN,
    .sliced = true,
    .several = true,
    .numbers = numbers,
    .numbers_of_study = numbers_of_study,
    .make = make,
};
