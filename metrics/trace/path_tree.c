// A time is taken off a node when it is entered and added when it is left: nothing else needs to be
// kept of open regions, which are the way from the innermost node to the root.
#include "metrics/trace/path_tree.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/fingerprint.h"
#include "metrics/base/str.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_BITS = 6,
    SHIFT_NONE = 32,
    FORKS_MOST = 1 << 22, // of a tree
    FREE_STEPS = 1 << 20, // of tangled regions; further ones are as many as records
    STEPS_EACH = 64,
};

void pj_path_tree_begin(pj_path_tree *tree, uint64_t from_ns, uint64_t to_ns)
{
    *tree = (pj_path_tree){.from_ns = from_ns,
                           .to_ns = to_ns,
                           .shift = SHIFT_NONE - FIRST_BITS,
                           .kept = PJ_PATH_DEPTH,
                           .most = PJ_PATH_OTHERS - 1};
    pj_grow(tree->nodes, &tree->cap, 1);
    tree->nodes[tree->count++] = (pj_path_node){.parent = PJ_PATH_ROOT};
    size_t bytes = sizeof *tree->slots << FIRST_BITS;
    tree->slots = memset(pj_take_memory(bytes), 0, bytes);
}

void pj_path_tree_free(pj_path_tree *tree)
{
    free(tree->nodes);
    free(tree->slots);
    free(tree->forks);
    free(tree->open);
    for (size_t i = 0; i < tree->variant_count; i++)
        free(tree->variants[i].text);
    free(tree->variants);
    pj_map_free(&tree->variant_of);
    pj_map_free(&tree->last_fork);
    *tree = (pj_path_tree){.nodes = NULL};
}

static size_t slots_of(const pj_path_tree *tree)
{
    return (size_t)1 << (SHIFT_NONE - tree->shift);
}

size_t pj_path_tree_bytes(const pj_path_tree *tree)
{
    return tree->cap * sizeof *tree->nodes + slots_of(tree) * sizeof *tree->slots +
           tree->fork_cap * sizeof *tree->forks + tree->open_cap * sizeof *tree->open +
           tree->variant_cap * sizeof *tree->variants + tree->variant_bytes +
           tree->last_fork.cap * sizeof *tree->last_fork.entries;
}

static pj_path_slot *find_slot(const pj_path_tree *tree, uint32_t parent, uint32_t what)
{
    size_t mask = slots_of(tree) - 1, at = pj_path_slot_of(tree, parent, what);
    while (tree->slots[at].node &&
           (tree->slots[at].parent != parent || tree->slots[at].what != what))
        at = (at + 1) & mask;
    return &tree->slots[at];
}

/// Most children are to be found in their own slot: a quarter of the slots is filled.
static void widen(pj_path_tree *tree)
{
    tree->shift--;
    free(tree->slots);
    size_t bytes = slots_of(tree) * sizeof *tree->slots;
    tree->slots = memset(pj_take_memory(bytes), 0, bytes);
    for (uint32_t i = 1; i < tree->count; i++) {
        const pj_path_node *node = &tree->nodes[i];
        *find_slot(tree, node->parent, node->what) = (pj_path_slot){node->parent, node->what, i};
    }
}

static uint32_t add_below(pj_path_tree *tree, uint32_t parent, uint32_t what)
{
    pj_path_slot *slot = find_slot(tree, parent, what);
    if (slot->node)
        return slot->node;
    enum { EACH = 4 };
    *slot = (pj_path_slot){parent, what, (uint32_t)tree->count};
    if (tree->count == tree->cap)
        pj_grow(tree->nodes, &tree->cap, tree->count + 1);
    tree->nodes[tree->count++] = (pj_path_node){.parent = parent, .what = what};
    if (tree->count * EACH > slots_of(tree))
        widen(tree);
    return (uint32_t)tree->count - 1;
}

uint32_t pj_path_tree_add(pj_path_tree *tree, uint32_t what)
{
    return add_below(tree, tree->now, what);
}

uint32_t pj_path_tree_room(pj_path_tree *tree, uint32_t what)
{
    uint32_t known = find_slot(tree, tree->now, what)->node;
    return known || tree->count >= tree->most ? known : pj_path_tree_add(tree, what);
}

