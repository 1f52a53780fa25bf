// The frame of a plot: title, axes, legend.
// Few lines, much paper: a light horizontal grid, a base line, the title of the y axis above it.
#include "widgets/figure/chart.h"

#include "metrics/base/arena.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"

#include <math.h>
#include <stdlib.h>

static const double margin = 18, tick_gap = 8, label_height = 15, most_tick_label = 150;
static const double width_least = 240, area_least = 40;
static const double most_label = 240, label_step = 15;

static const pj_style muted_style = {.size = 12, .colour = PJ_MUTED};
static const pj_style tick_style = {.size = 11, .colour = PJ_MUTED};
static const pj_style small_bold = {.size = 12, .bold = true, .colour = PJ_MUTED};

/// What is between the edges of the figure and the plot area.
typedef struct layout {
    pj_chart chart;
    const pj_chart_opts *opts;
    double wrapped;  // height of what does not fit into one line of title and subtitle
    double x_angle;  // of labels below the x axis
    double x_height; // their height
    size_t stride;   // every which label is written
    double notes;    // height
} layout;

// ---- legend

static double key_width(const layout *l, const pj_chart_key *key)
{
    return 18 + fmin(pj_textbox_width(l->chart.draw, key->name, muted_style), most_label) + 16;
}

/// Lays keys out in rows; returns their height.
static double draw_legend(layout *l, double y)
{
    pj_chart *chart = &l->chart;
    double x = margin, rows = l->opts->key_count > 0;
    for (size_t i = 0; i < l->opts->key_count; i++) {
        const pj_chart_key *key = &l->opts->keys[i];
        double width = key_width(l, key);
        if (x > margin && x + width > l->opts->width - margin + 16) {
            x = margin;
            rows++;
        }
        double base = y + (rows - 1) * 20;
        bool pale = pj_palette_contrast(key->colour, PJ_PAPER) < 1.2;
        pj_figure_add(chart->figure, (pj_mark){.kind = PJ_MARK_RECT,
                                               .x = x,
                                               .y = base - 9.5,
                                               .w = 11,
                                               .h = 11,
                                               .radius = 2.5,
                                               .fill = key->colour,
                                               .stroke = pale ? PJ_RULE : PJ_NONE,
                                               .stroke_width = 1});
        pj_textbox_put(
            chart->figure, x + 17, base,
            pj_textbox_squeeze(chart->draw, chart->arena, key->name, muted_style, most_label),
            (pj_style){.size = 12});
        x += width;
    }
    return rows > 0 ? rows * 20 + 6 : 0;
}

// ---- labels of the x axis

static bool looks_numeric(const char *label)
{
    return strspn(label, "0123456789.,-+ekMGTP") == strlen(label);
}

static double widest_tick(const layout *l, const pj_axis *axis)
{
    double widest = 0;
    for (size_t i = 0; i < axis->tick_count; i++)
        widest = fmax(widest, pj_textbox_width(l->chart.draw, axis->ticks[i].label, tick_style));
    return widest;
}

/// Numbers that do not fit are thinned out; names are turned.
static void fit_x_labels(layout *l)
{
    const pj_axis *x = &l->chart.x;
    double widest = widest_tick(l, x), slot = l->chart.right - l->chart.left;
    l->stride = 1;
    l->x_angle = 0;
    l->x_height = label_height;
    if (x->kind != PJ_AXIS_CATEGORIES)
        return;
    slot = fmax(slot / (double)(x->tick_count ? x->tick_count : 1), 0.05);
    if (widest + tick_gap <= slot)
        return;
    bool numeric = true;
    for (size_t i = 0; i < x->tick_count; i++)
        numeric = numeric && looks_numeric(x->ticks[i].label);
    if (numeric) {
        static const size_t strides[] = {2, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 128, 200, 256};
        size_t i = 0;
        while (i + 1 < sizeof strides / sizeof *strides &&
               (double)strides[i] * slot < widest + tick_gap)
            i++;
        l->stride = strides[i];
        while ((double)l->stride * slot < widest + tick_gap)
            l->stride *= 2;
        return;
    }
    widest = fmin(widest, most_tick_label);
    l->x_angle = slot < 20 ? 90 : 40;
    l->x_height = l->x_angle == 90 ? widest + 6 : widest * sin(l->x_angle * M_PI / 180) + 14;
    while ((double)l->stride * slot < 13)
        l->stride++;
}

