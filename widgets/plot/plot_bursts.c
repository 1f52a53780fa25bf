// Bursts of computation: IPC over instructions, a colour for each cluster.
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/run/aspect.h"
#include "metrics/run/parts/burst_cells.h"
#include "metrics/run/parts/burst_clusters.h"
#include "metrics/run/parts/bursts_table.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"
#include "widgets/figure/axis.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"
#include "widgets/plot/plot.h"

#include <math.h>
#include <stdlib.h>

enum { DRAWN_MOST = 4000, NAMED_MOST = PJ_PALETTE_SERIES_COUNT };

static const double smallest = 2.5, largest = 14; // radius in px

static double instructions_of(const pj_burst_sum *sum)
{
    return (double)sum->instructions / (double)sum->bursts;
}

static double ipc_of(const pj_burst_sum *sum)
{
    return (double)sum->instructions / (double)sum->cycles;
}

/// The one that takes longest first, so that it lies below the others.
static int order_by_time(const void *a, const void *b)
{
    const pj_burst_point *p = *(const pj_burst_point *const *)a;
    const pj_burst_point *q = *(const pj_burst_point *const *)b;
    if (p->sum.time_ns != q->sum.time_ns)
        return p->sum.time_ns > q->sum.time_ns ? -1 : 1;
    return p < q ? -1 : p > q;
}

static const pj_burst_point **order_points(const pj_burst_clusters *bursts, pj_arena *arena)
{
    const pj_burst_point **points = pj_new_n(arena, const pj_burst_point *, bursts->point_count);
    for (size_t i = 0; i < bursts->point_count; i++)
        points[i] = &bursts->points[i];
    qsort(points, bursts->point_count, sizeof *points, order_by_time);
    return points;
}

static pj_colour colour_of(uint32_t cluster)
{
    return cluster ? pj_palette_series(cluster - 1) : PJ_COLOUR_IDLE;
}

static size_t fill_keys(const pj_burst_clusters *bursts, pj_chart_key *keys, pj_arena *arena)
{
    size_t count = 0;
    for (uint32_t i = 0; i < bursts->count && count < NAMED_MOST; i++)
        keys[count++] =
            (pj_chart_key){.name = pj_arena_format(arena, i == 0 ? "cluster %u" : "%u", i + 1),
                           .colour = colour_of(i + 1)};
    if (bursts->noise.bursts)
        keys[count++] = (pj_chart_key){.name = "like no other", .colour = colour_of(0)};
    return count;
}

static void choose_axes(const pj_burst_clusters *bursts, pj_axis *x, pj_axis *y)
{
    double least = INFINITY, most = 0, ipc = 0;
    for (size_t i = 0; i < bursts->point_count; i++) {
        double instructions = instructions_of(&bursts->points[i].sum);
        least = fmin(least, instructions);
        most = fmax(most, instructions);
        ipc = fmax(ipc, ipc_of(&bursts->points[i].sum));
    }
    *x = pj_axis_new(PJ_AXIS_LOG, least / 1.5, most * 1.5, false);
    x->title = "Instructions of a burst";
    *y = pj_axis_new(PJ_AXIS_LINEAR, 0, ipc, true);
    y->title = "IPC";
}

static const char *hover_of(const pj_burst_point *p, pj_arena *arena)
{
    char time[32], mean[32];
    pj_format_duration((double)p->sum.time_ns, time);
    pj_format_duration((double)p->sum.time_ns / (double)p->sum.bursts, mean);
    const char *cluster =
        p->cluster ? pj_arena_format(arena, "cluster %u", p->cluster) : "like no other";
    return pj_arena_format(arena, "%s: %llu burst%s of %s\n%.4g instructions each at IPC %.3f\n%s",
                           cluster, (unsigned long long)p->sum.bursts,
                           p->sum.bursts == 1 ? "" : "s", mean, instructions_of(&p->sum),
                           ipc_of(&p->sum), time);
}

/// Areas are times.
static void draw_points(const pj_burst_clusters *bursts, pj_chart *chart)
{
    const pj_burst_point **points = order_points(bursts, chart->arena);
    double longest = bursts->point_count ? (double)points[0]->sum.time_ns : 1;
    for (size_t i = 0; i < bursts->point_count && i < DRAWN_MOST; i++) {
        const pj_burst_sum *sum = &points[i]->sum;
        pj_point at = {pj_chart_x(chart, instructions_of(sum)), pj_chart_y(chart, ipc_of(sum))};
        double radius = fmax(smallest, largest * sqrt((double)sum->time_ns / longest));
        pj_figure_add(chart->figure,
                      (pj_mark){.kind = PJ_MARK_DISC,
                                .x = at.x,
                                .y = at.y,
                                .w = radius,
                                .fill = (colour_of(points[i]->cluster) & 0xffffff00) | 0x70,
                                .hover = hover_of(points[i], chart->arena)});
    }
}

static bool may_be_drawn(const pj_run *run, pj_err *err)
{
    if (!run->bursts || run->bursts->point_count == 0)
        return pj_fail(err, PJ_E_MISSING, run->path, 0, "has no bursts of computation to draw");
    if (run->bursts->timed)
        return pj_fail(err, PJ_E_MISSING, run->path, 0,
                       "has no counters of instructions and cycles; record with them "
                       "(PAPI_TOT_INS, PAPI_TOT_CYC)");
    return true;
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_run *run = data.run;
    if (!may_be_drawn(run, err))
        return NULL;
    pj_chart_key keys[NAMED_MOST + 1];
    pj_chart_opts how = {.title = opts.title ? opts.title
                                             : pj_arena_format(arena, "Bursts of computation: %s",
                                                               run->name ? run->name : ""),
                         .subtitle = "Areas are times; bursts that are alike have one colour",
                         .width = opts.width,
                         .height = opts.height,
                         .keys = keys,
                         .key_count = fill_keys(run->bursts, keys, arena)};
    if (run->bursts->point_count > DRAWN_MOST)
        how.note = "Only what takes longest is drawn.";
    choose_axes(run->bursts, &how.x, &how.y);
    pj_chart chart = pj_chart_new(how, draw);
    draw_points(run->bursts, &chart);
    chart.figure->summary = pj_arena_format(
        chart.arena, "%u clusters of bursts by instructions and IPC.", run->bursts->count);
    return chart.figure;
}

static pj_table *numbers(const pj_run *run)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_table *table = pj_bursts_table(run, &err);
    return table ? table : pj_table_new("");
}

const pj_plot pj_plot_bursts = {
    .name = "bursts",
    .title = "Bursts of computation",
    .help = "IPC of a run's bursts of computation over their instructions; those that are alike "
            "have one colour, areas are times.",
    .source = PJ_PLOT_RUN,
    .aspects = PJ_WANT(bursts),
    .numbers = numbers,
    .make = make,
};
