// Memory over time as mprof records it: a curve for each process, calls as brackets on it, its
// peak.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/find/find.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/memory_curve.h"
#include "metrics/profile/profile.h"
#include "widgets/figure/axis.h"
#include "widgets/figure/chart.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"
#include "widgets/figure/textbox.h"
#include "widgets/plot/plot.h"
#include "widgets/plot/profile/profile_view.h"

enum { CURVES_MOST = 12, POINTS_MOST = 2000, BRACKETS_MOST = 200, KEYS_MOST = CURVES_MOST + 9 };
static const double bracket = 4; // px, half of its height

typedef struct memory {
    const pj_profile *p;
    pj_arena *arena;
    pj_memory_curve *curves;    // of each series
    double *begin;              // the same: where its time begins
    double seconds, peak, most; // peak = of a curve; most = of all that is drawn
    const char *unit;
    bool slope;
    pj_profile_point *sums; // of all processes, at the times of the first one; NULL = not drawn
    size_t sum_count;
    double sum_most;
    pj_chart_key keys[KEYS_MOST];
    size_t key_count;
} memory;

/// Curves of one file share its clock; several files begin together.
static void measure(memory *m)
{
    const pj_profile *p = m->p;
    m->begin = pj_new_n(m->arena, double, p->series_count + (size_t)1);
    m->curves = pj_new_n(m->arena, pj_memory_curve, p->series_count + (size_t)1);
    for (uint32_t s = 0; s < p->series_count; s++) {
        m->begin[s] = pj_memory_curve_start(p, p->locations[p->series[s].location].file);
        m->curves[s] = pj_memory_curve_of(p, s, m->begin[s], m->arena);
        for (size_t i = 0; i < m->curves[s].count; i++) {
            m->seconds = fmax(m->seconds, m->curves[s].points[i].time - m->begin[s]);
            m->peak = fmax(m->peak, m->curves[s].points[i].value);
            m->most = m->peak;
        }
    }
}

/// Between two samples as they are joined, nothing outside; times ask in their order.
static double value_at(const pj_memory_curve *curve, double time, size_t *next)
{
    while (*next < curve->count && curve->points[*next].time < time)
        (*next)++;
    if (*next == curve->count)
        return 0;
    const pj_profile_point *to = &curve->points[*next];
    if (to->time == time)
        return to->value;
    const pj_profile_point *from = *next ? to - 1 : NULL;
    if (!from)
        return 0;
    return from->value + (to->value - from->value) * (time - from->time) / (to->time - from->time);
}

/// The program with its children: what the machine must have.
static void add_up(memory *m)
{
    const uint64_t most_steps = 50000000;
    const pj_profile *p = m->p;
    const pj_memory_curve *first = &m->curves[0];
    if (p->file_count > 1 || p->series_count < 2 ||
        (uint64_t)first->count * p->series_count > most_steps)
        return;
    size_t *next = pj_new_n(m->arena, size_t, p->series_count);
    m->sums = pj_new_n(m->arena, pj_profile_point, first->count + 1);
    m->sum_count = first->count;
    for (size_t i = 0; i < first->count; i++) {
        m->sums[i].time = first->points[i].time;
        for (uint32_t s = 0; s < p->series_count; s++)
            m->sums[i].value += value_at(&m->curves[s], first->points[i].time, &next[s]);
        m->sum_most = fmax(m->sum_most, m->sums[i].value);
    }
    m->most = fmax(m->most, m->sum_most);
}

/// The file of one of several.
static const char *file_name(const memory *m, uint32_t file)
{
    pj_str path = pj_str_of(m->p->files[file]);
    size_t slash = pj_str_find_last(path, '/');
    return pj_arena_text(m->arena, slash < path.len ? pj_str_from(path, slash + 1) : path);
}

