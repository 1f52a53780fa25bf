// A run from the records of its ranks. Ownership: the run's arena.
#ifndef PJ_AI_RUN_H
#define PJ_AI_RUN_H

#include "metrics/ai/ai_rank.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/run/run.h"

typedef struct pj_ai_run_opts {
    bool raw_clock;                          // stamps stand as they are
    const struct pj_timeline_opts *timeline; // what is to be seen of run->timeline; NULL = nothing
} pj_ai_run_opts;

/// What of a rank has to outlive its settling.
pj_ai_drawn pj_ai_run_draws(pj_ai_run_opts opts);

/// Fills a new run from its ranks, settled, whose order becomes that of their numbers; without a
/// single record of a device it fails (PJ_E_MISSING). Errors: PJ_E_STOPPED.
PJ_CHECKED bool pj_ai_run_fill(pj_run *run, pj_ai_rank **ranks, size_t count, pj_ai_run_opts opts,
                               pj_job *job, pj_err *err);

#endif
