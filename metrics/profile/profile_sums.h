// Values of a profile over the locations that one asks for, with those that follow from what its
// source has stored: inclusive ones of call paths from exclusive ones and the other way round, of
// regions and of edges from call paths. Ownership: arena.
#ifndef PJ_PROFILE_SUMS_H
#define PJ_PROFILE_SUMS_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/profile/profile.h"

/// Of an item; NaN = absent at all the locations, or unknown to the source.
typedef struct pj_profile_sums_of {
    double *exclusive, *inclusive, *calls, *primitive;
} pj_profile_sums_of;

/// Items whose other end is a region, grouped by it: of region r they are items[first[r]] up to
/// items[first[r + 1]], in the order of the items.
typedef struct pj_profile_sums_list {
    uint32_t *first, *items;
} pj_profile_sums_list;

typedef struct pj_profile_sums {
    const pj_profile *profile;
    uint32_t measure;
    const bool *locations; // that are added, folded as the measure says; NULL = all of them
    pj_profile_sums_of regions, nodes, edges;
    const pj_profile_edge *edge; // of the profile; of a tree made from its call paths
    uint32_t edge_count;
    pj_profile_sums_list callees, callers; // edges by caller, by callee
    pj_profile_sums_list children; // nodes by parent; of the last place (count of nodes): the roots
} pj_profile_sums;

/// Of a tree, regions and edges count a call path only where none above it is of the same region or
/// edge, so that recursion is not counted twice. `measure` PJ_NO_ITEM: calls alone. `locations` are
/// borrowed as long as the sums.
pj_profile_sums *pj_profile_sums_new(const pj_profile *profile, uint32_t measure,
                                     const bool *locations, pj_arena *arena);
/// The measure that people mean when they name none: time, else the first that can be added.
uint32_t pj_profile_sums_usual_measure(const pj_profile *profile);
/// Whether inclusive values have recursion once for each of its levels, as Callgrind counts it:
/// they can be more than there is.
bool pj_profile_sums_repeat(const pj_profile *profile);
/// Time, or what else the measure counts, of the whole profile: of a tree its roots, else the
/// larger of all exclusive values and of the largest inclusive one that has nothing twice.
double pj_profile_sums_total(const pj_profile_sums *sums);

/// PJ_E_MISSING: that the profile is flat, and which kinds of files are not; returns false.
bool pj_profile_sums_lack_paths(const pj_profile_sums *sums, pj_err *err);

/// Neither absent nor below 0, which nothing can be drawn from.
static inline double pj_profile_sums_size(double value)
{
    return value > 0 ? value : 0;
}

#endif