static const char *curve_name(const memory *m, uint32_t s)
{
    const pj_profile_location *at = &m->p->locations[m->p->series[s].location];
    pj_str name = pj_profile_text(m->p, at->name);
    const char *what = name.len ? pj_arena_text(m->arena, name) : "program";
    if (m->p->file_count > 1 && at->file < m->p->file_count)
        what = name.len ? pj_arena_format(m->arena, "%s, %s", what, file_name(m, at->file))
                        : file_name(m, at->file); // long keys keep their ends
    double slope = m->curves[s].slope;
    if (m->slope && !isnan(slope)) // its peak is in the picture
        return pj_arena_format(m->arena, "%s, slope %.5f %s/s", what, slope, m->unit);
    return pj_arena_format(m->arena, "%s, at most %.1f %s", what,
                           m->curves[s].count ? m->curves[s].peak : 0, m->unit);
}

static pj_colour bracket_colour(uint32_t region)
{
    return pj_chart_ink(pj_palette_series(1 + (size_t)region));
}

/// "step 0.400 s", of several calls their number too.
static const char *function_name(const memory *m, uint32_t region)
{
    double seconds = 0;
    uint32_t calls = 0;
    for (uint32_t b = 0; b < m->p->bracket_count; b++)
        if (m->p->brackets[b].region == region) {
            seconds += m->p->brackets[b].end - m->p->brackets[b].begin;
            calls++;
        }
    const char *name = pj_function_short(m->p, region, m->arena);
    return calls > 1 ? pj_arena_format(m->arena, "%s %.3f s in %u calls", name, seconds, calls)
                     : pj_arena_format(m->arena, "%s %.3f s", name, seconds);
}

/// Calls of several recordings would lie over each other.
static bool has_brackets(const memory *m)
{
    return m->p->file_count <= 1 && m->p->bracket_count > 0;
}

static void add_keys(memory *m)
{
    for (uint32_t s = 0; s < m->p->series_count && s < CURVES_MOST; s++)
        m->keys[m->key_count++] = (pj_chart_key){curve_name(m, s), pj_palette_series(s)};
    if (m->sums)
        m->keys[m->key_count++] = (pj_chart_key){
            pj_arena_format(m->arena, "all together, at most %.1f %s", m->sum_most, m->unit),
            PJ_MUTED};
    bool *said = pj_new_n(m->arena, bool, m->p->count[PJ_AT_REGION] + (size_t)1);
    for (uint32_t b = 0; has_brackets(m) && b < m->p->bracket_count && m->key_count < KEYS_MOST;
         b++) {
        uint32_t region = m->p->brackets[b].region;
        if (!said[region])
            m->keys[m->key_count++] =
                (pj_chart_key){function_name(m, region), bracket_colour(region)};
        said[region] = true;
    }
}

static void add_curve(const memory *m, pj_chart *chart, uint32_t index)
{
    const pj_memory_curve *s = &m->curves[index];
    size_t stride = 1 + s->count / POINTS_MOST, count = 0;
    pj_point *points = pj_new_n(m->arena, pj_point, s->count / stride + 2);
    for (size_t i = 0; i < s->count; i += stride) { // of points left out, the highest counts
        const pj_profile_point *high = &s->points[i];
        for (size_t k = i; k < i + stride && k < s->count; k++)
            high = s->points[k].value > high->value ? &s->points[k] : high;
        points[count++] = (pj_point){pj_chart_x(chart, high->time - m->begin[index]),
                                     pj_chart_y(chart, high->value)};
    }
    pj_chart_line(chart, points, count,
                  (pj_mark){.stroke = pj_palette_series(index), .stroke_width = 1.6});
    if (count)
        pj_chart_dot(chart,
                     (pj_point){pj_chart_x(chart, s->peak_time - m->begin[index]),
                                pj_chart_y(chart, s->peak)},
                     pj_palette_series(index), 4,
                     pj_arena_format(m->arena, "%s\nafter %.3f s\ntrend %+.3g %s/s",
                                     curve_name(m, index), s->peak_time - m->begin[index],
                                     isnan(s->slope) ? 0 : s->slope, m->unit));
}

