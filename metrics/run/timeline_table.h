// The time in each kind of state as a table. Ownership: new tables that hold one reference.
#ifndef PJ_TIMELINE_TABLE_H
#define PJ_TIMELINE_TABLE_H

#include "metrics/run/run.h"
#include "metrics/run/timeline.h"
#include "metrics/table/table.h"

/// rank, thread, then the ns of each kind within run->timeline; one row per thread.
pj_table *pj_timeline_table(const pj_run *run);

#endif
