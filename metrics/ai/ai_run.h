// A run from the records of its ranks. Ownership: the run's arena.
#ifndef PJ_AI_RUN_H
#define PJ_AI_RUN_H

#include "metrics/ai/ai_rank.h"
#include "metrics/ai/ai_window.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/run/parts/functions.h"
#include "metrics/run/run.h"
#include "metrics/trace/roi.h"

/// How a run is read.
typedef struct pj_ai_run_opts {
    bool raw_clock;      // stamps stand as they are
    bool parts;          // each step becomes a part of the run
    bool finds_steps;    // ranges that come again may be steps; they are for parts, too
    pj_function_cut cut; // how ranges become parts
    const struct pj_timeline_opts *timeline; // what is to be seen of run->timeline; NULL = nothing
    const pj_roi_request *steps;             // only these are looked at; NULL = all that is there
    const pj_ai_window *window;              // the same of time
} pj_ai_run_opts;

/// Tells a new rank what is wanted of it.
void pj_ai_run_prepare(pj_ai_run_opts opts, pj_ai_rank *rank);

/// Whether steps are looked for where a program marks none as such.
static inline bool pj_ai_run_wants_steps(pj_ai_run_opts opts)
{
    return opts.steps || opts.parts || opts.finds_steps;
}

/// Whether ranges are to be found on the hosts, and what devices do of what is launched in them.
bool pj_ai_run_wants_regions(pj_ai_run_opts opts);

/// Fills a new run from its ranks, settled, whose order becomes that of their numbers; without a
/// single record of a device it fails (PJ_E_MISSING). Errors: PJ_E_STOPPED.
PJ_CHECKED bool pj_ai_run_fill(pj_run *run, pj_ai_rank **ranks, size_t count, pj_ai_run_opts opts,
                               pj_job *job, pj_err *err);

#endif
