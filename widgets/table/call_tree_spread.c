// Columns that the profile stores, and those of call paths that follow from them.
#include "widgets/table/call_tree_spread.h"

#include "metrics/base/arena.h"
#include "metrics/profile/call_tree.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_graph.h"
#include "metrics/table/spread.h"

enum { MOST_CELLS = 1 << 24 }; // values of call paths that are made for it

pj_call_tree_spread pj_call_tree_spread_of(const pj_profile *p, uint32_t measure, bool merged,
                                           pj_arena *arena)
{
    pj_call_tree_spread of = {.profile = p};
    uint64_t cells = (uint64_t)p->count[PJ_AT_NODE] * p->location_count;
    of.values = pj_new_n(arena, double, p->location_count + (size_t)1);
    of.edges = pj_profile_find(p, PJ_AT_EDGE, PJ_INCLUSIVE, measure);
    of.regions = pj_profile_find(p, PJ_AT_REGION, PJ_INCLUSIVE, measure);
    of.own = pj_profile_find(p, PJ_AT_REGION, PJ_EXCLUSIVE, measure);
    if (!merged && p->location_count > 1 && cells > 0 && cells <= MOST_CELLS)
        of.nodes = pj_profile_paths_of(p, measure, arena).inclusive;
    return of;
}

pj_spread pj_call_tree_spread_at(const pj_call_tree_spread *of, const pj_profile_column *column,
                                 uint32_t item)
{
    uint32_t count = of->profile->location_count;
    if (!column || item == PJ_NO_ITEM || count < 2)
        return (pj_spread){.count = 0};
    for (uint32_t k = 0; k < count; k++)
        of->values[k] = pj_profile_value(of->profile, column, item, k);
    return pj_spread_of(of->values, count);
}

pj_spread pj_call_tree_spread_box(const pj_call_tree_spread *of, const pj_call_box *box,
                                  bool reversed)
{
    if (reversed) // how a function's own time is shared out among callers, no source tells by rank
        return pj_call_tree_spread_at(of, box->edge == PJ_NO_ITEM ? of->own : NULL, box->region);
    if (box->node != PJ_NO_ITEM)
        return pj_call_tree_spread_at(of, of->nodes, box->node);
    if (box->edge != PJ_NO_ITEM)
        return pj_call_tree_spread_at(of, of->edges, box->edge);
    return pj_call_tree_spread_at(of, of->regions, box->region);
}
