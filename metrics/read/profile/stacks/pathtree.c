// A path is found by the one above it and its frame.
#include "metrics/read/profile/stacks/pathtree.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"

#include <stdlib.h>

uint32_t pj_pathtree_find(pj_pathtree *tree, uint32_t above, uint32_t frame)
{
    uint64_t key = (uint64_t)(above + 1) << 32 | frame;
    uint32_t found;
    if (pj_map_get(&tree->by_path, key, &found))
        return found;
    found = (uint32_t)tree->count++;
    PJ_CHARGED(tree->charge, tree->paths, &tree->cap, tree->count);
    tree->paths[found] = (pj_path){.above = above, .frame = frame};
    pj_map_put(&tree->by_path, key, found);
    return found;
}

void pj_pathtree_part(pj_pathtree *tree)
{
    pj_map_free(&tree->by_path);
}

void pj_pathtree_free(pj_pathtree *tree)
{
    pj_map_free(&tree->by_path);
    free(tree->paths);
    tree->paths = NULL;
}

uint32_t *pj_pathtree_nodes(const pj_pathtree *tree, const uint32_t *regions, pj_build *build,
                            pj_arena *arena)
{
    uint32_t *nodes = pj_new_n(arena, uint32_t, tree->count);
    for (size_t i = 0; i < tree->count && pj_build_ok(build); i++) {
        const pj_path *path = &tree->paths[i];
        uint32_t above = path->above == PJ_NO_ITEM ? PJ_NO_ITEM : nodes[path->above];
        nodes[i] = pj_build_node(build, above, regions[path->frame]);
    }
    return nodes;
}
