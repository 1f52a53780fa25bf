// What ranks did before they waited, for those who ask who made them wait: functions, delays and
// the critical path. Told by the account of waits (call_waits). Ownership: new/free.
#ifndef PJ_WAIT_HISTORY_H
#define PJ_WAIT_HISTORY_H

#include "metrics/replay/wait_delays.h"
#include "metrics/run/run.h"
#include "metrics/run/waits/run_delays.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/trace/event.h"
#include "metrics/trace/mpi_call.h"

typedef struct pj_wait_history pj_wait_history;

/// `aspects`: what is asked for, of PJ_HISTORY.
pj_wait_history *pj_wait_history_new(const pj_run *run, unsigned aspects);
void pj_wait_history_free(pj_wait_history *history);

/// Events that tell functions; they may be ahead of the calls.
void pj_wait_history_event(pj_wait_history *history, const pj_event *event);

/// A rank enters a call, in the replay at `clock`; its step, and the region that it was in.
typedef struct pj_step_place {
    uint64_t step;
    uint32_t region;
} pj_step_place;
pj_step_place pj_wait_history_enter(pj_wait_history *history, uint32_t rank, pj_mpi_call call,
                                    uint64_t enter, uint64_t clock);
/// In its last call the rank receives a message, sent by a call entered at `sent`, or takes part in
/// a collective, from 1 on.
void pj_wait_history_receive(pj_wait_history *history, uint32_t rank, uint32_t from, uint64_t sent);
void pj_wait_history_meet(pj_wait_history *history, uint32_t rank, uint64_t meeting);
/// How long a call has waited becomes known: before it is left or, as late as need be, afterwards.
void pj_wait_history_wait(pj_wait_history *history, const pj_delayed *wait);
void pj_wait_history_leave(pj_wait_history *history, uint32_t rank, uint64_t leave);
/// In the replay the last call of a rank waits, until a clock that the culprit has reached in a
/// call of its own; `region` as above.
typedef struct pj_ideal_wait {
    uint32_t rank, culprit, region;
    pj_wait_pattern pattern;
    bool inside; // its call begins in the region of interest
    uint64_t until, ns;
} pj_ideal_wait;
void pj_wait_history_ideal(pj_wait_history *history, const pj_ideal_wait *wait);
/// What such a wait was, for the sums by region.
void pj_wait_history_sum(pj_wait_history *history, uint32_t region, const pj_one_wait *wait);

/// No call follows. Reads totals[].last_event_ns and, unless these lack the ideal ones or there is
/// a region of interest, `ideal`; of those that are cut nothing is told behind the last call.
const pj_delays *pj_wait_history_finish(pj_wait_history *history, pj_run *run,
                                        const pj_waits *waits);
/// Bytes in use.
size_t pj_wait_history_bytes(const pj_wait_history *history);

#endif
