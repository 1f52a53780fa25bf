// How the ranks and threads of a profile differ in a call path, a call or a function, for lists of
// calls. Ownership: arena; the profile is borrowed.
#ifndef PJ_CALL_TREE_SPREAD_H
#define PJ_CALL_TREE_SPREAD_H

#include "metrics/base/arena.h"
#include "metrics/profile/call_tree.h"
#include "metrics/profile/profile.h"
#include "metrics/table/spread.h"

typedef struct pj_call_tree_spread {
    const pj_profile *profile;
    // Values with callees; of functions without; NULL = nobody knows them by location.
    const pj_profile_column *nodes, *edges, *regions, *own;
    double *values; // room for one of each location
} pj_call_tree_spread;

/// `merged`: a box stands for several call paths, of which it names the first.
pj_call_tree_spread pj_call_tree_spread_of(const pj_profile *profile, uint32_t measure, bool merged,
                                           pj_arena *arena);
/// An empty one where nobody knows, or where there is one location.
pj_spread pj_call_tree_spread_at(const pj_call_tree_spread *of, const pj_profile_column *column,
                                 uint32_t item);
/// Of a box; `reversed`: functions, with their callers below them.
pj_spread pj_call_tree_spread_box(const pj_call_tree_spread *of, const pj_call_box *box,
                                  bool reversed);

#endif
