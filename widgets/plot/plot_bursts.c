// Bursts of computation: IPC over instructions, a colour for each cluster; without counters
// durations on one axis. Several runs stand in panels beside each other, and what is the same
// cluster has one colour and an arrow from run to run.
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/run/aspect.h"
#include "metrics/run/parts/burst_cells.h"
#include "metrics/run/parts/burst_clusters.h"
#include "metrics/run/parts/burst_tracks.h"
#include "metrics/run/parts/bursts_table.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"
#include "widgets/figure/axis.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/column_text.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"
#include "widgets/figure/textbox.h"
#include "widgets/plot/plot.h"
#include "widgets/plot/plot_panels.h"

#include <math.h>
#include <stdlib.h>

enum { DRAWN_MOST = 4000, NAMED_MOST = PJ_PALETTE_SERIES_COUNT, PANELS_MOST = 8 };

static const double smallest = 2.5, largest = 14; // radius in px
static const double panel_width = 190, head = 8;  // px; of an arrow
static const double strip_height = 240;

static double instructions_of(const pj_burst_sum *sum)
{
    return (double)sum->instructions / (double)sum->bursts;
}

static double ipc_of(const pj_burst_sum *sum)
{
    return (double)sum->instructions / (double)sum->cycles;
}

static double duration_of(const pj_burst_sum *sum)
{
    return (double)sum->time_ns / (double)sum->bursts;
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

/// What points of one or more runs reach.
typedef struct extent {
    double least, most, ipc, longest; // instructions; the largest ones
    double shortest, lasting;         // durations
} extent;

static void widen(extent *e, const pj_burst_clusters *bursts)
{
    for (size_t i = 0; i < bursts->point_count; i++) {
        const pj_burst_sum *sum = &bursts->points[i].sum;
        e->least = fmin(e->least, instructions_of(sum));
        e->most = fmax(e->most, instructions_of(sum));
        e->ipc = fmax(e->ipc, ipc_of(sum));
        e->longest = fmax(e->longest, (double)sum->time_ns);
        e->shortest = fmin(e->shortest, duration_of(sum));
        e->lasting = fmax(e->lasting, duration_of(sum));
    }
}

static void choose_axes(const extent *e, pj_axis *x, pj_axis *y)
{
    *x = pj_axis_new(PJ_AXIS_LOG, e->least / 1.5, e->most * 1.5, false);
    x->title = "Instructions of a burst";
    *y = pj_axis_new(PJ_AXIS_LINEAR, 0, e->ipc, true);
    y->title = "IPC";
}

static const char *hover_of(const pj_burst_point *p, bool timed, pj_arena *arena)
{
    char time[32], mean[32];
    pj_format_duration((double)p->sum.time_ns, time);
    pj_format_duration(duration_of(&p->sum), mean);
    const char *cluster =
        p->cluster ? pj_arena_format(arena, "cluster %u", p->cluster) : "like no other";
    const char *work = timed ? ""
                             : pj_arena_format(arena, "%.4g instructions each at IPC %.3f\n",
                                               instructions_of(&p->sum), ipc_of(&p->sum));
    return pj_arena_format(arena, "%s: %llu burst%s of %s\n%s%s", cluster,
                           (unsigned long long)p->sum.bursts, p->sum.bursts == 1 ? "" : "s", mean,
                           work, time);
}

/// What is drawn of a run, and where.
typedef struct panel {
    const pj_burst_clusters *bursts;
    const uint32_t *track_of; // what gives a cluster its colour; NULL = its number
    pj_axis x;
    double longest;  // time of the largest disc
    double duration; // factor of durations on x; 0 = x is instructions, y IPC
    size_t most;     // points
} panel;

static pj_colour panel_colour(const panel *p, uint32_t cluster)
{
    return cluster && p->track_of ? colour_of(p->track_of[cluster - 1] + 1) : colour_of(cluster);
}

/// Areas are times.
static void draw_points(const panel *p, pj_chart *chart)
{
    const pj_burst_point **points = order_points(p->bursts, chart->arena);
    for (size_t i = 0; i < p->bursts->point_count && i < p->most; i++) {
        const pj_burst_sum *sum = &points[i]->sum;
        double radius = fmax(smallest, largest * sqrt((double)sum->time_ns / p->longest));
        bool timed = p->duration > 0;
        pj_figure_add(chart->figure,
                      (pj_mark){.kind = PJ_MARK_DISC,
                                .x = pj_axis_at(&p->x, timed ? p->duration * duration_of(sum)
                                                             : instructions_of(sum)),
                                .y = pj_chart_y(chart, timed ? 0 : ipc_of(sum)),
                                .w = radius,
                                .fill = (panel_colour(p, points[i]->cluster) & 0xffffff00) | 0x70,
                                .hover = hover_of(points[i], timed, chart->arena)});
    }
}

static bool may_be_drawn(const pj_run *run, pj_err *err)
{
    if (!run->bursts || run->bursts->point_count == 0)
        return pj_fail(err, PJ_E_MISSING, run->path, 0, "has no bursts of computation to draw");
    return true;
}

/// Durations from the left to the right, on one line; returns their factor.
static double choose_durations(const extent *e, pj_axis *x, pj_axis *y, pj_arena *arena)
{
    const pj_column_text form = pj_column_text_unit(PJ_UNIT_NS, e->lasting);
    *x = pj_axis_new(PJ_AXIS_LOG, form.factor * e->shortest / 1.5, form.factor * e->lasting * 1.5,
                     false);
    x->title = pj_arena_format(arena, "Duration of a burst [%s]", form.unit);
    *y = (pj_axis){.kind = PJ_AXIS_LINEAR, .from = -1, .to = 1, .given = true};
    return form.factor;
}

static pj_figure *draw_run(const pj_run *run, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
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
    extent e = {.least = INFINITY, .shortest = INFINITY};
    widen(&e, run->bursts);
    panel p = {.bursts = run->bursts, .longest = e.longest, .most = DRAWN_MOST};
    if (run->bursts->timed) {
        p.duration = choose_durations(&e, &how.x, &how.y, arena);
        how.subtitle = "Areas are times; bursts of about the same duration have one colour, as the "
                       "trace has no counters of instructions and cycles";
        how.height = how.height > 0 ? how.height : strip_height;
    } else {
        choose_axes(&e, &how.x, &how.y);
    }
    pj_chart chart = pj_chart_new(how, draw);
    p.x = chart.x;
    draw_points(&p, &chart);
    chart.figure->summary =
        pj_arena_format(chart.arena, "%u clusters of bursts by %s.", run->bursts->count,
                        run->bursts->timed ? "duration" : "instructions and IPC");
    return chart.figure;
}

// ---- several runs

typedef struct panels {
    const pj_study *study;
    pj_burst_tracks tracks;
    pj_arena *arena;
    extent reach;
    double duration; // factor of durations on x, where a run has no counters; 0 = all have
    double width;    // px of one, about
} panels;

static bool can_stand_beside(const pj_study *study, pj_err *err)
{
    if (study->count > PANELS_MOST)
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "bursts of at most %d runs are drawn, not of %zu; `popinjay bursts` lists "
                       "those of any number",
                       PANELS_MOST, study->count);
    for (size_t i = 0; i < study->count; i++)
        if (!may_be_drawn(study->cases[i].run, err))
            return false;
    return true;
}

