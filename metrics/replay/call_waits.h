// What each MPI call waits for: the account of the replay's calls, on the clocks of the trace and
// on those of the replay. It is told of calls, messages and collectives as the engine executes
// them, which is an order in which causes come before effects. Rules: DEFINITIONS 9. Ownership:
// new/free.
#ifndef PJ_CALL_WAITS_H
#define PJ_CALL_WAITS_H

#include "metrics/run/run.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/trace/event.h"
#include "metrics/trace/mpi_call.h"
#include "metrics/trace/replay_watch.h"

typedef struct pj_call_waits pj_call_waits;

/// "No claim", "no meeting".
#define PJ_NO_WAIT UINT32_MAX

/// `history`: what else is asked for, of PJ_HISTORY.
pj_call_waits *pj_call_waits_new(const pj_run *run, unsigned history);
/// Who is told of calls and waits in the region of interest; borrow.
void pj_call_waits_watch(pj_call_waits *waits, const pj_replay_watch *watch);
void pj_call_waits_free(pj_call_waits *waits);

/// Of functions that are entered and left; may come ahead of the calls.
void pj_call_waits_event(pj_call_waits *waits, const pj_event *event);

/// The location is in a call from `enter` to `leave`, times in ns of the trace; the replay comes to
/// it at `clock`.
void pj_call_waits_enter(pj_call_waits *waits, uint32_t location, pj_mpi_call call,
                         const uint64_t trace[2], double clock);
void pj_call_waits_leave(pj_call_waits *waits, uint32_t location);

/// Its call receives a message from `from`, who sent it in a call entered at `sent`; in the replay
/// it has waited for it for `ideal_ns`.
void pj_call_waits_receive(pj_call_waits *waits, uint32_t location, uint32_t from, uint64_t sent,
                           double ideal_ns);
/// Its call is held by a send until the receive is posted: give the claim back with the time of the
/// call that posts it, or without. PJ_NO_WAIT when it is in no call.
uint32_t pj_call_waits_claim(pj_call_waits *waits, uint32_t location);
void pj_call_waits_posted(pj_call_waits *waits, uint32_t claim, uint32_t by, uint64_t posted);
void pj_call_waits_drop(pj_call_waits *waits, uint32_t claim);

/// Collectives: a meeting is made for a call, with the location that is its root or PJ_NO_WAIT;
/// locations arrive in calls entered at `enter`, at a clock of the replay.
uint32_t pj_call_waits_meet(pj_call_waits *waits);
void pj_call_waits_mean(pj_call_waits *waits, uint32_t meeting, pj_mpi_call call, uint32_t root);
void pj_call_waits_arrive(pj_call_waits *waits, uint32_t meeting, uint32_t location, uint64_t enter,
                          double clock);
/// `meeting` was `meant` all the time; it is gone.
void pj_call_waits_merge(pj_call_waits *waits, uint32_t meeting, uint32_t meant);
/// The location's call has waited for the meeting, in the replay for `ideal_ns`.
void pj_call_waits_met(pj_call_waits *waits, uint32_t location, uint32_t meeting, double ideal_ns);
/// The location's call is a fence of an unknown window.
void pj_call_waits_fence(pj_call_waits *waits, uint32_t location);
/// The location's call waited until this rank gave the lock of a window free.
void pj_call_waits_lock(pj_call_waits *waits, uint32_t location, uint32_t rank, uint64_t time);
void pj_call_waits_part(pj_call_waits *waits, uint32_t meeting);

/// The replay has held the location's call.
void pj_call_waits_held(pj_call_waits *waits, uint32_t location, pj_wait_pattern pattern,
                        uint32_t by, double ideal_ns);

/// All calls have been left: writes pj_run.waits. Reads end_ns, totals[].last_event_ns and `ideal`.
void pj_call_waits_finish(pj_call_waits *waits, pj_run *run);
/// Bytes in use.
size_t pj_call_waits_bytes(const pj_call_waits *waits);

#endif
