// What became of the functions and calls of a call graph since another profile. Ownership: arena.
#ifndef PJ_GRAPH_CHANGE_H
#define PJ_GRAPH_CHANGE_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/profile/call_graph.h"
#include "widgets/plot/profile/graph_pairs.h"
#include "widgets/plot/profile/profile_view.h"

typedef struct pj_graph_change {
    const pj_profile_view *view; // of what is drawn
    const pj_call_graph *graph;
    pj_profile_view then;
    double factor;          // of its values, where both are to take as long
    pj_graph_pairs pairs;   // with everything of before
    double most, most_edge; // changes, either way
    const char *gone;       // "refine 79.4 ms": functions that are no longer there; "" = none
    const pj_call_graph *was, *is; // before, above the same thresholds; now, of everything above
} pj_graph_change;

/// The options of view and graph hold for the profile of before, too. Errors: those of
/// pj_profile_view_new and pj_call_graph_new.
PJ_CHECKED pj_graph_change *pj_graph_change_new(const pj_profile_view *view,
                                                const pj_call_graph *graph, pj_call_graph_opts opts,
                                                pj_arena *arena, pj_err *err);
/// Time with callees, NAN = there was none (it is not told).
double pj_graph_change_now(const pj_graph_change *change, uint32_t node);
double pj_graph_change_then(const pj_graph_change *change, uint32_t node);
double pj_graph_change_edge_now(const pj_graph_change *change, uint32_t edge);
double pj_graph_change_edge_then(const pj_graph_change *change, uint32_t edge);

#endif
