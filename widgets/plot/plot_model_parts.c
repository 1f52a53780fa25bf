// The times of parts over threads: what was measured, and the curves of their models, dashed
// beyond that. Where many are, those are drawn that matter.
#include "widgets/plot/plot_model_parts.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/pop/part_models.h"
#include "metrics/pop/part_series.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"
#include "widgets/figure/axis.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double carried = 4; // times the largest size
enum { SAMPLES = 65, MEASURED = 33, DRAWN_MOST = 8, TICKS = 12 };

typedef struct drawn_part {
    const pj_part_series *series;
    size_t row;    // of its first sample
    double weight; // seconds it is drawn for
} drawn_part;

typedef struct drawing {
    const pj_part_study *parts;
    const pj_table *curves; // SAMPLES rows a part
    size_t predicted;       // its column, before those of the interval
    double p[SAMPLES];
    drawn_part *items; // the weightiest first
    size_t count;
    double least, most;
    bool log_y;
    pj_arena *arena;
} drawing;

static void choose_sizes(drawing *d)
{
    const double first = d->parts->p[0], last = d->parts->p[d->parts->runs - 1];
    for (size_t i = 0; i < SAMPLES; i++)
        d->p[i] = i < MEASURED
                      ? first * pow(last / first, (double)i / (MEASURED - 1))
                      : last * pow(carried, (double)(i - MEASURED + 1) / (SAMPLES - MEASURED));
}

static const pj_part_series *series_of(const drawing *d, const char *name)
{
    const pj_part_series *items = d->parts->items;
    size_t i = 0;
    while (i + 1 < d->parts->count && strcmp(items[i].name, name) != 0)
        i++;
    return &items[i];
}

/// NaN where there is none.
static double foretold(const drawing *d, const drawn_part *part, size_t sample)
{
    return pj_cell_number(*pj_table_cell(d->curves, part->row + sample, d->predicted));
}

static int by_weight(const void *a, const void *b)
{
    const drawn_part *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return strcmp(x->series->name, y->series->name);
}

static void choose_parts(drawing *d)
{
    size_t column = (size_t)pj_table_column(d->curves, PJ_S("part"));
    size_t all = d->curves->row_count / SAMPLES;
    d->items = pj_new_n(d->arena, drawn_part, all + 1);
    for (size_t i = 0; i < all; i++) {
        drawn_part *part = &d->items[i];
        part->row = i * SAMPLES;
        part->series = series_of(d, pj_table_cell(d->curves, part->row, column)->text);
        part->weight =
            fmax(part->series->value[d->parts->runs - 1], foretold(d, part, SAMPLES - 1));
        part->weight = isnan(part->weight) ? 0 : part->weight;
    }
    qsort(d->items, all, sizeof *d->items, by_weight);
    while (d->count < all && d->count < DRAWN_MOST && d->items[d->count].weight > 0)
        d->count++;
}

static void widen(drawing *d, double value)
{
    if (value > 0) {
        d->least = fmin(d->least, value);
        d->most = fmax(d->most, value);
    }
}

static void measure(drawing *d, const pj_plot_opts *opts)
{
    d->least = INFINITY;
    for (size_t i = 0; i < d->count; i++) {
        for (size_t run = 0; run < d->parts->runs; run++)
            widen(d, d->items[i].series->value[run]);
        for (size_t k = 0; k < SAMPLES; k++)
            widen(d, foretold(d, &d->items[i], k));
        for (size_t k = 0; k < MEASURED; k++) // beyond, an interval may be cut
            widen(d,
                  pj_cell_number(pj_table_cell(d->curves, d->items[i].row + k, d->predicted)[2]));
    }
    d->least = fmax(d->least, d->most / 1e5); // below, nothing is told apart
    d->log_y = opts->log_y || (!opts->linear && d->most >= 8 * d->least);
}

static pj_axis x_axis(const drawing *d, bool linear)
{
    const double first = d->p[0], last = d->p[SAMPLES - 1];
    pj_axis axis = pj_axis_new(linear ? PJ_AXIS_LINEAR : PJ_AXIS_LOG, first, last, false);
    axis.title = pj_key_title(PJ_BY_THREADS);
    axis.ticks = pj_new_n(d->arena, pj_tick, TICKS);
    axis.given = true;
    double p = round(last);
    for (unsigned i = 1; i < TICKS && p / 2 >= first; i++)
        p /= 2;
    for (; p <= last * 1.001; p *= 2) {
        char text[32];
        text[pj_format_double(p, text)] = 0;
        if (p == floor(p))
            axis.ticks[axis.tick_count++] = (pj_tick){p, pj_arena_text(d->arena, pj_str_of(text))};
    }
    return axis;
}

static pj_point point_of(const drawing *d, const pj_chart *chart, double p, double value)
{
    double y = d->log_y && value <= 0 ? chart->bottom : pj_chart_y(chart, value);
    return (pj_point){pj_chart_x(chart, p), fmin(fmax(y, chart->top), chart->bottom)};
}

