// From the last node to the first, children come before their parents: no recursion is needed but
// for what asks for all that is above a node, which walks with a stack of its own.
#include "metrics/profile/profile_sums.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/buckets.h"
#include "metrics/profile/profile.h"

static double *absent(size_t count, pj_arena *arena)
{
    double *values = pj_new_n(arena, double, count + 1);
    for (size_t i = 0; i < count; i++)
        values[i] = NAN;
    return values;
}

/// NULL when the source has no such column.
static double *stored(const pj_profile_sums *s, pj_site site, pj_value_part part, pj_arena *arena)
{
    const pj_profile *p = s->profile;
    bool counts = part != PJ_EXCLUSIVE && part != PJ_INCLUSIVE;
    const pj_profile_column *column =
        counts || s->measure != PJ_NO_ITEM
            ? pj_profile_find(p, site, part, counts ? PJ_NO_ITEM : s->measure)
            : NULL;
    if (!column)
        return NULL;
    pj_measure_fold fold = counts ? PJ_MEASURE_SUM : p->measures[s->measure].fold;
    double *values = absent(p->count[site], arena);
    for (uint32_t i = 0; i < p->count[site]; i++)
        for (uint32_t at = 0; at < p->location_count; at++)
            if (!s->locations || s->locations[at])
                pj_measure_fold_in(&values[i], pj_profile_value(p, column, i, at), fold);
    return values;
}

static pj_profile_sums_of stored_all(const pj_profile_sums *s, pj_site site, pj_arena *arena)
{
    return (pj_profile_sums_of){.exclusive = stored(s, site, PJ_EXCLUSIVE, arena),
                                .inclusive = stored(s, site, PJ_INCLUSIVE, arena),
                                .calls = stored(s, site, PJ_CALLS, arena),
                                .primitive = stored(s, site, PJ_PRIMITIVE_CALLS, arena)};
}

static void add_to(double *sum, double value)
{
    pj_measure_fold_in(sum, value, PJ_MEASURE_SUM);
}

// ---- nodes

static void complete_nodes(pj_profile_sums *s, pj_arena *arena)
{
    const pj_profile_node *nodes = s->profile->nodes;
    uint32_t count = s->profile->count[PJ_AT_NODE];
    pj_profile_sums_of *of = &s->nodes;
    if (!of->inclusive && of->exclusive) {
        of->inclusive = absent(count, arena);
        for (uint32_t n = count; n-- > 0;) {
            add_to(&of->inclusive[n], of->exclusive[n]);
            if (nodes[n].parent != PJ_NO_ITEM)
                add_to(&of->inclusive[nodes[n].parent], of->inclusive[n]);
        }
    } else if (of->inclusive && !of->exclusive) {
        of->exclusive = absent(count, arena);
        for (uint32_t n = count; n-- > 0;) {
            add_to(&of->exclusive[n], of->inclusive[n]);
            if (nodes[n].parent != PJ_NO_ITEM)
                add_to(&of->exclusive[nodes[n].parent], -of->inclusive[n]);
        }
    }
}

/// `key` of an item is its group, `groups` when it is in the last one.
static pj_profile_sums_list listed(const uint32_t *key, uint32_t count, uint32_t groups,
                                   pj_arena *arena)
{
    pj_profile_sums_list list = {pj_new_n(arena, uint32_t, groups + (size_t)2),
                                 pj_new_n(arena, uint32_t, count + (size_t)1)};
    for (uint32_t i = 0; i < count; i++)
        list.first[key[i] + 1]++;
    for (uint32_t g = 0; g < groups; g++)
        list.first[g + 1] += list.first[g];
    for (uint32_t i = 0; i < count; i++)
        list.items[list.first[key[i]]++] = i;
    for (uint32_t g = groups + 1; g > 0; g--)
        list.first[g] = list.first[g - 1];
    list.first[0] = 0;
    return list;
}

static pj_profile_sums_list children_of(const pj_profile *p, pj_arena *arena)
{
    uint32_t count = p->count[PJ_AT_NODE];
    uint32_t *key = pj_new_n(arena, uint32_t, count + (size_t)1);
    for (uint32_t n = 0; n < count; n++)
        key[n] = p->nodes[n].parent == PJ_NO_ITEM ? count : p->nodes[n].parent;
    pj_profile_sums_list list = listed(key, count, count + 1, arena);
    return list;
}

// ---- regions and edges of trees

