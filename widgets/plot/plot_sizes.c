// How many messages have which size, in powers of two, and how much of all bytes they carry up to
// there.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/table/fold.h"
#include "metrics/table/question.h"
#include "metrics/table/table.h"
#include "widgets/figure/axis.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/column_text.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/textbox.h"
#include "widgets/plot/plot.h"

#include <math.h>

static const pj_colour bar_colour = 0x4f8fd0ff, line_colour = 0xc05a00ff;
static const double most_bar = 46;

typedef struct bin {
    int64_t from;
    double count, bytes; // bytes up to here
} bin;

typedef struct histogram {
    const pj_table *table;
    bin *bins;
    size_t count;
    double most, bytes; // largest count, bytes of all
} histogram;

/// Whether the rows of the table are bins that grow, as those of messages are.
static bool is_histogram(const pj_table *table)
{
    enum { LARGEST_POWER = 61 };
    int from = pj_table_column(table, PJ_S("from")), to = pj_table_column(table, PJ_S("to"));
    int64_t least = 0;
    for (size_t row = 0; from >= 0 && to >= 0 && row < table->row_count; row++) {
        const pj_cell *low = pj_table_cell(table, row, (size_t)from);
        const pj_cell *high = pj_table_cell(table, row, (size_t)to);
        if (low->kind != PJ_CELL_INT || high->kind != PJ_CELL_INT || low->integer < least ||
            high->integer <= low->integer || high->integer >> LARGEST_POWER)
            return false;
        least = high->integer;
    }
    return from >= 0 && to >= 0 && table->row_count && pj_table_column(table, PJ_S("count")) >= 0;
}

static double number_in(const pj_table *table, size_t row, const char *key)
{
    int column = pj_table_column(table, pj_str_of(key));
    double value = column < 0 ? 0 : pj_cell_number(*pj_table_cell(table, row, (size_t)column));
    return isnan(value) ? 0 : value;
}

static histogram take(const pj_table *table, pj_arena *arena)
{
    histogram h = {.table = table, .bins = pj_new_n(arena, bin, table->row_count + 1)};
    int from = pj_table_column(table, PJ_S("from"));
    for (size_t row = 0; row < table->row_count; row++) {
        double count = number_in(table, row, "count");
        h.bytes += number_in(table, row, "bytes_sum");
        h.most = fmax(h.most, count);
        if (count > 0)
            h.bins[h.count++] =
                (bin){pj_table_cell(table, row, (size_t)from)->integer, count, h.bytes};
    }
    return h;
}

/// "512 B", "32 KiB"
static const char *size_text(int64_t bytes, pj_arena *arena)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++)
        bytes /= 1024;
    return pj_arena_format(arena, "%lld %s", (long long)bytes, units[unit]);
}

static const char *percent_text(double part, int decimals, pj_arena *arena)
{
    char number[32];
    number[pj_format_fixed(100 * part, decimals, number)] = 0;
    return pj_arena_format(arena, "%s %%", number);
}

static const char *hover_of(const histogram *h, size_t i, pj_arena *arena)
{
    char count[32], bytes[32];
    const bin *b = &h->bins[i];
    count[pj_format_grouped((int64_t)b->count, count)] = 0;
    int64_t below = b->from ? 2 * b->from : 1;
    const char *text = pj_arena_format(arena, "%s to below %s: %s messages",
                                       size_text(b->from, arena), size_text(below, arena), count);
    if (h->bytes <= 0)
        return text;
    pj_format_bytes((uint64_t)b->bytes, bytes);
    return pj_arena_format(arena, "%s\nup to here %s of all bytes, %s", text,
                           percent_text(b->bytes / h->bytes, 1, arena), bytes);
}

static void draw_bars(const histogram *h, pj_chart *chart, double slot)
{
    double width = fmin(slot * 0.78, most_bar);
    for (size_t i = 0; i < h->count; i++) {
        double top = pj_chart_y(chart, h->bins[i].count), x = pj_chart_x(chart, (double)i);
        pj_figure_add(chart->figure, (pj_mark){.kind = PJ_MARK_RECT,
                                               .x = x - width / 2,
                                               .y = top,
                                               .w = width,
                                               .h = fmax(chart->bottom - top, 1),
                                               .radius = 2,
                                               .fill = bar_colour});
        pj_figure_add(chart->figure, (pj_mark){.kind = PJ_MARK_RECT,
                                               .x = x - slot / 2,
                                               .y = chart->top,
                                               .w = slot,
                                               .h = chart->bottom - chart->top,
                                               .hover = hover_of(h, i, chart->arena)});
    }
}

