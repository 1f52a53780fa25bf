// Delays: what ranks that others waited for did longer than those, since both met last. After the
// delay costs of Scalasca (scout, DelayOps.cpp), forward in one pass: a wait keeps what it was
// charged to, so that waits that come of it hand that on. Rules: DEFINITIONS 9. Ownership:
// new/free.
#ifndef PJ_WAIT_DELAYS_H
#define PJ_WAIT_DELAYS_H

#include "metrics/base/arena.h"
#include "metrics/replay/wait_regions.h"
#include "metrics/run/waits/run_delays.h"

typedef struct pj_wait_delays pj_wait_delays;

/// Keeps so many calls of all ranks together.
pj_wait_delays *pj_wait_delays_new(uint32_t ranks, uint32_t of_all);
void pj_wait_delays_free(pj_wait_delays *delays);

/// A rank does something before its next call.
void pj_wait_delays_spend(pj_wait_delays *delays, uint32_t rank, pj_region_piece piece);
/// It enters a call.
void pj_wait_delays_begin(pj_wait_delays *delays, uint32_t rank, uint64_t enter, uint32_t region);
/// In its last call it receives a message, sent by a call entered at `sent`, or takes part in a
/// collective, from 1 on.
void pj_wait_delays_receive(pj_wait_delays *delays, uint32_t rank, uint32_t from, uint64_t sent);
void pj_wait_delays_meet(pj_wait_delays *delays, uint32_t rank, uint64_t meeting);
void pj_wait_delays_leave(pj_wait_delays *delays, uint32_t rank, uint64_t leave);

/// A wait of so many ns in a step of a rank, until `culprit` began a call at `released`.
typedef struct pj_delayed {
    uint32_t rank, culprit;
    uint64_t step, released, ns;
    uint64_t inside_ns; // of it in the region of interest: no more is told
} pj_delayed;

/// Charges a wait, whose step knows nothing of it yet: before it is over or afterwards.
void pj_wait_delays_charge(pj_wait_delays *delays, const pj_delayed *wait);
/// Writes the fields about delays; the regions have their numbers.
void pj_wait_delays_finish(const pj_wait_delays *delays, pj_delays *out, pj_arena *arena);
/// Bytes in use.
size_t pj_wait_delays_bytes(const pj_wait_delays *delays);

#endif
