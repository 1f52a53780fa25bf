// Remarks on a run that has been read. Ownership: they are the run's.
#ifndef PJ_LOAD_REMARKS_H
#define PJ_LOAD_REMARKS_H

#include "metrics/run/run.h"

/// What stands under every result of the run; once, after its last pass.
void pj_load_remark(pj_run *run);
/// Of one of several processes of mpirun that read it each for itself.
void pj_load_remark_processes(pj_run *run);

#endif
