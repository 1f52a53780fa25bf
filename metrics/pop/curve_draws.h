// What a curve would be had other repetitions come: draws from those that there are (bootstrap).
// Ownership: arena.
#ifndef PJ_CURVE_DRAWS_H
#define PJ_CURVE_DRAWS_H

#include "metrics/base/arena.h"
#include "metrics/pop/curve.h"

#include <stddef.h>

enum { PJ_CURVE_DRAWS = 200 };

/// Runs of several sizes, those of one size together.
typedef struct pj_repeated_points {
    const double *p;     // sizes
    const size_t *first; // run that each size begins with; one more at the end
    const double *value; // by run
    size_t count;        // of sizes
} pj_repeated_points;

/// PJ_CURVE_DRAWS where each of at least 4 sizes has 3 repetitions or more; else 0.
size_t pj_curve_draw_count(const size_t *first, size_t sizes);
/// As many curves of the form of `shape` over all sizes, each through means of repetitions drawn
/// anew; always the same draws, so that those of several series can be combined.
void pj_curve_draw(pj_curve shape, const pj_repeated_points *runs, pj_curve *out, pj_arena *arena);
/// Widens low..high to 5 .. 95 % of `count` values, which are put in order; not where there are
/// none.
void pj_curve_draws_widen(double *values, size_t count, double *low, double *high);

#endif
