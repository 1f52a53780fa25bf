// A metric over the size of the runs, with the ideal and the band above 80 % of it.
#include "widgets/figure/callout.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/column_text.h"
#include "widgets/plot/plot.h"
#include "widgets/plot/plot_parts.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"
#include "metrics/base/suggest.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "metrics/run/parts/slices.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "widgets/figure/axis.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"
#include "widgets/figure/textbox.h"

#include <math.h>
#include <stdlib.h>

static const double band_part = 0.8; // of the ideal
static const pj_colour ideal_colour = 0x6b7480ff, band_colour = 0x3fa95a1fu;
static const double log_span = 8; // from which on an axis of sizes is logarithmic by itself
enum { SAMPLES = 60, MOST_VALUES = 16, MOST_SERIES = 24 };

typedef enum shape {
    SHAPE_NONE,       // no ideal: IPC, GHz
    SHAPE_ONE,        // efficiencies, scalings
    SHAPE_ZERO,       // inefficiencies
    SHAPE_PROPORTION, // speedup: N / N0
    SHAPE_INVERSE,    // runtime: T0 N0 / N
    SHAPE_CONSTANT,   // runtime in weak scaling: T0
} shape;

typedef struct sample {
    double x, y, threads;
    size_t run;
    size_t series;
} sample;

typedef struct scaling {
    const pj_metrics *metrics;
    const pj_metric *metric;
    size_t row;
    pj_plot_opts opts;
    pj_key x, by;
    shape shape;
    pj_arena *arena;
    sample *samples;
    size_t count;
    const char **series; // names
    size_t series_count;
    const char *missing; // reason of the first run without a value
    size_t missing_count;
    pj_column_text form;
    bool parts;             // of runs are among the cases: a line each
    const pj_slices *along; // the cases are one run and these parts of it: over time; NULL = not
    bool named;             // lines have their names at their ends, not in a legend
    bool log_x, log_y;
} scaling;

// ---- what is plotted

enum { MOST_PARTS = 17 }; // lines of parts, and of the runs themselves

static bool varies(const pj_study *study, pj_key key)
{
    for (size_t run = 1; run < study->count; run++)
        if (strcmp(pj_study_key_text(study, run, key), pj_study_key_text(study, 0, key)) != 0)
            return true;
    return false;
}

static bool parse_key(const char *text, pj_key *key, pj_err *err)
{
    if (!text)
        return true;
    if (pj_key_parse(pj_str_of(text), key) && *key != PJ_BY_NONE)
        return true;
    static const char *const keys[] = {"ranks", "threads", "threads_per_rank", "layout", "tag"};
    pj_suggest near = {.word = pj_str_of(text)};
    pj_auto_buf hint = {0};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        pj_suggest_try(&near, keys[i]);
    pj_suggest_add(&near, &hint);
    return pj_fail(
        err, PJ_E_USAGE, NULL, 0,
        "runs have no key \"%s\"%s choose ranks, threads, threads_per_rank, layout or tag", text,
        hint.at);
}

static double x_of(const scaling *s, size_t run)
{
    return s->along ? pj_parts_along_place(s->along, s->metrics->study->cases[run].run)
                    : pj_study_key_number(s->metrics->study, run, s->x);
}

/// What all parts together are has no place among them.
static bool is_beyond(const scaling *s, size_t run)
{
    return s->along && !s->metrics->study->cases[run].run->part.whole;
}

/// Threads when threads per rank vary (runs of the same ranks differ), else ranks.
static bool choose_keys(scaling *s, pj_err *err)
{
    const pj_study *study = s->metrics->study;
    bool hybrid = varies(study, PJ_BY_THREADS_PER_RANK);
    s->x = hybrid || !varies(study, PJ_BY_RANKS) ? PJ_BY_THREADS : PJ_BY_RANKS;
    s->by = s->metrics->by;
    s->along = s->opts.x ? NULL : pj_parts_along(study);
    bool cut = s->parts && s->opts.by && !pj_key_parse(pj_str_of(s->opts.by), &s->by);
    if (!parse_key(s->opts.x, &s->x, err) || (!cut && !parse_key(s->opts.by, &s->by, err)))
        return false;
    bool groups = s->x != PJ_BY_THREADS_PER_RANK && s->x != PJ_BY_LAYOUT;
    if (s->by == PJ_BY_NONE && hybrid && groups && varies(study, PJ_BY_RANKS))
        s->by = PJ_BY_THREADS_PER_RANK;
    return true;
}

