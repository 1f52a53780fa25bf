// The function profile of a trace: the one way from its events to a profile. Ownership: the caller
// gets one reference.
#ifndef PJ_PROFILE_RUN_H
#define PJ_PROFILE_RUN_H

#include "metrics/analyse/load.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/profile/profile.h"
#include "metrics/run/run.h"

/// Reads the trace in one pass, never a summary. Of the options, those of the region of interest,
/// the clocks and the process group count. `run` (may be NULL) is the run that was read, with its
/// remarks: a new reference. In a process group only the leader has a profile; the others get NULL
/// without an error.
PJ_CHECKED pj_profile *pj_profile_run(const char *path, pj_load_opts opts, pj_job *job,
                                      pj_run **run, pj_err *err);
/// The same of a run in memory, with the region of interest that it has.
PJ_CHECKED pj_profile *pj_profile_of_run(const pj_run *run, pj_job *job, pj_err *err);

#endif