typedef struct walk {
    pj_profile_sums *s;
    uint32_t *edge_of;                   // of a node; PJ_NO_ITEM of a root
    uint32_t *region_depth, *edge_depth; // how many on the path are of it
    pj_profile_sums_of regions, edges;
} walk;

static void find_edges(walk *w, pj_arena *arena)
{
    const pj_profile *p = w->s->profile;
    uint32_t count = p->count[PJ_AT_NODE], edges = 0;
    pj_profile_edge *edge = pj_new_n(arena, pj_profile_edge, count + (size_t)1);
    pj_buckets known = {0};
    w->edge_of = pj_new_n(arena, uint32_t, count + (size_t)1);
    for (uint32_t n = 0; n < count; n++) {
        uint32_t parent = p->nodes[n].parent, found = PJ_NO_ITEM;
        w->edge_of[n] = PJ_NO_ITEM;
        if (parent == PJ_NO_ITEM)
            continue;
        pj_profile_edge is = {p->nodes[parent].region, p->nodes[n].region};
        uint32_t hash = pj_buckets_hash(is.caller, is.callee);
        size_t place = hash;
        while ((found = pj_buckets_next(&known, hash, &place)) != UINT32_MAX)
            if (edge[found].caller == is.caller && edge[found].callee == is.callee)
                break;
        if (found == UINT32_MAX) {
            found = edges++;
            edge[found] = is;
            pj_buckets_put(&known, hash, found);
        }
        w->edge_of[n] = found;
    }
    pj_buckets_free(&known);
    w->s->edge = edge;
    w->s->edge_count = edges;
}

static void add_node(pj_profile_sums_of *to, const pj_profile_sums_of *from, uint32_t item,
                     uint32_t node, bool outermost)
{
    if (from->exclusive)
        add_to(&to->exclusive[item], from->exclusive[node]);
    if (from->calls)
        add_to(&to->calls[item], from->calls[node]);
    if (outermost && from->inclusive)
        add_to(&to->inclusive[item], from->inclusive[node]);
    if (outermost && from->calls)
        add_to(&to->primitive[item], from->calls[node]);
}

static void enter(walk *w, uint32_t node)
{
    uint32_t region = w->s->profile->nodes[node].region, edge = w->edge_of[node];
    add_node(&w->regions, &w->s->nodes, region, node, w->region_depth[region]++ == 0);
    if (edge != PJ_NO_ITEM)
        add_node(&w->edges, &w->s->nodes, edge, node, w->edge_depth[edge]++ == 0);
}

static void leave(walk *w, uint32_t node)
{
    w->region_depth[w->s->profile->nodes[node].region]--;
    if (w->edge_of[node] != PJ_NO_ITEM)
        w->edge_depth[w->edge_of[node]]--;
}

/// All nodes, each between its parent's enter and leave.
static void walk_paths(walk *w, pj_arena *arena)
{
    const pj_profile *p = w->s->profile;
    const pj_profile_sums_list *children = &w->s->children;
    uint32_t nodes = p->count[PJ_AT_NODE];
    uint32_t *next = pj_new_n(arena, uint32_t, nodes + (size_t)1); // child of a node
    memcpy(next, children->first, (nodes + (size_t)1) * sizeof *next);
    for (uint32_t at = nodes;;) { // the place of the roots stands for what is above them
        if (next[at] < children->first[at + 1]) {
            at = children->items[next[at]++];
            enter(w, at);
            continue;
        }
        if (at == nodes)
            return;
        leave(w, at);
        at = p->nodes[at].parent == PJ_NO_ITEM ? nodes : p->nodes[at].parent;
    }
}

static pj_profile_sums_of absent_all(const pj_profile_sums_of *like, size_t count, pj_arena *arena)
{
    return (pj_profile_sums_of){.exclusive = like->exclusive ? absent(count, arena) : NULL,
                                .inclusive = like->inclusive ? absent(count, arena) : NULL,
                                .calls = like->calls ? absent(count, arena) : NULL,
                                .primitive = like->calls ? absent(count, arena) : NULL};
}

/// The source's own values of regions stand; call paths give the others.
static void take_missing(pj_profile_sums_of *own, const pj_profile_sums_of *made)
{
    own->exclusive = own->exclusive ? own->exclusive : made->exclusive;
    own->inclusive = own->inclusive ? own->inclusive : made->inclusive;
    own->calls = own->calls ? own->calls : made->calls;
    own->primitive = own->primitive ? own->primitive : made->primitive;
}

