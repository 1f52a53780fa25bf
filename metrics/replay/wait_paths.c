// The critical path.
// A path is a chain of nodes, each with what was done since its parent. A rank goes on in its own
// node; when another one takes over its path as it was at some step, that node is closed, and what
// the rank did behind the step is taken off again in the node of the other one. Nodes that a single
// one follows become part of it, so that there are about as many as spans that ranks keep.
#include "metrics/replay/wait_paths.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/replay/wait_regions.h"

#include <stdlib.h>
#include <string.h>

enum {
    RANK_BITS = 6,        // up to 64 ranks are told apart
    TIMES_MOST = 1 << 19, // of a region and a rank
    NOWHERE = UINT32_MAX,
};

typedef struct part {
    uint32_t key; // region, rank
    int64_t ns;
} part;

typedef struct node {
    uint32_t parent;
    uint32_t spans; // that refer to it
    uint32_t children;
    uint32_t children_xor; // of their numbers: the number of the only one
    part *parts;           // by key
    size_t count, cap;
} node;

/// Steps of a rank whose begin lies in a node.
typedef struct span {
    uint32_t node;
    bool with_call; // it was closed behind the last step, not at its begin
    uint64_t first, last;
} span;

typedef struct trail { // of a rank
    span *spans;       // the last one is open, those before `gone` are forgotten
    size_t gone, count, cap;
    uint64_t left; // the last step that is over
} trail;