static bool any_has(const pj_metrics *metrics, size_t row)
{
    for (size_t run = 0; run < metrics->study->count; run++)
        if (!pj_metrics_at(metrics, run, row).reason)
            return true;
    return false;
}

/// Speedup; of parts of runs that cannot be compared the first efficiency that is known.
static int usual_metric(const scaling *s)
{
    const pj_metric_set *set = s->metrics->set;
    int speedup = pj_metric_row(set, PJ_S("speedup"));
    if (!s->parts || (speedup >= 0 && any_has(s->metrics, (size_t)speedup)))
        return speedup;
    for (size_t row = 0; row < set->count; row++)
        if (set->rows[row].kind == PJ_METRIC_EFFICIENCY && any_has(s->metrics, row))
            return (int)row;
    return speedup;
}

static bool choose_metric(scaling *s, pj_err *err)
{
    const pj_metric_set *set = s->metrics->set;
    const pj_study *study = s->metrics->study;
    for (size_t run = 0; run < study->count; run++)
        s->parts |= study->cases[run].run->part.name != NULL;
    const char *key = s->opts.y[0] ? s->opts.y[0] : "speedup";
    int row = s->opts.y[0] ? pj_metric_row(set, pj_str_of(key)) : usual_metric(s);
    if (row < 0)
        return pj_metric_unknown(set, key, err);
    s->row = (size_t)row;
    s->metric = &set->rows[row];
    return true;
}

static shape shape_of(const scaling *s)
{
    bool weak = s->metrics->study->scaling == PJ_SCALING_WEAK;
    switch (s->metric->kind) {
    case PJ_METRIC_EFFICIENCY:
    case PJ_METRIC_SCALING:
        return SHAPE_ONE;
    case PJ_METRIC_INEFFICIENCY:
        return SHAPE_ZERO;
    case PJ_METRIC_PLAIN:
        break;
    }
    if (strcmp(s->metric->key, "speedup") == 0)
        return SHAPE_PROPORTION;
    if (strcmp(s->metric->key, "runtime_s") == 0)
        return weak ? SHAPE_CONSTANT : SHAPE_INVERSE;
    return SHAPE_NONE;
}

static size_t series_of(scaling *s, const char *name)
{
    size_t i = 0;
    while (i < s->series_count && strcmp(s->series[i], name) != 0)
        i++;
    if (i == s->series_count)
        s->series[s->series_count++] = name;
    return i;
}

static const char beside[] = " @ "; // before the network of a series that is no POP metric's

/// What of the run: "solve"; beside parts that of runs themselves is named, too.
static const char *part_key(const scaling *s, size_t run)
{
    const char *key = pj_study_key_text(s->metrics->study, run, s->by);
    const char *part = s->metrics->study->cases[run].run->part.name;
    if (!s->parts || s->along)
        return key;
    part = part ? part : "whole run";
    return *key ? pj_arena_format(s->arena, "%s, %s", part, key) : part;
}

/// A run on another network has a line of its own, and so has a part of runs.
static const char *series_key(const scaling *s, size_t run)
{
    const char *key = part_key(s, run);
    const pj_other_network *other = &s->metrics->study->cases[run].run->other;
    return other->base ? pj_arena_format(s->arena, "%s%s%s", key, beside, other->label) : key;
}

/// What does not depend on the network is that of the run itself.
static bool is_repeated(const scaling *s, size_t run)
{
    return s->metrics->study->cases[run].run->other.base && !(s->metric->needs & PJ_NEEDS_IDEAL);
}

static int order_names(const void *a, const void *b)
{
    return pj_str_order_natural(pj_str_of(*(const char *const *)a),
                                pj_str_of(*(const char *const *)b));
}

static int order_samples(const void *a, const void *b)
{
    const sample *x = a, *y = b;
    if (x->series != y->series)
        return x->series < y->series ? -1 : 1;
    if (x->x != y->x)
        return x->x < y->x ? -1 : 1;
    return x->run < y->run ? -1 : x->run > y->run;
}

