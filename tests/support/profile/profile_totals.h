// What functions have in all, summed over the tree of a profile by the rule of recursion.
// Ownership: arena.
#ifndef PJ_PROFILE_TOTALS_H
#define PJ_PROFILE_TOTALS_H

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"

typedef struct profile_totals {
    double exclusive, inclusive; // inclusive: of calls that are not recursive
    double calls, primitive;
} profile_totals;

/// By region, of a measure that is stored exclusive; `location` PJ_NO_ITEM = of all.
profile_totals *profile_totals_of(const pj_profile *profile, const char *key, uint32_t location,
                                  pj_arena *arena);
/// Of all regions of one name.
profile_totals profile_totals_named(const pj_profile *profile, const profile_totals *totals,
                                    pj_str name);

/// Of all regions of one name, at a location or in all (PJ_NO_ITEM).
profile_totals profile_totals_at(const pj_profile *profile, const char *key, uint32_t location,
                                 const char *name);

#endif
