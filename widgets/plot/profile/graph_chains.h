// Functions of a call graph that do nothing but call the next one: a picture has one box for such a
// chain. Ownership: arena.
#ifndef PJ_GRAPH_CHAINS_H
#define PJ_GRAPH_CHAINS_H

#include "metrics/base/arena.h"
#include "metrics/profile/call_graph.h"

typedef struct pj_graph_chain {
    const uint32_t *regions; // of the functions before the one that has the box, outermost first
    uint32_t count;
} pj_graph_chain;

typedef struct pj_graph_chains {
    const pj_call_graph *graph;   // without the functions that stand in the box of another one
    const pj_graph_chain *chains; // by node of it
    uint32_t folded;              // functions that have no box of their own
} pj_graph_chains;

/// Chains of three functions and more, each called by the one before it alone, with hardly any time
/// of their own but the last.
pj_graph_chains pj_graph_chains_of(const pj_call_graph *graph, pj_arena *arena);

#endif