/// Between the least and the most that the model foretells.
static void draw_interval(const drawing *d, const drawn_part *part, pj_colour colour,
                          pj_chart *chart)
{
    pj_point band[2 * SAMPLES];
    double low[SAMPLES], high[SAMPLES];
    size_t count = 0;
    for (; count < SAMPLES; count++) {
        const pj_cell *cells = pj_table_cell(d->curves, part->row + count, d->predicted);
        low[count] = pj_cell_number(cells[1]);
        high[count] = pj_cell_number(cells[2]);
        if (isnan(low[count]) || isnan(high[count]) || (d->log_y && high[count] < d->least))
            break;
    }
    for (size_t i = 0; i < count; i++) {
        band[i] = point_of(d, chart, d->p[i], low[i]);
        band[2 * count - 1 - i] = point_of(d, chart, d->p[i], high[i]);
    }
    if (count > 1)
        pj_chart_line(chart, band, 2 * count,
                      (pj_mark){.fill = (colour & 0xffffff00) | 0x26, .closed = true});
}

/// As far as the model is above what is drawn; dashed beyond the sizes that were measured.
static void draw_curve(const drawing *d, const drawn_part *part, pj_colour colour, pj_chart *chart)
{
    pj_point line[SAMPLES];
    size_t count = 0;
    for (double value; count < SAMPLES; count++) {
        value = foretold(d, part, count);
        if (isnan(value) || (d->log_y && value < d->least))
            break;
        line[count] = point_of(d, chart, d->p[count], value);
    }
    size_t inside = count < MEASURED ? count : MEASURED;
    pj_mark look = {.stroke = colour, .stroke_width = 2.2};
    if (inside > 1)
        pj_chart_line(chart, line, inside, look);
    look.dash = 6;
    if (count > inside && inside)
        pj_chart_line(chart, line + inside - 1, count - inside + 1, look);
}

static void draw_runs(const drawing *d, const drawn_part *part, pj_colour colour, pj_chart *chart)
{
    for (size_t run = 0; run < d->parts->runs; run++) {
        double value = part->series->value[run];
        char exact[32];
        if (isnan(value) || (d->log_y && value < d->least))
            continue;
        pj_format_duration(value * 1e9, exact);
        pj_chart_dot(chart, point_of(d, chart, d->parts->p[run], value), colour, 4,
                     pj_arena_format(chart->arena, "%s: %s\n%g threads", part->series->name, exact,
                                     d->parts->p[run]));
    }
}

static bool has_intervals(const drawing *d)
{
    for (size_t i = 0; i < d->count; i++)
        if (!isnan(pj_cell_number(pj_table_cell(d->curves, d->items[i].row, d->predicted)[1])))
            return true;
    return false;
}

static pj_figure *draw_parts(const drawing *d, const char *note, pj_plot_opts opts,
                             const pj_draw *draw)
{
    pj_chart_key keys[DRAWN_MOST];
    for (size_t i = 0; i < d->count; i++)
        keys[i] = (pj_chart_key){d->items[i].series->name, pj_palette_series(i)};
    pj_chart_opts how = {
        .title = opts.title ? opts.title
                            : pj_arena_format(d->arena, "Scaling models: %s", d->parts->title),
        .subtitle = has_intervals(d) ? "Time that a thread spends in each part on average; bands: "
                                       "without one of the sizes, or with other repetitions"
                                     : "Time that a thread spends in each part on average",
        .note = note,
        .width = opts.width,
        .height = opts.height,
        .x = x_axis(d, opts.linear),
        .y = pj_axis_new(d->log_y ? PJ_AXIS_LOG : PJ_AXIS_LINEAR, d->log_y ? d->least : 0, d->most,
                         !d->log_y),
        .keys = keys,
        .key_count = d->count};
    how.y.title = "Time [s]";
    pj_chart chart = pj_chart_new(how, draw);
    for (size_t i = d->count; i-- > 0;)
        draw_interval(d, &d->items[i], pj_palette_series(i), &chart);
    for (size_t i = d->count; i-- > 0;) { // the weightiest above the others
        draw_curve(d, &d->items[i], pj_palette_series(i), &chart);
        draw_runs(d, &d->items[i], pj_palette_series(i), &chart);
    }
    chart.figure->summary = pj_arena_format(chart.arena, "Times of %zu parts over threads. %s",
                                            d->count, note ? note : "");
    return chart.figure;
}

/// In one line: what has most of the time, and what is not drawn.
static const char *note_of(const drawing *d, const pj_table *models)
{
    pj_str rest = pj_str_of(models->note), line = {0};
    while (rest.len && !pj_str_starts(line, PJ_S("With ")))
        line = pj_str_cut(&rest, '\n');
    size_t left = d->parts->count - d->count;
    const char *said = pj_str_starts(line, PJ_S("With ")) ? pj_arena_text(d->arena, line) : "";
    return left ? pj_arena_format(d->arena, "%s%s%zu part%s of less time %s not drawn.", said,
                                  *said ? ". " : "", left, left == 1 ? "" : "s",
                                  left == 1 ? "is" : "are")
                : said;
}

pj_figure *pj_plot_model_parts(const pj_part_study *parts, pj_plot_opts opts, const pj_draw *draw,
                               pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    drawing d = {.parts = parts, .arena = arena};
    pj_auto_table models = pj_part_models_table(parts, NULL, 0, err);
    if (!models)
        return NULL;
    choose_sizes(&d);
    pj_auto_table curves = pj_part_models_table(parts, d.p, SAMPLES, err);
    if (!curves)
        return NULL;
    d.curves = curves;
    d.predicted = (size_t)pj_table_column(curves, PJ_S("predicted_s"));
    choose_parts(&d);
    if (!d.count) {
        (void)!pj_fail(err, PJ_E_MISSING, NULL, 0, "no part of the runs has any time");
        return NULL;
    }
    measure(&d, &opts);
    return draw_parts(&d, note_of(&d, models), opts, draw);
}
