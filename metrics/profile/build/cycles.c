// Strongly connected components after R. Tarjan, "Depth-first search and linear graph algorithms"
// (1972), with a stack of its own: the depth of a call graph is its input's.
#include "metrics/profile/build/cycles.h"

#include "metrics/base/arena.h"

typedef struct search {
    const pj_profile *p;
    uint32_t *first;            // edges of a caller: callees[first[r]] .. callees[first[r + 1] - 1]
    uint32_t *callee;           // by caller
    uint32_t *next;             // edge to look at next
    uint32_t *order;            // 1 + when a region was met; 0 = not yet
    uint32_t *low;              // the earliest region reached
    uint32_t *path, path_count; // regions whose edges are being looked at
    uint32_t *open, open_count; // regions met that belong to no component yet
    uint32_t met, cycles;
    uint32_t *cycle; // the result
    bool *is_open, *calls_itself;
} search;

static void sort_edges(search *s, pj_arena *arena)
{
    const pj_profile *p = s->p;
    uint32_t regions = p->count[PJ_AT_REGION], edges = p->count[PJ_AT_EDGE];
    s->first = pj_new_n(arena, uint32_t, regions + (size_t)2);
    s->callee = pj_new_n(arena, uint32_t, edges + (size_t)1);
    for (uint32_t e = 0; e < edges; e++)
        s->first[p->edges[e].caller + 2]++;
    for (uint32_t r = 0; r < regions; r++)
        s->first[r + 2] += s->first[r + 1];
    for (uint32_t e = 0; e < edges; e++)
        s->callee[s->first[p->edges[e].caller + 1]++] = p->edges[e].callee;
}

static void enter(search *s, uint32_t region)
{
    s->order[region] = s->low[region] = ++s->met;
    s->next[region] = s->first[region];
    s->path[s->path_count++] = region;
    s->open[s->open_count++] = region;
    s->is_open[region] = true;
}

/// The region and all that was met after it reach each other and nothing before.
static void close_component(search *s, uint32_t region)
{
    bool several = s->open[s->open_count - 1] != region;
    uint32_t cycle = several || s->calls_itself[region] ? ++s->cycles : 0;
    uint32_t member;
    do {
        member = s->open[--s->open_count];
        s->is_open[member] = false;
        s->cycle[member] = cycle;
    } while (member != region);
}

static void leave(search *s, uint32_t region)
{
    s->path_count--;
    if (s->low[region] == s->order[region])
        close_component(s, region);
    if (s->path_count > 0) {
        uint32_t caller = s->path[s->path_count - 1];
        if (s->low[region] < s->low[caller])
            s->low[caller] = s->low[region];
    }
}

static void visit(search *s, uint32_t root)
{
    enter(s, root);
    while (s->path_count > 0) {
        uint32_t region = s->path[s->path_count - 1];
        if (s->next[region] == s->first[region + 1]) {
            leave(s, region);
            continue;
        }
        uint32_t callee = s->callee[s->next[region]++];
        s->calls_itself[region] |= callee == region;
        if (!s->order[callee])
            enter(s, callee);
        else if (s->is_open[callee] && s->order[callee] < s->low[region])
            s->low[region] = s->order[callee];
    }
}

uint32_t *pj_profile_cycles(const pj_profile *profile, pj_arena *arena)
{
    uint32_t regions = profile->count[PJ_AT_REGION];
    pj_auto_arena scratch = pj_arena_new(NULL);
    search s = {.p = profile, .cycle = pj_new_n(arena, uint32_t, regions + (size_t)1)};
    sort_edges(&s, scratch);
    s.next = pj_new_n(scratch, uint32_t, regions);
    s.order = pj_new_n(scratch, uint32_t, regions);
    s.low = pj_new_n(scratch, uint32_t, regions);
    s.path = pj_new_n(scratch, uint32_t, regions);
    s.open = pj_new_n(scratch, uint32_t, regions);
    s.is_open = pj_new_n(scratch, bool, regions);
    s.calls_itself = pj_new_n(scratch, bool, regions);
    for (uint32_t r = 0; r < regions; r++)
        if (!s.order[r])
            visit(&s, r);
    return s.cycle;
}
