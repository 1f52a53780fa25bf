// What a long operation shares with whoever started it: stop flag, progress, memory account.
// Ownership: plain struct owned by the starter; it must outlive the operation.
#ifndef PJ_JOB_H
#define PJ_JOB_H

#include "metrics/base/err.h"

#include <stdatomic.h>

typedef struct pj_job {
    atomic_bool *stop; // set by an interrupt from any thread; NULL = cannot be stopped
    unsigned workers;  // threads to compute with; 0 = one per core this process may use

    uint64_t memory_budget;       // bytes; 0 = pj_job_default_budget()
    _Atomic uint64_t memory_used; // raised by arenas and blocks of this job
    _Atomic uint64_t bytes_total; // input bytes known so far (compressed ones for .gz)
    _Atomic uint64_t bytes_done;

    /// Called on the starter's thread at most 5 times a second and once at the end of an input;
    /// may be NULL. `what` names the input ("epoch_16proc.prv.gz").
    void (*progress)(void *context, const char *what, uint64_t done, uint64_t total);
    void *progress_context;
    uint64_t progress_due_ns; // monotonic time of the next report; kept by pj_job_report
} pj_job;

/// Whether the operation must end: polled once per block by every loop over events.
static inline bool pj_job_stopped(const pj_job *job)
{
    return job->stop && atomic_load_explicit(job->stop, memory_order_relaxed);
}

/// False with PJ_E_STOPPED or PJ_E_MEMORY when the operation must end; `where` names the input.
PJ_CHECKED bool pj_job_check(pj_job *job, const char *where, pj_err *err);
/// Reports progress when a report is due (or `last`); only from the starter's thread.
void pj_job_report(pj_job *job, const char *what, bool last);
/// Threads that `job` computes with, at least 1.
unsigned pj_job_workers(const pj_job *job);
/// Half of the memory this process may use (memory.h), and no more than is left of it.
uint64_t pj_job_default_budget(void);

#endif
