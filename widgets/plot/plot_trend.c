// A metric of a program over the time of its commits: a line for each layout, the levels and where
// they change, the latest value.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "metrics/pop/trend.h"
#include "metrics/table/table.h"
#include "widgets/figure/axis.h"
#include "widgets/figure/callout.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/column_text.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"
#include "widgets/figure/textbox.h"
#include "widgets/figure/time_axis.h"
#include "widgets/plot/plot.h"

#include <math.h>
#include <string.h>

enum { MOST_SERIES = 24, MOST_DOTS = 400 };

static const double poor = 0.6, fair = 0.8; // of the badge
static const double badge_height = 20, badge_room = 7;
static const pj_colour turn_colour = 0xb4232fff;

typedef struct point {
    size_t row; // of the table
    double x, value;
} point;

typedef struct line {
    const char *layout, *region;
    const char *name; // the layout, or what tells it from others
    const point *points;
    size_t count;
} line;

typedef struct trend {
    const pj_table *table;
    const pj_metric *metric;
    pj_plot_opts opts;
    pj_arena *arena;
    point *points; // by line and time
    size_t count;
    line lines[MOST_SERIES];
    size_t line_count;
    bool regions;  // lines are of several
    bool in_order; // some run has no time: one after another
    pj_column_text form;
} trend;

static const char *text_at(const trend *t, size_t row, size_t column)
{
    const pj_cell *cell = pj_table_cell(t->table, row, column);
    return cell->kind == PJ_CELL_TEXT ? cell->text : "";
}

/// NaN where it is empty.
static double number_at(const trend *t, size_t row, size_t column)
{
    const pj_cell *cell = pj_table_cell(t->table, row, column);
    return cell->kind == PJ_CELL_EMPTY ? NAN : pj_cell_number(*cell);
}

static const char *value_text(const trend *t, double value)
{
    pj_auto_buf text = {.at = NULL};
    pj_column_text_number(&text, t->form, value);
    return pj_arena_text(t->arena, pj_buf_str(&text));
}

static bool is_of_line(const trend *t, size_t row, const line *l)
{
    return strcmp(l->layout, text_at(t, row, PJ_TREND_LAYOUT)) == 0 &&
           strcmp(l->region, text_at(t, row, PJ_TREND_REGION)) == 0;
}

/// Lines are called by their layout, by their region, or both: what they differ in.
static void name_lines(trend *t)
{
    bool layouts = false;
    for (size_t i = 1; i < t->line_count; i++) {
        layouts |= strcmp(t->lines[i].layout, t->lines[0].layout) != 0;
        t->regions |= strcmp(t->lines[i].region, t->lines[0].region) != 0;
    }
    for (size_t i = 0; i < t->line_count; i++) {
        line *l = &t->lines[i];
        l->name = !t->regions ? l->layout
                  : !layouts  ? l->region
                              : pj_arena_format(t->arena, "%s, %s", l->region, l->layout);
    }
}

static bool collect(trend *t, pj_err *err)
{
    const size_t rows = t->table->row_count;
    t->points = pj_new_n(t->arena, point, rows + 1);
    double *values = pj_new_n(t->arena, double, rows + 1);
    for (size_t row = 0; row < rows; row++) {
        point p = {.row = row, .value = number_at(t, row, PJ_TREND_VALUE)};
        t->in_order |= !pj_time_axis_parse(pj_str_of(text_at(t, row, PJ_TREND_TIME)), &p.x);
        if (isnan(p.value))
            continue;
        line *last = t->line_count ? &t->lines[t->line_count - 1] : NULL;
        if (!last || !is_of_line(t, row, last)) {
            if (t->line_count == MOST_SERIES)
                return pj_fail(err, PJ_E_USAGE, NULL, 0,
                               "the runs have more than %d layouts and regions, and as many lines "
                               "cannot be read; name fewer runs, or a region; popinjay trend -o "
                               "trend.html has a picture of each region",
                               MOST_SERIES);
            last = &t->lines[t->line_count++];
            *last = (line){.layout = text_at(t, row, PJ_TREND_LAYOUT),
                           .region = text_at(t, row, PJ_TREND_REGION),
                           .points = t->points + t->count};
        }
        last->count++;
        values[t->count] = p.value;
        t->points[t->count++] = p;
    }
    if (!t->count)
        return pj_fail(err, PJ_E_MISSING, NULL, 0, "no run has a value of %s", t->metric->key);
    name_lines(t);
    for (size_t i = 0, at = 0; t->in_order && i < t->line_count; i++)
        for (size_t k = 0; k < t->lines[i].count; k++)
            t->points[at++].x = (double)k;
    if (t->metric->kind == PJ_METRIC_PLAIN)
        t->form = pj_column_text_fit(t->metric->unit, values, t->count);
    return true;
}

