// Sums of waits in the order in which they first appear, found by a key of all that tells them
// apart.
#include "metrics/replay/wait_sums.h"

#include "metrics/base/buf.h"

#include <stdlib.h>

enum {
    SUMS_MOST = 1 << 20, // then culprits are others
    CALL_BITS = 16,
    PATTERN_BITS = 4,
    RANK_BITS = 22, // of each of two; larger runs share sums of ranks that differ above
};

_Static_assert(PJ_WAIT_PATTERNS <= 1 << PATTERN_BITS, "patterns fit into the key");

static uint64_t key_of(const pj_one_wait *wait)
{
    const uint64_t ranks = (UINT64_C(1) << RANK_BITS) - 1;
    uint64_t key = wait->rank & ranks;
    key = key << RANK_BITS | (wait->culprit & ranks);
    key = key << PATTERN_BITS | wait->pattern;
    return key << CALL_BITS | (wait->call & 0xffff);
}

static pj_wait_sum *sum_of(pj_wait_sums *sums, pj_one_wait wait)
{
    uint32_t place;
    if (pj_map_get(&sums->map, key_of(&wait), &place))
        return &sums->items[place];
    if (sums->count >= SUMS_MOST && wait.culprit != PJ_CULPRIT_OTHERS) {
        wait.culprit = PJ_CULPRIT_OTHERS;
        return sum_of(sums, wait);
    }
    pj_map_put(&sums->map, key_of(&wait), (uint32_t)sums->count);
    pj_grow(sums->items, &sums->cap, sums->count + 1);
    sums->items[sums->count] = (pj_wait_sum){
        .rank = wait.rank, .culprit = wait.culprit, .pattern = wait.pattern, .call = wait.call};
    return &sums->items[sums->count++];
}

static bool is_worse(const pj_one_wait *a, const pj_one_wait *b)
{
    if (a->ns != b->ns)
        return a->ns > b->ns;
    return a->begin != b->begin ? a->begin < b->begin : a->rank < b->rank;
}

/// Keeps it if it is among the longest.
static void keep_worst(pj_wait_sums *sums, const pj_one_wait *wait)
{
    uint32_t at = sums->worst_count;
    if (at == PJ_WORST_WAITS && !is_worse(wait, &sums->worst[at - 1]))
        return;
    if (at == PJ_WORST_WAITS)
        at--;
    else
        sums->worst_count++;
    for (; at > 0 && is_worse(wait, &sums->worst[at - 1]); at--)
        sums->worst[at] = sums->worst[at - 1];
    sums->worst[at] = *wait;
}

void pj_wait_sums_add(pj_wait_sums *sums, const pj_one_wait *wait)
{
    pj_wait_sum *sum = sum_of(sums, *wait);
    sum->instances++;
    sum->wait_ns += wait->ns;
    pj_wait_sum_keep_longest(sum, wait->ns, wait->begin);
    keep_worst(sums, wait);
}

void pj_wait_sums_add_ideal(pj_wait_sums *sums, const pj_one_wait *wait)
{
    sum_of(sums, *wait)->ideal_ns += wait->ns;
}

void pj_wait_sums_sort(pj_wait_sums *sums)
{
    if (sums->count)
        qsort(sums->items, sums->count, sizeof *sums->items, pj_wait_sum_order);
}

void pj_wait_sums_free(pj_wait_sums *sums)
{
    pj_map_free(&sums->map);
    free(sums->items);
    *sums = (pj_wait_sums){.count = 0};
}

size_t pj_wait_sums_bytes(const pj_wait_sums *sums)
{
    return sums->cap * sizeof *sums->items + sums->map.cap * sizeof *sums->map.entries;
}