/// Panels side by side on one axis, in each of which instructions begin anew.
static pj_axis axis_of_panels(const panels *p, pj_axis one)
{
    const size_t count = p->study->count;
    one.end = p->width;
    pj_axis_ticks(&one, p->arena, 44);
    pj_axis all = {.kind = PJ_AXIS_LINEAR,
                   .title = one.title,
                   .to = (double)count,
                   .ticks = pj_new_n(p->arena, pj_tick, count * one.tick_count + 1),
                   .given = true};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < one.tick_count; k++)
            all.ticks[all.tick_count++] = (pj_tick){
                (double)i + pj_axis_at(&one, one.ticks[k].value) / p->width, one.ticks[k].label};
    return all;
}

static panel panel_at(const panels *p, const pj_chart *chart, pj_axis one, size_t index)
{
    one.start = pj_chart_x(chart, (double)index);
    one.end = pj_chart_x(chart, (double)index + 1);
    return (panel){.bursts = p->study->cases[index].run->bursts,
                   .track_of = p->duration > 0 ? NULL : p->tracks.track_of[index],
                   .x = one,
                   .longest = p->reach.longest,
                   .duration = p->duration,
                   .most = DRAWN_MOST / p->study->count};
}

static void draw_frame(const panels *p, pj_chart *chart, const panel *at, size_t index)
{
    const pj_case *of = &p->study->cases[index];
    const pj_style style = {.size = 12, .bold = true, .anchor = PJ_ANCHOR_MIDDLE};
    const char *name = pj_textbox_squeeze(chart->draw, chart->arena, of->name, style,
                                          at->x.end - at->x.start - 12);
    pj_textbox_put(chart->figure, (at->x.start + at->x.end) / 2, chart->top - 8, name, style);
    if (index)
        pj_figure_add(chart->figure, (pj_mark){.kind = PJ_MARK_LINE,
                                               .x = at->x.start,
                                               .y = chart->top - 4,
                                               .w = at->x.start,
                                               .h = chart->bottom,
                                               .stroke = PJ_RULE,
                                               .stroke_width = 1});
}

