// Fences of traces that do not name windows: the k-th fence of a rank is the k-th of all.
// Ownership: a zeroed struct is empty; free releases it.
#ifndef PJ_WAIT_FENCES_H
#define PJ_WAIT_FENCES_H

#include "metrics/replay/wait_meeting.h"

typedef struct pj_wait_fence {
    pj_arrival latest;
    uint32_t *calls; // of those who have come
    size_t count, cap;
} pj_wait_fence;

typedef struct pj_wait_fences {
    pj_wait_fence *open; // in the order of their numbers
    size_t count, cap;
    uint64_t base;  // number of the first one
    uint64_t *next; // by rank: number of its next fence
    uint32_t ranks;
} pj_wait_fences;

/// The rank's next fence is its call `call`. Gives the fence when all have come to it, to be taken
/// with pj_wait_fences_take; else NULL.
pj_wait_fence *pj_wait_fences_come(pj_wait_fences *fences, uint32_t ranks, pj_arrival arrival,
                                   uint32_t call);
/// The first open fence; NULL = there is none.
pj_wait_fence *pj_wait_fences_first(pj_wait_fences *fences);
/// It is over.
void pj_wait_fences_take(pj_wait_fences *fences);
void pj_wait_fences_free(pj_wait_fences *fences);

#endif
