// Inclusive times that follow from own ones by numbers of calls: a caller bears of its callee's
// time the part of its calls. For sources that tell no more, or round what they tell (gprof), as
// gprof2dot 2026-07 has them (gprof2dot.py, class Profile: call_ratios, integrate).
// Ownership: arena.
#ifndef PJ_CALL_SHARES_H
#define PJ_CALL_SHARES_H

#include "metrics/base/arena.h"
#include "metrics/profile/profile_sums.h"

typedef struct pj_call_shares {
    double *regions; // inclusive; of a cycle's members what is below the calls from outside
    double *edges;   // NaN = not told: a call back to where the cycle was entered, or to itself
} pj_call_shares;

/// Of a call graph whose edges have numbers of calls.
pj_call_shares pj_call_shares_new(const pj_profile_sums *sums, pj_arena *arena);

#endif
