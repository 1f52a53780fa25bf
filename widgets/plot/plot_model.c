// A metric over threads with the curve of its scaling model: what was measured, the interval of the
// model, and four times as far as was measured.
#include "widgets/figure/chart.h"
#include "widgets/figure/column_text.h"
#include "widgets/plot/plot.h"
#include "widgets/plot/plot_model_parts.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "metrics/pop/models.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"
#include "widgets/figure/axis.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"

#include <math.h>

static const double carried = 4; // times the largest size
static const pj_colour interval_colour = 0x2563eb26u;
enum { SAMPLES = 97, MEASURED = 49 }; // of the curve; as many as are within the sizes
enum { TICKS = 12 };                  // at most

typedef struct modelled {
    const pj_metrics *metrics;
    const pj_metric *metric;
    size_t row;
    pj_plot_opts opts;
    pj_arena *arena;
    double first, last;                                             // sizes measured
    double p[SAMPLES], value[SAMPLES], low[SAMPLES], high[SAMPLES]; // NaN where there is none
    const char *formula, *note;
    pj_column_text form;
    double least, most; // of what is drawn
    bool log_y;
} modelled;

static double size_of(const modelled *m, size_t run)
{
    return pj_study_key_number(m->metrics->study, run, PJ_BY_THREADS);
}

/// Geometric steps: as far apart on an axis of doublings, the measured part by itself.
static void choose_sizes(modelled *m)
{
    m->first = size_of(m, 0);
    m->last = size_of(m, m->metrics->study->count - 1);
    for (size_t i = 0; i < SAMPLES; i++)
        m->p[i] = i < MEASURED
                      ? m->first * pow(m->last / m->first, (double)i / (MEASURED - 1))
                      : m->last * pow(carried, (double)(i - MEASURED + 1) / (SAMPLES - MEASURED));
}

static void widen(modelled *m, double value)
{
    m->least = fmin(m->least, value);
    m->most = fmax(m->most, value);
}

static bool read_models(modelled *m, pj_err *err)
{
    pj_models_opts opts = {.metric = m->metric->key};
    pj_auto_table model = pj_models_table(m->metrics, opts, err);
    opts.at = m->p;
    opts.at_count = SAMPLES;
    pj_auto_table curve = model ? pj_models_table(m->metrics, opts, err) : NULL;
    if (!curve)
        return false;
    size_t predicted = (size_t)pj_table_column(curve, PJ_S("predicted"));
    const pj_cell *first = pj_table_cell(curve, 0, predicted);
    if (first->kind == PJ_CELL_EMPTY)
        return pj_fail(err, PJ_E_MISSING, NULL, 0, "there is no model of %s: %s", m->metric->key,
                       first->text);
    for (size_t i = 0; i < SAMPLES; i++) {
        const pj_cell *cells = pj_table_cell(curve, i, predicted);
        m->value[i] = pj_cell_number(cells[0]);
        m->low[i] = pj_cell_number(cells[1]);
        m->high[i] = pj_cell_number(cells[2]);
    }
    const pj_cell *form = pj_table_cell(model, 0, (size_t)pj_table_column(model, PJ_S("formula")));
    m->formula = form->kind == PJ_CELL_TEXT ? pj_arena_text(m->arena, pj_str_of(form->text))
                                            : "made of its parts' models";
    size_t end = 0;
    while (end < SAMPLES && isfinite(m->value[end]))
        end++;
    pj_auto_buf note = {.at = NULL};
    for (pj_str rest = pj_str_trim(pj_str_of(model->note)); rest.len;) {
        pj_str line = pj_str_cut(&rest, '\n');
        pj_buf_addf(&note, PJ_STR_FMT "%s", PJ_STR_ARG(line), rest.len ? "; " : "");
    }
    if (end < SAMPLES)
        pj_buf_addf(&note, "; the model is below 0 from %.3g on", m->p[end]);
    m->note = pj_arena_text(m->arena, pj_buf_str(&note));
    return true;
}

static void measure(modelled *m)
{
    const size_t runs = m->metrics->study->count;
    double *values = pj_new_n(m->arena, double, runs);
    m->least = INFINITY;
    m->most = -INFINITY;
    for (size_t run = 0; run < runs; run++)
        widen(m, values[run] = pj_metrics_at(m->metrics, run, m->row).value);
    double least = m->least / (carried * carried); // a curve may end at 0
    for (size_t i = 0; i < SAMPLES; i++)
        widen(m, fmax(m->value[i], least));
    m->form = m->metric->kind == PJ_METRIC_PLAIN
                  ? pj_column_text_fit(m->metric->unit, values, runs)
                  : (pj_column_text){.factor = 1, .unit = "", .decimals = 3};
    m->log_y = m->least > 0 && (m->opts.log_y || (m->metric->kind == PJ_METRIC_PLAIN &&
                                                  !m->opts.linear && m->most >= 8 * m->least));
}

static pj_axis x_axis(const modelled *m)
{
    pj_axis axis = pj_axis_new(m->opts.linear ? PJ_AXIS_LINEAR : PJ_AXIS_LOG, m->first,
                               m->last * carried, false);
    axis.title = pj_key_title(PJ_BY_THREADS);
    axis.ticks = pj_new_n(m->arena, pj_tick, TICKS);
    axis.given = true;
    double p = m->last * carried; // halved as often as there are ticks, so that sizes are at them
    for (unsigned i = 1; i < TICKS && p / 2 >= m->first; i++)
        p /= 2;
    for (; p <= m->last * carried; p *= 2) {
        char text[32];
        text[pj_format_double(p, text)] = 0;
        if (p == floor(p))
            axis.ticks[axis.tick_count++] = (pj_tick){p, pj_arena_text(m->arena, pj_str_of(text))};
    }
    return axis;
}