static void collect(scaling *s)
{
    const pj_study *study = s->metrics->study;
    s->samples = pj_new_n(s->arena, sample, study->count + 1);
    s->series = pj_new_n(s->arena, const char *, study->count + 1);
    for (size_t run = 0; run < study->count; run++)
        if (!is_repeated(s, run))
            series_of(s, series_key(s, run));
    qsort(s->series, s->series_count, sizeof *s->series, order_names);
    for (size_t run = 0; run < study->count; run++) {
        pj_metric_value value = pj_metrics_at(s->metrics, run, s->row);
        if (is_repeated(s, run) || is_beyond(s, run))
            continue;
        if (value.reason) {
            s->missing = s->missing ? s->missing : value.reason;
            s->missing_count++;
            continue;
        }
        s->samples[s->count++] = (sample){.x = x_of(s, run),
                                          .y = value.value,
                                          .threads = pj_study_key_number(study, run, PJ_BY_THREADS),
                                          .run = run,
                                          .series = series_of(s, series_key(s, run))};
    }
    qsort(s->samples, s->count, sizeof *s->samples, order_samples);
    double *values = pj_new_n(s->arena, double, s->count + 1);
    for (size_t i = 0; i < s->count; i++)
        values[i] = s->samples[i].y;
    s->form = s->metric->kind == PJ_METRIC_PLAIN
                  ? pj_column_text_fit(s->metric->unit, values, s->count)
                  : (pj_column_text){.factor = 1, .unit = "", .decimals = 3};
}

// ---- the ideal

/// Threads per unit of x, or 0 where runs differ in it: then there is no ideal over x.
static double threads_per_x(const scaling *s)
{
    double ratio = s->count ? s->samples[0].threads / s->samples[0].x : 0;
    for (size_t i = 0; i < s->count; i++)
        if (fabs(s->samples[i].threads / s->samples[i].x - ratio) > 1e-9 * ratio)
            return 0;
    return ratio;
}

static bool is_category(pj_key key)
{
    return key == PJ_BY_LAYOUT || key == PJ_BY_TAG;
}

static bool has_ideal(const scaling *s)
{
    switch (s->shape) {
    case SHAPE_NONE:
        return false;
    case SHAPE_ONE:
    case SHAPE_ZERO:
        return true;
    case SHAPE_CONSTANT:
        return !s->along;
    case SHAPE_PROPORTION:
    case SHAPE_INVERSE:
        return !s->along && !is_category(s->x) && threads_per_x(s) > 0;
    }
    return false;
}

static double ideal_at(const scaling *s, double x)
{
    const pj_study *study = s->metrics->study;
    double first = pj_study_key_number(study, study->reference, PJ_BY_THREADS);
    double runtime = pj_metrics_at(s->metrics, study->reference, s->row).value;
    double threads = threads_per_x(s) * x;
    switch (s->shape) {
    case SHAPE_NONE:
    case SHAPE_ZERO:
        return 0;
    case SHAPE_ONE:
        return 1;
    case SHAPE_PROPORTION:
        return threads / first;
    case SHAPE_INVERSE:
        return runtime * first / threads;
    case SHAPE_CONSTANT:
        return runtime;
    }
    return 0;
}

/// The other edge of the band: 80 % of the ideal, or what costs 1 / 80 % of it.
static double band_at(const scaling *s, double x)
{
    switch (s->shape) {
    case SHAPE_ZERO:
        return 1 - band_part;
    case SHAPE_INVERSE:
    case SHAPE_CONSTANT:
        return ideal_at(s, x) / band_part;
    case SHAPE_NONE:
    case SHAPE_ONE:
    case SHAPE_PROPORTION:
        break;
    }
    return ideal_at(s, x) * band_part;
}

static double sample_x(const pj_axis *axis, double from, double to, size_t i)
{
    double part = (double)i / (SAMPLES - 1);
    return axis->kind == PJ_AXIS_LOG ? from * pow(to / from, part) : from + part * (to - from);
}

/// px of a value, not beyond the plot area.
static double clipped_y(const scaling *s, const pj_chart *chart, double value)
{
    double shown = value * s->form.factor;
    if (chart->y.kind == PJ_AXIS_LOG)
        shown = fmax(shown, chart->y.from);
    return fmin(fmax(pj_chart_y(chart, shown), chart->top), chart->bottom);
}