static pj_point centre_of(const panel *at, const pj_chart *chart, uint32_t cluster)
{
    const pj_burst_sum *sum = &at->bursts->clusters[cluster];
    return (pj_point){pj_axis_at(&at->x, instructions_of(sum)), pj_chart_y(chart, ipc_of(sum))};
}

static void draw_arrow(pj_chart *chart, pj_point from, pj_point to, pj_colour colour)
{
    double length = hypot(to.x - from.x, to.y - from.y);
    if (length < 2 * head)
        return;
    double dx = (to.x - from.x) / length, dy = (to.y - from.y) / length;
    pj_point neck = {to.x - head * dx, to.y - head * dy};
    const pj_point tip[] = {to,
                            {neck.x - dy * head / 2, neck.y + dx * head / 2},
                            {neck.x + dy * head / 2, neck.y - dx * head / 2}};
    pj_figure_add(chart->figure, (pj_mark){.kind = PJ_MARK_LINE,
                                           .x = from.x,
                                           .y = from.y,
                                           .w = neck.x,
                                           .h = neck.y,
                                           .stroke = colour,
                                           .stroke_width = 1.6});
    pj_figure_add(
        chart->figure,
        (pj_mark){
            .kind = PJ_MARK_PATH, .points = tip, .point_count = 3, .closed = true, .fill = colour});
}

/// From the clusters of the run before to those that follow them; above all points.
static void draw_arrows(const panels *p, pj_chart *chart, pj_axis one)
{
    for (size_t i = 1; i < p->study->count; i++) {
        const panel from = panel_at(p, chart, one, i - 1), to = panel_at(p, chart, one, i);
        for (uint32_t k = to.bursts->count; k-- > 0;) {
            uint32_t old = p->tracks.before[i][k];
            if (old != PJ_NO_CLUSTER)
                draw_arrow(chart, centre_of(&from, chart, old), centre_of(&to, chart, k),
                           pj_chart_ink(panel_colour(&to, k + 1)));
        }
    }
}

static size_t name_colours(const panels *p, pj_chart_key *keys)
{
    bool tracked = p->duration <= 0, noise = false;
    uint32_t count = p->tracks.count;
    size_t named = 0;
    for (size_t i = 0; i < p->study->count; i++) {
        const pj_burst_clusters *bursts = p->study->cases[i].run->bursts;
        noise = noise || bursts->noise.bursts;
        if (!tracked && bursts->count > count)
            count = bursts->count;
    }
    const char *what = tracked ? "track" : "cluster";
    for (uint32_t i = 0; i < count && i < NAMED_MOST; i++)
        keys[named++] = (pj_chart_key){.name = i ? pj_arena_format(p->arena, "%u", i + 1)
                                                 : pj_arena_format(p->arena, "%s 1", what),
                                       .colour = colour_of(i + 1)};
    if (noise)
        keys[named++] = (pj_chart_key){.name = "like no other", .colour = colour_of(0)};
    return named;
}

