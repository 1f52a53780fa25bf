// Who sends how much to whom: a square for each pair, darker the more. Many ranks share a square.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/table/fold.h"
#include "metrics/table/question.h"
#include "metrics/table/table.h"
#include "widgets/figure/axis.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/column_text.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"
#include "widgets/figure/textbox.h"
#include "widgets/plot/plot.h"

#include <math.h>

enum {
    SIDE_MOST = 256,
    HOVERED_MOST = 600,
    TICKS_MOST = 16,
    RANKS_MOST = 1 << 20,
    CELLS_MOST = 64, // of a side that are drawn one by one
    SCALE_STEPS = 48,
    SCALE_LABELS = 5,
};
static const pj_colour pale = 0xdde9f7ff, dark = 0x0b3c78ff, nothing = 0xf6f7f9ff;
static const double scale_width = 14, scale_gap = 16;

typedef struct matrix {
    const pj_table *table;
    pj_plot_opts opts;
    const char *title;
    size_t from, to, value; // columns
    size_t ranks, side;     // squares of a side
    double *sums;           // by square, row by row
    double most;
} matrix;

static bool column_of(const pj_table *table, const char *key, size_t *out, pj_err *err)
{
    int at = pj_table_column(table, pj_str_of(key));
    *out = at >= 0 ? (size_t)at : 0;
    return at >= 0 ||
           pj_fail(
               err, PJ_E_USAGE, NULL, 0,
               "plot: matrix: the table has no column \"%s\"; a trace has them, or name others: "
               "x = of the receivers, by = of the senders, y = what is sent",
               key);
}

/// The rank in a cell; false when it is none.
static bool rank_in(const pj_table *table, size_t row, size_t column, size_t *rank)
{
    double value = pj_cell_number(*pj_table_cell(table, row, column));
    bool fits = value >= 0 && value < RANKS_MOST && value == floor(value);
    *rank = fits ? (size_t)value : 0;
    return fits;
}

static void measure(matrix *m)
{
    size_t from, to;
    for (size_t row = 0; row < m->table->row_count; row++)
        if (rank_in(m->table, row, m->from, &from) && rank_in(m->table, row, m->to, &to)) {
            m->ranks = from + 1 > m->ranks ? from + 1 : m->ranks;
            m->ranks = to + 1 > m->ranks ? to + 1 : m->ranks;
        }
    m->side = m->ranks < SIDE_MOST ? m->ranks : SIDE_MOST;
}

static void sum_up(matrix *m, pj_arena *arena)
{
    size_t from, to;
    m->sums = pj_new_n(arena, double, m->side * m->side);
    for (size_t row = 0; row < m->table->row_count; row++) {
        double value = pj_cell_number(*pj_table_cell(m->table, row, m->value));
        if (!rank_in(m->table, row, m->from, &from) || !rank_in(m->table, row, m->to, &to) ||
            !(value > 0))
            continue;
        double *sum = &m->sums[from * m->side / m->ranks * m->side + to * m->side / m->ranks];
        *sum += value;
        m->most = fmax(m->most, *sum);
    }
}

static pj_axis ranks_axis(const matrix *m, pj_arena *arena, const char *title)
{
    const char **labels = pj_new_n(arena, const char *, m->side);
    size_t stride = 1 + (m->side - 1) / TICKS_MOST;
    for (size_t i = 0; i < m->side; i++)
        labels[i] = i % stride ? "" : pj_arena_format(arena, "%zu", i * m->ranks / m->side);
    pj_axis axis = pj_axis_categories(arena, labels, m->side);
    axis.title = title;
    return axis;
}

/// Senders from top to bottom, as rows of a matrix are counted.
static pj_axis downwards(pj_axis axis)
{
    double from = axis.from;
    axis.from = axis.to;
    axis.to = from;
    return axis;
}

static pj_colour colour_of(const matrix *m, double sum)
{
    return pj_palette_mix(pale, dark, sqrt(sum / m->most));
}

