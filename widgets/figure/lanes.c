// Rows of states over time.
// Lanes are one image with twice the pixels of the figure; its rows keep a gap where they are high
// enough for it.
#include "widgets/figure/lanes.h"

#include "metrics/base/arena.h"
#include "widgets/figure/axis.h"
#include "widgets/figure/column_text.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"

#include <math.h>

enum {
    PER_PX = 2, // pixels of the image
    NAMED = 64, // lanes that all have their names
};
static const double lane_named = 13; // px that a name needs
static const double frame_width = 100, lane_most = 26, lane_usual = 14, lane_least = 1;
static const double area_least = 60, area_most = 560, frame_height = 150;

/// Height of the plot area that suits so many lanes.
static double area_of(double height, size_t lane_count)
{
    if (height > 0)
        return fmax(height - frame_height, area_least);
    double each = lane_count <= 12 ? lane_most : lane_usual;
    double most = lane_count <= NAMED ? NAMED * lane_named : area_most;
    return fmin(fmax(each * (double)lane_count, area_least), most);
}

void pj_lanes_size(double width, double height, size_t lane_count, size_t *rows, size_t *columns)
{
    double area = area_of(height, lane_count), most = floor(area / lane_least);
    *rows = (size_t)fmax(1, fmin((double)lane_count, most));
    *columns = (size_t)fmax(50, ((width > 0 ? width : PJ_CHART_WIDTH) - frame_width) * PER_PX);
}

/// Ticks of the lanes, as many as there is room for.
static pj_axis lane_axis(const pj_lanes_opts *opts, double area, pj_arena *arena)
{
    static const size_t strides[] = {1, 2, 4, 5, 8, 10, 16, 20, 32, 50, 64};
    size_t n = opts->lane_count, stride = 1;
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
        stride = strides[i];
        if (area / (double)n * (double)stride >= lane_named)
            break;
    }
    while (area / (double)n * (double)stride < lane_named)
        stride *= 2;
    pj_axis axis = {.kind = PJ_AXIS_LINEAR,
                    .title = opts->lane_title,
                    .from = (double)n - 0.5,
                    .to = -0.5,
                    .given = true};
    axis.ticks = pj_new_n(arena, pj_tick, n / stride + 1);
    for (size_t i = 0; i < n; i += stride)
        axis.ticks[axis.tick_count++] = (pj_tick){(double)i, opts->names[i]};
    return axis;
}

/// A time axis that begins and ends where it is told, with ticks at round times.
static pj_axis time_axis(const pj_lanes_opts *opts, pj_arena *arena)
{
    pj_column_text form = pj_column_text_unit(PJ_UNIT_NS, (double)opts->to_ns);
    double from = (double)opts->from_ns * form.factor, to = (double)opts->to_ns * form.factor;
    pj_axis axis = pj_axis_new(PJ_AXIS_LINEAR, from, to, false);
    axis.start = 0;
    axis.end = (opts->width > 0 ? opts->width : PJ_CHART_WIDTH) - frame_width;
    pj_axis_ticks(&axis, arena, 76);
    size_t kept = 0;
    for (size_t i = 0; i < axis.tick_count; i++)
        if (axis.ticks[i].value >= from && axis.ticks[i].value <= to)
            axis.ticks[kept++] = axis.ticks[i];
    axis.tick_count = kept;
    axis.given = true;
    axis.from = from;
    axis.to = to;
    axis.title = pj_arena_format(arena, "Time [%s]", form.unit);
    return axis;
}

pj_lanes pj_lanes_new(pj_lanes_opts opts, const pj_draw *draw)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    double area = area_of(opts.height, opts.lane_count);
    pj_chart_opts frame = {.title = opts.title,
                           .subtitle = opts.subtitle,
                           .note = opts.note,
                           .width = opts.width,
                           .height = area + frame_height,
                           .x = time_axis(&opts, arena),
                           .y = lane_axis(&opts, area, arena),
                           .keys = opts.keys,
                           .key_count = opts.key_count};
    pj_lanes lanes = {.chart = pj_chart_new(frame, draw),
                      .from_ns = opts.from_ns,
                      .to_ns = opts.to_ns,
                      .lane_count = opts.lane_count};
    lanes.chart.figure->time_left = lanes.chart.left;
    lanes.chart.figure->time_right = lanes.chart.right;
    lanes.chart.figure->from_ns = opts.from_ns;
    lanes.chart.figure->to_ns = opts.to_ns;
    pj_lanes_size(opts.width, opts.height, opts.lane_count, &lanes.rows, &lanes.columns);
    lanes.row_px = (lanes.chart.bottom - lanes.chart.top) / (double)lanes.rows;
    lanes.high = (size_t)fmax(1, round(lanes.row_px * PER_PX));
    size_t gap = lanes.high >= 16 ? 4 : lanes.high >= 8 ? 2 : lanes.high >= 4 ? 1 : 0;
    lanes.body = lanes.high - gap;
    lanes.pixels = pj_new_n(lanes.chart.arena, pj_colour, lanes.rows * lanes.high * lanes.columns);
    return lanes;
}

