// The critical path.
// A path is a chain of nodes, each a stretch of what one rank did. Where another rank takes over a
// path, the node is cut in two, and that rank goes on in a node behind the first one. What was done
// in a stretch is summed only when the rank's pieces must make room: most nodes are on no path any
// more by then, for ranks that wait for each other soon share all of it but the last stretches.
#include "metrics/replay/wait_paths.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/replay/wait_regions.h"
#include "metrics/replay/wait_steps.h"

#include <stdlib.h>
#include <string.h>

enum {
    RANK_BITS = 6,        // up to 64 ranks are told apart
    TIMES_MOST = 1 << 19, // of a region and a rank
    NOWHERE = UINT32_MAX,
};

typedef struct part {
    uint32_t key; // region, rank
    uint64_t ns;
} part;

typedef struct node {
    uint32_t parent;
    uint32_t children;
    uint32_t children_xor; // of their numbers: the number of the only one
    bool kept;             // a path may be taken over in it, or is gone on with
    bool listed;           // in the trail of its rank
    uint64_t from, to;     // places of pieces; its rank is in it: to = UINT64_MAX
    part *parts;           // by key: of pieces that are gone
    size_t count, cap;
} node;

typedef struct trail { // of a rank
    uint32_t *nodes;   // by place, from `summed` on; those from `gone` on are kept
    size_t summed, gone, count, cap;
    uint64_t rest;      // place of the first piece that is there
    uint64_t fixed;     // later waits of steps before this one change no path
    uint64_t left;      // the last step that is over
    uint64_t waited_ns; // of the step that is not, as far as it counts
} trail;

struct pj_wait_paths {
    pj_wait_steps *steps;
    trail *trails;
    uint32_t ranks;
    node *nodes;
    size_t node_count, node_cap;
    uint32_t free_node;
    // Without waits, of all ranks and by rank; NULL = nothing so far, or nothing is told by rank.
    uint64_t time_ns[PJ_WAIT_REGIONS_MOST];
    uint64_t *rank_ns[PJ_WAIT_REGIONS_MOST];
    size_t times; // of regions and ranks; beyond TIMES_MOST none of them is told
    size_t part_bytes;
    uint64_t lost; // waits whose culprit's path is kept no longer
};

// Nodes

static uint32_t new_node(pj_wait_paths *paths, node content)
{
    uint32_t id = paths->free_node;
    if (id != NOWHERE) {
        paths->free_node = paths->nodes[id].parent;
    } else {
        id = (uint32_t)paths->node_count++;
        pj_grow(paths->nodes, &paths->node_cap, paths->node_count);
    }
    paths->nodes[id] = content;
    return id;
}

static void free_node(pj_wait_paths *paths, uint32_t id)
{
    node *n = &paths->nodes[id];
    paths->part_bytes -= n->cap * sizeof *n->parts;
    free(n->parts);
    *n = (node){.parent = paths->free_node};
    paths->free_node = id;
}

static uint32_t key_of(const pj_wait_paths *paths, uint32_t region, uint32_t rank)
{
    return region << RANK_BITS | (paths->ranks <= 1u << RANK_BITS ? rank : 0);
}

static void add_part(pj_wait_paths *paths, uint32_t id, part added)
{
    node *n = &paths->nodes[id];
    size_t low = 0, high = n->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (n->parts[middle].key < added.key)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < n->count && n->parts[low].key == added.key) {
        n->parts[low].ns += added.ns;
        return;
    }
    size_t cap = n->cap;
    pj_grow(n->parts, &n->cap, n->count + 1);
    paths->part_bytes += (n->cap - cap) * sizeof *n->parts;
    memmove(n->parts + low + 1, n->parts + low, (n->count - low) * sizeof *n->parts);
    n->parts[low] = added;
    n->count++;
}