/// Of many points those that make the line as it is seen.
static void add_sum(const memory *m, pj_chart *chart)
{
    size_t stride = 1 + m->sum_count / POINTS_MOST, count = 0;
    pj_point *points = pj_new_n(m->arena, pj_point, m->sum_count / stride + 2);
    for (size_t i = 0; i < m->sum_count; i += stride) {
        const pj_profile_point *high = &m->sums[i];
        for (size_t k = i; k < i + stride && k < m->sum_count; k++)
            high = m->sums[k].value > high->value ? &m->sums[k] : high;
        points[count++] =
            (pj_point){pj_chart_x(chart, high->time - m->begin[0]), pj_chart_y(chart, high->value)};
    }
    pj_chart_line(chart, points, count,
                  (pj_mark){.stroke = PJ_MUTED, .stroke_width = 1.4, .dash = 3});
}

/// The line of least squares through a curve.
static void add_trend(const memory *m, pj_chart *chart, uint32_t index)
{
    const pj_memory_curve *s = &m->curves[index];
    if (isnan(s->slope) || s->count < 2)
        return;
    double from = s->points[0].time - m->begin[index];
    double to = s->points[s->count - 1].time - m->begin[index];
    double low = fmax(s->intercept + s->slope * from, 0), high = s->intercept + s->slope * to;
    pj_figure_add(chart->figure, (pj_mark){.kind = PJ_MARK_LINE,
                                           .x = pj_chart_x(chart, from),
                                           .y = pj_chart_y(chart, fmin(low, m->most)),
                                           .w = pj_chart_x(chart, to),
                                           .h = pj_chart_y(chart, fmin(fmax(high, 0), m->most)),
                                           .stroke = pj_palette_series(index),
                                           .stroke_width = 1,
                                           .dash = 5});
}

static void add_dashes(pj_chart *chart, double x0, double y0, double x1, double y1)
{
    pj_figure_add(chart->figure, (pj_mark){.kind = PJ_MARK_LINE,
                                           .x = x0,
                                           .y = y0,
                                           .w = x1,
                                           .h = y1,
                                           .stroke = PJ_MUTED,
                                           .stroke_width = 1,
                                           .dash = 4});
}

/// Lines through the highest point of all, with its value.
static void add_peak(const memory *m, pj_chart *chart)
{
    for (uint32_t s = 0; s < m->p->series_count && s < CURVES_MOST; s++) {
        const pj_memory_curve *curve = &m->curves[s];
        if (!curve->count || curve->peak < m->peak)
            continue;
        double x = pj_chart_x(chart, curve->peak_time - m->begin[s]);
        double y = pj_chart_y(chart, curve->peak);
        add_dashes(chart, chart->left, y, chart->right, y);
        add_dashes(chart, x, chart->top, x, chart->bottom);
        pj_textbox_put(
            chart->figure, chart->right, y - 5,
            pj_arena_format(m->arena, "%.1f %s after %.2f s", curve->peak, m->unit,
                            curve->peak_time - m->begin[s]),
            (pj_style){.size = 11, .colour = PJ_MUTED, .anchor = PJ_ANCHOR_END, .halo = true});
        return;
    }
}

static void add_end(pj_chart *chart, double x, double y, bool opens, pj_mark look)
{
    double foot = opens ? bracket * 0.8 : -bracket * 0.8;
    pj_point points[] = {
        {x + foot, y - bracket}, {x, y - bracket}, {x, y + bracket}, {x + foot, y + bracket}};
    look.points = points;
    look.kind = PJ_MARK_PATH;
    look.point_count = 4;
    pj_figure_add(chart->figure, look);
}

