// The stack of a location whose regions are left in any order.
// What a frame makes of the state below it is a function of few values, and so is what several on
// top of each other make of it: a tree of these functions gives the state of the innermost one.
#include "metrics/read/otf2/events/otf2_tangle.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/map.h"
#include "metrics/read/otf2/events/otf2_region.h"

#include <stdlib.h>

enum {
    BASE = PJ_OTF2_STATE_BASE,
    RUNNING = PJ_STATE_RUNNING,
    KEEP = BASE - 1,
    LEAST = 64, // locations
};

typedef struct effect { // on the state below, or KEEP
    uint8_t base, running, other;
} effect;

typedef struct node {
    effect now, in[2]; // in[1]: all that is open restated within a call
    uint8_t due;       // for the nodes below: restated with in[due - 1]; 0 = nothing
} node;

struct pj_otf2_tangle {
    const pj_otf2_region *regions;
    node *nodes; // the root is 1, the leaves are the locations from `cap` on
    uint32_t *region;
    uint32_t *under; // the next outer place of the same region, from 1 on; 0 = none
    bool *open;
    size_t count, first_count, end, cap;
    pj_map last; // the innermost place of a region, from 1 on
};

static const effect nothing = {BASE, RUNNING, KEEP};

uint8_t pj_otf2_state_above(const pj_otf2_region *region, uint8_t below, bool in_call)
{
    if (region->construct == PJ_OTF2_ROOT || (in_call && below != BASE && below != RUNNING))
        return below;
    if (region->state != PJ_OTF2_INHERIT)
        return region->state;
    return below == BASE ? RUNNING : below;
}

static effect effect_of(const pj_otf2_region *region, bool in_call)
{
    bool keeps = in_call || region->construct == PJ_OTF2_ROOT || region->state == PJ_OTF2_INHERIT;
    return (effect){pj_otf2_state_above(region, BASE, in_call),
                    pj_otf2_state_above(region, RUNNING, in_call), keeps ? KEEP : region->state};
}

static uint8_t apply(effect e, uint8_t state)
{
    if (state == BASE)
        return e.base;
    if (state == RUNNING)
        return e.running;
    return e.other == KEEP ? state : e.other;
}

static effect both(effect below, effect above)
{
    return (effect){apply(above, below.base), apply(above, below.running),
                    below.other == KEEP ? above.other : apply(above, below.other)};
}

static void restate_node(node *n, unsigned in)
{
    n->now = n->in[in];
    n->due = (uint8_t)(in + 1);
}

static void pass_on(pj_otf2_tangle *t, size_t at)
{
    if (!t->nodes[at].due)
        return;
    restate_node(&t->nodes[2 * at], t->nodes[at].due - 1u);
    restate_node(&t->nodes[2 * at + 1], t->nodes[at].due - 1u);
    t->nodes[at].due = 0;
}

static void join(pj_otf2_tangle *t, size_t at)
{
    node *n = &t->nodes[at];
    const node *below = &t->nodes[2 * at], *above = below + 1;
    n->now = both(below->now, above->now);
    for (unsigned in = 0; in < 2; in++)
        n->in[in] = both(below->in[in], above->in[in]);
}

/// Nothing is due on the way from the root to a leaf.
static void open_path(pj_otf2_tangle *t, size_t leaf)
{
    for (unsigned height = (unsigned)__builtin_ctzll(t->cap); height > 0; height--)
        pass_on(t, leaf >> height);
}

static void set_leaf(pj_otf2_tangle *t, size_t location, node leaf)
{
    size_t at = t->cap + location;
    open_path(t, at);
    t->nodes[at] = leaf;
    while (at /= 2)
        join(t, at);
}

static node leaf_of(const pj_otf2_tangle *t, pj_otf2_frame frame)
{
    const pj_otf2_region *region = &t->regions[frame.region];
    return (node){.now = {frame.state, frame.state, frame.state},
                  .in = {effect_of(region, false), effect_of(region, true)}};
}

static void open_location(pj_otf2_tangle *t, uint32_t region)
{
    size_t location = t->end++;
    uint32_t under = 0;
    pj_map_get(&t->last, region, &under);
    t->region[location] = region;
    t->under[location] = under;
    t->open[location] = true;
    t->count++;
    pj_map_put(&t->last, region, (uint32_t)t->end);
}

