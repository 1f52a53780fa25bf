// Functions of a run as a table. Ownership: new table.
#ifndef PJ_FUNCTIONS_TABLE_H
#define PJ_FUNCTIONS_TABLE_H

#include "metrics/base/err.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"

/// One row per function or call path; `own`: efficiencies without what they call. Errors:
/// PJ_E_MISSING where the trace names no functions, with what to record.
PJ_CHECKED pj_table *pj_functions_table(const pj_run *run, bool own, pj_err *err);
/// The same error, for those who want parts of the run; true when there are functions.
PJ_CHECKED bool pj_functions_known(const pj_run *run, pj_err *err);

#endif