static void draw_x_label(layout *l, size_t tick, double x)
{
    pj_chart *chart = &l->chart;
    pj_style style = tick_style;
    style.anchor = l->x_angle > 0 ? PJ_ANCHOR_END : PJ_ANCHOR_MIDDLE;
    style.angle = l->x_angle;
    double most = most_tick_label; // turned labels end at the figure's edge
    if (l->x_angle > 0 && l->x_angle < 90)
        most = fmin(most, (x - 4) / cos(l->x_angle * M_PI / 180));
    const char *label =
        pj_textbox_squeeze(chart->draw, chart->arena, chart->x.ticks[tick].label, tick_style, most);
    double shift = l->x_angle == 90 ? 4 : l->x_angle > 0 ? 5 : 0;
    pj_textbox_put(chart->figure, x + shift, chart->bottom + (l->x_angle > 0 ? 12 : 18), label,
                   style);
}

/// Labels of measured values (few ticks, unevenly spaced) must not touch: the larger value wins.
static void draw_x_axis(layout *l)
{
    pj_chart *chart = &l->chart;
    const pj_axis *x = &chart->x;
    double taken = INFINITY;
    for (size_t i = x->tick_count; i-- > 0;) {
        double at = pj_axis_at(x, x->ticks[i].value);
        bool category = x->kind == PJ_AXIS_CATEGORIES;
        if (!category || x->tick_count <= 40)
            pj_figure_add(chart->figure, (pj_mark){.kind = PJ_MARK_LINE,
                                                   .x = at,
                                                   .y = chart->bottom,
                                                   .w = at,
                                                   .h = chart->bottom + 4,
                                                   .stroke = PJ_RULE,
                                                   .stroke_width = 1});
        double half = pj_textbox_width(chart->draw, x->ticks[i].label, tick_style) / 2;
        bool written = category ? i % l->stride == 0 : at + half + 5 <= taken;
        if (!written)
            continue;
        taken = at - half;
        draw_x_label(l, i, at);
    }
    pj_figure_add(chart->figure, (pj_mark){.kind = PJ_MARK_LINE,
                                           .x = chart->left,
                                           .y = chart->bottom,
                                           .w = chart->right,
                                           .h = chart->bottom,
                                           .stroke = 0x8b939eff,
                                           .stroke_width = 1});
    if (x->title) {
        pj_style style = muted_style;
        style.anchor = PJ_ANCHOR_MIDDLE;
        pj_textbox_put(chart->figure, (chart->left + chart->right) / 2,
                       chart->bottom + l->x_height + 22, x->title, style);
    }
}

static void draw_y_axis(layout *l)
{
    pj_chart *chart = &l->chart;
    const pj_axis *y = &chart->y;
    for (size_t i = 0; i < y->tick_count; i++) {
        double at = pj_axis_at(y, y->ticks[i].value);
        pj_figure_add(chart->figure, (pj_mark){.kind = PJ_MARK_LINE,
                                               .x = chart->left,
                                               .y = at,
                                               .w = chart->right,
                                               .h = at,
                                               .stroke = PJ_GRID,
                                               .stroke_width = 1});
        pj_style style = tick_style;
        style.anchor = PJ_ANCHOR_END;
        pj_textbox_put(chart->figure, chart->left - tick_gap, at + 4, y->ticks[i].label, style);
    }
    if (y->title)
        pj_textbox_put(chart->figure, margin, chart->top - 14, y->title, small_bold);
}

// ---- layout

static double draw_heading(layout *l, double y, const char *text, pj_style style)
{
    if (!text)
        return y;
    double next = pj_textbox_heading(l->chart.figure, l->chart.draw, (pj_point){margin, y},
                                     l->opts->width - 2 * margin, text, style);
    l->wrapped += next - y - (style.size + PJ_TEXTBOX_LEADING);
    return next;
}

/// Title, subtitle and legend; returns where the plot area begins.
static double draw_head(layout *l)
{
    double y = draw_heading(l, margin + 13, l->opts->title, pj_textbox_title_style);
    y = draw_heading(l, y, l->opts->subtitle, muted_style);
    return y + draw_legend(l, y + 4) + (l->chart.y.title ? 24 : 6);
}

/// What stands below the plot area.
static double below(const layout *l)
{
    return margin + l->notes + l->x_height + (l->chart.x.title ? 24 : 6);
}

/// Turned labels and long titles do not eat the plot: the figure grows by what they need, and
/// beyond a given height where nothing would be left of it.
static double height_of(const layout *l)
{
    double needed = 420 + fmax(l->x_height - 30, 0) + l->wrapped;
    return l->opts->height > 0 ? fmax(l->opts->height, l->chart.top + area_least + below(l))
                               : needed;
}

