// What begin and end of a run take of it: MPI_Init, files read, MPI_Finalize. Ownership: borrow.
#ifndef PJ_LOAD_LIMITS_H
#define PJ_LOAD_LIMITS_H

#include "metrics/analyse/load.h"
#include "metrics/base/job.h"
#include "metrics/run/run.h"

/// Where they take much of a run that is looked at whole, a remark says so, names the region of
/// interest that leaves them out, and its efficiencies: the trace is read again for them,
/// unless it comes from a pipe (`again` = it can be).
void pj_load_remark_limits(pj_run *run, pj_load_opts opts, bool again, const pj_job *job);

#endif
