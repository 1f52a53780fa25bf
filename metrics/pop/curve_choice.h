// Which curve fits a series best, and which others fit as well. Ownership: none.
#ifndef PJ_CURVE_CHOICE_H
#define PJ_CURVE_CHOICE_H

#include "metrics/pop/curve.h"

#include <stdbool.h>

/// A model with how good it is: every point predicted from the others (a constant: from all).
typedef struct pj_judged_curve {
    pj_curve curve;     // of all points
    double smape;       // symmetric mean absolute percentage error, 0..200
    double rss;         // squares of the same differences
    double adjusted_r2; // against the constant, for the two coefficients
} pj_judged_curve;

enum { PJ_CURVE_RIVALS = 3 };

typedef struct pj_curve_choice {
    pj_judged_curve best;
    pj_judged_curve rivals[PJ_CURVE_RIVALS]; // within one point of SMAPE, the best first
    size_t rival_count;                      // of all of them, shown or not
} pj_curve_choice;

/// A given form over at least 3 points; `shape` as for pj_curve_fit.
pj_judged_curve pj_curve_judge(pj_curve shape, const pj_points *series);
/// The better of amdahl and pipe by the weighted sum of squares.
pj_curve_choice pj_curve_choose_factor(const pj_points *series);
/// The normal form: the constant or the term with the least SMAPE; `negative`: with the terms that
/// fall with p.
pj_curve_choice pj_curve_choose_pmnf(const pj_points *series, bool negative);

#endif
