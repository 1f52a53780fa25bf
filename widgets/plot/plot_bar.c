// Bars over the categories of any column, side by side or stacked.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "widgets/figure/axis.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/column_text.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"
#include "widgets/figure/textbox.h"
#include "widgets/plot/plot.h"
#include "widgets/plot/series.h"

#include <math.h>

static const double widest = 1600, least_slot = 5, most_bar = 46;
enum { MOST_VALUES = 16, MOST_HOVERED = 600 };

typedef struct bars {
    pj_series_set set;
    pj_plot_opts opts;
    pj_arena *arena;
    double *up, *down; // heights of stacks by category
    double slot;       // px of a category
} bars;

/// Stacks positive values upwards and negative ones downwards.
static void measure_stacks(bars *b)
{
    b->up = pj_new_n(b->arena, double, b->set.label_count + 1);
    b->down = pj_new_n(b->arena, double, b->set.label_count + 1);
    for (size_t i = 0; i < b->set.count; i++)
        for (size_t j = 0; j < b->set.items[i].count; j++) {
            const pj_series_point *point = &b->set.items[i].points[j];
            double *stack = point->y < 0 ? b->down : b->up;
            stack[(size_t)point->x] += point->y;
        }
    for (size_t i = 0; i < b->set.label_count; i++) {
        b->set.y_hi = fmax(b->set.y_hi, b->up[i]);
        b->set.y_lo = fmin(b->set.y_lo, b->down[i]);
    }
}

/// Whether values stand on top of their bars, of which there is one at each place.
static bool has_values(const bars *b)
{
    return b->set.count == 1 && b->set.points <= MOST_VALUES && b->set.points <= b->set.label_count;
}

static pj_axis y_axis(const bars *b)
{
    bool log = b->opts.log_y && b->set.y_lo > 0 && !b->opts.stacked;
    double room = has_values(b) ? 0.08 * fmax(b->set.y_hi, 0) : 0;
    pj_axis axis =
        pj_axis_new(log ? PJ_AXIS_LOG : PJ_AXIS_LINEAR, b->set.y_lo, b->set.y_hi + room, !log);
    axis.title = b->set.y_title;
    return axis;
}

static void draw_bar(const bars *b, pj_chart *chart, pj_mark bar, double from, double to)
{
    double low = chart->y.kind == PJ_AXIS_LOG ? chart->y.from : from;
    double y0 = pj_chart_y(chart, low), y1 = pj_chart_y(chart, to);
    bar.kind = PJ_MARK_RECT;
    bar.y = fmin(y0, y1);
    bar.h = fabs(y1 - y0);
    bar.radius = bar.w > 8 && !b->opts.stacked ? 2 : 0;
    if (bar.h > 0 || bar.hover)
        pj_figure_add(chart->figure, bar);
}

/// Three digits of the largest value; what they would show as 0 is said to be less than they show.
static void add_value(const bars *b, double value, pj_buf *out)
{
    double magnitude = fmax(fabs(b->set.y_hi), fabs(b->set.y_lo));
    pj_column_text form = pj_column_text_fit(PJ_UNIT_NONE, &magnitude, 1);
    form.decimals -= form.decimals > 0;
    double step = form.decimals < 0 ? 0 : pow(10, -form.decimals);
    bool tiny = value != 0 && fabs(value) < step / 2;
    pj_buf_puts(out, !tiny ? "" : value > 0 ? "<" : ">");
    pj_column_text_number(out, form, tiny ? copysign(step, value) : value);
}

/// The value on top of its bar, where there is room for all of them.
static void draw_value(const bars *b, pj_chart *chart, const pj_series_point *point, double x)
{
    pj_auto_buf text = {0};
    if (!has_values(b))
        return;
    add_value(b, point->y, &text);
    if (pj_textbox_width(chart->draw, text.at, (pj_style){.size = 11}) > b->slot)
        return;
    pj_textbox_put(chart->figure, x, pj_chart_y(chart, point->y) + (point->y < 0 ? 14 : -5),
                   text.at, (pj_style){.size = 11, .anchor = PJ_ANCHOR_MIDDLE, .halo = true});
}

/// Given ones are those of columns: what splits them has more series.
static pj_colour colour_of(const bars *b, size_t index)
{
    return b->opts.colours && !b->opts.by ? b->opts.colours[index] : pj_palette_series(index);
}

static void draw_series(const bars *b, pj_chart *chart, size_t index, double *bases)
{
    const pj_series *series = &b->set.items[index];
    double lanes = b->opts.stacked ? 1 : (double)b->set.count;
    bool dense = b->slot < least_slot; // bars touch, and overlap by what rounding leaves open
    double gap = dense ? -0.6 : 1, lane = fmin(b->slot * (dense ? 1 : 0.78) / lanes, most_bar);
    bool hovered = b->set.points <= MOST_HOVERED;
    for (size_t i = 0; i < series->count; i++) {
        const pj_series_point *point = &series->points[i];
        double middle = pj_chart_x(chart, point->x);
        double left = middle + ((b->opts.stacked ? 0 : (double)index) - lanes / 2) * lane;
        double *base = &bases[2 * (size_t)point->x + (point->y < 0)];
        double from = b->opts.stacked ? *base : 0;
        draw_bar(b, chart,
                 (pj_mark){.x = left,
                           .w = fmax(lane - gap, 0.5),
                           .fill = colour_of(b, index),
                           .hover = hovered ? pj_series_hover(&b->set, series, point, chart->arena)
                                            : NULL},
                 from, from + point->y);
        *base += b->opts.stacked ? point->y : 0;
        draw_value(b, chart, point, middle);
    }
}