static pj_axis y_axis(const modelled *m)
{
    pj_axis axis = pj_axis_new(m->log_y ? PJ_AXIS_LOG : PJ_AXIS_LINEAR, m->least * m->form.factor,
                               m->most * m->form.factor, !m->log_y);
    axis.title =
        *m->form.unit ? pj_arena_format(m->arena, "%s [%s]", m->metric->title, m->form.unit) : NULL;
    return axis;
}

/// In px, not beyond the plot area.
static pj_point point_of(const modelled *m, const pj_chart *chart, double p, double value)
{
    double shown = value * m->form.factor;
    double y = m->log_y && shown <= 0 ? chart->bottom : pj_chart_y(chart, shown);
    return (pj_point){pj_chart_x(chart, p), fmin(fmax(y, chart->top), chart->bottom)};
}

static void draw_interval(const modelled *m, pj_chart *chart)
{
    pj_point band[2 * SAMPLES];
    size_t count = 0;
    while (count < SAMPLES && isfinite(m->low[count]) && isfinite(m->high[count]))
        count++;
    for (size_t i = 0; i < count; i++) {
        band[i] = point_of(m, chart, m->p[i], m->low[i]);
        band[2 * count - 1 - i] = point_of(m, chart, m->p[i], m->high[i]);
    }
    if (count > 1)
        pj_chart_line(chart, band, 2 * count, (pj_mark){.fill = interval_colour, .closed = true});
}

/// Dashed beyond the sizes that were measured.
static void draw_curve(const modelled *m, pj_chart *chart)
{
    pj_point line[SAMPLES];
    size_t count = 0;
    for (; count < SAMPLES && isfinite(m->value[count]); count++) {
        line[count] = point_of(m, chart, m->p[count], m->value[count]);
        if (m->log_y && line[count].y >= chart->bottom)
            break;
    }
    size_t inside = count < MEASURED ? count : MEASURED;
    pj_mark look = {.stroke = pj_palette_series(0), .stroke_width = 2.4};
    pj_chart_line(chart, line, inside, look);
    look.dash = 6;
    if (count > inside)
        pj_chart_line(chart, line + inside - 1, count - inside + 1, look);
}

static void draw_runs(const modelled *m, pj_chart *chart)
{
    const pj_study *study = m->metrics->study;
    for (size_t run = 0; run < study->count; run++) {
        double value = pj_metrics_at(m->metrics, run, m->row).value;
        char exact[32];
        exact[pj_format_double(value, exact)] = 0;
        pj_chart_dot(chart, point_of(m, chart, size_of(m, run), value), pj_palette_series(0), 4.5,
                     pj_arena_format(chart->arena, "%s: %s\n%s (%s)", m->metric->title, exact,
                                     study->cases[run].name,
                                     pj_study_key_text(study, run, PJ_BY_LAYOUT)));
    }
}

static pj_figure *draw_model(const modelled *m, const pj_draw *draw)
{
    const char *title = m->opts.title
                            ? m->opts.title
                            : pj_arena_format(m->arena, "Scaling model: %s", m->metric->title);
    pj_chart chart = pj_chart_new((pj_chart_opts){.title = title,
                                                  .subtitle = m->formula,
                                                  .note = m->note,
                                                  .width = m->opts.width,
                                                  .height = m->opts.height,
                                                  .x = x_axis(m),
                                                  .y = y_axis(m)},
                                  draw);
    draw_interval(m, &chart);
    draw_curve(m, &chart);
    draw_runs(m, &chart);
    chart.figure->summary = pj_arena_format(
        chart.arena, "%s over threads p: %s. %s", m->metric->title, m->formula,
        isfinite(m->value[SAMPLES - 1])
            ? pj_arena_format(m->arena, "%g at %g.", m->value[SAMPLES - 1], m->p[SAMPLES - 1])
            : m->note);
    return chart.figure;
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    if (data.parts)
        return pj_plot_model_parts(data.parts, opts, draw, err);
    pj_auto_arena arena = pj_arena_new(NULL);
    const pj_metric_set *set = data.metrics->set;
    const char *key = opts.y[0] ? opts.y[0] : "runtime_s";
    int row = pj_metric_row(set, pj_str_of(key));
    if (row < 0) {
        (void)!pj_metric_unknown(set, key, err);
        return NULL;
    }
    if (opts.x && strcmp(opts.x, "threads") != 0) {
        (void)!pj_fail(err, PJ_E_USAGE, NULL, 0, "models are over threads, not over %s", opts.x);
        return NULL;
    }
    modelled *m = pj_new_n(arena, modelled, 1);
    *m = (modelled){.metrics = data.metrics,
                    .metric = &set->rows[row],
                    .row = (size_t)row,
                    .opts = opts,
                    .arena = arena};
    choose_sizes(m);
    if (!read_models(m, err))
        return NULL;
    measure(m);
    return draw_model(m, draw);
}

const pj_plot pj_plot_model = {
    .name = "model",
    .title = "Scaling model of a metric",
    .help = "A metric over threads with its model: the runs, the curve and its interval, dashed "
            "beyond the sizes that were measured; with --by region or cluster the times of parts.",
    .source = PJ_PLOT_METRICS,
    .parts = true,
    .most_y = 1,
    .make = make,
};
