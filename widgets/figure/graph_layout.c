// The module is looked for at the first graph.
#include "widgets/figure/graph_layout.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/module.h"

bool pj_graph_lay_out(pj_graph_layout *graph, pj_arena *arena, pj_err *err)
{
    const pj_graph_module *module =
        pj_module_open("popinjay-graph.so", "pj_graph_module_row",
                       "pictures of call graphs need graphviz (Debian: libgvc6); --export x.dot "
                       "writes the graph without it",
                       err);
    return module && module->lay_out(graph, arena, err);
}
