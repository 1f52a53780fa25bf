// The call paths of one location, counted while its regions are entered and left: visits and time
// of each, exact to the nanosecond. Filled by a reader that knows the nesting, or from events.
// Ownership: begin/end; what is between them is the tree's own memory.
#ifndef PJ_PATH_TREE_H
#define PJ_PATH_TREE_H

#include "metrics/base/map.h"
#include "metrics/base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PJ_PATH_ROOT = 0,     // the node that stands for the location
    PJ_PATH_DEPTH = 4095, // deeper regions are folded: a node more is the deepest of profiles
    PJ_PATH_BYTES = 120,  // that a node takes, with its slots, on average
};

/// In `what`: no region, but the place of a team, below a node of the tree of its master.
#define PJ_PATH_JOINED (UINT32_C(1) << 31)

/// In `what`: a region with parameters, a number in `variants`.
#define PJ_PATH_VARIANT (UINT32_C(1) << 30)

/// In `what`: of the root the node above what is folded where there is no room; elsewhere one that
/// has the time which these have taken, so that its parent has it not.
#define PJ_PATH_OTHERS (UINT32_C(1) << 29)

typedef struct pj_path_variant {
    uint32_t what; // the region
    char *text;    // "parity=1"
} pj_path_variant;

typedef struct pj_path_node {
    uint32_t parent; // stands before it
    uint32_t what;   // the region, in numbers of whoever fills the tree
    uint64_t visits;
    uint64_t time_ns; // with callees; while it is open less the time at which it was entered
} pj_path_node;

typedef struct pj_path_slot { // from (parent, what) to the node; node 0 = free
    uint32_t parent, what, node;
} pj_path_slot;

/// From `time_ns` on teams of this region were made in this node.
typedef struct pj_path_fork {
    uint64_t time_ns;
    uint32_t what, node;
} pj_path_fork;

/// An open region that is folded: it has its visits and its own time, side by side with others
/// below the innermost node that is kept, or where there is no room for more nodes below the root.
typedef struct pj_path_folded {
    uint32_t node;
    uint32_t taken; // that has the same time; 0 = it stands below the innermost kept
} pj_path_folded;

typedef struct pj_path_tree {
    pj_path_node *nodes;
    size_t count, cap;
    pj_path_slot *slots;
    unsigned shift;       // 32 - the bits of a slot's number
    uint32_t now;         // the innermost open node
    uint32_t depth;       // open regions, those that are folded too
    uint32_t kept;        // regions that are open below so many are folded
    uint32_t most;        // nodes; there is no room for more but of what is folded
    pj_path_folded *open; // `depth` less `kept` of them
    size_t open_cap;
    uint64_t open_ns;        // the innermost of them has its time up to here
    uint64_t from_ns, to_ns; // what is outside counts nothing; a visit is where it begins
    uint64_t folded;         // visits
    uint64_t tangled;        // regions passed on the way to those that were left below others
    uint64_t left_below;     // how many these were
    uint32_t latest;         // the node that was entered last, and when
    uint64_t latest_ns;
    pj_path_variant *variants;
    size_t variant_count, variant_cap, variant_bytes;
    pj_map variant_of;                 // by a hash of region and text
    const struct pj_path_tree *master; // whose forks make its teams; NULL = is not known
    pj_path_fork *forks;               // in order of time, from the end on by region and time
    size_t fork_count, fork_cap;
    pj_map last_fork;               // of a region: 1 + its number; until the end
    uint64_t fork_ns;               // time of the latest fork
    uint64_t forks_left_out, apart; // teams whose place was not kept, or not found
    bool ended;
} pj_path_tree;