/// A curve from the smallest run to the largest; level across the whole area where the ideal is
/// constant or there is one run.
static void draw_ideal(const scaling *s, pj_chart *chart, double first, double last,
                       pj_callouts *callouts)
{
    bool level = first == last || is_category(s->x) || s->shape == SHAPE_ONE ||
                 s->shape == SHAPE_ZERO || s->shape == SHAPE_CONSTANT;
    double from = level ? chart->x.from : first, to = level ? chart->x.to : last;
    pj_point ideal[SAMPLES], band[2 * SAMPLES];
    for (size_t i = 0; i < SAMPLES; i++) {
        double x = sample_x(&chart->x, from, to, i), at = level ? last : x;
        double top = clipped_y(s, chart, ideal_at(s, at));
        double other = clipped_y(s, chart, band_at(s, at));
        ideal[i] = band[i] = (pj_point){pj_chart_x(chart, x), top};
        band[2 * SAMPLES - 1 - i] = (pj_point){pj_chart_x(chart, x), other};
    }
    pj_chart_line(chart, band, 2 * SAMPLES, (pj_mark){.fill = band_colour, .closed = true});
    pj_chart_line(chart, ideal, SAMPLES,
                  (pj_mark){.stroke = ideal_colour, .stroke_width = 1.5, .dash = 5});
    pj_callouts_avoid_line(callouts, ideal, SAMPLES);
}

// ---- axes

static double largest(const scaling *s)
{
    double most = 0;
    for (size_t i = 0; i < s->count; i++) {
        most = fmax(most, s->samples[i].y);
        if (has_ideal(s) && s->shape != SHAPE_INVERSE)
            most = fmax(most, ideal_at(s, s->samples[i].x));
    }
    if (s->shape == SHAPE_ZERO)
        most = fmax(most, 1 - band_part);
    return most;
}

static double smallest(const scaling *s)
{
    double least = INFINITY;
    for (size_t i = 0; i < s->count; i++) {
        least = fmin(least, s->samples[i].y);
        if (has_ideal(s) && s->shape != SHAPE_ZERO)
            least = fmin(least, ideal_at(s, s->samples[i].x));
    }
    return least;
}

/// What the caller says, or by the span of the sizes. What is in proportion to them is drawn like
/// them, so that the ideal is a straight line and equal parts lost are equally far from it.
static void choose_axes(scaling *s)
{
    const pj_study *study = s->metrics->study;
    double lo = INFINITY, hi = 0, least = INFINITY;
    for (size_t run = 0; run < study->count; run++) {
        lo = fmin(lo, pj_study_key_number(study, run, s->x));
        hi = fmax(hi, pj_study_key_number(study, run, s->x));
    }
    for (size_t i = 0; i < s->count; i++)
        least = fmin(least, s->samples[i].y);
    bool sizes = !s->along && !is_category(s->x) && lo > 0;
    bool alike = s->shape == SHAPE_PROPORTION || s->shape == SHAPE_INVERSE;
    s->log_x = sizes && (s->opts.log_x || (!s->opts.linear && hi >= log_span * lo));
    s->log_y = least > 0 && (s->opts.log_y || (s->log_x && alike && !s->opts.linear));
}

/// Speedups at powers of two, as sizes of runs mostly are: the axes can be compared.
static void add_doublings(const scaling *s, pj_axis *axis)
{
    enum { MOST = 12 };
    int first = (int)ceil(log2(axis->from)), last = (int)floor(log2(axis->to));
    int stride = 1 + (last - first) / MOST;
    if (last - first < 2)
        return;
    axis->ticks = pj_new_n(s->arena, pj_tick, (size_t)(last - first) + 1);
    axis->given = true;
    for (int power = first; power <= last; power++) {
        if (power % stride)
            continue;
        double value = ldexp(1, power);
        char text[32];
        text[pj_format_double(value, text)] = 0;
        axis->ticks[axis->tick_count++] =
            (pj_tick){value, pj_arena_text(s->arena, pj_str_of(text))};
    }
}

