// Iterations of a run one after another: how long each is, or another of their values, with the
// median, the steady ones and those that are far from the others.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/run/ai_account.h"
#include "metrics/run/parts/iterations.h"
#include "metrics/run/parts/iterations_table.h"
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

enum { DOTS_MOST = 200, HOVERS_MOST = 2000, NAMED_MOST = 12 };

static const pj_colour steady_colour = 0x3fa95a1fu, odd_colour = 0xb4232fff;
static const double close_by = 0.2; // values as near to each other as this do not begin at 0

typedef struct variation {
    const pj_run *run;
    const pj_table *table;
    size_t column;  // of the values; iterations are the first
    int odd;        // of outliers; negative = there is none
    double *values; // by row, shown; NaN = none
    double median, least, most;
    size_t outliers;
    pj_column_text form;
    pj_plot_opts opts;
    pj_arena *arena;
} variation;

static pj_table *table_of(const pj_run *run, pj_err *err)
{
    return run->ai ? pj_ai_iterations_table(run) : pj_iterations_table(run, err);
}

static double number_at(const variation *v, size_t row, size_t column)
{
    const pj_cell *cell = pj_table_cell(v->table, row, column);
    return cell->kind == PJ_CELL_EMPTY ? NAN : pj_cell_number(*cell);
}

static bool is_odd(const variation *v, size_t row)
{
    return v->odd >= 0 && number_at(v, row, (size_t)v->odd) > 0;
}

static int order_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static bool choose_column(variation *v, pj_err *err)
{
    const char *key = v->opts.y[0] ? v->opts.y[0] : "length_ns";
    int column = pj_table_column(v->table, pj_str_of(key));
    v->odd = pj_table_column(v->table, PJ_S("outlier"));
    v->column = column > 0 ? (size_t)column : 0;
    if (column > 0 && column != v->odd)
        return true;
    pj_auto_buf keys = {.at = NULL};
    for (size_t i = 1; i < v->table->column_count; i++)
        if ((int)i != v->odd)
            pj_buf_addf(&keys, "%s%s", i > 1 ? ", " : "", v->table->columns[i].key);
    return pj_fail(err, PJ_E_USAGE, NULL, 0, "iterations have no \"%s\" to draw; they have %s", key,
                   keys.at);
}

static bool read_values(variation *v, pj_err *err)
{
    const size_t rows = v->table->row_count;
    double *sorted = pj_new_n(v->arena, double, rows + 1);
    size_t count = 0;
    v->values = pj_new_n(v->arena, double, rows + 1);
    for (size_t row = 0; row < rows; row++) {
        v->values[row] = number_at(v, row, v->column);
        v->outliers += is_odd(v, row);
        if (!isnan(v->values[row]))
            sorted[count++] = v->values[row];
    }
    if (!count) {
        const char *why = rows ? pj_table_cell(v->table, 0, v->column)->text : NULL;
        const char *lack = v->run->iterations ? v->run->iterations->lack : NULL;
        const char *reason = lack ? lack : why;
        return pj_fail(err, PJ_E_MISSING, v->run->path, 0, "%s%s%s",
                       lack || !rows ? "has no iterations to draw" : "has no such values",
                       reason ? ": " : "", reason ? reason : "");
    }
    qsort(sorted, count, sizeof *sorted, order_numbers);
    v->form = pj_column_text_fit(v->table->columns[v->column].unit, sorted, count);
    for (size_t row = 0; row < rows; row++)
        v->values[row] *= v->form.factor;
    v->median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2 * v->form.factor;
    v->least = sorted[0] * v->form.factor;
    v->most = sorted[count - 1] * v->form.factor;
    return true;
}

static pj_axis x_axis(const variation *v)
{
    const size_t rows = v->table->row_count;
    pj_axis axis =
        pj_axis_new(PJ_AXIS_LINEAR, number_at(v, 0, 0), number_at(v, rows - 1, 0), false);
    axis.title = v->table->columns[0].title;
    axis.whole = true;
    return axis;
}