static void add_child(pj_wait_paths *paths, uint32_t id, uint32_t child)
{
    paths->nodes[id].children++;
    paths->nodes[id].children_xor ^= child;
    paths->nodes[child].parent = id;
}

/// The only child takes the place of its parent.
static void merge(pj_wait_paths *paths, uint32_t id)
{
    node *n = &paths->nodes[id];
    uint32_t child = n->children_xor;
    node *c = &paths->nodes[child];
    if (c->count < n->count) { // the smaller one is added to the larger one
        node swapped = *c;
        c->parts = n->parts, c->count = n->count, c->cap = n->cap;
        n->parts = swapped.parts, n->count = swapped.count, n->cap = swapped.cap;
    }
    for (size_t i = 0; i < n->count; i++)
        add_part(paths, child, n->parts[i]);
    c->parent = n->parent;
    if (n->parent != NOWHERE)
        paths->nodes[n->parent].children_xor ^= id ^ child;
    free_node(paths, id);
}

/// Nodes that are on no path any more leave it, and so do those before them that only they
/// followed.
static void settle(pj_wait_paths *paths, uint32_t id)
{
    while (id != NOWHERE && !paths->nodes[id].kept && paths->nodes[id].children < 2) {
        node *n = &paths->nodes[id];
        uint32_t parent = n->parent;
        if (n->children == 1) {
            if (!n->listed)
                merge(paths, id);
            return;
        }
        n->parent = NOWHERE;
        if (!n->listed)
            free_node(paths, id);
        if (parent != NOWHERE) {
            paths->nodes[parent].children--;
            paths->nodes[parent].children_xor ^= id;
        }
        id = parent;
    }
}

static void move_child(pj_wait_paths *paths, uint32_t child, uint32_t to)
{
    uint32_t from = paths->nodes[child].parent;
    add_child(paths, to, child);
    if (from == NOWHERE)
        return;
    paths->nodes[from].children--;
    paths->nodes[from].children_xor ^= child;
    settle(paths, from);
}

pj_wait_paths *pj_wait_paths_new(uint32_t ranks, uint32_t of_all)
{
    pj_wait_paths *paths = pj_take_memory(sizeof *paths);
    *paths = (pj_wait_paths){.ranks = ranks, .free_node = NOWHERE};
    paths->steps = pj_wait_steps_new(ranks, of_all);
    paths->trails = pj_take_zeros(ranks * sizeof *paths->trails);
    for (uint32_t i = 0; i < ranks; i++) {
        trail *t = &paths->trails[i];
        pj_grow(t->nodes, &t->cap, 1);
        t->nodes[t->count++] = new_node(
            paths, (node){.parent = NOWHERE, .kept = true, .listed = true, .to = UINT64_MAX});
        t->rest = pj_wait_steps_line(paths->steps, i)->begin;
    }
    return paths;
}

static void free_times(pj_wait_paths *paths)
{
    for (uint32_t r = 0; r < PJ_WAIT_REGIONS_MOST; r++) {
        free(paths->rank_ns[r]);
        paths->rank_ns[r] = NULL;
    }
}

void pj_wait_paths_free(pj_wait_paths *paths)
{
    if (!paths)
        return;
    for (uint32_t i = 0; i < paths->ranks; i++)
        free(paths->trails[i].nodes);
    for (size_t i = 0; i < paths->node_count; i++)
        free(paths->nodes[i].parts);
    free_times(paths);
    pj_wait_steps_free(paths->steps);
    free(paths->trails);
    free(paths->nodes);
    free(paths);
}

// What ranks do

static uint64_t *times_of(pj_wait_paths *paths, uint32_t region)
{
    size_t size = paths->ranks * sizeof **paths->rank_ns;
    if (paths->rank_ns[region] || paths->times > TIMES_MOST)
        return paths->rank_ns[region];
    paths->times += paths->ranks;
    if (paths->times > TIMES_MOST)
        free_times(paths);
    else
        paths->rank_ns[region] = pj_take_zeros(size);
    return paths->rank_ns[region];
}