static void add_bracket(const memory *m, pj_chart *chart, const pj_profile_bracket *b)
{
    const char *hover = pj_arena_format(m->arena, "%s\n%.3f s, from %.1f to %.1f %s",
                                        pj_function_short(m->p, b->region, m->arena),
                                        b->end - b->begin, b->value_begin, b->value_end, m->unit);
    pj_mark look = {.stroke = bracket_colour(b->region), .stroke_width = 1.5, .hover = hover};
    double from = m->begin[b->series];
    add_end(chart, pj_chart_x(chart, b->begin - from), pj_chart_y(chart, b->value_begin), true,
            look);
    add_end(chart, pj_chart_x(chart, b->end - from), pj_chart_y(chart, b->value_end), false, look);
}

/// What stands out, as findings say it; NULL = nothing.
static const char *finding_of(const memory *m)
{
    pj_auto_buf text = {0};
    pj_find_memory_peak(m->p, NULL, &text);
    return text.len ? pj_arena_text(m->arena, pj_str_trim(pj_buf_str(&text))) : NULL;
}

static pj_figure *draw_it(memory *m, pj_plot_opts opts, const pj_draw *draw)
{
    const pj_profile *p = m->p;
    pj_str command = pj_profile_text(p, p->command);
    pj_axis x = pj_axis_new(PJ_AXIS_LINEAR, 0, m->seconds, true);
    pj_axis y = pj_axis_new(PJ_AXIS_LINEAR, 0, m->most * 1.05, true);
    x.title = "Time [s]";
    y.title = pj_arena_format(m->arena, "Memory [%s]", m->unit);
    const char *note = pj_arena_format(
        m->arena, "%s%s", has_brackets(m) ? "Brackets: beginnings and ends of calls. " : "",
        m->slope ? "Broken lines: how memory grows, by least squares." : "");
    pj_chart chart =
        pj_chart_new((pj_chart_opts){.title = opts.title    ? opts.title
                                              : command.len ? pj_arena_text(m->arena, command)
                                                            : "Memory over time",
                                     .subtitle = finding_of(m),
                                     .note = *note ? note : NULL,
                                     .width = opts.width > 0 ? opts.width : 800,
                                     .height = opts.height,
                                     .x = x,
                                     .y = y,
                                     .keys = m->keys,
                                     .key_count = m->key_count},
                     draw);
    add_peak(m, &chart);
    for (uint32_t s = 0; s < p->series_count && s < CURVES_MOST; s++)
        add_curve(m, &chart, s);
    for (uint32_t s = 0; m->slope && s < p->series_count && s < CURVES_MOST; s++)
        add_trend(m, &chart, s);
    if (m->sums)
        add_sum(m, &chart);
    for (uint32_t b = 0; has_brackets(m) && b < p->bracket_count && b < BRACKETS_MOST; b++)
        add_bracket(m, &chart, &p->brackets[b]);
    chart.figure->searched = true;
    chart.figure->summary = pj_arena_format(
        chart.arena, "Memory of %u processes over %.2f s; at most %.1f %s%s.", p->series_count,
        m->seconds, m->peak, m->unit,
        m->sums ? pj_arena_format(m->arena, ", all together %.1f %s", m->sum_most, m->unit) : "");
    return chart.figure;
}

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    memory m = {.p = data.profile, .arena = arena, .slope = opts.profile.slope};
    if (m.p->series_count) {
        measure(&m);
        add_up(&m);
    }
    if (!(m.seconds > 0) || !(m.most > 0)) {
        pj_fail(err, PJ_E_MISSING, m.p->file_count ? m.p->files[0] : NULL, 0,
                "has no memory over time; mprof records it (mprof run PROGRAM), or popinjay record "
                "--memory");
        return NULL;
    }
    m.unit = pj_arena_text(arena, pj_profile_text(m.p, m.p->series[0].unit));
    add_keys(&m);
    return draw_it(&m, opts, draw);
}

const pj_plot pj_plot_memory = {
    .name = "memory",
    .title = "Memory over time",
    .help =
        "Memory of processes over time, with calls and peaks (recordings of mprof, or of popinjay "
        "record --memory).",
    .source = PJ_PLOT_PROFILE,
    .topic = "memory",
    .beside = "memory",
    .make = make,
};