static bool is_of_region(const trend *t, const point *a, const point *b)
{
    return strcmp(text_at(t, a->row, PJ_TREND_REGION), text_at(t, b->row, PJ_TREND_REGION)) == 0;
}

/// The latest run of all layouts, of the first region.
static const point *latest_of(const trend *t)
{
    const point *latest = &t->points[0];
    for (size_t i = 1; i < t->count && is_of_region(t, &t->points[i], latest); i++)
        if (strcmp(text_at(t, t->points[i].row, PJ_TREND_TIME),
                   text_at(t, latest->row, PJ_TREND_TIME)) >= 0)
            latest = &t->points[i];
    return latest;
}

static pj_axis x_axis(const trend *t)
{
    double from = INFINITY, to = -INFINITY;
    for (size_t i = 0; i < t->count; i++) {
        from = fmin(from, t->points[i].x);
        to = fmax(to, t->points[i].x);
    }
    if (!t->in_order)
        return pj_time_axis(from, to, t->arena);
    pj_axis axis = pj_axis_new(PJ_AXIS_LINEAR, from, to, false);
    axis.title = "Runs in order of time";
    axis.whole = true;
    return axis;
}

static pj_axis y_axis(const trend *t)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < t->count; i++) {
        least = fmin(least, t->points[i].value * t->form.factor);
        most = fmax(most, t->points[i].value * t->form.factor);
    }
    bool log = t->opts.log_y && least > 0;
    double room = fmax((most - least) * 0.12, fabs(most) * 0.01);
    pj_axis axis = log ? pj_axis_new(PJ_AXIS_LOG, least, most, false)
                       : pj_axis_new(PJ_AXIS_LINEAR, fmax(least - room, 0), most + room, false);
    axis.title =
        *t->form.unit ? pj_arena_format(t->arena, "%s [%s]", t->metric->title, t->form.unit) : NULL;
    return axis;
}

static pj_point place_of(const trend *t, const pj_chart *chart, const point *p)
{
    return (pj_point){pj_chart_x(chart, p->x), pj_chart_y(chart, p->value * t->form.factor)};
}

static const char *hover_of(const trend *t, const point *p)
{
    char exact[32], change[32];
    const char *commit = text_at(t, p->row, PJ_TREND_COMMIT),
               *branch = text_at(t, p->row, PJ_TREND_BRANCH);
    double by = number_at(t, p->row, PJ_TREND_CHANGE);
    exact[pj_format_double(p->value, exact)] = 0;
    pj_auto_buf text = {.at = NULL};
    pj_buf_addf(&text, "%s: %s\n%s%s%s, %s", t->metric->title, exact,
                t->regions ? text_at(t, p->row, PJ_TREND_REGION) : "", t->regions ? ", " : "",
                text_at(t, p->row, PJ_TREND_LAYOUT), text_at(t, p->row, PJ_TREND_TIME));
    if (*commit)
        pj_buf_addf(&text, "\n%s%s%s", commit, *branch ? " of " : "", branch);
    if (!isnan(by)) {
        change[pj_format_double(100 * by, change)] = 0;
        pj_buf_addf(&text, "\nanother level: %s %%", change);
    }
    return pj_arena_text(t->arena, pj_buf_str(&text));
}

/// The mean of a level as a broad line below the others.
static void draw_level(const trend *t, pj_chart *chart, const line *l, size_t from, size_t to,
                       pj_colour colour)
{
    double sum = 0;
    for (size_t i = from; i < to; i++)
        sum += l->points[i].value;
    double y = pj_chart_y(chart, sum / (double)(to - from) * t->form.factor);
    pj_point ends[] = {{pj_chart_x(chart, l->points[from].x), y},
                       {pj_chart_x(chart, l->points[to - 1].x), y}};
    pj_chart_line(chart, ends, 2,
                  (pj_mark){.stroke = (colour & 0xffffff00) | 0x48, .stroke_width = 8});
}

