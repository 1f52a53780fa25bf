// The call tree that pictures of call paths show: boxes within boxes. A tree is shown as it is. A
// call graph is expanded as SnakeViz 2.2 does it (snakeviz.js: root, scaling, cut-off, order), but
// only as far as it can be seen. Ownership: arena.
#ifndef PJ_CALL_TREE_H
#define PJ_CALL_TREE_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_sums.h"

enum { PJ_CALL_DEPTH = 10, PJ_CALL_TREE_DEPTH = 64, PJ_CALL_DEPTH_MOST = 256 };

typedef struct pj_call_box {
    uint32_t region;       // PJ_NO_ITEM = the whole of several roots
    uint32_t node;         // of a tree: the first of its nodes; else PJ_NO_ITEM
    uint32_t edge;         // of a graph, from its caller (reversed: to its callee); else PJ_NO_ITEM
    uint32_t parent;       // box; PJ_NO_ITEM of the first one
    uint32_t first, count; // its children: boxes order[first], order[first + 1], ...
    uint32_t depth;
    double value;       // of this path
    double size, start; // along the row, in units of the size of the one that is looked at
    uint32_t others;    // of small ones that it stands for together; its region is PJ_NO_ITEM
    bool self;          // the function's own part beside its callees
    bool estimated;     // a graph does not tell how its value is shared out by path
    bool more;          // it calls functions that lie below the last row
} pj_call_box;

typedef struct pj_call_tree {
    const pj_profile *profile;
    const pj_profile_sums *sums;
    pj_call_box *boxes; // children stand after their parents, siblings in the profile's order
    uint32_t *order;    // children of a box, the largest first
    uint32_t count, depth;
    uint32_t top;             // the box that is looked at; 0 where a path leads nowhere
    bool reversed, estimated; // any box is
    uint64_t left_out;        // boxes below the cut-off or among others
} pj_call_tree;

typedef struct pj_call_tree_opts {
    pj_str root;    // name of a function; empty = found
    bool reverse;   // callers above their callees
    unsigned depth; // rows below the first one; 0 = PJ_CALL_DEPTH, of trees PJ_CALL_TREE_DEPTH
    double cutoff;  // least part of its caller; 0 = 1/1000 in graphs, none in trees; < 0 = none
    double least;   // part of the whole below which a box stands with others; 0 = 1/20000
    const uint32_t *path; // regions from the first box to the one that is looked at, which is the
    uint32_t path_count;  // whole then; what else lies above it stays shut. 0 = the first box
} pj_call_tree_opts;

/// NULL with PJ_E_MISSING when the profile has no paths (flat) or no times; PJ_E_USAGE when no
/// function has the name of the root.
PJ_CHECKED pj_call_tree *pj_call_tree_new(const pj_profile_sums *sums, pj_call_tree_opts opts,
                                          pj_arena *arena, pj_err *err);
/// Boxes in the order in which a reader of the profile meets them: a box, then what it calls.
uint32_t *pj_call_tree_preorder(const pj_call_tree *tree, pj_arena *arena);

#endif