/// Less than 0 of a wait that was taken for time, and is added before or after it.
static void add_time(pj_wait_paths *paths, uint32_t rank, uint32_t region, int64_t ns)
{
    uint64_t *times = ns ? times_of(paths, region) : NULL;
    paths->time_ns[region] += (uint64_t)ns;
    if (times)
        times[rank] += (uint64_t)ns;
}

static void forget_nodes(trail *t)
{
    if (t->summed <= t->count / 2)
        return;
    t->count -= t->summed;
    t->gone -= t->summed;
    memmove(t->nodes, t->nodes + t->summed, t->count * sizeof *t->nodes);
    t->summed = 0;
}

/// In nodes before the first step that is kept no path is taken over.
static void let_go(pj_wait_paths *paths, uint32_t rank)
{
    trail *t = &paths->trails[rank];
    const pj_step_line *line = pj_wait_steps_line(paths->steps, rank);
    uint64_t first = line->first < line->next
                         ? pj_wait_steps_at(paths->steps, rank, line->first)->call
                         : line->end;
    for (; t->gone < t->count && paths->nodes[t->nodes[t->gone]].to < first; t->gone++) {
        paths->nodes[t->nodes[t->gone]].kept = false;
        settle(paths, t->nodes[t->gone]);
    }
}

/// The rank's pieces before this place are summed: nobody cuts a node there.
static void sum_up(pj_wait_paths *paths, uint32_t rank, uint64_t until)
{
    trail *t = &paths->trails[rank];
    const pj_step_line *line = pj_wait_steps_line(paths->steps, rank);
    for (uint64_t i = t->rest; i < until; i++) {
        const pj_region_piece *piece = pj_wait_steps_piece(paths->steps, line, i);
        add_time(paths, rank, piece->region, (int64_t)piece->ns);
    }
    for (; t->summed < t->count; t->summed++) {
        uint32_t id = t->nodes[t->summed];
        node *n = &paths->nodes[id];
        uint64_t to = n->to < until ? n->to : until;
        for (uint64_t i = n->from > t->rest ? n->from : t->rest; (n->kept || n->children) && i < to;
             i++) {
            const pj_region_piece *piece = pj_wait_steps_piece(paths->steps, line, i);
            if (piece->ns)
                add_part(paths, id, (part){key_of(paths, piece->region, rank), piece->ns});
        }
        if (n->kept || n->to > until)
            break;
        n->listed = false;
        if (n->children)
            settle(paths, id);
        else
            free_node(paths, id);
    }
    t->rest = until;
    forget_nodes(t);
}

/// So that one more piece has a place.
static void make_room(pj_wait_paths *paths, uint32_t rank)
{
    const pj_step_line *line = pj_wait_steps_line(paths->steps, rank);
    uint64_t rest = paths->trails[rank].rest;
    if (line->end - rest < (uint64_t)PJ_STEP_PIECES * paths->steps->most)
        return;
    let_go(paths, rank);
    sum_up(paths, rank, rest + paths->steps->most);
}

void pj_wait_paths_spend(pj_wait_paths *paths, uint32_t rank, pj_region_piece piece)
{
    const trail *t = &paths->trails[rank];
    make_room(paths, rank);
    if (pj_wait_steps_spend(paths->steps, rank, piece) || !piece.ns)
        return;
    add_time(paths, rank, piece.region, (int64_t)piece.ns);
    add_part(paths, t->nodes[t->count - 1], (part){key_of(paths, piece.region, rank), piece.ns});
}

void pj_wait_paths_begin(pj_wait_paths *paths, uint32_t rank, uint64_t enter, uint32_t region)
{
    make_room(paths, rank);
    pj_wait_steps_begin(paths->steps, rank, enter, region);
    paths->trails[rank].waited_ns = 0;
}

