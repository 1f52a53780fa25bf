// Locks of windows: who waits for whom to give one free. Records come in order of time.
// Ownership: a zeroed struct is empty; free releases it.
#ifndef PJ_WINDOW_LOCKS_H
#define PJ_WINDOW_LOCKS_H

#include "metrics/base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pj_window_lock;

typedef struct pj_window_locks {
    pj_map place_of; // by window and target
    struct pj_window_lock *items;
    size_t count, cap;
} pj_window_locks;

/// One record of a rank: `lock` is window << 32 | target, the target UINT32_MAX for all of them
/// (MPI_Win_lock_all), `what` a PJ_RMA_*.
typedef struct pj_window_record {
    uint64_t lock, what;
    uint64_t time; // ns
    uint32_t rank;
} pj_window_record;

/// Gives the rank that last gave the lock free after `since`, and when, if the record says that
/// this one has the lock, or had it, and both could not have it together; else UINT32_MAX. That is
/// when the call ends that gives it free: UINT64_MAX while that goes on.
uint32_t pj_window_locks_take(pj_window_locks *locks, const pj_window_record *record,
                              uint64_t since, uint64_t *at);
/// The same at the end of a call, begun at `since`, that has asked for the lock: most tools do not
/// say when it is there.
uint32_t pj_window_locks_wait(pj_window_locks *locks, uint64_t lock, uint32_t rank, uint64_t since,
                              uint64_t *at);
/// The call in which a rank gave the lock free ends at `time`.
void pj_window_locks_leave(pj_window_locks *locks, uint64_t lock, uint32_t rank, uint64_t time);
void pj_window_locks_free(pj_window_locks *locks);

#endif
