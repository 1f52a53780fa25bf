// A chain ends where a function has time of its own, calls several others, or is called by several.
#include "widgets/plot/profile/graph_chains.h"

#include "metrics/base/arena.h"
#include "metrics/profile/call_graph.h"
#include "metrics/profile/profile.h"

#include <math.h>

enum { BEFORE_LEAST = 2 };
static const double slight = 0.02; // part of its time that it does not pass on

typedef struct ends {
    uint32_t calls, callers; // numbers of edges, loops too
    uint32_t callee;         // of the last one
} ends;

static const ends *ends_of(const pj_call_graph *g, pj_arena *arena)
{
    ends *of = pj_new_n(arena, ends, g->node_count + (size_t)1);
    for (uint32_t i = 0; i < g->edge_count; i++) {
        const pj_call_graph_edge *edge = &g->edges[i];
        of[edge->caller].calls++;
        of[edge->caller].callee = edge->callee;
        of[edge->callee].callers++;
    }
    return of;
}

/// By node: the only one that it calls, which it leaves all of its time to; PJ_NO_ITEM = none.
static uint32_t *next_of(const pj_call_graph *g, pj_arena *arena)
{
    const ends *of = ends_of(g, arena);
    uint32_t *next = pj_new_n(arena, uint32_t, g->node_count + (size_t)1);
    for (uint32_t n = 0; n < g->node_count; n++) {
        const pj_call_graph_node *node = &g->nodes[n], *callee = &g->nodes[of[n].callee];
        double kept = fmax(node->self, fabs(node->total - callee->total));
        bool passes = of[n].calls == 1 && of[of[n].callee].callers == 1 && callee != node &&
                      !isnan(node->self) && kept < slight * node->total;
        next[n] = passes ? of[n].callee : PJ_NO_ITEM;
    }
    return next;
}

/// By node: the one that has the box, itself where it is in no chain. Chains that are cycles have
/// no begin, and stay as they are.
static uint32_t *boxes_of(const pj_call_graph *g, pj_graph_chain *chains, pj_arena *arena)
{
    const uint32_t *next = next_of(g, arena);
    bool *follows = pj_new_n(arena, bool, g->node_count + (size_t)1);
    uint32_t *box = pj_new_n(arena, uint32_t, g->node_count + (size_t)1);
    for (uint32_t n = 0; n < g->node_count; n++) {
        box[n] = n;
        if (next[n] != PJ_NO_ITEM)
            follows[next[n]] = true;
    }
    for (uint32_t n = 0; n < g->node_count; n++) {
        uint32_t length = 0, last = n;
        for (; next[last] != PJ_NO_ITEM && !follows[n]; last = next[last])
            length++;
        if (length < BEFORE_LEAST)
            continue;
        uint32_t *regions = pj_new_n(arena, uint32_t, length);
        chains[last] = (pj_graph_chain){regions, length};
        for (uint32_t at = n; at != last; at = next[at]) {
            *regions++ = g->nodes[at].region;
            box[at] = last;
        }
    }
    return box;
}

pj_graph_chains pj_graph_chains_of(const pj_call_graph *graph, pj_arena *arena)
{
    pj_graph_chain *all = pj_new_n(arena, pj_graph_chain, graph->node_count + (size_t)1);
    pj_graph_chain *kept = pj_new_n(arena, pj_graph_chain, graph->node_count + (size_t)1);
    const uint32_t *box = boxes_of(graph, all, arena);
    uint32_t *place = pj_new_n(arena, uint32_t, graph->node_count + (size_t)1);
    pj_call_graph *shown = pj_new(arena, pj_call_graph);
    *shown = *graph;
    shown->nodes = pj_new_n(arena, pj_call_graph_node, graph->node_count + (size_t)1);
    shown->edges = pj_new_n(arena, pj_call_graph_edge, graph->edge_count + (size_t)1);
    shown->node_count = shown->edge_count = 0;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        if (box[n] != n)
            continue;
        place[n] = shown->node_count;
        kept[shown->node_count] = all[n];
        shown->nodes[shown->node_count++] = graph->nodes[n];
    }
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        pj_call_graph_edge edge = graph->edges[i];
        if (box[edge.caller] != edge.caller) // within its chain
            continue;
        edge.caller = place[edge.caller];
        edge.callee = place[box[edge.callee]];
        shown->edges[shown->edge_count++] = edge;
    }
    return (pj_graph_chains){shown, kept, graph->node_count - shown->node_count};
}
