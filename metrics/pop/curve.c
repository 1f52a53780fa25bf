// Least squares over few points: lines in closed form, hyperbolas by a search over one coefficient.
#include "metrics/pop/curve.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"

#include <math.h>
#include <stdbool.h>

static const char *const names[] = {[PJ_CURVE_AMDAHL] = "amdahl",
                                    [PJ_CURVE_PIPE] = "pipe",
                                    [PJ_CURVE_LINEAR] = "linear",
                                    [PJ_CURVE_CONSTANT] = "constant",
                                    [PJ_CURVE_PMNF] = "pmnf"};

const char *pj_curve_form_name(pj_curve_form form)
{
    return form < sizeof names / sizeof *names ? names[form] : NULL;
}

/// What c1 is multiplied with in the forms that are lines in it.
static double basis(const pj_curve *curve, double p)
{
    return curve->form == PJ_CURVE_LINEAR ? p : pow(p, curve->a) * pow(log2(p), curve->b);
}

/// A factor less its c0.
static double shape_of(const pj_curve *curve, double p)
{
    double f = curve->c1;
    return curve->form == PJ_CURVE_AMDAHL ? 1 / (f + (1 - f) * p) : p / ((1 - f) + f * (2 * p - 1));
}

double pj_curve_at(const pj_curve *curve, double p)
{
    switch (curve->form) {
    case PJ_CURVE_AMDAHL:
    case PJ_CURVE_PIPE:
        return curve->c0 * shape_of(curve, p);
    case PJ_CURVE_CONSTANT:
        return curve->c0;
    case PJ_CURVE_LINEAR:
    case PJ_CURVE_PMNF:
        break;
    }
    return curve->c0 + curve->c1 * basis(curve, p);
}

/// Of the point `i` where `without` is left out; 0 = it does not count.
static double weight_of(const pj_curve *curve, size_t i, size_t without)
{
    if (i == without)
        return 0;
    return pj_curve_is_factor(curve->form) && i == 0 ? 100 : 1; // a tenth of the deviation
}

static double weighted_rss(const pj_curve *curve, const pj_points *series, size_t without)
{
    double sum = 0;
    for (size_t i = 0; i < series->count; i++) {
        double off = series->value[i] - pj_curve_at(curve, series->p[i]);
        sum += i == without ? 0 : weight_of(curve, i, without) * off * off;
    }
    return sum;
}

double pj_curve_weighted_rss(const pj_curve *curve, const pj_points *series)
{
    return weighted_rss(curve, series, PJ_ALL_POINTS);
}

static double weighted_mean(const pj_curve *curve, const pj_points *series, size_t without,
                            bool of_basis)
{
    double sum = 0, weights = 0;
    for (size_t i = 0; i < series->count; i++) {
        double weight = weight_of(curve, i, without);
        if (weight == 0)
            continue;
        sum += weight * (of_basis ? basis(curve, series->p[i]) : series->value[i]);
        weights += weight;
    }
    return sum / weights;
}

/// What rounding leaves of a constant that is 0.
static const double rounding = 1e-12;

static void fit_line(pj_curve *curve, const pj_points *series, size_t without)
{
    double x_mean = weighted_mean(curve, series, without, true);
    double y_mean = weighted_mean(curve, series, without, false);
    double xy = 0, xx = 0;
    for (size_t i = 0; i < series->count; i++) {
        double weight = weight_of(curve, i, without);
        if (weight == 0)
            continue;
        double x = basis(curve, series->p[i]) - x_mean;
        xy += weight * x * (series->value[i] - y_mean);
        xx += weight * x * x;
    }
    curve->c1 = xx > 0 ? xy / xx : 0;
    curve->c0 = y_mean - curve->c1 * x_mean;
    if (fabs(curve->c0) < rounding * fabs(y_mean))
        curve->c0 = 0;
}

/// What is left with `f` and the c0 that is best for it.
static double rss_with(pj_curve *curve, const pj_points *series, size_t without, double f)
{
    double gy = 0, gg = 0;
    curve->c1 = f;
    for (size_t i = 0; i < series->count; i++) {
        double weight = weight_of(curve, i, without), g = shape_of(curve, series->p[i]);
        gy += weight * g * series->value[i];
        gg += weight * g * g;
    }
    curve->c0 = gy / gg;
    return weighted_rss(curve, series, without);
}

/// The best of 257 values of f, then golden section between its neighbours.
static void fit_curve(pj_curve *curve, const pj_points *series, size_t without)
{
    enum { STEPS = 256 };
    const double ratio = 0.61803398874989485, precise = 1e-12;
    unsigned best = 0;
    double least = INFINITY;
    for (unsigned i = 0; i <= STEPS; i++) {
        double rss = rss_with(curve, series, without, i / (double)STEPS);
        if (rss < least) {
            least = rss;
            best = i;
        }
    }
    double low = best > 0 ? (best - 1) / (double)STEPS : 0;
    double high = best < STEPS ? (best + 1) / (double)STEPS : 1;
    while (high - low > precise) {
        double left = high - ratio * (high - low), right = low + ratio * (high - low);
        if (rss_with(curve, series, without, left) <= rss_with(curve, series, without, right))
            high = right;
        else
            low = left;
    }
    double middle = (low + high) / 2;
    double at_border = middle < 0.5 ? 0 : 1; // the search comes near a border, never there
    bool border =
        rss_with(curve, series, without, at_border) <= rss_with(curve, series, without, middle);
    rss_with(curve, series, without, border ? at_border : middle);
}

pj_curve pj_curve_fit(pj_curve shape, const pj_points *series, size_t without)
{
    switch (shape.form) {
    case PJ_CURVE_AMDAHL:
    case PJ_CURVE_PIPE:
        fit_curve(&shape, series, without);
        break;
    case PJ_CURVE_CONSTANT:
        shape.c0 = weighted_mean(&shape, series, without, false);
        break;
    case PJ_CURVE_LINEAR:
    case PJ_CURVE_PMNF:
        fit_line(&shape, series, without);
        break;
    }
    return shape;
}

const char *pj_curve_formula(pj_arena *arena, const pj_curve *curve)
{
    pj_auto_buf text = {.at = NULL};
    double c0 = curve->c0, c1 = curve->c1;
    switch (curve->form) {
    case PJ_CURVE_AMDAHL:
        return pj_arena_format(arena, "%.4g / (%.4g + %.4g p)", c0, c1, 1 - c1);
    case PJ_CURVE_PIPE:
        return pj_arena_format(arena, "%.4g p / (%.4g + %.4g (2 p - 1))", c0, 1 - c1, c1);
    case PJ_CURVE_LINEAR:
        return pj_arena_format(arena, "%.4g + %.4g p", c0, c1);
    case PJ_CURVE_CONSTANT:
        return pj_arena_format(arena, "%.4g", c0);
    case PJ_CURVE_PMNF:
        break;
    }
    if (c0 != 0)
        pj_buf_addf(&text, "%.4g %c %.4g", c0, c1 < 0 ? '-' : '+', fabs(c1));
    else
        pj_buf_addf(&text, "%.4g", c1);
    if (curve->a != 0)
        pj_buf_addf(&text, curve->a == 1 ? " p" : " p^%.3g", curve->a);
    if (curve->b != 0)
        pj_buf_addf(&text, curve->b == 1 ? " log2(p)" : " log2(p)^%d", curve->b);
    return pj_arena_text(arena, pj_buf_str(&text));
}