static const char *hover_of(const matrix *m, size_t from, size_t to, pj_arena *arena)
{
    pj_auto_buf text = {.at = NULL};
    const pj_column *column = &m->table->columns[m->value];
    double sum = m->sums[from * m->side + to];
    pj_column_text form = pj_column_text_fit(column->unit, &sum, 1);
    if (m->opts.x && m->opts.by && m->side == m->ranks)
        pj_buf_addf(&text, "%s %zu, %s %zu\n%s: ", m->table->columns[m->from].title, from,
                    m->table->columns[m->to].title, to, column->title);
    else if (m->side == m->ranks)
        pj_buf_addf(&text, "Rank %zu to rank %zu\n%s: ", from, to, column->title);
    else
        pj_buf_addf(&text, "Ranks from %zu to ranks from %zu\n%s: ", from * m->ranks / m->side,
                    to * m->ranks / m->side, column->title);
    pj_column_text_number(&text, form, sum);
    pj_buf_addf(&text, " %s", form.unit);
    return pj_arena_text(arena, pj_buf_str(&text));
}

static void add_rect(pj_chart *chart, double x, double y, double w, double h, pj_mark look)
{
    look.kind = PJ_MARK_RECT;
    look.x = x;
    look.y = y;
    look.w = w;
    look.h = h;
    pj_figure_add(chart->figure, look);
}

/// Squares one by one are sharp at any size of the page; of very many an image is.
static void draw_squares(const matrix *m, pj_chart *chart)
{
    double w = (chart->right - chart->left) / (double)m->side;
    double h = (chart->bottom - chart->top) / (double)m->side;
    bool cells = m->side <= CELLS_MOST;
    pj_colour *pixels = pj_new_n(chart->arena, pj_colour, m->side * m->side);
    size_t hovered = 0;
    for (size_t i = 0; i < m->side * m->side; i++) {
        size_t from = i / m->side, to = i % m->side;
        if (m->sums[i] <= 0)
            continue;
        pixels[i] = colour_of(m, m->sums[i]);
        bool hovers = hovered++ < HOVERED_MOST;
        if (cells || hovers)
            add_rect(chart, chart->left + (double)to * w, chart->top + (double)from * h, w, h,
                     (pj_mark){.fill = cells ? pixels[i] : PJ_NONE,
                               .hover = hovers ? hover_of(m, from, to, chart->arena) : NULL});
    }
    if (!cells)
        pj_figure_add(chart->figure, (pj_mark){.kind = PJ_MARK_IMAGE,
                                               .x = chart->left,
                                               .y = chart->top,
                                               .w = chart->right - chart->left,
                                               .h = chart->bottom - chart->top,
                                               .pixels = pixels,
                                               .pixel_columns = m->side,
                                               .pixel_rows = m->side});
}

static void add_line(pj_chart *chart, pj_point from, pj_point to)
{
    pj_figure_add(chart->figure, (pj_mark){.kind = PJ_MARK_LINE,
                                           .x = from.x,
                                           .y = from.y,
                                           .w = to.x,
                                           .h = to.y,
                                           .stroke = PJ_PAPER,
                                           .stroke_width = 1});
}

/// Borders between the squares, unless they are too small for it, and around the whole.
static void draw_borders(const matrix *m, pj_chart *chart)
{
    for (size_t i = 1; m->side <= CELLS_MOST && i < m->side; i++) {
        double part = (double)i / (double)m->side;
        double x = chart->left + part * (chart->right - chart->left);
        double y = chart->top + part * (chart->bottom - chart->top);
        add_line(chart, (pj_point){x, chart->top}, (pj_point){x, chart->bottom});
        add_line(chart, (pj_point){chart->left, y}, (pj_point){chart->right, y});
    }
    add_rect(chart, chart->left, chart->top, chart->right - chart->left, chart->bottom - chart->top,
             (pj_mark){.stroke = PJ_RULE, .stroke_width = 1});
}

static const char *amount(const matrix *m, double value, pj_arena *arena)
{
    pj_auto_buf text = {.at = NULL};
    pj_column_text form = pj_column_text_unit(m->table->columns[m->value].unit, m->most);
    double shown = m->most * form.factor;
    form.decimals = shown < 10 ? 2 : shown < 100 ? 1 : 0;
    if (value > 0)
        pj_column_text_number(&text, form, value);
    else
        pj_buf_add_char(&text, '0');
    pj_buf_addf(&text, "%s%s", *form.unit ? " " : "", form.unit);
    return pj_arena_text(arena, pj_buf_str(&text));
}

