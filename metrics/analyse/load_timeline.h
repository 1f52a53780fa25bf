// Ranged reading: to look closer at a run, only what is looked at is read. Ownership: new
// reference.
#ifndef PJ_LOAD_TIMELINE_H
#define PJ_LOAD_TIMELINE_H

#include "metrics/analyse/load.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/run/run.h"

/// Whether opts->known says where in its file the timeline stands, and nothing else is wanted.
bool pj_load_timeline_knows(const pj_load_opts *opts);
/// The timeline alone; the totals of the run stay empty.
PJ_CHECKED pj_run *pj_load_timeline(const pj_load_opts *opts, pj_job *job, pj_err *err);

#endif
