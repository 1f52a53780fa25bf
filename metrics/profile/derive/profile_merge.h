// Several profiles as one: what is the same in them becomes one item, their locations stay apart.
// Ownership: borrow.
#ifndef PJ_PROFILE_MERGE_H
#define PJ_PROFILE_MERGE_H

#include "metrics/base/err.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"

/// What of the parts is taken; zeros = all as it is.
typedef struct pj_profile_merging {
    bool strip; // files without their folders: what is the same then is one
    bool align; // what is the same by module and line, or by module alone, is one: same_function.h
    const char *const *names; // of the locations, by part; NULL = as they are
    // Of a single part, by number: which are left out. NULL = none.
    const bool *without_location, *without_region, *without_node;
} pj_profile_merging;

/// Fills an empty builder with all parts, in their order; regions are one by name, file and line,
/// or as asked. Nodes below one that is left out become roots. Of different shapes the whole has
/// the least: trees become call graphs, beside flat ones these lose their calls; both is counted.
PJ_CHECKED bool pj_profile_merge(pj_build *build, pj_profile *const *parts, size_t count,
                                 pj_profile_merging how, pj_err *err);

#endif