/// Between the last run of one level and the first of the next.
static void draw_turn(const trend *t, pj_chart *chart, const point *before, const point *first,
                      pj_colour colour, pj_callouts *callouts)
{
    double x = (pj_chart_x(chart, before->x) + pj_chart_x(chart, first->x)) / 2;
    pj_point ends[] = {{x, chart->top}, {x, chart->bottom}};
    pj_chart_line(chart, ends, 2, (pj_mark){.stroke = colour, .stroke_width = 1.4, .dash = 4});
    pj_callouts_avoid_line(callouts, ends, 2);
    const char *text =
        pj_arena_format(t->arena, "%+.1f %%", 100 * number_at(t, first->row, PJ_TREND_CHANGE));
    pj_callouts_put(callouts, (pj_point){x, chart->top + 14}, text,
                    (pj_style){.size = 11, .bold = true, .colour = colour, .halo = true}, false);
}

static void draw_line(const trend *t, pj_chart *chart, size_t index, pj_callouts *callouts)
{
    const line *l = &t->lines[index];
    pj_colour colour = pj_palette_series(index);
    pj_point *at = pj_new_n(t->arena, pj_point, l->count);
    size_t first = 0;
    for (size_t i = 0; i < l->count; i++) {
        at[i] = place_of(t, chart, &l->points[i]);
        if (i == 0 || isnan(number_at(t, l->points[i].row, PJ_TREND_CHANGE)))
            continue;
        draw_level(t, chart, l, first, i, colour);
        first = i;
    }
    if (first || l->count > 2)
        draw_level(t, chart, l, first, l->count, colour);
    pj_chart_line(chart, at, l->count,
                  (pj_mark){.stroke = colour,
                            .stroke_width = 1.8,
                            .dash = index >= PJ_PALETTE_SERIES_COUNT ? 7 : 0});
    pj_callouts_avoid_line(callouts, at, l->count);
    size_t stride = l->count / MOST_DOTS + 1;
    for (size_t i = 0; i < l->count; i++)
        if (i % stride == 0 || i + 1 == l->count)
            pj_chart_dot(chart, at[i], colour, l->count > 60 ? 2.5 : 3.8,
                         hover_of(t, &l->points[i]));
}

/// Above all lines, so that none covers what is written.
static void draw_turns(const trend *t, pj_chart *chart, pj_callouts *callouts)
{
    for (size_t i = 0; i < t->line_count; i++) {
        pj_colour own = pj_chart_ink(pj_palette_series(i));
        const point *points = t->lines[i].points;
        for (size_t k = 1; k < t->lines[i].count; k++)
            if (!isnan(number_at(t, points[k].row, PJ_TREND_CHANGE)))
                draw_turn(t, chart, &points[k - 1], &points[k],
                          t->line_count > 1 ? own : turn_colour, callouts);
    }
}

/// Layouts and their latest values beside the ends of lines. `chart` NULL: only for measuring.
static size_t fill_labels(const trend *t, const pj_chart *chart, pj_chart_label *labels)
{
    for (size_t i = 0; i < t->line_count; i++) {
        const line *l = &t->lines[i];
        const point *last = &l->points[l->count - 1];
        labels[i] = (pj_chart_label){chart ? pj_chart_y(chart, last->value * t->form.factor) : 0,
                                     pj_arena_format(t->arena, "%s: %s%s%s", l->name,
                                                     value_text(t, last->value),
                                                     *t->form.unit ? " " : "", t->form.unit),
                                     pj_palette_series(i), true};
    }
    return t->line_count;
}

/// Of efficiencies: the latest of all, at the right of the title.
static void draw_badge(const trend *t, pj_chart *chart)
{
    static const pj_style style = {.size = 11, .bold = true};
    if (t->metric->kind != PJ_METRIC_EFFICIENCY)
        return;
    const point *latest = latest_of(t);
    pj_colour fill = latest->value < poor   ? 0xdc2626ff
                     : latest->value < fair ? 0xf59e0bff
                                            : 0x15803dff;
    fill = pj_palette_legible(fill);
    pj_style written = style;
    written.colour = pj_palette_ink(fill);
    const char *text = pj_arena_format(t->arena, "latest %.2f", latest->value);
    double width = pj_textbox_width(chart->draw, text, style) + 2 * badge_room;
    double x = chart->figure->width - width - 2 * badge_room, y = 8;
    pj_figure_add(chart->figure, (pj_mark){.kind = PJ_MARK_RECT,
                                           .x = x,
                                           .y = y,
                                           .w = width,
                                           .h = badge_height,
                                           .radius = 4,
                                           .fill = fill,
                                           .hover = hover_of(t, latest),
                                           .key = "badge"});
    pj_textbox_put(chart->figure, x + badge_room, y + badge_height - 6, text, written);
}

