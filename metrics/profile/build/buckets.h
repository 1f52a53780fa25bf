// From hashes to numbers of items, which the caller compares itself: how a builder knows what it
// has already. Ownership: new/free; a zeroed struct is empty.
#ifndef PJ_BUCKETS_H
#define PJ_BUCKETS_H

#include <stddef.h>
#include <stdint.h>

typedef struct pj_bucket {
    uint32_t hash;
    uint32_t item; // 1 + the number; 0 = free
} pj_bucket;

typedef struct pj_buckets {
    pj_bucket *at;
    size_t count, cap; // cap is a power of two, at least a third of it free
} pj_buckets;

void pj_buckets_put(pj_buckets *buckets, uint32_t hash, uint32_t item);
void pj_buckets_free(pj_buckets *buckets);

/// The next item with this hash, UINT32_MAX when there are no more; `*place` begins as the hash.
static inline uint32_t pj_buckets_next(const pj_buckets *buckets, uint32_t hash, size_t *place)
{
    while (buckets->cap) {
        const pj_bucket *bucket = &buckets->at[(*place)++ & (buckets->cap - 1)];
        if (bucket->item == 0)
            break;
        if (bucket->hash == hash)
            return bucket->item - 1;
    }
    return UINT32_MAX;
}

/// A hash of two numbers.
static inline uint32_t pj_buckets_hash(uint64_t a, uint64_t b)
{
    uint64_t mixed = (a ^ b * UINT64_C(0xC2B2AE3D27D4EB4F)) * UINT64_C(0x9E3779B97F4A7C15);
    mixed = (mixed ^ (mixed >> 32)) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(mixed >> 32);
}

#endif
