// Sums over the CPUs of the host, as TALP and BSC's isolated OpenMP count them (DEFINITIONS 8).
// Ownership: plain data.
#ifndef PJ_SUMS_CPUS_H
#define PJ_SUMS_CPUS_H

#include "metrics/run/run.h"
#include "metrics/run/sums.h"

/// Fills the rows of TALP, OpenMP by itself, and input and output; m->runtime is known. What the
/// run does not tell (regions, nodes) becomes no number.
void pj_sums_add_cpus(const pj_run *run, pj_sums *m);

#endif
