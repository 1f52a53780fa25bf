// The call graph that is shown: functions and calls above thresholds, below a root, above a leaf,
// as gprof2dot 2026-07 chooses them (gprof2dot.py, class Profile: ratio, prune, prune_root,
// prune_leaf). Ownership: arena.
#ifndef PJ_CALL_GRAPH_H
#define PJ_CALL_GRAPH_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"

typedef struct pj_call_graph_node {
    uint32_t region;
    double total, self; // parts of the whole; NaN = not told
    double weight;      // what its colour follows
} pj_call_graph_node;

typedef struct pj_call_graph_edge {
    uint32_t caller, callee; // nodes
    double total;            // part of the whole; NaN = not told
    double weight;           // the same, or where it is not told the smaller end's
    double calls;            // NaN = not told
} pj_call_graph_edge;

typedef struct pj_call_graph {
    const pj_profile_sums *sums;
    pj_call_graph_node *nodes;
    pj_call_graph_edge *edges; // by caller
    uint32_t node_count, edge_count;
    uint32_t functions; // of the profile that have a value
} pj_call_graph;

typedef struct pj_call_graph_opts {
    double least_node, least_edge; // parts of the whole; 0 = 0.5 % and 0.1 %, < 0 = none
    bool by_self;                  // weights of nodes are own time by the largest one
    const char *root, *leaf;       // names, short names or labels, with wildcards; NULL = all
    const char *path;              // what files of functions begin with; NULL = any
    unsigned depth;                // calls from the root or leaf; 0 = all
} pj_call_graph_opts;

/// Whether no time was measured and functions weigh by their calls: a run that gprof found too
/// short.
bool pj_call_graph_by_calls(const pj_profile_sums *sums);
/// PJ_E_MISSING where the profile does not say who calls whom, or nothing is above the thresholds;
/// PJ_E_USAGE where no function that is shown has the name of the root or leaf.
PJ_CHECKED pj_call_graph *pj_call_graph_new(const pj_profile_sums *sums, pj_call_graph_opts opts,
                                            pj_arena *arena, pj_err *err);

#endif
