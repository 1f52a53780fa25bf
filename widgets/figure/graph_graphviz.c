// Layout by graphviz (libgvc, libcgraph): the only file that sees it. It is the module
// popinjay-graph.so (graph_layout.h). Only sizes go in, no names, so that nothing of a file is ever
// taken for graphviz's own language.
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/graph_layout.h"

#include <graphviz/gvc.h>
#include <math.h>
#include <stdio.h>

static const double px_per_inch = 96, px_per_point = 96 / 72.0;

typedef struct space {
    Agraph_t *graph;
    Agnode_t **nodes;
    Agedge_t **edges;
    double height; // points
} space;

/// graphviz takes texts that it does not change without const.
static void set_text(void *object, const char *name, const char *value)
{
    char key[32], text[64], none[] = "";
    snprintf(key, sizeof key, "%s", name);
    snprintf(text, sizeof text, "%s", value);
    agsafeset(object, key, text, none);
}

static void set(void *object, const char *name, double value)
{
    char text[64];
    snprintf(text, sizeof text, "%.4f", value);
    set_text(object, name, text);
}

static void set_label(Agraph_t *graph, Agedge_t *edge, const pj_layout_edge *of)
{
    char html[256];
    if (!(of->width > 0))
        return;
    snprintf(html, sizeof html,
             "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLPADDING=\"0\" FIXEDSIZE=\"TRUE\" "
             "WIDTH=\"%.0f\" HEIGHT=\"%.0f\"><TR><TD></TD></TR></TABLE>",
             ceil(of->width / px_per_point), ceil(of->height / px_per_point));
    char *kept = agstrdup_html(graph, html), key[] = "label", none[] = "";
    agsafeset(edge, key, kept, none);
    agstrfree(graph, kept);
}

static void fill(space *s, const pj_graph_layout *g)
{
    char name[32], label[] = "label", none[] = "";
    agattr(s->graph, AGEDGE, label, none);
    set_text(s->graph, "nodesep", "0.22");
    set_text(s->graph, "ranksep", "0.42");
    for (size_t i = 0; i < g->node_count; i++) {
        snprintf(name, sizeof name, "%zu", i);
        s->nodes[i] = agnode(s->graph, name, 1);
        set(s->nodes[i], "width", g->nodes[i].width / px_per_inch);
        set(s->nodes[i], "height", g->nodes[i].height / px_per_inch);
        set_text(s->nodes[i], "fixedsize", "true");
        set_text(s->nodes[i], "shape", "box");
        set_text(s->nodes[i], "label", "");
    }
    for (size_t e = 0; e < g->edge_count; e++) {
        const pj_layout_edge *of = &g->edges[e];
        snprintf(name, sizeof name, "e%zu", e);
        s->edges[e] = agedge(s->graph, s->nodes[of->from], s->nodes[of->to], name, 1);
        set(s->edges[e], "weight", 1 + floor(8 * fmin(fmax(of->weight, 0), 1)));
        set_label(s->graph, s->edges[e], of);
    }
}

static pj_point point_of(const space *s, pointf at)
{
    return (pj_point){at.x * px_per_point, (s->height - at.y) * px_per_point};
}

static void take_curve(const space *s, const bezier *curve, pj_layout_edge *edge, pj_arena *arena)
{
    edge->points = pj_new_n(arena, pj_point, (size_t)curve->size);
    edge->point_count = (size_t)curve->size;
    for (size_t i = 0; i < edge->point_count; i++)
        edge->points[i] = point_of(s, curve->list[i]);
    edge->tip = curve->eflag ? point_of(s, curve->ep) : edge->points[edge->point_count - 1];
}

static void take(const space *s, pj_graph_layout *g, pj_arena *arena)
{
    boxf box = GD_bb(s->graph);
    g->width = (box.UR.x - box.LL.x) * px_per_point;
    g->height = (box.UR.y - box.LL.y) * px_per_point;
    for (size_t i = 0; i < g->node_count; i++) {
        pj_point at = point_of(s, ND_coord(s->nodes[i]));
        g->nodes[i].x = at.x;
        g->nodes[i].y = at.y;
    }
    for (size_t e = 0; e < g->edge_count; e++) {
        const splines *lines = ED_spl(s->edges[e]);
        const textlabel_t *label = ED_label(s->edges[e]);
        if (lines && lines->size > 0)
            take_curve(s, &lines->list[0], &g->edges[e], arena);
        if (label) {
            pj_point at = point_of(s, label->pos);
            g->edges[e].x = at.x;
            g->edges[e].y = at.y;
        }
    }
}

static bool lay_out(pj_graph_layout *g, pj_arena *arena, pj_err *err)
{
    char name[] = "g", engine[] = "dot";
    agseterr(AGMAX); // nothing below the commands prints
    GVC_t *context = gvContext();
    space s = {.graph = agopen(name, Agdirected, NULL),
               .nodes = pj_new_n(arena, Agnode_t *, g->node_count + 1),
               .edges = pj_new_n(arena, Agedge_t *, g->edge_count + 1)};
    fill(&s, g);
    bool done = gvLayout(context, s.graph, engine) == 0;
    if (done) {
        s.height = GD_bb(s.graph).UR.y;
        take(&s, g, arena);
        gvFreeLayout(context, s.graph);
    }
    agclose(s.graph);
    gvFreeContext(context);
    return done || pj_fail(err, PJ_E_MISSING, NULL, 0,
                           "graphviz could not lay out the call graph; --export x.dot writes it");
}

extern const pj_graph_module pj_graph_module_row;
const pj_graph_module pj_graph_module_row = {.lay_out = lay_out};
