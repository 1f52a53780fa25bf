// What is drawn is compared with all of before, so that nothing is new that was merely small.
#include "widgets/plot/profile/graph_change.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/call_graph.h"
#include "metrics/profile/function_name.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"
#include "widgets/plot/plot.h"
#include "widgets/plot/profile/graph_pairs.h"
#include "widgets/plot/profile/profile_view.h"

#include <math.h>
#include <stdlib.h>

double pj_graph_change_now(const pj_graph_change *c, uint32_t node)
{
    return c->view->sums->regions.inclusive[c->graph->nodes[node].region];
}

double pj_graph_change_then(const pj_graph_change *c, uint32_t node)
{
    uint32_t same = c->pairs.nodes[node];
    if (same == PJ_NO_ITEM)
        return NAN;
    return c->factor * c->then.sums->regions.inclusive[c->pairs.other->nodes[same].region];
}

double pj_graph_change_edge_now(const pj_graph_change *c, uint32_t edge)
{
    return c->graph->edges[edge].total * c->view->total;
}

double pj_graph_change_edge_then(const pj_graph_change *c, uint32_t edge)
{
    uint32_t same = c->pairs.edges[edge];
    return same == PJ_NO_ITEM ? NAN : c->factor * c->pairs.other->edges[same].total * c->then.total;
}

static double changed(double then, double now)
{
    return fabs((isnan(now) ? 0 : now) - (isnan(then) ? 0 : then));
}

static void measure(pj_graph_change *c)
{
    for (uint32_t n = 0; n < c->graph->node_count; n++)
        c->most = fmax(c->most, changed(pj_graph_change_then(c, n), pj_graph_change_now(c, n)));
    for (uint32_t e = 0; e < c->graph->edge_count; e++)
        c->most_edge = fmax(
            c->most_edge, changed(pj_graph_change_edge_then(c, e), pj_graph_change_edge_now(c, e)));
}

typedef struct gone {
    double value, now; // now NAN = it is no longer there
    uint32_t region;
} gone;

static int by_value(const void *a, const void *b)
{
    const gone *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? 1 : -1;
    return (x->region > y->region) - (x->region < y->region);
}

/// Functions of before that are not shown now, gone or small, the largest first.
static const char *list_gone(const pj_graph_change *c, pj_arena *arena)
{
    enum { LISTED = 6 };
    pj_graph_pairs shown = pj_graph_pairs_of(c->was, c->graph, arena);
    pj_graph_pairs there = pj_graph_pairs_of(c->was, c->is, arena);
    gone *all = pj_new_n(arena, gone, c->was->node_count + (size_t)1);
    size_t count = 0;
    for (uint32_t n = 0; n < c->was->node_count; n++) {
        uint32_t region = c->was->nodes[n].region, same = there.nodes[n];
        if (shown.nodes[n] != PJ_NO_ITEM)
            continue;
        all[count++] =
            (gone){.region = region,
                   .value = c->factor * c->then.sums->regions.inclusive[region],
                   .now = same == PJ_NO_ITEM
                              ? NAN
                              : c->view->sums->regions.inclusive[c->is->nodes[same].region]};
    }
    qsort(all, count, sizeof *all, by_value);
    pj_auto_buf text = {0};
    for (size_t i = 0; i < count && i < LISTED; i++) {
        pj_buf_addf(&text, "%s%s (%s, ", i ? ", " : "",
                    pj_function_short(c->then.profile, all[i].region, arena),
                    pj_profile_view_amount(c->view, all[i].value));
        pj_buf_addf(&text, isnan(all[i].now) ? "gone)" : "now %s)",
                    pj_profile_view_amount(c->view, all[i].now));
    }
    if (count > LISTED)
        pj_buf_addf(&text, " and %zu more", count - LISTED);
    return text.len ? pj_arena_text(arena, pj_buf_str(&text)) : "";
}

static bool open_then(pj_graph_change *c, pj_arena *arena, pj_err *err)
{
    pj_profile_opts opts = c->view->opts;
    if (!opts.measure)
        opts.measure = c->view->profile->measures[c->view->measure].key;
    if (!pj_profile_view_new(opts.before, opts, arena, &c->then, err))
        return false;
    c->factor = opts.normalise && c->then.total > 0 ? c->view->total / c->then.total : 1;
    return true;
}

pj_graph_change *pj_graph_change_new(const pj_profile_view *view, const pj_call_graph *graph,
                                     pj_call_graph_opts opts, pj_arena *arena, pj_err *err)
{
    pj_graph_change *c = pj_new(arena, pj_graph_change);
    pj_call_graph_opts everything = {.least_node = -1, .least_edge = -1};
    *c = (pj_graph_change){.view = view, .graph = graph};
    if (!open_then(c, arena, err))
        return NULL;
    const pj_call_graph *all = pj_call_graph_new(c->then.sums, everything, arena, err);
    c->was = pj_call_graph_new(c->then.sums, opts, arena, err);
    c->is = pj_call_graph_new(view->sums, everything, arena, err);
    if (!all || !c->was || !c->is)
        return NULL;
    c->pairs = pj_graph_pairs_of(graph, all, arena);
    measure(c);
    c->gone = list_gone(c, arena);
    return c;
}