static pj_axis y_axis(const scaling *s)
{
    const char *title = *s->form.unit
                            ? pj_arena_format(s->arena, "%s [%s]", s->metric->title, s->form.unit)
                            : s->metric->title;
    double lo = smallest(s) * s->form.factor, hi = largest(s) * s->form.factor;
    bool log = s->log_y && lo > 0;
    if (log && s->shape == SHAPE_PROPORTION)
        lo *= band_part;
    if (log && s->shape == SHAPE_INVERSE)
        hi /= band_part;
    pj_axis axis = pj_axis_new(log ? PJ_AXIS_LOG : PJ_AXIS_LINEAR, lo, hi, !log);
    if (log && s->shape == SHAPE_PROPORTION)
        add_doublings(s, &axis);
    axis.title = *s->form.unit || s->opts.title ? title : NULL; // else the plot's title says it
    return axis;
}

/// Ticks at the values that were measured.
static pj_axis x_axis(const scaling *s)
{
    const pj_study *study = s->metrics->study;
    double lo = INFINITY, hi = -INFINITY;
    pj_tick *ticks = pj_new_n(s->arena, pj_tick, study->count + 1);
    size_t count = 0;
    for (size_t run = 0; run < study->count; run++) {
        pj_tick tick = {pj_study_key_number(study, run, s->x), pj_study_key_text(study, run, s->x)};
        if (is_category(s->x) && !*tick.label)
            tick.label = "(none)";
        lo = fmin(lo, tick.value);
        hi = fmax(hi, tick.value);
        size_t at = 0;
        while (at < count && ticks[at].value < tick.value)
            at++;
        if (at < count && ticks[at].value == tick.value)
            continue;
        memmove(ticks + at + 1, ticks + at, (count++ - at) * sizeof *ticks);
        ticks[at] = tick;
    }
    pj_axis axis;
    if (is_category(s->x)) {
        axis = (pj_axis){.kind = PJ_AXIS_CATEGORIES, .from = lo - 0.5, .to = hi + 0.5};
    } else {
        bool log = s->log_x;
        axis = pj_axis_new(log ? PJ_AXIS_LOG : PJ_AXIS_LINEAR, lo, hi, false);
        double room = log ? 0 : (axis.to - axis.from) * 0.04;
        axis.from -= room;
        axis.to += room;
    }
    axis.title = pj_key_title(s->x);
    axis.ticks = ticks;
    axis.tick_count = count;
    axis.given = true;
    return axis;
}

// ---- marks

static const char *series_name(const scaling *s, size_t series)
{
    const char *key = s->series[series], *network = strstr(key, beside);
    pj_str name = network ? pj_str_head(pj_str_of(key), (size_t)(network - key)) : pj_str_of(key);
    const char *unit = "";
    network = network ? network : "";
    if (!name.len)
        return s->by != PJ_BY_NONE ? pj_arena_format(s->arena, "(none)%s", network)
               : *network          ? network + 1
                                   : "ideal network";
    if (s->by == PJ_BY_THREADS_PER_RANK)
        unit = pj_str_equal(name, PJ_S("1")) ? " thread per rank" : " threads per rank";
    else if (s->by == PJ_BY_RANKS || s->by == PJ_BY_THREADS)
        unit = pj_arena_format(s->arena, " %s", pj_key_name(s->by));
    return pj_arena_format(s->arena, PJ_STR_FMT "%s%s", PJ_STR_ARG(name), unit, network);
}

static const char *text_of(const scaling *s, pj_arena *arena, double value)
{
    pj_auto_buf text = {0};
    pj_column_text_number(&text, s->form, value);
    return pj_arena_text(arena, pj_buf_str(&text));
}

static const char *hover_of(const scaling *s, pj_arena *arena, const sample *at)
{
    const pj_study *study = s->metrics->study;
    char exact[32], ideal[32] = "";
    exact[pj_format_double(at->y, exact)] = 0;
    if (has_ideal(s))
        ideal[pj_format_double(ideal_at(s, at->x), ideal)] = 0;
    return pj_arena_format(arena, "%s: %s%s%s\n%s (%s)%s%s", s->metric->title, exact,
                           *ideal ? ", ideal " : "", ideal, study->cases[at->run].name,
                           pj_study_key_text(study, at->run, PJ_BY_LAYOUT),
                           at->run == study->reference ? ", reference run" : "",
                           s->by == PJ_BY_TAG && *s->series[at->series]
                               ? pj_arena_format(arena, ", %s", s->series[at->series])
                               : "");
}