uint64_t pj_wait_paths_last(const pj_wait_paths *paths, uint32_t rank)
{
    return pj_wait_steps_line(paths->steps, rank)->next - 1;
}

static pj_region_piece *own_piece(const pj_wait_paths *paths, uint32_t rank, uint64_t step)
{
    return pj_wait_steps_piece(paths->steps, pj_wait_steps_line(paths->steps, rank),
                               pj_wait_steps_at(paths->steps, rank, step)->call);
}

void pj_wait_paths_leave(pj_wait_paths *paths, uint32_t rank, uint64_t ns)
{
    trail *t = &paths->trails[rank];
    t->left = pj_wait_paths_last(paths, rank);
    own_piece(paths, rank, t->left)->ns = ns - t->waited_ns;
}

// Who takes over

/// The node of a rank that ends where a kept step begins.
static uint32_t cut(pj_wait_paths *paths, uint32_t rank, uint64_t step)
{
    trail *t = &paths->trails[rank];
    uint64_t place = pj_wait_steps_at(paths->steps, rank, step)->call;
    size_t at = t->count - 1;
    while (paths->nodes[t->nodes[at]].from >= place)
        at--;
    uint32_t later = t->nodes[at];
    node before = paths->nodes[later];
    if (before.to == place)
        return later;
    before.to = place;
    before.children = 0;
    before.children_xor = 0;
    uint32_t earlier = new_node(paths, before);
    if (before.parent != NOWHERE)
        paths->nodes[before.parent].children_xor ^= earlier ^ later;
    node *l = &paths->nodes[later];
    l->from = place;
    l->parts = NULL;
    l->count = l->cap = 0;
    add_child(paths, earlier, later);
    pj_grow(t->nodes, &t->cap, t->count + 1);
    memmove(t->nodes + at + 1, t->nodes + at, (t->count++ - at) * sizeof *t->nodes);
    t->nodes[at] = earlier;
    return earlier;
}

/// Whether the path of whoever was waited for is taken over.
static bool take_over(pj_wait_paths *paths, const pj_delayed *wait, bool over)
{
    trail *t = &paths->trails[wait->rank], *from = &paths->trails[wait->culprit];
    if (wait->culprit == wait->rank || (over && t->fixed > wait->step))
        return false;
    uint64_t step = pj_wait_steps_find(paths->steps, wait->culprit, wait->released);
    if (!step) {
        paths->lost++;
        return false;
    }
    uint32_t parent = cut(paths, wait->culprit, step);
    cut(paths, wait->rank, wait->step);
    move_child(paths, t->nodes[t->count - 1], parent);
    t->fixed = wait->step + 1;
    if (from->fixed <= step)
        from->fixed = pj_wait_steps_line(paths->steps, wait->culprit)->next;
    return true;
}

void pj_wait_paths_wait(pj_wait_paths *paths, const pj_delayed *wait)
{
    trail *t = &paths->trails[wait->rank];
    if (!pj_wait_steps_has(paths->steps, wait->rank, wait->step))
        return;
    bool over = t->left >= wait->step, taken = take_over(paths, wait, over);
    pj_region_piece *own = own_piece(paths, wait->rank, wait->step);
    if (!over)
        t->waited_ns = wait->inside_ns;
    else if (taken)
        own->ns -= wait->inside_ns;
    else // it stays in the path
        add_time(paths, wait->rank, own->region, -(int64_t)wait->inside_ns);
}

// The end

