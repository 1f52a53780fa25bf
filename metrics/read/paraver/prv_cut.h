// A part of a trace as a trace of its own, which has the statistics that the whole has in that
// region of interest (DEFINITIONS 7). Ownership: plain data.
#ifndef PJ_PRV_CUT_H
#define PJ_PRV_CUT_H

#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/read/cutter.h"
#include "metrics/run/run.h"

/// Writes run->roi of the Paraver trace run->path to `path` (.prv), with the files beside it.
/// Errors: PJ_E_IO, PJ_E_FORMAT, PJ_E_STOPPED.
PJ_CHECKED bool pj_prv_cut(const pj_run *run, const char *path, pj_job *job, pj_cut_facts *facts,
                           pj_err *err);

extern const pj_cutter pj_prv_cutter;

#endif
