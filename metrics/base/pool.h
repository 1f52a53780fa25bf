// Threads to compute with: an ordered line of work, and one task that runs ahead.
// Ownership: the caller owns slots and contexts; a task is new/free.
#ifndef PJ_POOL_H
#define PJ_POOL_H

#include "metrics/base/err.h"

#include <stddef.h>

/// What is done with each piece of an input. `take` and `put` are called one at a time and in the
/// order of the input, by whichever worker is free; `work` runs in parallel. Results are therefore
/// the same for any number of workers.
typedef struct pj_line {
    void *self;
    /// Fills `slot` with the next piece; false at the end of the input, or with an error.
    bool (*take)(void *self, void *slot, pj_err *err);
    bool (*work)(void *self, void *slot, pj_err *err);
    bool (*put)(void *self, void *slot, pj_err *err);
    /// Called now and then on the starter's thread, never at the same time as itself; may be NULL.
    void (*report)(void *self);
} pj_line;

/// Slots that keep `workers` threads busy.
static inline size_t pj_pool_slots(unsigned workers)
{
    return workers > 1 ? 2 * (size_t)workers : 1;
}

/// Runs the line over the whole input with the starter and workers - 1 threads of its own. The
/// error is the one that a single worker would have met. Threads start only when the input has
/// more than one piece.
PJ_CHECKED bool pj_pool_run(const pj_line *line, unsigned workers, void *const *slots,
                            size_t slot_count, pj_err *err);

/// A function on a thread of its own; NULL when the system gives no thread.
typedef struct pj_task pj_task;
pj_task *pj_task_start(void (*run)(void *context), void *context);
/// Waits for its end and frees it; NULL is allowed.
void pj_task_join(pj_task *task);

#endif
