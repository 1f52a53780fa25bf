// What the members of a process group have found of their threads becomes one run.
#ifndef PJ_RUN_GATHER_H
#define PJ_RUN_GATHER_H

#include "metrics/base/err.h"
#include "metrics/base/process_group.h"
#include "metrics/run/run.h"

/// All members together, after the sinks that take the threads apart have ended: the leader's run
/// gets the totals and counters of all threads from their owners, and what the run has.
PJ_CHECKED bool pj_run_gather(pj_run *run, pj_process_group *group, pj_err *err);

#endif