double pj_lanes_column(const pj_lanes *lanes, uint64_t ns)
{
    double part = ((double)ns - (double)lanes->from_ns) / (double)(lanes->to_ns - lanes->from_ns);
    return part * (double)lanes->columns;
}

static double x_of_column(const pj_lanes *lanes, double column)
{
    const pj_chart *chart = &lanes->chart;
    return chart->left + column / (double)lanes->columns * (chart->right - chart->left);
}

double pj_lanes_x(const pj_lanes *lanes, double ns)
{
    double part = (ns - (double)lanes->from_ns) / (double)(lanes->to_ns - lanes->from_ns);
    return x_of_column(lanes, part * (double)lanes->columns);
}

double pj_lanes_y(const pj_lanes *lanes, size_t lane)
{
    return lanes->chart.top + lanes->row_px * ((double)pj_lanes_row(lanes, lane) + 0.5);
}

void pj_lanes_paint(pj_lanes *lanes, size_t row, size_t column, double from, double to,
                    pj_colour colour)
{
    size_t top = row * lanes->high + (lanes->high - lanes->body) / 2;
    size_t first = (size_t)lround((1 - to) * (double)lanes->body);
    size_t last = (size_t)lround((1 - from) * (double)lanes->body);
    for (size_t y = first; y < last; y++)
        lanes->pixels[(top + y) * lanes->columns + column] = colour;
}

void pj_lanes_finish(pj_lanes *lanes)
{
    const pj_chart *chart = &lanes->chart;
    pj_figure_add(chart->figure, (pj_mark){.kind = PJ_MARK_IMAGE,
                                           .x = chart->left,
                                           .y = chart->top,
                                           .w = chart->right - chart->left,
                                           .h = chart->bottom - chart->top,
                                           .pixels = lanes->pixels,
                                           .pixel_columns = lanes->columns,
                                           .pixel_rows = lanes->rows * lanes->high});
}

void pj_lanes_hover(pj_lanes *lanes, size_t row, double from_column, double to_column,
                    const char *text)
{
    double x0 = x_of_column(lanes, fmax(from_column, 0));
    double x1 = x_of_column(lanes, fmin(to_column, (double)lanes->columns));
    pj_figure_add(lanes->chart.figure,
                  (pj_mark){.kind = PJ_MARK_RECT,
                            .x = x0,
                            .y = lanes->chart.top + (double)row * lanes->row_px,
                            .w = x1 - x0,
                            .h = lanes->row_px,
                            .hover = text});
}

void pj_lanes_hatch_between(pj_lanes *lanes, double y, double from, double to, const char *hover)
{
    static const pj_colour lines[] = {(PJ_PAPER & 0xffffff00u) | 0xa0, PJ_INK};
    double high = lanes->row_px * (double)lanes->body / (double)lanes->high;
    for (size_t i = 0; i < sizeof lines / sizeof *lines && from < to; i++, from += 2)
        pj_figure_add(lanes->chart.figure, (pj_mark){.kind = PJ_MARK_RECT,
                                                     .x = from,
                                                     .y = y - high / 2,
                                                     .w = to - from,
                                                     .h = high,
                                                     .fill = PJ_PAPER & 0xffffff00u,
                                                     .stroke = lines[i],
                                                     .stroke_width = 0.6,
                                                     .hatch = true,
                                                     .hover = i ? hover : NULL});
}

void pj_lanes_hatch(pj_lanes *lanes, size_t row, size_t from_column, size_t to_column)
{
    double middle = lanes->chart.top + ((double)row + 0.5) * lanes->row_px;
    pj_lanes_hatch_between(lanes, middle, x_of_column(lanes, (double)from_column),
                           x_of_column(lanes, (double)to_column), NULL);
}