static pj_axis y_axis(const variation *v)
{
    bool log = v->opts.log_y && v->least > 0;
    double lo = v->least, hi = v->most;
    bool near = lo > 0 && hi - lo < close_by * hi;
    if (near && !log) { // noise is not to look like much
        lo = fmin(lo, v->median * (1 - close_by / 4));
        hi = fmax(hi, v->median * (1 + close_by / 4));
    }
    pj_axis axis = pj_axis_new(log ? PJ_AXIS_LOG : PJ_AXIS_LINEAR, lo, hi, !log && !near);
    const char *title = v->table->columns[v->column].title;
    axis.title = *v->form.unit ? pj_arena_format(v->arena, "%s [%s]", title, v->form.unit) : title;
    return axis;
}

static const char *text_of(const variation *v, double value)
{
    pj_auto_buf text = {.at = NULL};
    pj_column_text form = v->form;
    form.factor = 1;
    pj_column_text_number(&text, form, value);
    pj_buf_addf(&text, "%s%s", *form.unit ? " " : "", form.unit);
    return pj_arena_text(v->arena, pj_buf_str(&text));
}

static bool has_steady(const variation *v)
{
    const pj_iterations *it = v->run->iterations;
    return it && !it->lack && !it->unsteady && !v->run->ai;
}

/// The iterations of the steady state, which `--roi iterations` looks at.
static void draw_steady(const variation *v, pj_chart *chart)
{
    const pj_iterations *it = v->run->iterations;
    if (!has_steady(v))
        return;
    double left = fmax(pj_chart_x(chart, it->steady_first - 0.5), chart->left);
    double right = fmin(pj_chart_x(chart, it->steady_last + 0.5), chart->right);
    if (right > left)
        pj_figure_add(
            chart->figure,
            (pj_mark){.kind = PJ_MARK_RECT,
                      .x = left,
                      .y = chart->top,
                      .w = right - left,
                      .h = chart->bottom - chart->top,
                      .fill = steady_colour,
                      .hover = pj_arena_format(
                          chart->arena, "Steady: %s (--roi iterations)",
                          pj_iterations_text(it->steady_first, it->steady_last, chart->arena)),
                      .key = "steady"});
}

static const char *hover_of(const variation *v, size_t row)
{
    const pj_column *column = &v->table->columns[v->column];
    return pj_arena_format(
        v->arena, "%s %.0f%s\n%s: %s, %+.1f %% of the median", v->table->columns[0].title,
        number_at(v, row, 0), is_odd(v, row) ? ", outlier by its length" : "", column->title,
        text_of(v, v->values[row]), v->median > 0 ? 100 * (v->values[row] / v->median - 1) : 0);
}

/// Where a value is missing the line has a gap.
static void draw_line(const variation *v, pj_chart *chart)
{
    const size_t rows = v->table->row_count;
    pj_point *at = pj_new_n(v->arena, pj_point, rows);
    for (size_t row = 0, count = 0; row <= rows; row++) {
        bool gap = row == rows || isnan(v->values[row]);
        if (gap && count > 1)
            pj_chart_line(chart, at, count,
                          (pj_mark){.stroke = pj_palette_series(0), .stroke_width = 1.8});
        if (gap)
            count = 0;
        else
            at[count++] = (pj_point){pj_chart_x(chart, number_at(v, row, 0)),
                                     pj_chart_y(chart, v->values[row])};
    }
}

static void draw_dots(const variation *v, pj_chart *chart)
{
    const size_t rows = v->table->row_count, stride = rows / HOVERS_MOST + 1;
    for (size_t row = 0; row < rows; row++) {
        bool odd = is_odd(v, row);
        if (isnan(v->values[row]) || (!odd && row % stride))
            continue;
        pj_point at = {pj_chart_x(chart, number_at(v, row, 0)), pj_chart_y(chart, v->values[row])};
        pj_colour colour = odd ? odd_colour : rows > DOTS_MOST ? PJ_NONE : pj_palette_series(0);
        pj_chart_dot(chart, at, colour, odd ? 5 : 4, hover_of(v, row));
    }
}