static const char *summary_of(const trend *t)
{
    pj_auto_buf text = {.at = NULL};
    for (size_t i = 0; i < t->line_count; i++) {
        const line *l = &t->lines[i];
        size_t changes = 0;
        for (size_t k = 0; k < l->count; k++)
            changes += isnan(number_at(t, l->points[k].row, PJ_TREND_CHANGE)) ? 0 : 1;
        pj_buf_addf(&text, "%s%s: %zu run%s, latest %s, %zu change%s of level.", i ? " " : "",
                    l->name, l->count, l->count == 1 ? "" : "s",
                    value_text(t, l->points[l->count - 1].value), changes, changes == 1 ? "" : "s");
    }
    return pj_arena_text(t->arena, pj_buf_str(&text));
}

static pj_figure *draw_trend(const trend *t, const pj_draw *draw)
{
    pj_chart_label labels[MOST_SERIES];
    static const char how[] = "Broad: the mean of a level; dashed: another one begins";
    const char *region = text_at(t, t->points[0].row, PJ_TREND_REGION);
    const char *title = pj_arena_format(t->arena, "%s over time", t->metric->title);
    const char *note = t->table->note;
    pj_chart chart = pj_chart_new(
        (pj_chart_opts){
            .title = t->opts.title ? t->opts.title : title,
            .subtitle = t->regions || strcmp(region, "Global") == 0
                            ? how
                            : pj_arena_format(t->arena, "Region %s. %s", region, how),
            .note = note,
            .width = t->opts.width,
            .height = t->opts.height,
            .x = x_axis(t),
            .y = y_axis(t),
            .room = pj_chart_label_room(draw, t->arena, labels, fill_labels(t, NULL, labels))},
        draw);
    pj_callouts callouts = {.chart = &chart};
    for (size_t i = 0; i < t->line_count; i++)
        draw_line(t, &chart, i, &callouts);
    draw_turns(t, &chart, &callouts);
    pj_callouts_free(&callouts);
    pj_chart_labels(&chart, labels, fill_labels(t, &chart, labels));
    draw_badge(t, &chart);
    chart.figure->summary = pj_arena_text(chart.arena, pj_str_of(summary_of(t)));
    return chart.figure;
}

static const char *key_of(const pj_metrics *metrics, const pj_plot_opts *opts)
{
    if (opts->y[0])
        return opts->y[0];
    bool usual = pj_metric_row(metrics->set, PJ_S("parallel_efficiency")) >= 0;
    return usual ? "parallel_efficiency" : "runtime_s";
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_metric_set *set = data.metrics->set;
    const char *key = key_of(data.metrics, &opts);
    int row = pj_metric_row(set, pj_str_of(key));
    if (row < 0) {
        (void)!pj_metric_unknown(set, key, err);
        return NULL;
    }
    if (opts.x && strcmp(opts.x, "time") != 0) {
        (void)!pj_fail(err, PJ_E_USAGE, NULL, 0, "trends are over time, not over %s", opts.x);
        return NULL;
    }
    pj_auto_table table =
        pj_trend_of(data.metrics, (pj_trend_opts){.metrics = &key, .metric_count = 1}, err);
    if (!table)
        return NULL;
    trend *t = pj_new(arena, trend);
    *t = (trend){.table = table,
                 .metric = &set->rows[row],
                 .opts = opts,
                 .arena = arena,
                 .form = {.factor = 1, .unit = "", .decimals = 3}};
    return collect(t, err) ? draw_trend(t, draw) : NULL;
}

static pj_table *numbers(const pj_metrics *metrics, const pj_plot_opts *opts)
{
    pj_err err = {.code = PJ_E_NONE};
    const char *key = key_of(metrics, opts);
    pj_table *table =
        pj_trend_of(metrics, (pj_trend_opts){.metrics = &key, .metric_count = 1}, &err);
    return table ? table : pj_table_new("");
}

const pj_plot pj_plot_trend = {
    .name = "trend",
    .title = "A metric over time",
    .help = "A metric of a program over the time of its commits, from an archive of summaries or "
            "files of TALP: a line for each layout, where its level changes, the latest value.",
    .source = PJ_PLOT_METRICS,
    .most_y = 1,
    .numbers_of_metrics = numbers,
    .make = make,
};