/// Colours from the least to the most beside the matrix; evenly by the root of the amount, so that
/// small ones can be told apart.
static void draw_scale(const matrix *m, pj_chart *chart)
{
    double x = chart->right + scale_gap, height = fmin(chart->bottom - chart->top, 220);
    double bottom = chart->top + height, step = height / SCALE_STEPS;
    for (int i = 0; i < SCALE_STEPS; i++) {
        double part = (i + 0.5) / SCALE_STEPS;
        add_rect(chart, x, bottom - (i + 1) * step, scale_width, step + 0.3,
                 (pj_mark){.fill = colour_of(m, part * part * m->most)});
    }
    for (int i = 0; i < SCALE_LABELS; i++) {
        double part = i / (SCALE_LABELS - 1.0);
        pj_textbox_put(chart->figure, x + scale_width + 6, bottom - part * height + 4,
                       amount(m, part * part * m->most, chart->arena),
                       (pj_style){.size = 11, .colour = PJ_MUTED});
    }
}

/// px that the scale needs beside the matrix.
static double scale_room(const matrix *m, const pj_draw *draw, pj_arena *arena)
{
    return scale_gap + scale_width + 8 +
           pj_textbox_width(draw, amount(m, m->most, arena), (pj_style){.size = 11}) + 6;
}

/// "Sender (rank)"; columns that the caller chose keep their titles.
static const char *side_title(const matrix *m, const char *chosen, size_t column, const char *usual)
{
    return chosen ? m->table->columns[column].title : usual;
}

static pj_figure *draw_matrix(matrix *m, const pj_draw *draw)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    sum_up(m, arena);
    double side = m->opts.width > 0 ? m->opts.width : PJ_CHART_WIDTH;
    const pj_column *column = &m->table->columns[m->value];
    pj_column_text form = pj_column_text_fit(column->unit, &m->most, 1);
    pj_auto_buf subtitle = {.at = NULL};
    pj_buf_addf(&subtitle, "%s for each pair, up to ", column->title);
    pj_column_text_number(&subtitle, form, m->most);
    pj_buf_addf(&subtitle, " %s", form.unit);
    pj_axis x = ranks_axis(m, arena, side_title(m, m->opts.x, m->to, "Receiver (rank)"));
    pj_axis y = ranks_axis(m, arena, side_title(m, m->opts.by, m->from, "Sender (rank)"));
    pj_chart chart =
        pj_chart_new((pj_chart_opts){.title = m->opts.title ? m->opts.title : m->table->title,
                                     .subtitle = subtitle.at,
                                     .width = side,
                                     .height = m->opts.height > 0 ? m->opts.height : side,
                                     .x = x,
                                     .y = downwards(y),
                                     .room = scale_room(m, draw, arena)},
                     draw);
    add_rect(&chart, chart.left, chart.top, chart.right - chart.left, chart.bottom - chart.top,
             (pj_mark){.fill = nothing});
    if (m->most > 0) {
        draw_squares(m, &chart);
        draw_scale(m, &chart);
    }
    draw_borders(m, &chart);
    chart.figure->summary = pj_arena_format(
        chart.arena, "A matrix of %zu %s, stronger where there is more: %s.", m->ranks,
        m->opts.x ? "rows and columns" : "senders and receivers", subtitle.at);
    return chart.figure;
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    matrix m = {.table = data.table, .opts = opts};
    if (!column_of(data.table, opts.x ? opts.x : "partner", &m.to, err) ||
        !column_of(data.table, opts.by ? opts.by : "rank", &m.from, err) ||
        !column_of(data.table, opts.y[0] ? opts.y[0] : "bytes_sum", &m.value, err))
        return NULL;
    measure(&m);
    if (m.ranks == 0) {
        pj_fail(err, PJ_E_MISSING, NULL, 0, "plot: matrix: there are no messages to draw");
        return NULL;
    }
    return draw_matrix(&m, draw);
}

static const pj_str pair_keys[] = {{"rank", 4}, {"partner", 7}};
static const pj_query_fold pair_folds[] = {{PJ_FOLD_SUM, {"bytes", 5}}, {PJ_FOLD_COUNT, {0}}};

/// Messages and bytes by rank and partner.
static const pj_query_opts pairs = {
    .type = "message",
    .keys = pair_keys,
    .key_count = sizeof pair_keys / sizeof *pair_keys,
    .folds = pair_folds,
    .fold_count = sizeof pair_folds / sizeof *pair_folds,
    .limit = 1 << 20,
};

const pj_plot pj_plot_matrix = {
    .name = "matrix",
    .title = "Communication matrix",
    .help = "What every rank sends to every other one, in bytes or messages (-y count).",
    .source = PJ_PLOT_TABLE,
    .question = &pairs,
    .most_y = 1,
    .make = make,
};