static void place(layout *l)
{
    pj_chart *chart = &l->chart;
    const pj_chart_opts *opts = l->opts;
    const char **lines;
    l->notes = opts->note
                   ? (double)pj_textbox_wrap(chart->draw, chart->arena, opts->note, pj_textbox_note,
                                             opts->width - 2 * margin, &lines) *
                             PJ_TEXTBOX_LINE +
                         6
                   : 0;
    chart->top = draw_head(l);
    chart->bottom = height_of(l) - margin - 40; // corrected when the labels are known
    chart->y.start = chart->bottom;
    chart->y.end = chart->top;
    pj_axis_ticks(&chart->y, chart->arena, 46);
    chart->left = margin + fmax(widest_tick(l, &chart->y) + tick_gap, 20);
    chart->right = opts->width - margin - fmax(opts->room, 6);
    chart->x.start = chart->left;
    chart->x.end = chart->right;
    pj_axis_ticks(&chart->x, chart->arena, 76);
    fit_x_labels(l);
    chart->figure->height = height_of(l);
    chart->bottom = chart->figure->height - below(l);
    chart->y.start = chart->bottom;
}

pj_chart pj_chart_new(pj_chart_opts opts, const pj_draw *draw)
{
    opts.width = opts.width > 0 ? fmax(opts.width, width_least) : PJ_CHART_WIDTH;
    pj_figure *figure = pj_figure_new(opts.width, 0, opts.title);
    layout l = {
        .opts = &opts,
        .chart = {
            .figure = figure, .draw = draw, .arena = figure->arena, .x = opts.x, .y = opts.y}};
    place(&l);
    draw_y_axis(&l);
    draw_x_axis(&l);
    if (opts.note)
        pj_textbox_paragraph(figure, draw,
                             (pj_point){margin, figure->height - margin - l.notes + 6 + 12},
                             opts.width - 2 * margin, opts.note);
    return l.chart;
}

// ---- marks

void pj_chart_line(pj_chart *chart, const pj_point *points, size_t count, pj_mark look)
{
    look.kind = PJ_MARK_PATH;
    look.points = points;
    look.point_count = count;
    if (count > 1)
        pj_figure_add(chart->figure, look);
}

void pj_chart_dot(pj_chart *chart, pj_point at, pj_colour colour, double radius, const char *hover)
{
    pj_figure_add(chart->figure, (pj_mark){.kind = PJ_MARK_DISC,
                                           .x = at.x,
                                           .y = at.y,
                                           .w = radius,
                                           .fill = colour,
                                           .stroke = colour == PJ_NONE ? PJ_NONE : PJ_PAPER,
                                           .stroke_width = radius > 3 ? 1.5 : 0.5,
                                           .hover = hover});
}

pj_colour pj_chart_ink(pj_colour colour)
{
    while (pj_palette_contrast(colour, PJ_PAPER) < 4.5)
        colour = pj_palette_mix(colour, 0x000000ff, 0.1);
    return colour;
}

static pj_style label_style(const pj_chart_label *label)
{
    return (pj_style){.size = 12, .bold = label->bold, .colour = pj_chart_ink(label->colour)};
}

double pj_chart_label_room(const pj_draw *draw, pj_arena *arena, const pj_chart_label *labels,
                           size_t count)
{
    double widest = 0;
    for (size_t i = 0; i < count; i++) {
        pj_style style = label_style(&labels[i]);
        const char *text = pj_textbox_squeeze(draw, arena, labels[i].text, style, most_label);
        widest = fmax(widest, pj_textbox_width(draw, text, style));
    }
    return count ? widest + 14 : 0;
}

static int order_labels(const void *a, const void *b)
{
    const pj_chart_label *x = a, *y = b;
    return x->y < y->y ? -1 : x->y > y->y;
}

/// Pushes labels apart, first downwards from the top, then upwards from the bottom.
void pj_chart_labels(pj_chart *chart, pj_chart_label *labels, size_t count)
{
    qsort(labels, count, sizeof *labels, order_labels);
    double *at = pj_new_n(chart->arena, double, count + 1);
    double floor_at = chart->bottom + 4;
    for (size_t i = 0; i < count; i++)
        at[i] = i > 0 ? fmax(labels[i].y, at[i - 1] + label_step) : labels[i].y;
    for (size_t i = count; i-- > 0; floor_at = at[i] - label_step)
        at[i] = fmin(at[i], floor_at);
    for (size_t i = 0; i < count; i++) {
        pj_style style = label_style(&labels[i]);
        pj_textbox_put(
            chart->figure, chart->right + 10, at[i] + 4,
            pj_textbox_squeeze(chart->draw, chart->arena, labels[i].text, style, most_label),
            style);
    }
}
