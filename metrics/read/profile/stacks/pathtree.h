// Call paths of numbers, for files that tell last what the numbers stand for.
// Ownership: new/free; a struct with nothing but a charge is empty.
#ifndef PJ_PATHTREE_H
#define PJ_PATHTREE_H

#include "metrics/base/arena.h"
#include "metrics/base/map.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/read/charged.h"

/// A path stands behind the one above it.
typedef struct pj_path {
    uint32_t above; // PJ_NO_ITEM at the root
    uint32_t frame;
} pj_path;

typedef struct pj_pathtree {
    pj_path *paths;
    size_t count, cap;
    pj_map by_path; // path above + 1 and frame: path
    pj_charge *charge;
} pj_pathtree;

/// The path of a frame below another one.
uint32_t pj_pathtree_find(pj_pathtree *tree, uint32_t above, uint32_t frame);
/// Forgets which paths there are, so that the next ones are new.
void pj_pathtree_part(pj_pathtree *tree);
void pj_pathtree_free(pj_pathtree *tree);
/// Nodes of all paths, their frames being regions; in the arena.
uint32_t *pj_pathtree_nodes(const pj_pathtree *tree, const uint32_t *regions, pj_build *build,
                            pj_arena *arena);

#endif