static int by_y(const void *a, const void *b)
{
    const pj_point *p = a, *q = b;
    return (p->y > q->y) - (p->y < q->y);
}

/// From the least to the most of repetitions, which are in order.
static void draw_box(pj_chart *chart, const pj_point *points, size_t count, pj_colour colour)
{
    enum { FEWEST = 3 };
    const double half = 7;
    double top = points[0].y, bottom = points[count - 1].y;
    if (count < FEWEST || bottom - top < 1)
        return;
    pj_figure_add(chart->figure,
                  (pj_mark){.kind = PJ_MARK_RECT,
                            .x = points[0].x - half,
                            .y = top,
                            .w = 2 * half,
                            .h = bottom - top,
                            .radius = 2,
                            .fill = (colour & 0xffffff00) | 0x38,
                            .hover = pj_arena_format(chart->arena,
                                                     "%zu repetitions, from the least to the most; "
                                                     "the line goes through their median",
                                                     count)});
}

/// Runs that share an x count as one with their median, in a box of all; returns the number of
/// points left.
static size_t merge_repeated(pj_point *points, size_t count, pj_chart *chart, pj_colour colour)
{
    size_t merged = 0;
    for (size_t i = 0, end; i < count; i = end, merged++) {
        for (end = i + 1; end < count && points[end].x == points[i].x;)
            end++;
        qsort(points + i, end - i, sizeof *points, by_y);
        draw_box(chart, points + i, end - i, colour);
        size_t middle = i + (end - i) / 2;
        double even =
            (end - i) % 2 ? points[middle].y : (points[middle - 1].y + points[middle].y) / 2;
        points[merged] = (pj_point){points[i].x, even};
    }
    return merged;
}

/// Repeated runs have one line through their medians. Runs of one tag may be of any size: where
/// several have the same one, points alone are shown.
static void draw_line(const scaling *s, pj_chart *chart, size_t series, const pj_point *points,
                      size_t count, pj_callouts *callouts)
{
    pj_point *line = pj_new_n(chart->arena, pj_point, count + 1);
    pj_colour colour = pj_palette_series(series);
    memcpy(line, points, count * sizeof *line);
    size_t merged = merge_repeated(line, count, chart, colour);
    if (merged != count && s->x == PJ_BY_TAG)
        return;
    pj_chart_line(chart, line, merged,
                  (pj_mark){.stroke = colour,
                            .stroke_width = 2.4,
                            .dash = series >= PJ_PALETTE_SERIES_COUNT ? 7 : 0});
    pj_callouts_avoid_line(callouts, line, merged);
}

/// Whether a later run of the same size has the same value in writing.
static bool is_said_later(const scaling *s, size_t at, pj_arena *arena)
{
    const char *text = text_of(s, arena, s->samples[at].y);
    for (size_t i = at + 1; i < s->count; i++)
        if (s->samples[i].x == s->samples[at].x &&
            strcmp(text_of(s, arena, s->samples[i].y), text) == 0)
            return true;
    return false;
}

/// Values beside their points; where there is no room for one, hovering says it.
static void write_values(const scaling *s, const pj_point *points, pj_callouts *callouts)
{
    bool above = s->shape == SHAPE_INVERSE;
    if (s->series_count > 1 || s->count > MOST_VALUES)
        return;
    for (size_t i = s->count; i-- > 0;) // the largest runs first
        if (!is_said_later(s, i, callouts->chart->arena))
            pj_callouts_put(callouts, points[i],
                            text_of(s, callouts->chart->arena, s->samples[i].y),
                            (pj_style){.size = 11}, above);
}

static void draw_series(const scaling *s, pj_chart *chart, size_t series, pj_callouts *callouts)
{
    pj_point *points = pj_new_n(chart->arena, pj_point, s->count + 1);
    pj_colour colour = pj_palette_series(series);
    size_t count = 0, first = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (s->samples[i].series != series)
            continue;
        first = count ? first : i;
        points[count++] = (pj_point){pj_chart_x(chart, s->samples[i].x),
                                     pj_chart_y(chart, s->samples[i].y * s->form.factor)};
    }
    draw_line(s, chart, series, points, count, callouts);
    for (size_t i = 0; i < count; i++) {
        pj_chart_dot(chart, points[i], colour, 4.5,
                     hover_of(s, chart->arena, &s->samples[first + i]));
        pj_callouts_avoid_disc(callouts, points[i], 4.5);
    }
    write_values(s, points, callouts);
}

