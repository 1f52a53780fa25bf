// The OpenMP regions of a run as tables. Ownership: new tables that hold one reference.
#ifndef PJ_REGIONS_TABLE_H
#define PJ_REGIONS_TABLE_H

#include "metrics/base/err.h"
#include "metrics/run/regions.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"

typedef enum pj_regions_by {
    PJ_REGIONS_EACH,
    PJ_REGIONS_FUNCTION,
    PJ_REGIONS_LOCATION
} pj_regions_by;

/// Every instance by rank and start, or sums by function or source line, the costliest first.
/// NULL with PJ_E_MISSING when the run has none (the message says why).
PJ_CHECKED pj_table *pj_regions_table(const pj_run *run, pj_regions_by by, pj_err *err);

#endif
