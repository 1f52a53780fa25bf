// The call paths that a thread has counted (rec_tree.h). Ownership: new/free.
#ifndef PJ_PART_TREE_H
#define PJ_PART_TREE_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/record/rec_tree.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct pj_part_tree {
    pj_buf bytes;
    uint32_t number; // of the thread
    uint32_t count;  // nodes that are good, the head included: each stands behind its parent
    bool damaged;    // there are more
} pj_part_tree;

/// Nodes from PJ_REC_TREE_FOLDED on are to be looked at.
static inline const pj_rec_node *pj_part_tree_node(const pj_part_tree *tree, uint32_t number)
{
    return (const pj_rec_node *)tree->bytes.at + number;
}

/// Keeps `bytes` as far as they are good; `regions`: ids that are defined.
void pj_part_tree_check(pj_part_tree *tree, uint32_t regions);
/// `folder`/`thread`.tree. Errors: PJ_E_IO.
PJ_CHECKED bool pj_part_tree_read(const char *folder, uint32_t thread, uint32_t regions,
                                  pj_part_tree *out, pj_err *err);

#endif
