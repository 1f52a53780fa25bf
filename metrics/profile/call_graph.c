// Thresholds go first, then files, then roots and leaves: a root below the threshold is not found,
// as in gprof2dot.
#include "metrics/profile/call_graph.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/map.h"
#include "metrics/base/str.h"
#include "metrics/profile/call_shares.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"

static const double usual_node = 0.005, usual_edge = 0.001;

typedef struct picking {
    const pj_profile_sums *s;
    const pj_profile *p;
    pj_call_graph_opts opts;
    pj_arena *arena;
    double whole, own; // all time; all own time
    bool shared;       // times with callees follow from own ones
    const double *inclusive, *edge_inclusive;
    const bool *inlined; // regions that others have taken in; NULL = none
    bool *kept;          // by region
    bool *kept_edge;
    double *total, *weight; // by edge
} picking;

static double part_of(double value, double whole)
{
    return isnan(value) || !(whole > 0) ? NAN : fmin(fmax(value / whole, 0), 1);
}

static double total_of(const picking *k, uint32_t region)
{
    return part_of(k->inclusive[region], k->whole);
}

bool pj_call_graph_by_calls(const pj_profile_sums *sums)
{
    return sums->profile->shared && sums->edge_count && !(pj_profile_sums_total(sums) > 0);
}

/// Calls in place of times.
static const pj_profile_sums *calls_as_time(const picking *k)
{
    pj_profile_sums *sums = pj_new(k->arena, pj_profile_sums);
    *sums = *k->s;
    sums->regions.exclusive = sums->regions.calls;
    return sums;
}

static uint64_t name_key(const pj_profile *p, uint32_t region)
{
    return (uint64_t)p->regions[region].name << 32 | p->regions[region].module;
}

static bool is_linked(const pj_profile_sums *s, uint32_t region)
{
    return s->callers.first[region] < s->callers.first[region + 1] ||
           s->callees.first[region] < s->callees.first[region + 1];
}

/// Callgrind tells apart what was inlined into a function from other files: regions of its name
/// that nobody calls. In a graph it is the function's own, as in gprof2dot.
static void take_in_inlined(picking *k)
{
    uint32_t regions = k->p->count[PJ_AT_REGION];
    pj_profile_sums *sums = pj_new(k->arena, pj_profile_sums);
    double *own = pj_new_n(k->arena, double, regions + (size_t)1);
    bool *inlined = pj_new_n(k->arena, bool, regions + (size_t)1);
    pj_map functions = {0};
    for (uint32_t r = 0; r < regions; r++) {
        own[r] = k->s->regions.exclusive[r];
        if (is_linked(k->s, r))
            pj_map_put(&functions, name_key(k->p, r), r);
    }
    for (uint32_t r = 0, function; r < regions; r++) {
        if (is_linked(k->s, r) || !pj_map_get(&functions, name_key(k->p, r), &function))
            continue;
        own[function] = pj_profile_sums_size(own[function]) + pj_profile_sums_size(own[r]);
        own[r] = NAN;
        inlined[r] = true;
    }
    pj_map_free(&functions);
    *sums = *k->s;
    sums->regions.exclusive = own;
    k->s = sums;
    k->inlined = inlined;
}

/// Where recursion is counted once for each level, callers share what there is by what their calls
/// cost, as in gprof2dot.
static pj_call_shares shares_by_cost(const picking *k)
{
    pj_profile_sums sums = *k->s;
    sums.edges.calls = sums.edges.inclusive;
    return pj_call_shares_new(&sums, k->arena);
}

/// Where the source has shared times out by calls and rounded them, that is done again exactly.
static void measure(picking *k)
{
    if (pj_call_graph_by_calls(k->s))
        k->s = calls_as_time(k);
    double most = 0;
    pj_call_shares shares = {k->s->regions.inclusive, k->s->edges.inclusive};
    bool by_cost = pj_profile_sums_repeat(k->p);
    k->shared = (k->p->shared || by_cost) && k->s->edge_count;
    if (by_cost)
        take_in_inlined(k);
    if (k->shared)
        shares = by_cost ? shares_by_cost(k) : pj_call_shares_new(k->s, k->arena);
    k->inclusive = shares.regions;
    k->edge_inclusive = shares.edges;
    for (uint32_t r = 0; r < k->p->count[PJ_AT_REGION]; r++) {
        k->own += pj_profile_sums_size(k->s->regions.exclusive[r]);
        most = fmax(most, pj_profile_sums_size(k->inclusive[r]));
    }
    k->whole = fmax(k->own, most);
}