static pj_chart_opts opts_of(const panels *p, pj_plot_opts opts, pj_chart_key *keys)
{
    const size_t count = p->study->count;
    bool timed = p->duration > 0;
    pj_chart_opts how = {.title = opts.title ? opts.title : "Bursts of computation, run by run",
                         .subtitle = timed ? "Areas are times; colours are of each run for itself, "
                                             "as a trace has no counters of instructions and "
                                             "cycles by which bursts could be found again"
                                           : "Areas are times; what is the same computation has "
                                             "one colour, arrows go to what became of it",
                         .width = opts.width > 0
                                      ? opts.width
                                      : fmax(PJ_CHART_WIDTH, 60 + panel_width * (double)count),
                         .height = timed && opts.height <= 0 ? strip_height : opts.height,
                         .keys = keys,
                         .key_count = name_colours(p, keys)};
    for (size_t i = 0; i < count; i++)
        if (p->study->cases[i].run->bursts->point_count > DRAWN_MOST / count)
            how.note = "Only what takes longest is drawn.";
    return how;
}

static bool any_is_timed(const pj_study *study)
{
    for (size_t i = 0; i < study->count; i++)
        if (study->cases[i].run->bursts->timed)
            return true;
    return false;
}

static pj_figure *draw_panels(panels *p, pj_plot_opts opts, pj_axis x, pj_axis y,
                              const pj_draw *draw)
{
    pj_chart_key keys[NAMED_MOST + 1];
    pj_chart_opts how = opts_of(p, opts, keys);
    p->width = fmax(how.width - 60, 60) / (double)p->study->count;
    how.x = axis_of_panels(p, x);
    how.y = y;
    pj_chart chart = pj_chart_new(how, draw);
    for (size_t i = 0; i < p->study->count; i++) {
        const panel at = panel_at(p, &chart, x, i);
        draw_frame(p, &chart, &at, i);
        draw_points(&at, &chart);
    }
    if (p->duration > 0)
        chart.figure->summary =
            pj_arena_format(chart.arena, "Bursts of %zu runs by duration.", p->study->count);
    else
        chart.figure->summary =
            pj_arena_format(chart.arena, "Clusters of bursts of %zu runs: %u computations.",
                            p->study->count, p->tracks.count);
    if (p->duration <= 0)
        draw_arrows(p, &chart, x);
    return chart.figure;
}

static pj_figure *draw_study(const pj_study *study, pj_plot_opts opts, const pj_draw *draw,
                             pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    panels p = {.study = study, .arena = arena, .reach = {.least = INFINITY, .shortest = INFINITY}};
    pj_axis x, y;
    if (!can_stand_beside(study, err))
        return NULL;
    for (size_t i = 0; i < study->count; i++)
        widen(&p.reach, study->cases[i].run->bursts);
    if (any_is_timed(study))
        p.duration = choose_durations(&p.reach, &x, &y, arena);
    else if (pj_burst_tracks_find(study, &p.tracks, arena, err))
        choose_axes(&p.reach, &x, &y);
    else
        return NULL;
    return draw_panels(&p, opts, x, y, draw);
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    return data.study ? draw_study(data.study, opts, draw, err)
                      : draw_run(data.run, opts, draw, err);
}

static pj_table *numbers(const pj_run *run)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_table *table = pj_bursts_table(run, &err);
    return table ? table : pj_table_new("");
}

/// What becomes of clusters, or the clusters of each run where that is not known.
static pj_table *numbers_of_study(const pj_study *study, pj_err *err)
{
    if (!can_stand_beside(study, err))
        return NULL;
    return any_is_timed(study) ? pj_plot_panels_table(&pj_plot_bursts, study)
                               : pj_burst_tracks_table(study, err);
}

const pj_plot pj_plot_bursts = {
    .name = "bursts",
    .title = "Bursts of computation",
    .help = "IPC of a run's bursts of computation over their instructions; those that are alike "
            "have one colour, areas are times. Several runs stand side by side, with arrows from "
            "a cluster to what became of it. Without counters: on an axis of durations, each "
            "run for itself.",
    .source = PJ_PLOT_RUN,
    .several = true,
    .aspects = PJ_WANT(bursts),
    .numbers = numbers,
    .numbers_of_study = numbers_of_study,
    .make = make,
};
