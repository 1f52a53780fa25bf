// Labels that lie beside a Paraver trace: calls, counters and threads get their names.
// Ownership: arena (the run's).
#ifndef PJ_PRV_NAMES_H
#define PJ_PRV_NAMES_H

#include "metrics/read/paraver/prv_record.h"
#include "metrics/run/run.h"

/// Reads the .pcf and .row of run->path where they exist; without a .pcf the calls get Extrae's
/// numbers (mpi_calls.def) and the run a remark. `parameters`: also event types of the program's
/// own, whose events then are PJ_PARAMETER_*.
void pj_prv_read_names(pj_run *run, pj_prv_trace *trace, bool parameters);

#endif
