// States of the threads of a trace that has none (nsys2prv), from their calls: what is neither in
// MPI nor in the runtime of devices counts as useful. Ownership: new/free.
#ifndef PJ_PRV_ESTIMATE_H
#define PJ_PRV_ESTIMATE_H

#include "metrics/trace/event.h"

#include <stdint.h>

typedef struct pj_prv_estimate pj_prv_estimate;

/// Of the first `threads` locations.
pj_prv_estimate *pj_prv_estimate_new(uint32_t threads);
void pj_prv_estimate_free(pj_prv_estimate *estimate);

/// The batch with states before the events that end them, and of nested calls of the runtime of
/// devices the outermost; valid until the next call. Events of a thread come in order of time.
pj_batch pj_prv_estimate_pass(pj_prv_estimate *estimate, const pj_batch *batch);
/// What threads do up to the end of the trace.
pj_batch pj_prv_estimate_end(pj_prv_estimate *estimate, uint64_t end_ns);

#endif
