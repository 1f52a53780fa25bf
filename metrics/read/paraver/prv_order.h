// Events of a thread in order of time, and those of all threads and streams where devices are
// looked at. Traces are not sorted by construction: one pass finds out how far each thread, or the
// whole trace, goes back, another holds events back by that much. Ownership: new/free.
#ifndef PJ_PRV_ORDER_H
#define PJ_PRV_ORDER_H

#include "metrics/base/job.h"
#include "metrics/trace/event.h"

#include <stdbool.h>

typedef struct pj_prv_order pj_prv_order;

/// `disorder` (ns, by location, then of the whole; borrowed) is what an earlier pass found; NULL in
/// the first. `whole`: locations are to be in order among each other too.
pj_prv_order *pj_prv_order_new(uint32_t locations, const uint64_t *disorder, bool whole,
                               pj_job *job);
void pj_prv_order_free(pj_prv_order *order);

/// Number of records of `batch` that lie before an earlier record of their location; `*first` is
/// the index of the first such event.
uint64_t pj_prv_order_watch(pj_prv_order *order, const pj_batch *batch, size_t *first);
/// What was found so far: ns by location, then of the whole, to be freed by the caller; NULL when
/// all was in order.
uint64_t *pj_prv_order_take_disorder(pj_prv_order *order);

/// The batch with the events whose turn has come; the same batch when there is nothing to hold
/// back. Valid until the next call. `batch` NULL = the end of the input: all that is left.
pj_batch pj_prv_order_pass(pj_prv_order *order, const pj_batch *batch);

#endif
