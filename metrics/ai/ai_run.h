// A run from the records of its ranks. Ownership: the run's arena.
#ifndef PJ_AI_RUN_H
#define PJ_AI_RUN_H

#include "metrics/ai/ai_rank.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/run/run.h"

/// Fills a new run from its ranks, settled, whose order becomes that of their numbers; without a
/// single record of a device it fails (PJ_E_MISSING). Errors: PJ_E_STOPPED.
PJ_CHECKED bool pj_ai_run_fill(pj_run *run, pj_ai_rank **ranks, size_t count, bool raw_clock,
                               pj_job *job, pj_err *err);

#endif
