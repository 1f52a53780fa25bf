// The call graph in graphviz's language, attribute for attribute as gprof2dot 2026-07 writes it
// (gprof2dot.py, classes Theme and DotWriter), and its colours. Ownership: output is appended.
#ifndef PJ_GRAPH_DOT_H
#define PJ_GRAPH_DOT_H

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/profile/call_graph.h"
#include "metrics/profile/profile.h"
#include "widgets/figure/figure.h"

typedef struct pj_graph_theme {
    const char *name;
    double from[3], to[3]; // hue, saturation, lightness of weights 0 and 1
    double gamma, font_least, font_most, pen_least, pen_most;
    bool solid;  // black text on white
    double skew; // above 1 most weights have colours of the cold end; 0 = even, as 1
} pj_graph_theme;

/// "color", "pink", "gray", "bw", "print"; NULL = color. NULL with PJ_E_USAGE for another one.
PJ_CHECKED const pj_graph_theme *pj_graph_theme_of(const char *name, pj_err *err);
pj_colour pj_graph_theme_colour(const pj_graph_theme *theme, double weight);

/// Of a comparison: which changes of time with callees are marked.
typedef enum pj_graph_marked { PJ_GRAPH_BOTH, PJ_GRAPH_SLOWER, PJ_GRAPH_FASTER } pj_graph_marked;

typedef struct pj_graph_dot_opts {
    const pj_graph_theme *theme;
    const pj_call_graph *other; // that the graph is compared with, as by --compare; NULL = none
    double tolerance;           // percent of all time that is no change; 0 = 0.001
    pj_graph_marked marked;
    bool by_difference; // colours follow the change
    bool times;         // in place of shares
    bool wrap;          // long names in lines of at most 32 letters
    bool strip;         // names without parameters and template arguments
} pj_graph_dot_opts;

/// Lines of a node: name, share or time with callees, own, calls; with "\n" between them.
const char *pj_graph_dot_label(const pj_call_graph *graph, uint32_t node, pj_graph_dot_opts opts,
                               pj_arena *arena);
void pj_graph_dot(const pj_call_graph *graph, pj_graph_dot_opts opts, pj_buf *out);
/// Of a whole profile, as without options. Errors: those of pj_call_graph_new.
PJ_CHECKED bool pj_graph_dot_profile(const pj_profile *profile, pj_buf *out, pj_err *err);

#endif