static int by_place(const void *a, const void *b)
{
    const pj_path_part *x = a, *y = b;
    if (x->region != y->region)
        return x->region < y->region ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static void write_path(const pj_wait_paths *paths, pj_critical_path *out, pj_arena *arena)
{
    enum { KEYS = PJ_WAIT_REGIONS_MOST << RANK_BITS };
    pj_auto_arena scratch = pj_arena_new(NULL);
    uint64_t *sums = pj_new_n(scratch, uint64_t, KEYS);
    bool apart = paths->ranks <= 1u << RANK_BITS;
    const trail *last = &paths->trails[out->last_rank];
    size_t count = 0;
    for (uint32_t id = last->nodes[last->count - 1]; id != NOWHERE; id = paths->nodes[id].parent)
        for (size_t i = 0; i < paths->nodes[id].count; i++)
            sums[paths->nodes[id].parts[i].key] += paths->nodes[id].parts[i].ns;
    for (size_t key = 0; key < KEYS; key++)
        count += sums[key] > 0;
    out->parts = pj_new_n(arena, pj_path_part, count + 1);
    for (uint32_t key = 0; key < KEYS; key++)
        if (sums[key] > 0)
            out->parts[out->count++] =
                (pj_path_part){apart ? key & ((1u << RANK_BITS) - 1) : PJ_CULPRIT_OTHERS,
                               key >> RANK_BITS, sums[key]};
    qsort(out->parts, out->count, sizeof *out->parts, by_place);
}

/// What the regions cost a rank: what it waits is shared out over those of which it does less than
/// the path.
static void add_impact(const pj_wait_paths *paths, pj_path_clock clock, uint32_t rank,
                       pj_delays *out)
{
    uint64_t path = 0, done = 0, less = 0;
    for (uint32_t r = 0; r < out->region_count; r++) {
        uint64_t on_path = out->regions[r].path_ns[clock];
        uint64_t own = paths->rank_ns[r] ? paths->rank_ns[r][rank] : 0;
        path += on_path;
        done += own;
        less += on_path > own ? on_path - own : 0;
    }
    for (uint32_t r = 0; r < out->region_count; r++) {
        pj_path_impact *impact = &out->regions[r].impact[clock];
        uint64_t on_path = out->regions[r].path_ns[clock];
        uint64_t own = paths->rank_ns[r] ? paths->rank_ns[r][rank] : 0;
        impact->on_path_ns += own < on_path ? own : on_path;
        impact->off_path_ns += own > on_path ? own - on_path : 0;
        if (own < on_path && path > done)
            impact->imbalance_ns += (double)(on_path - own) * (double)(path - done) / (double)less;
    }
}

/// Nothing is kept but the path of the rank that ends last.
static void sum_up_all(pj_wait_paths *paths, uint32_t last_rank)
{
    for (uint32_t i = 0; i < paths->ranks; i++) {
        trail *t = &paths->trails[i];
        for (size_t open = t->count - (i == last_rank); t->gone < open; t->gone++) {
            paths->nodes[t->nodes[t->gone]].kept = false;
            settle(paths, t->nodes[t->gone]);
        }
    }
    for (uint32_t i = 0; i < paths->ranks; i++)
        sum_up(paths, i, pj_wait_steps_line(paths->steps, i)->end);
}

void pj_wait_paths_finish(pj_wait_paths *paths, pj_path_clock clock, pj_delays *out,
                          pj_arena *arena)
{
    pj_critical_path *path = &out->paths[clock];
    sum_up_all(paths, path->last_rank);
    write_path(paths, path, arena);
    for (uint32_t i = 0; i < path->count; i++)
        out->regions[path->parts[i].region].path_ns[clock] += path->parts[i].ns;
    for (uint32_t r = 0; r < out->region_count; r++)
        out->regions[r].time_ns[clock] = paths->time_ns[r];
    path->lost = paths->lost;
    path->has_impact = paths->times <= TIMES_MOST;
    for (uint32_t i = 0; i < paths->ranks && path->has_impact; i++)
        add_impact(paths, clock, i, out);
}

size_t pj_wait_paths_bytes(const pj_wait_paths *paths)
{
    return sizeof *paths + paths->steps->bytes + paths->node_cap * sizeof *paths->nodes +
           paths->part_bytes + paths->times * sizeof **paths->rank_ns;
}
