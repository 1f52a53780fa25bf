// The call paths of a recording from any bytes: what is kept is a tree whose nodes lie in the file
// and stand behind their parents.
#include "metrics/record/merge/part_tree.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { REGIONS = 3 };

static void require(bool truth)
{
    if (!truth)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pj_part_tree tree = {.number = 0};
    pj_buf_add(&tree.bytes, (pj_str){(const char *)data, size});
    pj_part_tree_check(&tree, REGIONS);
    require(tree.count * sizeof(pj_rec_node) <= size);
    for (uint32_t i = PJ_REC_TREE_FOLDED; i < tree.count; i++) {
        const pj_rec_node *node = pj_part_tree_node(&tree, i);
        require(node->parent < i && node->region <= REGIONS);
        require(node->region > 0 || i == PJ_REC_TREE_FOLDED);
    }
    pj_buf_free(&tree.bytes);
    return 0;
}