/// Time of a call: where the source counts calls alone, the callee's time by their number; of a
/// call path that goes through the same function again it is not told.
static double edge_time(const picking *k, uint32_t edge)
{
    const pj_profile_edge *e = &k->s->edge[edge];
    double time = k->edge_inclusive[edge], calls = k->s->edges.calls[edge];
    double all = k->s->regions.calls[e->callee];
    if (k->p->count[PJ_AT_NODE] && e->caller == e->callee)
        return NAN;
    bool tells = k->shared || !isnan(time);
    return !tells && all > 0 ? calls / all * k->inclusive[e->callee] : time;
}

static void weigh_edges(picking *k)
{
    k->total = pj_new_n(k->arena, double, k->s->edge_count + (size_t)1);
    k->weight = pj_new_n(k->arena, double, k->s->edge_count + (size_t)1);
    for (uint32_t e = 0; e < k->s->edge_count; e++) {
        k->total[e] = part_of(edge_time(k, e), k->whole);
        k->weight[e] = isnan(k->total[e]) ? fmin(total_of(k, k->s->edge[e].caller),
                                                 total_of(k, k->s->edge[e].callee))
                                          : k->total[e];
    }
}

static bool is_in_path(const picking *k, uint32_t region)
{
    pj_str path = pj_str_of(k->opts.path), file = pj_profile_text(k->p, k->p->regions[region].file);
    return path.len == 0 || file.len == 0 || pj_str_starts(file, path);
}

static double largest(const picking *k)
{
    double most = 0;
    for (uint32_t r = 0; r < k->p->count[PJ_AT_REGION]; r++)
        most = is_in_path(k, r) ? fmax(most, total_of(k, r)) : most;
    return most;
}

static void keep_above(picking *k)
{
    for (uint32_t r = 0; r < k->p->count[PJ_AT_REGION]; r++) {
        double total = total_of(k, r);
        k->kept[r] = !isnan(total) && total >= k->opts.least_node && is_in_path(k, r) &&
                     !(k->inlined && k->inlined[r]);
    }
    for (uint32_t e = 0; e < k->s->edge_count; e++)
        k->kept_edge[e] = k->kept[k->s->edge[e].caller] && k->kept[k->s->edge[e].callee] &&
                          !(k->weight[e] < k->opts.least_edge);
}

/// Keeps what can be reached from the functions of that name: below them, or above them.
static bool keep_reached(picking *k, const char *name, bool upwards, pj_err *err)
{
    uint32_t regions = k->p->count[PJ_AT_REGION], count = 0;
    const pj_profile_sums_list *list = upwards ? &k->s->callers : &k->s->callees;
    uint32_t *queue = pj_new_n(k->arena, uint32_t, regions + (size_t)1);
    uint32_t *depth = pj_new_n(k->arena, uint32_t, regions + (size_t)1); // 1 + calls away
    for (uint32_t r = 0; r < regions; r++)
        if (k->kept[r] && pj_function_is(k->p, r, name)) {
            queue[count++] = r;
            depth[r] = 1;
        }
    if (count == 0)
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "no function that is shown is called \"%s\" (smaller ones are shown with "
                       "-n 0 -e 0)",
                       name);
    for (uint32_t done = 0; done < count; done++) {
        uint32_t r = queue[done];
        for (uint32_t i = list->first[r]; i < list->first[r + 1]; i++) {
            const pj_profile_edge *e = &k->s->edge[list->items[i]];
            uint32_t next = upwards ? e->caller : e->callee;
            bool far = k->opts.depth && depth[r] > k->opts.depth;
            if (!k->kept_edge[list->items[i]] || depth[next] || far)
                continue;
            depth[next] = depth[r] + 1;
            queue[count++] = next;
        }
    }
    for (uint32_t r = 0; r < regions; r++)
        k->kept[r] = k->kept[r] && depth[r];
    for (uint32_t e = 0; e < k->s->edge_count; e++)
        k->kept_edge[e] =
            k->kept_edge[e] && k->kept[k->s->edge[e].caller] && k->kept[k->s->edge[e].callee];
    return true;
}

