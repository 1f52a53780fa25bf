// Functions that only call the next one stand in its box, all others in boxes of their own.
#include "metrics/base/arena.h"
#include "metrics/profile/call_graph.h"
#include "widgets/plot/profile/graph_chains.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { NODES = 7 };

/// 0 calls 1, that 2, that 3, which calls 4 and 5; 6 calls 0 and 0 is called by itself where asked.
static pj_graph_chains chains_of(double own_of_1, bool recursive, pj_arena *arena)
{
    static const double totals[NODES] = {0.9, 0.9, 0.9, 0.9, 0.5, 0.3, 1};
    static const uint32_t calls[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {3, 5}, {6, 0}, {1, 1}};
    pj_call_graph *graph = pj_new(arena, pj_call_graph);
    graph->nodes = pj_new_n(arena, pj_call_graph_node, NODES);
    graph->edges = pj_new_n(arena, pj_call_graph_edge, NODES);
    graph->node_count = NODES;
    graph->edge_count = recursive ? NODES : NODES - 1;
    for (uint32_t n = 0; n < NODES; n++) {
        graph->nodes[n] = (pj_call_graph_node){.region = 10 + n, .total = totals[n]};
        graph->edges[n] = (pj_call_graph_edge){.caller = calls[n][0], .callee = calls[n][1]};
    }
    graph->nodes[1].self = own_of_1;
    graph->nodes[6].self = 0.1;
    return pj_graph_chains_of(graph, arena);
}

static void chain_is_one_box(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_graph_chains c = chains_of(0.001, false, arena);
    assert_int_equal(c.folded, 3);
    assert_int_equal(c.graph->node_count, 4);
    assert_int_equal(c.graph->nodes[0].region, 13);
    assert_int_equal(c.chains[0].count, 3);
    for (uint32_t k = 0; k < 3; k++)
        assert_int_equal(c.chains[0].regions[k], 10 + k);
    assert_int_equal(c.graph->edge_count, 3);
    for (uint32_t e = 0; e < 3; e++) { // into the box and out of it
        const pj_call_graph_edge *edge = &c.graph->edges[e];
        assert_true(edge->callee == 0 || edge->caller == 0);
        assert_int_equal(c.chains[edge->callee].count, edge->callee == 0 ? 3 : 0);
    }
}

/// Time of its own and recursion are worth a box; two functions are no chain.
static void what_tells_more_has_a_box(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    assert_int_equal(chains_of(0.1, false, arena).folded, 0);
    assert_int_equal(chains_of(0.001, true, arena).folded, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_is_one_box),
        cmocka_unit_test(what_tells_more_has_a_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
