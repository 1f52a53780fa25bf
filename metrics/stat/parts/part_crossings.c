// Which parts of a program messages leave. Pairs of nodes come again and again: they are looked at
// once, as far as they are remembered.
#include "metrics/stat/parts/part_crossings.h"

enum { PAIRS_MOST = 1 << 16, NODE_BITS = 32 };

uint64_t pj_part_mark(uint32_t node, bool inside)
{
    return (uint64_t)inside << NODE_BITS | node;
}

static bool is_same(const pj_part_crossings *crossings, const pj_part_node *nodes, uint32_t a,
                    uint32_t b)
{
    bool parts = nodes[a].parent != PJ_PART_NONE && nodes[b].parent != PJ_PART_NONE;
    return a == b || (parts && !crossings->by_path && nodes[a].function == nodes[b].function);
}

/// Whether the part of `id` is open at `at`.
static bool is_open(const pj_part_crossings *crossings, const pj_part_node *nodes, uint32_t id,
                    uint32_t at)
{
    for (; nodes[at].parent != PJ_PART_NONE; at = nodes[at].parent)
        if (is_same(crossings, nodes, id, at))
            return true;
    return false;
}

/// Messages go from `id` to `to`.
static void leave(const pj_part_crossings *crossings, pj_part_node *nodes, uint32_t id, uint32_t to)
{
    nodes[id].left_alone |= !is_same(crossings, nodes, id, to);
    for (; nodes[id].parent != PJ_PART_NONE; id = nodes[id].parent)
        nodes[id].left |= !is_open(crossings, nodes, id, to);
}

void pj_part_crossings_meet(pj_part_crossings *crossings, pj_part_node *nodes, uint64_t mark,
                            uint64_t other)
{
    uint32_t a = (uint32_t)mark, b = (uint32_t)other, known;
    bool inside = mark >> NODE_BITS || other >> NODE_BITS;
    crossings->unplaced |= inside && (a == PJ_PART_NONE || b == PJ_PART_NONE);
    if (a == b || !inside || crossings->unplaced)
        return;
    uint64_t pair = (uint64_t)a << NODE_BITS | b;
    if (pj_map_get(&crossings->met, pair, &known))
        return;
    if (crossings->met.count < PAIRS_MOST)
        pj_map_put(&crossings->met, pair, 0);
    leave(crossings, nodes, a, b);
    leave(crossings, nodes, b, a);
}

void pj_part_crossings_free(pj_part_crossings *crossings)
{
    pj_map_free(&crossings->met);
    *crossings = (pj_part_crossings){.by_path = false};
}
