// Curves through one value at several sizes: factors of efficiency as BSC's model has them, times
// and counts in the normal form of Extra-P. Sources: DEFINITIONS.md, "Scaling models".
// Ownership: none but the arena given.
#ifndef PJ_CURVE_H
#define PJ_CURVE_H

#include "metrics/base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum pj_curve_form {
    PJ_CURVE_AMDAHL,   // c0 / (c1 + (1 - c1) p), 0 <= c1 <= 1
    PJ_CURVE_PIPE,     // c0 p / ((1 - c1) + c1 (2 p - 1)), 0 <= c1 <= 1
    PJ_CURVE_LINEAR,   // c0 + c1 p: goes below 0, never for predictions
    PJ_CURVE_CONSTANT, // c0
    PJ_CURVE_PMNF,     // c0 + c1 p^a log2^b p
} pj_curve_form;

typedef struct pj_curve {
    pj_curve_form form;
    double a; // of PMNF
    int b;
    double c0, c1;
} pj_curve;

/// Sizes (threads; ascending, each once, above 0) and a value at each.
typedef struct pj_points {
    const double *p, *value;
    size_t count;
} pj_points;

#define PJ_ALL_POINTS SIZE_MAX

/// Name of a form; NULL past the end.
const char *pj_curve_form_name(pj_curve_form form);
/// Whether the form is one of factors: these hold to their first point, which has the tenfold
/// weight and is never left out.
static inline bool pj_curve_is_factor(pj_curve_form form)
{
    return form != PJ_CURVE_CONSTANT && form != PJ_CURVE_PMNF;
}

/// "0.945 + 21 p^-1", for people; arena.
const char *pj_curve_formula(pj_arena *arena, const pj_curve *curve);
/// Value at size `p`.
double pj_curve_at(const pj_curve *curve, double p);
/// The coefficients of a form (of PMNF: with a and b) by least squares over the points but
/// `without` (PJ_ALL_POINTS = all): two at least.
pj_curve pj_curve_fit(pj_curve shape, const pj_points *series, size_t without);
/// The sum that the fit of factors makes least: squares of differences, with the weights.
double pj_curve_weighted_rss(const pj_curve *curve, const pj_points *series);

#endif