static void sum_tree(pj_profile_sums *s, pj_arena *arena)
{
    uint32_t regions = s->profile->count[PJ_AT_REGION];
    walk w = {.s = s,
              .region_depth = pj_new_n(arena, uint32_t, regions + (size_t)1),
              .regions = absent_all(&s->nodes, regions, arena)};
    find_edges(&w, arena);
    w.edges = absent_all(&s->nodes, s->edge_count, arena);
    w.edge_depth = pj_new_n(arena, uint32_t, s->edge_count + (size_t)1);
    walk_paths(&w, arena);
    take_missing(&s->regions, &w.regions);
    s->edges = w.edges;
}

// ---- the whole

static void list_edges(pj_profile_sums *s, pj_arena *arena)
{
    uint32_t regions = s->profile->count[PJ_AT_REGION];
    uint32_t *key = pj_new_n(arena, uint32_t, s->edge_count + (size_t)1);
    for (uint32_t e = 0; e < s->edge_count; e++)
        key[e] = s->edge[e].caller;
    s->callees = listed(key, s->edge_count, regions, arena);
    for (uint32_t e = 0; e < s->edge_count; e++)
        key[e] = s->edge[e].callee;
    s->callers = listed(key, s->edge_count, regions, arena);
}

/// So that nobody asks whether there are any.
static void fill_absent(pj_profile_sums_of *of, size_t count, pj_arena *arena)
{
    pj_profile_sums_of all = {.exclusive = absent(count, arena),
                              .inclusive = absent(count, arena),
                              .calls = absent(count, arena),
                              .primitive = absent(count, arena)};
    take_missing(of, &all);
}

pj_profile_sums *pj_profile_sums_new(const pj_profile *profile, uint32_t measure,
                                     const bool *locations, pj_arena *arena)
{
    pj_profile_sums *s = pj_new(arena, pj_profile_sums);
    *s = (pj_profile_sums){.profile = profile,
                           .measure = measure,
                           .locations = locations,
                           .edge = profile->edges,
                           .edge_count = profile->count[PJ_AT_EDGE]};
    s->regions = stored_all(s, PJ_AT_REGION, arena);
    s->nodes = stored_all(s, PJ_AT_NODE, arena);
    s->edges = stored_all(s, PJ_AT_EDGE, arena);
    complete_nodes(s, arena);
    s->children = children_of(profile, arena);
    if (profile->count[PJ_AT_NODE])
        sum_tree(s, arena);
    list_edges(s, arena);
    fill_absent(&s->regions, profile->count[PJ_AT_REGION], arena);
    fill_absent(&s->nodes, profile->count[PJ_AT_NODE], arena);
    fill_absent(&s->edges, s->edge_count, arena);
    return s;
}

uint32_t pj_profile_sums_usual_measure(const pj_profile *profile)
{
    for (uint32_t m = 0; m < profile->measure_count; m++)
        if (profile->measures[m].kind == PJ_MEASURE_TIME && !profile->measures[m].reason)
            return m;
    for (uint32_t m = 0; m < profile->measure_count; m++)
        if (profile->measures[m].kind != PJ_MEASURE_RATIO && !profile->measures[m].reason)
            return m;
    return PJ_NO_ITEM;
}

bool pj_profile_sums_repeat(const pj_profile *profile)
{
    return pj_str_equal(pj_str_of(profile->format), PJ_S("callgrind"));
}

double pj_profile_sums_total(const pj_profile_sums *s)
{
    const pj_profile *p = s->profile;
    double sum = 0, most = 0;
    for (uint32_t n = 0; n < p->count[PJ_AT_NODE]; n++)
        if (p->nodes[n].parent == PJ_NO_ITEM)
            sum += pj_profile_sums_size(s->nodes.inclusive[n]);
    for (uint32_t r = 0; p->count[PJ_AT_NODE] == 0 && r < p->count[PJ_AT_REGION]; r++) {
        sum += pj_profile_sums_size(s->regions.exclusive[r]);
        most = fmax(most, pj_profile_sums_size(s->regions.inclusive[r]));
    }
    return sum > 0 && pj_profile_sums_repeat(p) ? sum : fmax(sum, most);
}

bool pj_profile_sums_lack_paths(const pj_profile_sums *s, pj_err *err)
{
    const pj_profile *p = s->profile;
    return pj_fail(err, PJ_E_MISSING, p->file_count ? p->files[0] : NULL, 0,
                   "is flat (%s): it does not say who calls whom; files of cProfile, "
                   "callgrind, TAU with call paths, Score-P (profile.cubex) and collapsed "
                   "stacks do",
                   p->title ? p->title : "a profile");
}
