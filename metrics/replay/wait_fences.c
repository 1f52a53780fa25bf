// Fences in a row. Ranks come to them in order, so that the first open one is the first that all
// have come to.
#include "metrics/replay/wait_fences.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"

#include <stdlib.h>
#include <string.h>

static void start(pj_wait_fences *fences, uint32_t ranks)
{
    fences->ranks = ranks;
    fences->next = pj_take_memory(ranks * sizeof *fences->next);
    memset(fences->next, 0, ranks * sizeof *fences->next);
}

static pj_wait_fence *fence_at(pj_wait_fences *fences, uint64_t number)
{
    while (fences->base + fences->count <= number) {
        pj_grow(fences->open, &fences->cap, fences->count + 1);
        fences->open[fences->count++] = (pj_wait_fence){.calls = NULL};
    }
    return &fences->open[number - fences->base];
}

pj_wait_fence *pj_wait_fences_come(pj_wait_fences *fences, uint32_t ranks, pj_arrival arrival,
                                   uint32_t call)
{
    if (!fences->next)
        start(fences, ranks);
    pj_wait_fence *fence = fence_at(fences, fences->next[arrival.rank]++);
    const pj_arrival *latest = &fence->latest;
    if (fence->count == 0 || arrival.enter > latest->enter ||
        (arrival.enter == latest->enter && arrival.rank < latest->rank))
        fence->latest = arrival;
    pj_grow(fence->calls, &fence->cap, fence->count + 1);
    fence->calls[fence->count++] = call;
    return fence == fences->open && fence->count == ranks ? fence : NULL;
}

pj_wait_fence *pj_wait_fences_first(pj_wait_fences *fences)
{
    return fences->count ? fences->open : NULL;
}

void pj_wait_fences_take(pj_wait_fences *fences)
{
    free(fences->open[0].calls);
    fences->count--;
    fences->base++;
    memmove(fences->open, fences->open + 1, fences->count * sizeof *fences->open);
}

void pj_wait_fences_free(pj_wait_fences *fences)
{
    while (fences->count)
        pj_wait_fences_take(fences);
    free(fences->open);
    free(fences->next);
    *fences = (pj_wait_fences){.count = 0};
}
