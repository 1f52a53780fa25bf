// Growing arrays of a reader on the account of its job, whose next look at its memory ends what has
// become too much. Ownership: the caller's; pj_charge_end takes the bytes off the account.
#ifndef PJ_CHARGED_H
#define PJ_CHARGED_H

#include "metrics/base/buf.h"
#include "metrics/base/job.h"

typedef struct pj_charge {
    pj_job *job;
    uint64_t bytes;
} pj_charge;

static inline void *pj_charge_grow(pj_charge *charge, void *items, size_t *cap, size_t need,
                                   size_t size)
{
    size_t before = *cap;
    if (need <= before)
        return items;
    items = pj_grow_array(items, cap, need, size);
    charge->bytes += (*cap - before) * size;
    atomic_fetch_add(&charge->job->memory_used, (*cap - before) * size);
    return items;
}

#define PJ_CHARGED(charge, items, cap, need)                                                       \
    ((items) = pj_charge_grow((charge), (items), (cap), (need), sizeof *(items)))

static inline void pj_charge_end(pj_charge *charge)
{
    atomic_fetch_sub(&charge->job->memory_used, charge->bytes);
    charge->bytes = 0;
}

#endif
