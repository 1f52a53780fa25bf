// Linear probing over (hash, number) pairs, so that growing touches no item.
#include "metrics/profile/build/buckets.h"

#include "metrics/base/arena.h"

#include <stdlib.h>

static void place(pj_buckets *buckets, pj_bucket bucket)
{
    size_t at = bucket.hash & (buckets->cap - 1);
    while (buckets->at[at].item)
        at = (at + 1) & (buckets->cap - 1);
    buckets->at[at] = bucket;
}

static void grow(pj_buckets *buckets)
{
    pj_buckets old = *buckets;
    buckets->cap = old.cap ? old.cap * 2 : 64;
    buckets->at = pj_take_memory(buckets->cap * sizeof *buckets->at);
    memset(buckets->at, 0, buckets->cap * sizeof *buckets->at);
    for (size_t i = 0; i < old.cap; i++)
        if (old.at[i].item)
            place(buckets, old.at[i]);
    free(old.at);
}

void pj_buckets_put(pj_buckets *buckets, uint32_t hash, uint32_t item)
{
    if (buckets->count + 1 > buckets->cap - buckets->cap / 3)
        grow(buckets);
    place(buckets, (pj_bucket){hash, item + 1});
    buckets->count++;
}

void pj_buckets_free(pj_buckets *buckets)
{
    free(buckets->at);
    *buckets = (pj_buckets){0};
}
