// What line and scatter plots have in common.
// Lines are named at their ends, clouds of points in a legend above.
#include "widgets/plot/plot_points.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/table/table.h"
#include "widgets/figure/axis.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"
#include "widgets/plot/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_HOVERED = 2000, MOST_NAMED_LINES = 8, DOTTED = 24, MOST_SIZES = 12 };

static const double log_span = 8; // from which on an axis of sizes is logarithmic by itself

typedef struct points {
    pj_series_set set;
    pj_plot_opts opts;
    bool lines;
    bool named; // at the ends of lines, else in a legend
} points;

static int order_points(const void *a, const void *b)
{
    const pj_series_point *x = a, *y = b;
    if (x->x != y->x)
        return x->x < y->x ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/// Ticks at the x of all points, in their order; 0 when they are too many, or no counts.
static size_t find_sizes(const points *p, pj_tick ticks[MOST_SIZES])
{
    size_t count = 0;
    for (size_t i = 0; i < p->set.count; i++)
        for (size_t k = 0; k < p->set.items[i].count; k++) {
            double x = p->set.items[i].points[k].x;
            size_t at = 0;
            while (at < count && ticks[at].value < x)
                at++;
            if (at < count && ticks[at].value == x)
                continue;
            if (count == MOST_SIZES || x < 1 || x != floor(x))
                return 0;
            memmove(ticks + at + 1, ticks + at, (count++ - at) * sizeof *ticks);
            ticks[at].value = x;
        }
    return count;
}

/// Of lines over counts, as ranks and threads of runs: the runs are the ticks.
static bool sizes_axis(const points *p, pj_arena *arena, pj_axis *axis)
{
    pj_tick *ticks = pj_new_n(arena, pj_tick, MOST_SIZES);
    bool counts = p->lines && p->set.table->columns[p->set.x].unit == PJ_UNIT_NONE;
    size_t count = counts ? find_sizes(p, ticks) : 0;
    if (count < 2)
        return false;
    double lo = ticks[0].value, hi = ticks[count - 1].value;
    bool log = p->opts.log_x || (!p->opts.linear && hi >= log_span * lo);
    *axis = pj_axis_new(log ? PJ_AXIS_LOG : PJ_AXIS_LINEAR, lo, hi, false);
    double room = log ? 0 : (axis->to - axis->from) * 0.04;
    axis->from -= room;
    axis->to += room;
    for (size_t i = 0; i < count; i++)
        ticks[i].label = pj_arena_format(arena, "%.0f", ticks[i].value);
    axis->ticks = ticks;
    axis->tick_count = count;
    axis->given = true;
    return true;
}

static pj_axis x_axis(const points *p, pj_arena *arena)
{
    pj_axis axis;
    if (p->set.labels) {
        axis = pj_axis_categories(arena, p->set.labels, p->set.label_count);
    } else if (!sizes_axis(p, arena, &axis)) {
        bool log = p->opts.log_x && p->set.x_lo > 0;
        axis = pj_axis_new(log ? PJ_AXIS_LOG : PJ_AXIS_LINEAR, p->set.x_lo, p->set.x_hi, false);
    }
    axis.title = p->set.x_title;
    axis.whole = p->set.table->columns[p->set.x].unit == PJ_UNIT_IDENTIFIER;
    return axis;
}

/// From 0 unless the values lie close together far from it: what points show is how two columns go
/// together, so that they begin with the values sooner.
static pj_axis y_axis(const points *p)
{
    double lo = p->set.y_lo, hi = p->set.y_hi, close = p->lines ? 0.2 : 0.5;
    bool log = p->opts.log_y && lo > 0, far = lo > 0 && hi - lo < close * hi && hi > lo;
    pj_axis axis = pj_axis_new(log ? PJ_AXIS_LOG : PJ_AXIS_LINEAR, lo, hi, !log && !far);
    axis.title = p->set.y_title;
    return axis;
}

static size_t fill_labels(const points *p, const pj_chart *chart, pj_chart_label *labels)
{
    for (size_t i = 0; p->named && i < p->set.count; i++) {
        const pj_series *series = &p->set.items[i];
        double y = chart ? pj_chart_y(chart, series->points[series->count - 1].y) : 0;
        labels[i] = (pj_chart_label){y, series->name, pj_palette_series(i), true};
    }
    return p->named ? p->set.count : 0;
}

static size_t fill_keys(const points *p, pj_chart_key *keys)
{
    if (p->named || p->set.count < 2)
        return 0;
    for (size_t i = 0; i < p->set.count; i++)
        keys[i] = (pj_chart_key){.name = p->set.items[i].name, .colour = pj_palette_series(i)};
    return p->set.count;
}

static void draw_series(const points *p, pj_chart *chart, size_t index)
{
    const pj_series *series = &p->set.items[index];
    pj_colour colour = pj_palette_series(index);
    pj_point *at = pj_new_n(chart->arena, pj_point, series->count);
    for (size_t i = 0; i < series->count; i++)
        at[i] = (pj_point){pj_chart_x(chart, series->points[i].x),
                           pj_chart_y(chart, series->points[i].y)};
    if (p->lines)
        pj_chart_line(chart, at, series->count,
                      (pj_mark){.stroke = colour,
                                .stroke_width = series->count > DOTTED ? 1.8 : 2.2,
                                .dash = index >= PJ_PALETTE_SERIES_COUNT ? 7 : 0});
    bool dots = !p->lines || series->count <= DOTTED;
    double radius = p->set.points > 400 ? 2.5 : p->lines ? 3.5 : 4.5;
    pj_colour fill = p->lines ? colour : (colour & 0xffffff00) | 0xb8;
    size_t stride = p->set.points / MOST_HOVERED + 1;
    for (size_t i = 0; i < series->count; i++) {
        const char *hover =
            i % stride ? NULL : pj_series_hover(&p->set, series, &series->points[i], chart->arena);
        if (dots || hover)
            pj_chart_dot(chart, at[i], dots ? fill : PJ_NONE, radius, hover);
    }
}

pj_figure *pj_plot_points(const pj_table *table, pj_plot_opts opts, bool lines, const pj_draw *draw,
                          pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    points p = {.opts = opts, .lines = lines};
    if (!pj_series_of(table, opts, false, arena, &p.set, err))
        return NULL;
    for (size_t i = 0; lines && i < p.set.count; i++)
        qsort(p.set.items[i].points, p.set.items[i].count, sizeof *p.set.items[i].points,
              order_points);
    p.named = lines && p.set.count > 1 && p.set.count <= MOST_NAMED_LINES;
    pj_chart_label labels[PJ_SERIES_MOST];
    pj_chart_key keys[PJ_SERIES_MOST];
    pj_chart chart =
        pj_chart_new((pj_chart_opts){.title = pj_series_title(&p.set, opts, arena),
                                     .subtitle = pj_series_subtitle(&p.set, opts),
                                     .note = pj_series_note(&p.set, arena),
                                     .width = opts.width,
                                     .height = opts.height,
                                     .x = x_axis(&p, arena),
                                     .y = y_axis(&p),
                                     .room = pj_chart_label_room(draw, arena, labels,
                                                                 fill_labels(&p, NULL, labels)),
                                     .keys = keys,
                                     .key_count = fill_keys(&p, keys)},
                     draw);
    for (size_t i = 0; i < p.set.count; i++)
        draw_series(&p, &chart, i);
    pj_chart_labels(&chart, labels, fill_labels(&p, &chart, labels));
    chart.figure->summary = pj_series_summary(&p.set, chart.arena);
    return chart.figure;
}