struct pj_wait_paths {
    pj_wait_steps *steps;
    pj_roi roi;
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

static uint32_t new_node(pj_wait_paths *paths, uint32_t parent)
{
    uint32_t id = paths->free_node;
    if (id != NOWHERE) {
        paths->free_node = paths->nodes[id].parent;
    } else {
        id = (uint32_t)paths->node_count++;
        pj_grow(paths->nodes, &paths->node_cap, paths->node_count);
    }
    paths->nodes[id] = (node){.parent = parent, .spans = 1};
    if (parent != NOWHERE) {
        paths->nodes[parent].children++;
        paths->nodes[parent].children_xor ^= id;
    }
    return id;
}

pj_wait_paths *pj_wait_paths_new(pj_wait_steps *steps, uint32_t ranks, pj_roi roi)
{
    pj_wait_paths *paths = pj_take_memory(sizeof *paths);
    *paths = (pj_wait_paths){.steps = steps, .roi = roi, .ranks = ranks, .free_node = NOWHERE};
    size_t size = ranks * sizeof *paths->trails;
    paths->trails = memset(pj_take_memory(size), 0, size);
    for (uint32_t i = 0; i < ranks; i++) {
        trail *t = &paths->trails[i];
        pj_grow(t->spans, &t->cap, 1);
        t->spans[t->count++] = (span){.node = new_node(paths, NOWHERE), .first = 1};
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
        free(paths->trails[i].spans);
    for (size_t i = 0; i < paths->node_count; i++)
        free(paths->nodes[i].parts);
    free_times(paths);
    free(paths->trails);
    free(paths->nodes);
    free(paths);
}

// Nodes

static uint32_t key_of(const pj_wait_paths *paths, uint32_t region, uint32_t rank)
{
    return region << RANK_BITS | (paths->ranks <= 1u << RANK_BITS ? rank : 0);
}

/// Most often what was added last is added to again.
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

static void free_node(pj_wait_paths *paths, uint32_t id)
{
    node *n = &paths->nodes[id];
    paths->part_bytes -= n->cap * sizeof *n->parts;
    free(n->parts);
    *n = (node){.parent = paths->free_node};
    paths->free_node = id;
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

static void drop_span(pj_wait_paths *paths, uint32_t id)
{
    paths->nodes[id].spans--;
    while (id != NOWHERE && paths->nodes[id].spans == 0 && paths->nodes[id].children < 2) {
        node *n = &paths->nodes[id];
        uint32_t parent = n->parent;
        if (n->children == 1) {
            merge(paths, id);
            return;
        }
        if (parent != NOWHERE) {
            paths->nodes[parent].children--;
            paths->nodes[parent].children_xor ^= id;
        }
        free_node(paths, id);
        id = parent;
    }
}

// Ranks

static span *open_span(trail *t)
{
    return &t->spans[t->count - 1];
}

static void add_time(pj_wait_paths *paths, uint32_t rank, uint32_t to, uint32_t region, int64_t ns)
{
    if (ns)
        add_part(paths, to, (part){key_of(paths, region, rank), ns});
}

static uint64_t *times_of(pj_wait_paths *paths, uint32_t region)
{
    size_t size = paths->ranks * sizeof **paths->rank_ns;
    if (paths->rank_ns[region] || paths->times > TIMES_MOST)
        return paths->rank_ns[region];
    paths->times += paths->ranks;
    if (paths->times > TIMES_MOST)
        free_times(paths);
    else
        paths->rank_ns[region] = memset(pj_take_memory(size), 0, size);
    return paths->rank_ns[region];
}

void pj_wait_paths_spend(pj_wait_paths *paths, uint32_t rank, pj_region_piece piece)
{
    uint64_t *times = piece.ns ? times_of(paths, piece.region) : NULL;
    paths->time_ns[piece.region] += piece.ns;
    if (times)
        times[rank] += piece.ns;
    add_time(paths, rank, open_span(&paths->trails[rank])->node, piece.region, (int64_t)piece.ns);
}

static uint64_t last_step(const pj_wait_paths *paths, uint32_t rank)
{
    const pj_step_line *line = pj_wait_steps_line(paths->steps, rank);
    return line->next ? line->next - 1 : 0;
}

/// Spans whose steps are kept no longer.
static void forget(pj_wait_paths *paths, uint32_t rank)
{
    trail *t = &paths->trails[rank];
    uint64_t first = pj_wait_steps_line(paths->steps, rank)->first;
    while (t->gone + 1 < t->count && t->spans[t->gone].last < first)
        drop_span(paths, t->spans[t->gone++].node);
    if (t->gone <= t->count / 2)
        return;
    t->count -= t->gone;
    memmove(t->spans, t->spans + t->gone, t->count * sizeof *t->spans);
    t->gone = 0;
}

void pj_wait_paths_leave(pj_wait_paths *paths, uint32_t rank)
{
    uint64_t number = last_step(paths, rank);
    pj_wait_step *step = pj_wait_steps_at(paths->steps, rank, number);
    step->spent_ns = pj_roi_clip(&paths->roi, step->leave) -
                     pj_roi_clip(&paths->roi, step->enter + step->wait_ns);
    paths->trails[rank].left = number;
    pj_wait_paths_spend(paths, rank, (pj_region_piece){step->region, step->spent_ns});
    forget(paths, rank);
}

/// Adds to a node what a rank did from the begin of step `from` to that of step `to`, or to its
/// end, times `sign`.
static void add_steps(pj_wait_paths *paths, uint32_t rank, uint32_t to, const span *steps, int sign)
{
    for (uint64_t number = steps->first; number <= steps->last; number++) {
        const pj_wait_step *step = pj_wait_steps_at(paths->steps, rank, number);
        for (uint64_t i = step->first; number > steps->first && i < step->first + step->count;
             i++) {
            const pj_step_entry *entry = pj_wait_steps_entry(paths->steps, rank, i);
            if (entry->kind == PJ_STEP_TIME)
                add_time(paths, rank, to, entry->region, sign * (int64_t)entry->ns);
        }
        if (number < steps->last || steps->with_call)
            add_time(paths, rank, to, step->region, sign * (int64_t)step->spent_ns);
    }
}

/// Ends the open span of a rank and begins another one in a node behind `parent`.
static void begin_span(pj_wait_paths *paths, uint32_t rank, uint64_t last, bool with_call,
                       uint32_t parent)
{
    trail *t = &paths->trails[rank];
    span *before = open_span(t);
    before->last = last;
    before->with_call = with_call;
    uint32_t begun = new_node(paths, parent);
    if (before->first > last) { // no step begins in it
        uint32_t gone = before->node;
        t->count--;
        drop_span(paths, gone);
    }
    pj_grow(t->spans, &t->cap, t->count + 1);
    t->spans[t->count++] = (span){.node = begun, .first = last + 1};
}

/// The span in which a kept step of a rank begins, which is then a closed one; NULL = forgotten.
static const span *close_at(pj_wait_paths *paths, uint32_t rank, uint64_t step)
{
    trail *t = &paths->trails[rank];
    uint64_t last = last_step(paths, rank);
    if (open_span(t)->first <= step)
        begin_span(paths, rank, last, t->left == last, open_span(t)->node);
    for (size_t i = t->count - 1; i-- > t->gone;)
        if (t->spans[i].first <= step)
            return &t->spans[i];
    return NULL;
}

/// Time of a call turns out to be a wait.
static void take_back(pj_wait_paths *paths, uint32_t rank, pj_region_piece piece)
{
    paths->time_ns[piece.region] -= piece.ns;
    if (paths->rank_ns[piece.region])
        paths->rank_ns[piece.region][rank] -= piece.ns;
}

void pj_wait_paths_wait(pj_wait_paths *paths, const pj_delayed *wait)
{
    trail *t = &paths->trails[wait->rank];
    uint64_t step = pj_wait_steps_find(paths->steps, wait->culprit, wait->released);
    bool over = t->left >= wait->step; // all of it is in the path as it is
    pj_wait_step *own = pj_wait_steps_at(paths->steps, wait->rank, wait->step);
    if (over)
        take_back(paths, wait->rank, (pj_region_piece){own->region, wait->inside_ns});
    if (wait->culprit == wait->rank || (over && open_span(t)->first > wait->step))
        return;
    const span *found = step ? close_at(paths, wait->culprit, step) : NULL;
    if (!found) {
        paths->lost++;
        return;
    }
    span taken = {.first = step, .last = found->last, .with_call = found->with_call};
    span since = {.first = wait->step, .last = last_step(paths, wait->rank)};
    since.with_call = t->left == since.last;
    uint32_t before = open_span(t)->node, parent = found->node;
    if (over)
        add_steps(paths, wait->rank, before, &since, -1);
    begin_span(paths, wait->rank, wait->step, false, parent);
    uint32_t now = open_span(t)->node;
    add_steps(paths, wait->culprit, now, &taken, -1);
    if (!over)
        return;
    own->spent_ns -= wait->inside_ns;
    add_steps(paths, wait->rank, now, &since, 1);
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
    int64_t *sums = pj_new_n(scratch, int64_t, KEYS);
    bool apart = paths->ranks <= 1u << RANK_BITS;
    size_t count = 0;
    for (uint32_t id = open_span(&paths->trails[out->last_rank])->node; id != NOWHERE;
         id = paths->nodes[id].parent)
        for (size_t i = 0; i < paths->nodes[id].count; i++)
            sums[paths->nodes[id].parts[i].key] += paths->nodes[id].parts[i].ns;
    for (size_t key = 0; key < KEYS; key++)
        count += sums[key] > 0;
    out->parts = pj_new_n(arena, pj_path_part, count + 1);
    for (uint32_t key = 0; key < KEYS; key++)
        if (sums[key] > 0)
            out->parts[out->count++] =
                (pj_path_part){apart ? key & ((1u << RANK_BITS) - 1) : PJ_CULPRIT_OTHERS,
                               key >> RANK_BITS, (uint64_t)sums[key]};
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

void pj_wait_paths_finish(const pj_wait_paths *paths, pj_path_clock clock, pj_delays *out,
                          pj_arena *arena)
{
    pj_critical_path *path = &out->paths[clock];
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
    return sizeof *paths + paths->node_cap * sizeof *paths->nodes + paths->part_bytes +
           paths->times * sizeof **paths->rank_ns;
}
