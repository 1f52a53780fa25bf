// Sums over processes, as the Cube advisor of JSC counts them (DEFINITIONS 8). Ownership: plain
// data.
#ifndef PJ_SUMS_PROCESSES_H
#define PJ_SUMS_PROCESSES_H

#include "metrics/run/run.h"
#include "metrics/run/sums.h"

/// Fills the rows of JSC. Without waits (run->waits) the ideal time is no number, unless there
/// is no MPI.
void pj_sums_add_processes(const pj_run *run, pj_sums *m);

#endif