// What is folded

/// Gives the innermost open region that is folded its time up to here.
static void count_own(pj_path_tree *tree, uint64_t time)
{
    uint64_t own = pj_path_clip(tree, time) - tree->open_ns;
    tree->open_ns += own;
    if (tree->depth <= tree->kept)
        return;
    const pj_path_folded *top = &tree->open[tree->depth - tree->kept - 1];
    tree->nodes[top->node].time_ns += own;
    if (!top->taken)
        return;
    tree->nodes[top->taken].time_ns += own;
    if (tree->nodes[top->taken].parent != PJ_PATH_ROOT)
        tree->nodes[tree->nodes[top->node].parent].time_ns += own;
}

void pj_path_tree_fold(pj_path_tree *tree, uint32_t what, uint64_t time)
{
    if (tree->depth < tree->kept)
        tree->kept = tree->depth;
    count_own(tree, time);
    pj_path_folded fold = {.node = pj_path_tree_room(tree, what)};
    if (!fold.node) {
        fold.taken = pj_path_tree_add(tree, PJ_PATH_OTHERS);
        uint32_t others = add_below(tree, PJ_PATH_ROOT, PJ_PATH_OTHERS);
        fold.node = add_below(tree, others, what);
    }
    pj_grow(tree->open, &tree->open_cap, tree->depth - tree->kept + (size_t)1);
    tree->open[tree->depth++ - tree->kept] = fold;
    tree->nodes[fold.node].visits += time >= tree->from_ns && time < tree->to_ns;
    tree->folded++;
}

void pj_path_tree_unfold(pj_path_tree *tree, uint64_t time)
{
    count_own(tree, time);
    if (--tree->depth == tree->kept)
        tree->kept = PJ_PATH_DEPTH;
}

void pj_path_tree_put(pj_path_tree *tree, pj_path_node node)
{
    pj_grow(tree->nodes, &tree->cap, tree->count + 1);
    tree->nodes[tree->count++] = node;
}

/// How far above the root of the open regions `what` is open; 0 = it is not, or too far away to be
/// looked for over and over.
static uint32_t steps_to(pj_path_tree *tree, uint32_t what)
{
    uint32_t steps = 1, at = tree->now;
    if (tree->tangled > FREE_STEPS + STEPS_EACH * tree->left_below++)
        return 0;
    while (at != PJ_PATH_ROOT && pj_path_tree_region(tree, tree->nodes[at].what) != what) {
        at = tree->nodes[at].parent;
        steps++;
    }
    tree->tangled += steps;
    return at == PJ_PATH_ROOT ? 0 : steps;
}

void pj_path_tree_leave_region(pj_path_tree *tree, uint32_t what, uint64_t time)
{
    uint32_t above[PJ_PATH_DEPTH], steps = 0;
    if (tree->depth <= tree->kept && tree->count < tree->most)
        steps = steps_to(tree, what);
    if (steps == 0) {
        pj_path_tree_leave(tree, time);
        return;
    }
    uint64_t at = pj_path_clip(tree, time);
    uint32_t node = tree->now;
    for (uint32_t i = 0; i < steps; i++, node = tree->nodes[node].parent) {
        above[i] = tree->nodes[node].what;
        tree->nodes[node].time_ns += at;
    }
    tree->now = node;
    for (uint32_t i = steps - 1; i-- > 0;) {
        tree->now = pj_path_tree_add(tree, above[i]);
        tree->nodes[tree->now].time_ns -= at;
    }
    if (--tree->depth == 0)
        tree->now = PJ_PATH_ROOT;
}

// Parameters

uint32_t pj_path_tree_region(const pj_path_tree *tree, uint32_t what)
{
    return what & PJ_PATH_VARIANT ? tree->variants[what & ~PJ_PATH_VARIANT].what : what;
}

