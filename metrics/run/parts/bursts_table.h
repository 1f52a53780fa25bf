// Clusters of bursts as a table. Ownership: new.
#ifndef PJ_BURSTS_TABLE_H
#define PJ_BURSTS_TABLE_H

#include "metrics/base/err.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"

/// A row for each cluster of a run that was read with PJ_WANT(bursts); PJ_E_MISSING = it has no
/// states, or nobody has looked.
PJ_CHECKED pj_table *pj_bursts_table(const pj_run *run, pj_err *err);

#endif