void pj_path_tree_begin(pj_path_tree *tree, uint64_t from_ns, uint64_t to_ns);
void pj_path_tree_free(pj_path_tree *tree);
/// Makes the child of the innermost node, which it has not yet.
uint32_t pj_path_tree_add(pj_path_tree *tree, uint32_t what);
/// The same, or 0 where there is no room.
uint32_t pj_path_tree_room(pj_path_tree *tree, uint32_t what);
/// A region is entered, and left, that is folded.
void pj_path_tree_fold(pj_path_tree *tree, uint32_t what, uint64_t time);
void pj_path_tree_unfold(pj_path_tree *tree, uint64_t time);
/// A node of a tree that has ended elsewhere, in the order of that tree.
void pj_path_tree_put(pj_path_tree *tree, pj_path_node node);
/// Leaves the innermost open region `what` below others, which stay open without another visit;
/// where there is none, the innermost of all.
void pj_path_tree_leave_region(pj_path_tree *tree, uint32_t what, uint64_t time);
/// All that is open ends.
void pj_path_tree_end(pj_path_tree *tree, uint64_t time);
/// The master is about to enter a parallel region, whose team was made at `time`.
void pj_path_tree_fork(pj_path_tree *tree, uint32_t what, uint64_t time);
/// A member of a team is about to enter its parallel region, as its outermost one: it stands where
/// the master made the team. `what` counts as for the master.
void pj_path_tree_join(pj_path_tree *tree, uint32_t what, uint64_t time);
/// The region that was entered last, if nothing has happened in it yet, is one with `name` =
/// `value`.
void pj_path_tree_parameter(pj_path_tree *tree, const char *name, const char *value);
/// `what` of a region with parameters.
uint32_t pj_path_tree_variant(pj_path_tree *tree, uint32_t what, pj_str text);
/// The region of a node's `what`, which is not joined.
uint32_t pj_path_tree_region(const pj_path_tree *tree, uint32_t what);
/// Bytes in use.
size_t pj_path_tree_bytes(const pj_path_tree *tree);

static inline uint64_t pj_path_clip(const pj_path_tree *tree, uint64_t time)
{
    time = time < tree->from_ns ? tree->from_ns : time;
    return time > tree->to_ns ? tree->to_ns : time;
}

static inline uint32_t pj_path_slot_of(const pj_path_tree *tree, uint32_t parent, uint32_t what)
{
    return (parent * UINT32_C(0x9E3779B1) + what * UINT32_C(0x85EBCA6B)) >> tree->shift;
}

/// The child of the innermost node; 0 = it is not where it would be found at once.
static inline uint32_t pj_path_child(const pj_path_tree *tree, uint32_t what)
{
    const pj_path_slot *slot = &tree->slots[pj_path_slot_of(tree, tree->now, what)];
    return slot->parent == tree->now && slot->what == what ? slot->node : 0;
}

/// Times never go back.
static inline void pj_path_tree_enter(pj_path_tree *tree, uint32_t what, uint64_t time)
{
    if (__builtin_expect(tree->depth >= tree->kept, 0)) {
        pj_path_tree_fold(tree, what, time);
        return;
    }
    uint32_t child = pj_path_child(tree, what);
    if (__builtin_expect(child == 0, 0) && (child = pj_path_tree_room(tree, what)) == 0) {
        pj_path_tree_fold(tree, what, time);
        return;
    }
    tree->depth++;
    pj_path_node *node = &tree->nodes[child];
    node->visits += time >= tree->from_ns && time < tree->to_ns;
    node->time_ns -= pj_path_clip(tree, time);
    tree->now = tree->latest = child;
    tree->latest_ns = time;
}

/// Leaves the innermost region; something is open.
static inline void pj_path_tree_leave(pj_path_tree *tree, uint64_t time)
{
    if (__builtin_expect(tree->depth > tree->kept, 0)) {
        pj_path_tree_unfold(tree, time);
        return;
    }
    tree->depth--;
    pj_path_node *node = &tree->nodes[tree->now];
    node->time_ns += pj_path_clip(tree, time);
    tree->now = tree->depth ? node->parent : PJ_PATH_ROOT;
}

#endif
