// Iterations of a run as a table. Ownership: new table.
#ifndef PJ_ITERATIONS_TABLE_H
#define PJ_ITERATIONS_TABLE_H

#include "metrics/base/err.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"

/// One row per iteration, DEFINITIONS 12; no row, and a note that says why, where there are none.
/// Error: PJ_E_MISSING where nobody has looked for them.
PJ_CHECKED pj_table *pj_iterations_table(const pj_run *run, pj_err *err);

#endif