/// The part of all bytes in messages of up to this size, on an axis of its own.
static void draw_bytes(const histogram *h, pj_chart *chart)
{
    enum { QUARTERS = 4 };
    pj_point *points = pj_new_n(chart->arena, pj_point, h->count + 1);
    double height = chart->bottom - chart->top;
    pj_colour ink = pj_chart_ink(line_colour);
    for (size_t i = 0; i < h->count; i++)
        points[i] = (pj_point){pj_chart_x(chart, (double)i),
                               chart->bottom - height * h->bins[i].bytes / h->bytes};
    pj_chart_line(chart, points, h->count, (pj_mark){.stroke = line_colour, .stroke_width = 2});
    for (size_t i = 0; i < h->count; i++)
        pj_chart_dot(chart, points[i], line_colour, 4, NULL);
    for (int i = 0; i <= QUARTERS; i++)
        pj_textbox_put(chart->figure, chart->right + 8, chart->bottom - height * i / QUARTERS + 4,
                       percent_text((double)i / QUARTERS, 0, chart->arena),
                       (pj_style){.size = 11, .colour = ink});
}

static pj_figure *draw_histogram(const histogram *h, pj_plot_opts opts, const pj_draw *draw,
                                 pj_arena *arena)
{
    static const pj_chart_key keys[] = {{"Messages", bar_colour},
                                        {"Bytes up to this size", line_colour}};
    const char **labels = pj_new_n(arena, const char *, h->count + 1);
    for (size_t i = 0; i < h->count; i++)
        labels[i] = size_text(h->bins[i].from, arena);
    pj_axis x = pj_axis_categories(arena, labels, h->count);
    pj_axis y = pj_axis_new(opts.log_y ? PJ_AXIS_LOG : PJ_AXIS_LINEAR, opts.log_y ? 0.8 : 0,
                            h->most, !opts.log_y);
    x.title = "Size of a message: from, to below its double";
    y.title = "Messages";
    y.whole = true;
    pj_chart chart = pj_chart_new((pj_chart_opts){.title = opts.title,
                                                  .width = opts.width,
                                                  .height = opts.height,
                                                  .x = x,
                                                  .y = y,
                                                  .keys = keys,
                                                  .key_count = h->bytes > 0 ? 2 : 0,
                                                  .room = h->bytes > 0 ? 46 : 0},
                                  draw);
    draw_bars(h, &chart, (chart.right - chart.left) / (double)h->count);
    if (h->bytes > 0)
        draw_bytes(h, &chart);
    chart.figure->summary =
        pj_arena_format(chart.arena, "Messages by size: %zu powers of two from %s to %s.", h->count,
                        labels[0], labels[h->count - 1]);
    return chart.figure;
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    opts.title = opts.title ? opts.title : data.table->title;
    if (!opts.x && !opts.y[0] && is_histogram(data.table)) {
        histogram h = take(data.table, arena);
        if (h.count)
            return draw_histogram(&h, opts, draw, arena);
    }
    opts.x = opts.x ? opts.x : "from";
    opts.y[0] = opts.y[0] ? opts.y[0] : "count";
    return pj_plot_bar.make(data, opts, draw, err);
}

static const pj_query_fold size_folds[] = {{PJ_FOLD_COUNT, {0}}, {PJ_FOLD_SUM, {"bytes", 5}}};

static const pj_query_opts messages_by_size = {
    .type = "message",
    .folds = size_folds,
    .fold_count = sizeof size_folds / sizeof *size_folds,
    .histogram = {"bytes", 5},
    .limit = 1 << 20,
};

const pj_plot pj_plot_sizes = {
    .name = "sizes",
    .title = "Sizes of messages",
    .help = "Messages by their size in bytes, in powers of two, and the bytes they carry.",
    .source = PJ_PLOT_TABLE,
    .question = &messages_by_size,
    .most_y = 1,
    .make = make,
};
