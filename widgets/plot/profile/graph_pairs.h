// What two call graphs have in common: the same functions, and calls between them.
// Ownership: arena.
#ifndef PJ_GRAPH_PAIRS_H
#define PJ_GRAPH_PAIRS_H

#include "metrics/base/arena.h"
#include "metrics/profile/call_graph.h"

typedef struct pj_graph_pairs {
    const pj_call_graph *other;
    uint32_t *nodes, *edges; // by node and edge of the first: those of the other; PJ_NO_ITEM = none
} pj_graph_pairs;

/// A function is the same as in same_function.h.
pj_graph_pairs pj_graph_pairs_of(const pj_call_graph *graph, const pj_call_graph *other,
                                 pj_arena *arena);

#endif
