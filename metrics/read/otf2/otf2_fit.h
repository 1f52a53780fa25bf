// Difference constraints: numbers x, one for each rank, with x[to] - x[from] >= least for every
// need, in any unit. Ownership: borrow.
#ifndef PJ_OTF2_FIT_H
#define PJ_OTF2_FIT_H

#include <stddef.h>
#include <stdint.h>

typedef struct pj_otf2_need {
    uint32_t from, to;
    int64_t least; // within PJ_OTF2_NEED_MOST of 0
} pj_otf2_need;

#define PJ_OTF2_NEED_MOST (INT64_C(1) << 58) // what damaged times may ask for

typedef struct pj_otf2_needs {
    pj_otf2_need *items;
    size_t count, cap;
    uint32_t ranks;
} pj_otf2_needs;

/// Fills `x`. Gives 0, or how much some needs lack when no numbers meet all: then those are found
/// that come closest.
int64_t pj_otf2_fit(const pj_otf2_needs *needs, int64_t *x);

#endif
