// Nodes of a file that may be of a killed process, or of anybody.
#include "metrics/record/merge/part_tree.h"

#include "metrics/base/file.h"

static bool is_good(const pj_part_tree *tree, uint32_t number, uint32_t regions)
{
    const pj_rec_node *node = pj_part_tree_node(tree, number);
    const bool nothing = number == PJ_REC_TREE_FOLDED && node->region == 0;
    return node->parent < number && (nothing || (node->region > 0 && node->region <= regions)) &&
           node->visits < INT64_MAX && node->own < INT64_MAX && node->records < INT64_MAX &&
           node->sent < INT64_MAX && node->received < INT64_MAX && node->allocations < INT64_MAX &&
           node->allocated < INT64_MAX;
}

void pj_part_tree_check(pj_part_tree *tree, uint32_t regions)
{
    pj_rec_tree_head head = {.count = 0};
    const size_t most = tree->bytes.len / sizeof(pj_rec_node);
    if (most > 0)
        memcpy(&head, tree->bytes.at, sizeof head);
    const uint64_t count = head.magic == PJ_REC_TREE_MAGIC ? head.count : 0;
    tree->damaged = count < PJ_REC_TREE_FIRST || count > most || count > UINT32_MAX;
    const uint64_t wanted = count < most ? count : most;
    tree->count = wanted > 0;
    while (tree->count < wanted && is_good(tree, tree->count, regions))
        tree->count++;
    tree->damaged |= tree->count < wanted;
}

bool pj_part_tree_read(const char *folder, uint32_t thread, uint32_t regions, pj_part_tree *out,
                       pj_err *err)
{
    pj_auto_buf path = {.at = NULL};
    pj_buf_addf(&path, "%s/%u.tree", folder, thread);
    *out = (pj_part_tree){.number = thread};
    if (!pj_file_read(path.at, &out->bytes, err))
        return false;
    pj_part_tree_check(out, regions);
    return true;
}
