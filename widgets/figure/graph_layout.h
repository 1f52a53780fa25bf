// Places for the boxes and arrows of a graph, found by graphviz in a module that is opened at the
// first graph, so that the program starts without it. Ownership: results are arena.
#ifndef PJ_GRAPH_LAYOUT_H
#define PJ_GRAPH_LAYOUT_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "widgets/figure/figure.h"

typedef struct pj_layout_node {
    double width, height; // px, given
    double x, y;          // of the centre, found
} pj_layout_node;

typedef struct pj_layout_edge {
    uint32_t from, to;    // nodes, given
    double width, height; // px of its label, given; 0 = none
    double weight;        // given: heavier ones are drawn straighter
    double x, y;          // of the centre of the label, found
    pj_point *points;     // found: ends and control points of cubic curves, 3 n + 1 of them
    size_t point_count;
    pj_point tip; // of its arrow
} pj_layout_edge;

typedef struct pj_graph_layout {
    pj_layout_node *nodes;
    pj_layout_edge *edges;
    size_t node_count, edge_count;
    double width, height; // px, found
} pj_graph_layout;

/// Layers from top to bottom, y downwards. PJ_E_MISSING with what to install without the module.
PJ_CHECKED bool pj_graph_lay_out(pj_graph_layout *graph, pj_arena *arena, pj_err *err);

/// What the module gives.
typedef struct pj_graph_module {
    bool (*lay_out)(pj_graph_layout *graph, pj_arena *arena, pj_err *err);
} pj_graph_module;

#endif