uint32_t pj_path_tree_variant(pj_path_tree *tree, uint32_t what, pj_str text)
{
    uint64_t key = pj_fingerprint_of(text) + what;
    uint32_t number;
    for (; pj_map_get(&tree->variant_of, key, &number); key++) // of equal hashes the next is free
        if (tree->variants[number].what == what &&
            pj_str_equal(pj_str_of(tree->variants[number].text), text))
            return PJ_PATH_VARIANT | number;
    pj_grow(tree->variants, &tree->variant_cap, tree->variant_count + 1);
    number = (uint32_t)tree->variant_count++;
    char *copy = pj_take_memory(text.len + 1);
    memcpy(copy, text.at, text.len);
    copy[text.len] = 0;
    tree->variants[number] = (pj_path_variant){what, copy};
    tree->variant_bytes += text.len + 1;
    pj_map_put(&tree->variant_of, key, number);
    return PJ_PATH_VARIANT | number;
}

void pj_path_tree_parameter(pj_path_tree *tree, const char *name, const char *value)
{
    enum { VARIANTS_MOST = 1 << 20, TEXT_MOST = 1 << 12 };
    pj_path_node *node = &tree->nodes[tree->now];
    if (tree->now == PJ_PATH_ROOT || tree->now != tree->latest || tree->depth > tree->kept ||
        tree->variant_count == VARIANTS_MOST)
        return;
    pj_auto_buf text = {.at = NULL};
    if (node->what & PJ_PATH_VARIANT)
        pj_buf_addf(&text, "%s, ", tree->variants[node->what & ~PJ_PATH_VARIANT].text);
    pj_buf_addf(&text, "%s=%s", name, value);
    if (text.len > TEXT_MOST)
        return;
    uint32_t region = pj_path_tree_region(tree, node->what);
    uint32_t what = pj_path_tree_variant(tree, region, pj_buf_str(&text));
    node->visits -= tree->latest_ns >= tree->from_ns && tree->latest_ns < tree->to_ns;
    node->time_ns += pj_path_clip(tree, tree->latest_ns);
    tree->now = node->parent;
    tree->depth--;
    pj_path_tree_enter(tree, what, tree->latest_ns);
}

// Teams

static int by_what_and_time(const void *a, const void *b)
{
    const pj_path_fork *x = a, *y = b;
    if (x->what != y->what)
        return x->what < y->what ? -1 : 1;
    return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

void pj_path_tree_end(pj_path_tree *tree, uint64_t time)
{
    uint64_t at = pj_path_clip(tree, time);
    while (tree->depth > tree->kept)
        pj_path_tree_leave(tree, time);
    for (; tree->now != PJ_PATH_ROOT; tree->now = tree->nodes[tree->now].parent)
        if (!(tree->nodes[tree->now].what & PJ_PATH_JOINED))
            tree->nodes[tree->now].time_ns += at;
    tree->depth = 0;
    if (tree->fork_count)
        qsort(tree->forks, tree->fork_count, sizeof *tree->forks, by_what_and_time);
    tree->ended = true;
}

void pj_path_tree_fork(pj_path_tree *tree, uint32_t what, uint64_t time)
{
    uint32_t last = 0;
    if (pj_map_get(&tree->last_fork, what, &last) && tree->forks[last - 1].node == tree->now)
        return;
    if (tree->fork_count == FORKS_MOST) {
        tree->forks_left_out++;
        return;
    }
    pj_grow(tree->forks, &tree->fork_cap, tree->fork_count + 1);
    tree->forks[tree->fork_count++] = (pj_path_fork){time, what, tree->now};
    pj_map_put(&tree->last_fork, what, (uint32_t)tree->fork_count);
}

/// The place of the teams of a region at a time; of those before the first one, that of it.
static const pj_path_fork *fork_at(const pj_path_tree *master, uint32_t what, uint64_t time)
{
    size_t low = 0, high = master->fork_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const pj_path_fork *fork = &master->forks[middle];
        if (fork->what < what || (fork->what == what && fork->time_ns <= time))
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0 && master->forks[low - 1].what == what)
        return &master->forks[low - 1];
    return low < master->fork_count && master->forks[low].what == what ? &master->forks[low] : NULL;
}

void pj_path_tree_join(pj_path_tree *tree, uint32_t what, uint64_t time)
{
    bool known = tree->master && tree->master->ended;
    const pj_path_fork *fork = known ? fork_at(tree->master, what, time) : NULL;
    tree->apart += !fork;
    if (fork && fork->node != PJ_PATH_ROOT)
        tree->now = pj_path_tree_add(tree, PJ_PATH_JOINED | fork->node);
}