/// Last sample of a series; NULL when it has none.
static const sample *last_of(const scaling *s, size_t series)
{
    const sample *last = NULL;
    for (size_t i = 0; i < s->count; i++)
        if (s->samples[i].series == series)
            last = &s->samples[i];
    return last;
}

/// Names of the series, the ideal and its band beside the ends of their lines. `chart` NULL: only
/// the texts, for measuring.
static size_t fill_labels(const scaling *s, const pj_chart *chart, double to,
                          pj_chart_label *labels)
{
    size_t count = 0;
    for (size_t i = 0; s->named && i < s->series_count; i++) {
        const sample *last = last_of(s, i);
        if (last)
            labels[count++] =
                (pj_chart_label){chart ? pj_chart_y(chart, last->y * s->form.factor) : 0,
                                 series_name(s, i), pj_palette_series(i), true};
    }
    if (!has_ideal(s))
        return count;
    labels[count++] =
        (pj_chart_label){chart ? pj_chart_y(chart, ideal_at(s, to) * s->form.factor) : 0, "ideal",
                         ideal_colour, false};
    labels[count++] =
        (pj_chart_label){chart ? pj_chart_y(chart, band_at(s, to) * s->form.factor) : 0,
                         s->shape == SHAPE_ZERO ? "0.2" : "80 % of ideal", 0x2f8a48ff, false};
    return count;
}

/// Whether all lines end at the same x, so that their names fit beside their ends.
static bool end_together(const scaling *s)
{
    const sample *first = NULL;
    for (size_t i = 0; i < s->series_count; i++) {
        const sample *last = last_of(s, i);
        first = first ? first : last;
        if (last && last->x != first->x)
            return false;
    }
    return s->series_count > 1;
}

static size_t fill_keys(const scaling *s, pj_chart_key *keys)
{
    for (size_t i = 0; i < s->series_count; i++)
        keys[i] = (pj_chart_key){.name = series_name(s, i), .colour = pj_palette_series(i)};
    return s->series_count > 1 && !s->named ? s->series_count : 0;
}

static const char *place_text(const scaling *s, size_t run)
{
    const pj_study *study = s->metrics->study;
    return s->along ? study->cases[run].run->part.name : pj_study_key_text(study, run, s->x);
}

static const char *summary_of(const scaling *s, pj_arena *arena)
{
    pj_auto_buf text = {0};
    for (size_t series = 0; series < s->series_count; series++) {
        const char *name = s->series_count > 1 ? series_name(s, series) : s->metric->title;
        pj_buf_addf(&text, "%s%s:", series ? " " : "", name);
        bool first = true;
        for (size_t i = 0; i < s->count; i++)
            if (s->samples[i].series == series) {
                pj_buf_addf(&text, "%s %s at %s", first ? "" : ",",
                            text_of(s, arena, s->samples[i].y), place_text(s, s->samples[i].run));
                first = false;
            }
        pj_buf_puts(&text, ".");
    }
    return pj_arena_text(arena, pj_buf_str(&text));
}

/// Whether parts of runs of one size stand at one place, each once: as lines they would be dots
/// above each other.
static bool are_beside(const scaling *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->samples[i].x != s->samples[0].x)
            return false;
    return s->parts && !s->along && !s->opts.x && s->count + s->missing_count == s->series_count;
}

static pj_figure *draw_bars(const scaling *s, const pj_draw *draw, pj_err *err)
{
    const size_t runs = s->metrics->study->count;
    pj_named_part *parts = pj_new_n(s->arena, pj_named_part, runs + 1);
    size_t count = 0;
    for (size_t run = 0; run < runs; run++)
        if (!is_repeated(s, run))
            parts[count++] =
                (pj_named_part){series_key(s, run), pj_metrics_at(s->metrics, run, s->row)};
    pj_plot_opts opts = s->opts;
    opts.y[0] = NULL;
    return pj_plot_parts_bars(s->metric, parts, count, opts, draw, err);
}