static void draw_median(const variation *v, pj_chart *chart)
{
    double y = pj_chart_y(chart, v->median);
    pj_point ends[] = {{chart->left, y}, {chart->right, y}};
    pj_chart_line(chart, ends, 2, (pj_mark){.stroke = PJ_MUTED, .stroke_width = 1.2, .dash = 5});
}

static const char *subtitle_of(const variation *v)
{
    const pj_iterations *it = v->run->iterations;
    pj_auto_buf text = {.at = NULL};
    pj_buf_addf(&text, "Dashed: median %s", text_of(v, v->median));
    if (has_steady(v))
        pj_buf_addf(&text, "; green: steady, %u to %u", it->steady_first, it->steady_last);
    size_t named = 0;
    for (size_t row = 0; row < v->table->row_count && named < NAMED_MOST; row++)
        if (is_odd(v, row))
            pj_buf_addf(&text, "%s %.0f", named++ ? "," : "; red: outliers", number_at(v, row, 0));
    if (v->outliers > named)
        pj_buf_addf(&text, " and %zu more", v->outliers - named);
    return pj_arena_text(v->arena, pj_buf_str(&text));
}

static pj_figure *draw_variation(const variation *v, const pj_draw *draw)
{
    const char *title = v->opts.title
                            ? v->opts.title
                            : pj_arena_format(v->arena, "%s of iterations: %s",
                                              v->table->columns[v->column].title, v->run->name);
    const char *median = pj_arena_format(v->arena, "median %s", text_of(v, v->median));
    pj_chart_label label = {.text = median, .colour = PJ_MUTED};
    pj_chart chart =
        pj_chart_new((pj_chart_opts){.title = title,
                                     .subtitle = subtitle_of(v),
                                     .width = v->opts.width,
                                     .height = v->opts.height,
                                     .x = x_axis(v),
                                     .y = y_axis(v),
                                     .room = pj_chart_label_room(draw, v->arena, &label, 1)},
                     draw);
    draw_steady(v, &chart);
    draw_median(v, &chart);
    draw_line(v, &chart);
    draw_dots(v, &chart);
    label.y = pj_chart_y(&chart, v->median);
    pj_chart_labels(&chart, &label, 1);
    chart.figure->summary = pj_arena_format(
        chart.arena, "%s of %zu iterations: median %s, from %s to %s; %zu outlier%s.",
        v->table->columns[v->column].title, v->table->row_count, text_of(v, v->median),
        text_of(v, v->least), text_of(v, v->most), v->outliers, v->outliers == 1 ? "" : "s");
    return chart.figure;
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    if (data.study)
        return pj_plot_panels(&pj_plot_iterations, data.study, opts, draw, err);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_table table = table_of(data.run, err);
    if (!table)
        return NULL;
    if (opts.x && strcmp(opts.x, "iteration") != 0) {
        (void)!pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "plot: iterations are drawn one after another, "
                       "not over %s",
                       opts.x);
        return NULL;
    }
    variation v = {.run = data.run,
                   .table = table,
                   .opts = opts,
                   .arena = arena,
                   .form = {.factor = 1, .unit = ""}};
    return choose_column(&v, err) && read_values(&v, err) ? draw_variation(&v, draw) : NULL;
}

static pj_table *numbers(const pj_run *run)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_table *table = table_of(run, &err);
    return table ? table : pj_table_new("");
}

static pj_table *numbers_of_study(const pj_study *study, pj_err *err)
{
    (void)err;
    return pj_plot_panels_table(&pj_plot_iterations, study);
}

const pj_plot pj_plot_iterations = {
    .name = "iterations",
    .title = "Iterations one after another",
    .help = "How long each iteration of a run is, or another column of their table (-y "
            "parallel_efficiency), with the median, the steady ones and outliers. Several runs "
            "stand below each other.",
    .source = PJ_PLOT_RUN,
    .most_y = 1,
    .iterations = true,
    .several = true,
    .numbers = numbers,
    .numbers_of_study = numbers_of_study,
    .make = make,
};
