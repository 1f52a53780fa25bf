// Stop flag, progress and memory account of a long operation.
#include "metrics/base/job.h"

#include "metrics/base/clock.h"
#include "metrics/base/memory.h"
#include "metrics/base/num.h"

#include <sched.h>
#include <unistd.h>

enum { REPORT_INTERVAL_NS = 200000000 };

bool pj_job_check(pj_job *job, const char *where, pj_err *err)
{
    if (pj_job_stopped(job))
        return pj_fail(err, PJ_E_STOPPED, where, 0, "interrupted");
    if (!job->memory_budget)
        job->memory_budget = pj_job_default_budget();
    uint64_t used = atomic_load_explicit(&job->memory_used, memory_order_relaxed);
    if (used <= job->memory_budget)
        return true;
    char want[32], have[32];
    pj_format_bytes(used, want);
    pj_format_bytes(job->memory_budget, have);
    return pj_fail(
        err, PJ_E_MEMORY, where, 0,
        "needs %s of memory, the budget is %s; raise it with --memory or use fewer workers", want,
        have);
}

void pj_job_report(pj_job *job, const char *what, bool last)
{
    if (!job->progress)
        return;
    uint64_t now = pj_clock_ns();
    if (!last && now < job->progress_due_ns)
        return;
    job->progress_due_ns = now + REPORT_INTERVAL_NS;
    job->progress(job->progress_context, what, atomic_load(&job->bytes_done),
                  atomic_load(&job->bytes_total));
}

unsigned pj_job_workers(const pj_job *job)
{
    if (job->workers)
        return job->workers;
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (unsigned)CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}

uint64_t pj_job_default_budget(void)
{
    pj_memory_room room = pj_memory_look("");
    uint64_t half = room.limit / 2, most = room.left - room.left / 8;
    return half < most ? half : most;
}