pj_otf2_tangle *pj_otf2_tangle_new(const pj_otf2_region *regions, const pj_otf2_frame *frames,
                                   size_t count)
{
    pj_otf2_tangle *t = pj_take_memory(sizeof *t);
    *t = (pj_otf2_tangle){.regions = regions, .first_count = count, .cap = LEAST};
    while (t->cap < 2 * count)
        t->cap *= 2;
    t->nodes = pj_take_memory(2 * t->cap * sizeof *t->nodes);
    t->region = pj_take_memory(t->cap * sizeof *t->region);
    t->under = pj_take_memory(t->cap * sizeof *t->under);
    t->open = pj_take_memory(t->cap * sizeof *t->open);
    for (size_t i = 0; i < 2 * t->cap; i++)
        t->nodes[i] = (node){.now = nothing, .in = {nothing, nothing}};
    for (size_t i = 0; i < count; i++) {
        t->nodes[t->cap + i] = leaf_of(t, frames[i]);
        open_location(t, frames[i].region);
    }
    for (size_t at = t->cap; --at > 0;)
        join(t, at);
    return t;
}

void pj_otf2_tangle_free(pj_otf2_tangle *t)
{
    if (!t)
        return;
    free(t->nodes);
    free(t->region);
    free(t->under);
    free(t->open);
    pj_map_free(&t->last);
    free(t);
}

bool pj_otf2_tangle_push(pj_otf2_tangle *t, pj_otf2_frame frame)
{
    if (t->end == t->cap)
        return false;
    set_leaf(t, t->end, leaf_of(t, frame));
    open_location(t, frame.region);
    return true;
}

uint8_t pj_otf2_tangle_state(const pj_otf2_tangle *t)
{
    return t->nodes[1].now.base;
}

size_t pj_otf2_tangle_top(const pj_otf2_tangle *t)
{
    return t->end - 1;
}

bool pj_otf2_tangle_find(const pj_otf2_tangle *t, uint32_t region, size_t *at)
{
    uint32_t location = 0;
    pj_map_get(&t->last, region, &location);
    *at = location - (size_t)1;
    return location > 0;
}

uint32_t pj_otf2_tangle_take(pj_otf2_tangle *t, size_t at)
{
    uint32_t region = t->region[at];
    set_leaf(t, at, (node){.now = nothing, .in = {nothing, nothing}});
    pj_map_put(&t->last, region, t->under[at]);
    t->open[at] = false;
    t->count--;
    while (t->end > 0 && !t->open[t->end - 1])
        t->end--;
    return region;
}

void pj_otf2_tangle_restate(pj_otf2_tangle *t, size_t at, bool in_call)
{
    size_t leaf = t->cap + at + 1;
    if (at + 1 >= t->end)
        return;
    open_path(t, leaf);
    restate_node(&t->nodes[leaf], in_call);
    for (size_t i = leaf; i > 1; i /= 2) {
        if (i % 2 == 0)
            restate_node(&t->nodes[i + 1], in_call);
        join(t, i / 2);
    }
}

bool pj_otf2_tangle_is_sparse(const pj_otf2_tangle *t)
{
    return t->count <= t->first_count / 2;
}

size_t pj_otf2_tangle_frames(pj_otf2_tangle *t, pj_otf2_frame *frames)
{
    size_t count = 0;
    uint8_t state = BASE;
    for (size_t at = 1; at < t->cap; at++)
        pass_on(t, at);
    for (size_t location = 0; location < t->end; location++) {
        if (!t->open[location])
            continue;
        state = apply(t->nodes[t->cap + location].now, state);
        frames[count++] = (pj_otf2_frame){t->region[location], state};
    }
    return count;
}

size_t pj_otf2_tangle_bytes(const pj_otf2_tangle *t)
{
    size_t location = 2 * sizeof *t->nodes + sizeof *t->region + sizeof *t->under + sizeof *t->open;
    return t ? t->cap * location + t->last.cap * sizeof *t->last.entries : 0;
}

void pj_otf2_tangle_end(pj_otf2_location *location)
{
    if (!location->tangle)
        return;
    pj_grow(location->stack, &location->stack_cap, location->depth + 1);
    pj_otf2_tangle_frames(location->tangle, location->stack);
    pj_otf2_tangle_free(location->tangle);
    location->tangle = NULL;
}
