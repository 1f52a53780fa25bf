// A tree of call paths as the call graph that follows from it: exactly, nothing is made up.
// Ownership: new references.
#ifndef PJ_PROFILE_GRAPH_H
#define PJ_PROFILE_GRAPH_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/profile/profile.h"

/// Exclusive and inclusive values of nodes, whichever of them is stored; columns are arena where
/// they are derived. NULL = the source has neither.
typedef struct pj_profile_paths {
    const pj_profile_column *exclusive, *inclusive;
} pj_profile_paths;
pj_profile_paths pj_profile_paths_of(const pj_profile *tree, uint32_t measure, pj_arena *arena);

/// Whether a node has no ancestor of the same region: only such nodes count in the inclusive value
/// and in the primitive calls of their region.
bool *pj_profile_outermost(const pj_profile *tree, pj_arena *arena);

/// Values by region and by edge, summed over the nodes. What is no tree is held and given as it is.
PJ_CHECKED pj_profile *pj_profile_graph(pj_profile *profile, pj_job *job, pj_err *err);
/// Of one measure (PJ_NO_ITEM: calls alone) and by region alone: quicker.
PJ_CHECKED pj_profile *pj_profile_by_region(pj_profile *profile, uint32_t measure, pj_job *job,
                                            pj_err *err);

#endif
