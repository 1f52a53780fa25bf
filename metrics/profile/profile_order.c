// Regions in the order of their source, where it is known only at the end.
#include "metrics/base/arena.h"
#include "metrics/profile/build/buckets.h"
#include "metrics/profile/build/build_state.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"

#include <stdlib.h>

/// New numbers of all regions; false when they keep their own.
static bool number(const pj_profile *p, const uint32_t *first, uint32_t count, uint32_t *numbers)
{
    uint32_t regions = p->count[PJ_AT_REGION], next = 0;
    for (uint32_t r = 0; r < regions; r++)
        numbers[r] = PJ_NO_ITEM;
    for (uint32_t i = 0; i < count; i++)
        if (numbers[first[i]] == PJ_NO_ITEM)
            numbers[first[i]] = next++;
    bool changes = false;
    for (uint32_t r = 0; r < regions; r++) {
        if (numbers[r] == PJ_NO_ITEM)
            numbers[r] = next++;
        changes = changes || numbers[r] != r;
    }
    return changes;
}

static void move_rows(pj_build *b, uint32_t column, const uint32_t *numbers)
{
    pj_profile_column *at = &b->p->columns[column];
    uint32_t regions = b->p->count[PJ_AT_REGION];
    size_t stride = b->stride, bytes = stride * sizeof *at->real;
    if (!pj_build_set_rows(b, column, regions))
        return;
    double *moved = pj_take_memory(regions * bytes);
    for (uint32_t r = 0; r < regions; r++)
        memcpy(moved + numbers[r] * stride, at->real + r * stride, bytes);
    free(at->real);
    at->real = moved;
}

static void move_regions(pj_build *b, const uint32_t *numbers)
{
    pj_profile *p = b->p;
    uint32_t regions = p->count[PJ_AT_REGION];
    pj_profile_region *moved = pj_take_memory(regions * sizeof *moved);
    for (uint32_t r = 0; r < regions; r++)
        moved[numbers[r]] = p->regions[r];
    memcpy(p->regions, moved, regions * sizeof *moved);
    free(moved);
    for (size_t i = 0; i < b->regions.cap; i++)
        if (b->regions.at[i].item)
            b->regions.at[i].item = numbers[b->regions.at[i].item - 1] + 1;
}

/// Forgets where edges, nodes and lines are, whose hashes are of the old numbers.
static void move_items(pj_build *b, const uint32_t *numbers)
{
    pj_profile *p = b->p;
    for (uint32_t e = 0; e < p->count[PJ_AT_EDGE]; e++) {
        p->edges[e].caller = numbers[p->edges[e].caller];
        p->edges[e].callee = numbers[p->edges[e].callee];
    }
    for (uint32_t n = 0; n < p->count[PJ_AT_NODE]; n++)
        p->nodes[n].region = numbers[p->nodes[n].region];
    for (uint32_t i = 0; i < p->count[PJ_AT_LINE]; i++)
        p->lines[i].region = numbers[p->lines[i].region];
    for (uint32_t i = 0; i < p->bracket_count; i++)
        p->brackets[i].region = numbers[p->brackets[i].region];
    pj_buckets_free(&b->edges);
    pj_buckets_free(&b->nodes);
    pj_buckets_free(&b->lines);
    b->edges_known = 0;
}

void pj_build_order(pj_build *b, const uint32_t *first, uint32_t count)
{
    pj_profile *p = b->p;
    if (!b->ok)
        return;
    uint32_t *numbers = pj_take_memory(p->count[PJ_AT_REGION] * sizeof *numbers);
    if (number(p, first, count, numbers)) {
        move_regions(b, numbers);
        move_items(b, numbers);
        for (uint32_t c = 0; c < p->column_count; c++)
            if (p->columns[c].site == PJ_AT_REGION)
                move_rows(b, c, numbers);
    }
    free(numbers);
}