/// With a capital at its start.
static const char *sentence_of(const char *text, pj_arena *arena)
{
    bool small = text && *text >= 'a' && *text <= 'z';
    return small ? pj_arena_format(arena, "%c%s", *text - 'a' + 'A', text + 1) : text;
}

static const char *note_of(const scaling *s)
{
    const char *note = s->along ? NULL : sentence_of(s->metrics->study->scaling_note, s->arena);
    if (!s->missing_count)
        return note;
    return pj_arena_format(s->arena, "%s%sn/a for %zu of %zu runs: %s", note ? note : "",
                           note ? "; " : "", s->missing_count, s->metrics->study->count,
                           s->missing);
}

static pj_figure *draw_plot(const scaling *s, const pj_draw *draw)
{
    pj_chart_label *labels = pj_new_n(s->arena, pj_chart_label, s->series_count + 3);
    pj_chart_key *keys = pj_new_n(s->arena, pj_chart_key, s->series_count + 1);
    const char *over = s->along ? pj_parts_along_title(s->along) : pj_key_title(s->x);
    const char *title =
        pj_arena_format(s->arena, "%s over %c%s", s->metric->title, *over | 0x20, over + 1);
    const char *subtitle = s->opts.title
                               ? pj_arena_format(s->arena, "%s: %s", title, s->metrics->set->title)
                               : s->metrics->title;
    pj_chart chart = pj_chart_new(
        (pj_chart_opts){
            .title = s->opts.title ? s->opts.title : title,
            .subtitle = subtitle,
            .note = note_of(s),
            .width = s->opts.width,
            .height = s->opts.height,
            .x = s->along ? pj_parts_along_axis(s->along, s->arena) : x_axis(s),
            .keys = keys,
            .key_count = fill_keys(s, keys),
            .y = y_axis(s),
            .room = pj_chart_label_room(draw, s->arena, labels, fill_labels(s, NULL, 0, labels))},
        draw);
    pj_callouts callouts = {.chart = &chart};
    double to = chart.x.ticks[chart.x.tick_count - 1].value;
    if (has_ideal(s))
        draw_ideal(s, &chart, chart.x.ticks[0].value, to, &callouts);
    for (size_t series = 0; series < s->series_count; series++)
        draw_series(s, &chart, series, &callouts);
    pj_callouts_free(&callouts);
    pj_chart_labels(&chart, labels, fill_labels(s, &chart, to, labels));
    chart.figure->summary = summary_of(s, chart.arena);
    return chart.figure;
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    scaling s = {.metrics = data.metrics, .opts = opts, .arena = arena};
    if (!choose_metric(&s, err) || !choose_keys(&s, err))
        return NULL;
    s.shape = shape_of(&s);
    collect(&s);
    if (s.count == 0) {
        pj_fail(err, PJ_E_MISSING, NULL, 0, "no run has a value of %s: %s", s.metric->key,
                s.missing ? s.missing : "there are no runs");
        return NULL;
    }
    if (are_beside(&s))
        return draw_bars(&s, draw, err);
    if (s.parts && s.series_count > MOST_PARTS) {
        pj_fail(err, PJ_E_USAGE, NULL, 0,
                "parts of the runs make %zu lines; at most %d are readable: take fewer, as with "
                "--by time:8 or --region NAME; popinjay plot slices and plot iterations draw all "
                "of a run",
                s.series_count, MOST_PARTS);
        return NULL;
    }
    if (s.series_count > MOST_SERIES) {
        pj_fail(err, PJ_E_USAGE, NULL, 0,
                "%s splits the runs into %zu lines; at most %d are readable", pj_key_name(s.by),
                s.series_count, MOST_SERIES);
        return NULL;
    }
    s.named = end_together(&s);
    choose_axes(&s);
    return draw_plot(&s, draw);
}

const pj_plot pj_plot_scaling = {
    .name = "scaling",
    .title = "Scaling of a metric",
    .help = "Any metric over ranks, threads or layout, with the ideal and the 80 % band; one line "
            "per group.",
    .source = PJ_PLOT_METRICS,
    .usual = true,
    .most_y = 1,
    .make = make,
};
