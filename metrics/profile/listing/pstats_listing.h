// The texts that Python's pstats prints (CPython's Lib/pstats.py: print_stats, print_callers,
// print_callees). Ownership: text is appended.
#ifndef PJ_PSTATS_LISTING_H
#define PJ_PSTATS_LISTING_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_parts.h"

typedef struct pj_pstats_ask {
    pj_str sort; // keys of pstats, "cumulative,name", or their unique beginnings; "-..." = reversed
    // Restrictions: a part of the rows, then those that match, then the first ones.
    double first_part;
    pj_str match;
    uint64_t first;
    bool strip;
    pj_profile_side side; // ALL_EDGES = the functions themselves
} pj_pstats_ask;

/// Errors: PJ_E_USAGE (an unknown or ambiguous key, a bad expression).
PJ_CHECKED bool pj_pstats_listing(pj_profile *profile, const pj_pstats_ask *ask, pj_buf *out,
                                  pj_err *err);

#endif
