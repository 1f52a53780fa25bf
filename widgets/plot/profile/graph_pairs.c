// Only functions that are shown in both can be the same.
#include "widgets/plot/profile/graph_pairs.h"

#include "metrics/base/arena.h"
#include "metrics/profile/call_graph.h"
#include "metrics/profile/derive/same_function.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"

enum { NOBODY = 1 << 30 }; // of a function that is not shown; more than there are functions

/// By region: free where it is shown.
static uint32_t *free_regions(const pj_call_graph *graph, pj_arena *arena)
{
    uint32_t regions = graph->sums->profile->count[PJ_AT_REGION];
    uint32_t *other = pj_new_n(arena, uint32_t, regions + (size_t)1);
    for (uint32_t r = 0; r < regions; r++)
        other[r] = NOBODY;
    for (uint32_t n = 0; n < graph->node_count; n++)
        other[graph->nodes[n].region] = PJ_NO_ITEM;
    return other;
}

/// By region of the graph: its node.
static uint32_t *nodes_by_region(const pj_call_graph *graph, pj_arena *arena)
{
    uint32_t regions = graph->sums->profile->count[PJ_AT_REGION];
    uint32_t *nodes = pj_new_n(arena, uint32_t, regions + (size_t)1);
    for (uint32_t n = 0; n < graph->node_count; n++)
        nodes[graph->nodes[n].region] = n;
    return nodes;
}

/// Edges stand by caller: those of one follow one another.
static uint32_t find_edge(const pj_call_graph *graph, const uint32_t *first, uint32_t caller,
                          uint32_t callee)
{
    for (uint32_t e = first[caller]; e < graph->edge_count && graph->edges[e].caller == caller; e++)
        if (graph->edges[e].callee == callee)
            return e;
    return PJ_NO_ITEM;
}

static uint32_t *first_edges(const pj_call_graph *graph, pj_arena *arena)
{
    uint32_t *first = pj_new_n(arena, uint32_t, graph->node_count + (size_t)1);
    for (uint32_t n = 0; n < graph->node_count; n++)
        first[n] = graph->edge_count;
    for (uint32_t e = graph->edge_count; e-- > 0;)
        first[graph->edges[e].caller] = e;
    return first;
}

pj_graph_pairs pj_graph_pairs_of(const pj_call_graph *graph, const pj_call_graph *other,
                                 pj_arena *arena)
{
    pj_graph_pairs pairs = {.other = other,
                            .nodes = pj_new_n(arena, uint32_t, graph->node_count + (size_t)1),
                            .edges = pj_new_n(arena, uint32_t, graph->edge_count + (size_t)1)};
    pj_same_side a = {graph->sums->profile, free_regions(graph, arena)};
    pj_same_side b = {other->sums->profile, free_regions(other, arena)};
    const uint32_t *nodes = nodes_by_region(other, arena), *first = first_edges(other, arena);
    for (pj_same_level level = PJ_SAME_ALL; level < PJ_SAME_LEVELS; level++)
        pj_same_functions(a, b, level);
    for (uint32_t n = 0; n < graph->node_count; n++) {
        uint32_t same = a.other[graph->nodes[n].region];
        pairs.nodes[n] = same == PJ_NO_ITEM ? PJ_NO_ITEM : nodes[same];
    }
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        uint32_t caller = pairs.nodes[graph->edges[e].caller];
        uint32_t callee = pairs.nodes[graph->edges[e].callee];
        bool both = caller != PJ_NO_ITEM && callee != PJ_NO_ITEM;
        pairs.edges[e] = both ? find_edge(other, first, caller, callee) : PJ_NO_ITEM;
    }
    return pairs;
}