static void add_nodes(const picking *k, pj_call_graph *g, uint32_t *node_of)
{
    uint32_t regions = k->p->count[PJ_AT_REGION];
    double most = 0;
    g->nodes = pj_new_n(k->arena, pj_call_graph_node, regions + (size_t)1);
    for (uint32_t r = 0; r < regions; r++) {
        double total = total_of(k, r), self = part_of(k->s->regions.exclusive[r], k->own);
        g->functions += isnan(total) ? 0 : 1;
        if (!k->kept[r])
            continue;
        most = isnan(self) ? most : fmax(most, self);
        node_of[r] = g->node_count;
        g->nodes[g->node_count++] = (pj_call_graph_node){r, total, self, total};
    }
    for (uint32_t n = 0; k->opts.by_self && n < g->node_count; n++)
        if (most > 0 && !isnan(g->nodes[n].self))
            g->nodes[n].weight = g->nodes[n].self / most;
}

static void add_edges(const picking *k, pj_call_graph *g, const uint32_t *node_of)
{
    const pj_profile_sums_of *of = &k->s->edges;
    g->edges = pj_new_n(k->arena, pj_call_graph_edge, k->s->edge_count + (size_t)1);
    for (uint32_t r = 0; r < k->p->count[PJ_AT_REGION]; r++)
        for (uint32_t i = k->s->callees.first[r]; i < k->s->callees.first[r + 1]; i++) {
            uint32_t e = k->s->callees.items[i];
            double primitive = of->primitive[e];
            if (k->kept_edge[e])
                g->edges[g->edge_count++] = (pj_call_graph_edge){
                    node_of[r], node_of[k->s->edge[e].callee], k->total[e], k->weight[e],
                    isnan(primitive) || k->p->count[PJ_AT_NODE] ? of->calls[e] : primitive};
        }
}

pj_call_graph *pj_call_graph_new(const pj_profile_sums *sums, pj_call_graph_opts opts,
                                 pj_arena *arena, pj_err *err)
{
    const pj_profile *p = sums->profile;
    uint32_t regions = p->count[PJ_AT_REGION];
    if (sums->edge_count == 0 && p->shape == PJ_SHAPE_FLAT) {
        pj_profile_sums_lack_paths(sums, err);
        return NULL;
    }
    opts.least_node = opts.least_node > 0 ? opts.least_node : opts.least_node < 0 ? 0 : usual_node;
    opts.least_edge = opts.least_edge > 0 ? opts.least_edge : opts.least_edge < 0 ? 0 : usual_edge;
    picking k = {.s = sums,
                 .p = p,
                 .opts = opts,
                 .arena = arena,
                 .kept = pj_new_n(arena, bool, regions + (size_t)1),
                 .kept_edge = pj_new_n(arena, bool, sums->edge_count + (size_t)1)};
    measure(&k);
    weigh_edges(&k);
    keep_above(&k);
    if ((opts.root && !keep_reached(&k, opts.root, false, err)) ||
        (opts.leaf && !keep_reached(&k, opts.leaf, true, err)))
        return NULL;
    pj_call_graph *graph = pj_new(arena, pj_call_graph);
    uint32_t *node_of = pj_new_n(arena, uint32_t, regions + (size_t)1);
    graph->sums = sums;
    add_nodes(&k, graph, node_of);
    add_edges(&k, graph, node_of);
    if (graph->node_count)
        return graph;
    pj_fail(err, PJ_E_MISSING, NULL, 0,
            "no function is above the thresholds: the largest has %.2g %% (-n 0 shows all)",
            100 * largest(&k));
    return NULL;
}
