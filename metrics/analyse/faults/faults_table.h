// Findings as a table. Ownership: new tables.
#ifndef PJ_FAULTS_TABLE_H
#define PJ_FAULTS_TABLE_H

#include "metrics/analyse/faults/faults.h"
#include "metrics/table/table.h"

/// rank, finding, where, loss_ns, core_hours, recoverable_ns, share, method, confidence, range,
/// evidence and replay (commands); core-hours of so many runs (0 = 1).
pj_table *pj_faults_table(const pj_faults *faults, double runs_per_year);

#endif
