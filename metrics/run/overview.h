// The absolute figures of one run: what can be said of it without another one to compare it with.
// Ownership: new tables.
#ifndef PJ_OVERVIEW_H
#define PJ_OVERVIEW_H

#include "metrics/run/run.h"
#include "metrics/table/table.h"

/// Times, counters and rates of the run, then what each MPI function takes. Columns: figure (for
/// machines) or title (for people), value, unit (for machines), share of the core time, longest_ns
/// of a rank, that rank, count, per_second. A cell without reason: the column is not of that row.
pj_table *pj_overview_table(const pj_run *run);

#endif