/// Where bars are too many for a hot spot each: one per category with all its values.
static void hover_categories(const bars *b, pj_chart *chart)
{
    if (b->set.points <= MOST_HOVERED)
        return;
    pj_buf *texts = pj_new_n(b->arena, pj_buf, b->set.label_count);
    for (size_t i = 0; i < b->set.count; i++)
        for (size_t j = 0; j < b->set.items[i].count; j++) {
            const pj_series_point *point = &b->set.items[i].points[j];
            pj_buf *text = &texts[(size_t)point->x];
            pj_buf_addf(text, "%s%s: ", text->len ? "\n" : "", b->set.items[i].name);
            pj_column_text_number(text, (pj_column_text){.factor = 1, .unit = "", .decimals = -1},
                                  point->y);
            pj_buf_addf(text, " %s", b->set.y_form.unit);
        }
    for (size_t i = 0; i < b->set.label_count; i++) {
        const char *hover = pj_arena_format(chart->arena, "%s: %s\n%s", b->set.x_title,
                                            b->set.labels[i], texts[i].at ? texts[i].at : "");
        pj_figure_add(chart->figure, (pj_mark){.kind = PJ_MARK_RECT,
                                               .x = pj_chart_x(chart, (double)i) - b->slot / 2,
                                               .y = chart->top,
                                               .w = b->slot,
                                               .h = chart->bottom - chart->top,
                                               .hover = hover});
        pj_buf_free(&texts[i]);
    }
}

static void draw_zero(pj_chart *chart)
{
    if (chart->y.kind != PJ_AXIS_LOG && chart->y.from < 0)
        pj_figure_add(chart->figure, (pj_mark){.kind = PJ_MARK_LINE,
                                               .x = chart->left,
                                               .y = pj_chart_y(chart, 0),
                                               .w = chart->right,
                                               .h = pj_chart_y(chart, 0),
                                               .stroke = 0x8b939eff,
                                               .stroke_width = 1});
}

static double width_of(const bars *b)
{
    if (b->opts.width > 0)
        return b->opts.width;
    double lanes = b->opts.stacked ? 1 : (double)b->set.count;
    double bars_width = (double)b->set.label_count * fmax(least_slot, lanes * least_slot);
    return fmin(fmax(PJ_CHART_WIDTH, bars_width + 100), widest);
}

/// Two bars at one place would hide each other.
static bool are_apart(const bars *b, pj_err *err)
{
    pj_auto_buf taken = {0};
    for (size_t i = 0; i < b->set.count; i++) {
        memset(pj_buf_room(&taken, b->set.label_count), 0, b->set.label_count);
        for (size_t j = 0; j < b->set.items[i].count; j++) {
            size_t place = (size_t)b->set.items[i].points[j].x;
            if (taken.at[place]++)
                return pj_fail(err, PJ_E_USAGE, NULL, 0,
                               "%s %s has several bars: leave x out, choose one that tells them "
                               "apart, or stack them",
                               b->set.x_title, b->set.labels[place]);
        }
    }
    return true;
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    bars b = {.opts = opts, .arena = arena};
    if (!pj_series_of(data.table, opts, true, arena, &b.set, err))
        return NULL;
    if (opts.stacked)
        measure_stacks(&b);
    else if (!are_apart(&b, err))
        return NULL;
    pj_chart_key keys[PJ_SERIES_MOST];
    for (size_t i = 0; i < b.set.count; i++)
        keys[i] = (pj_chart_key){.name = opts.keys ? opts.keys[i] : b.set.items[i].name,
                                 .colour = colour_of(&b, i)};
    pj_axis x = pj_axis_categories(arena, b.set.labels, b.set.label_count);
    x.title = b.set.x_title;
    pj_chart chart = pj_chart_new((pj_chart_opts){.title = pj_series_title(&b.set, opts, arena),
                                                  .subtitle = pj_series_subtitle(&b.set, opts),
                                                  .note = pj_series_note(&b.set, arena),
                                                  .width = width_of(&b),
                                                  .height = opts.height,
                                                  .x = x,
                                                  .y = y_axis(&b),
                                                  .keys = keys,
                                                  .key_count = b.set.count > 1 ? b.set.count : 0},
                                  draw);
    b.slot = (chart.right - chart.left) / (double)b.set.label_count;
    double *bases = pj_new_n(arena, double, 2 * b.set.label_count);
    for (size_t i = 0; i < b.set.count; i++)
        draw_series(&b, &chart, i, bases);
    draw_zero(&chart);
    hover_categories(&b, &chart);
    chart.figure->summary = pj_series_summary(&b.set, chart.arena);
    return chart.figure;
}

const pj_plot pj_plot_bar = {
    .name = "bar",
    .title = "Bars",
    .help = "Columns of a table as bars over the values of another, side by side or stacked.",
    .source = PJ_PLOT_TABLE,
    .usual = true,
    .stacks = true,
    .make = make,
};
