// Who made ranks wait, what bounds the runtime, and in which functions ranks waited, as tables.
// Ownership: new.
#ifndef PJ_DELAYS_TABLE_H
#define PJ_DELAYS_TABLE_H

#include "metrics/base/err.h"
#include "metrics/run/run.h"
#include "metrics/run/waits/run_delays.h"
#include "metrics/table/table.h"

typedef enum pj_delays_by {
    PJ_DELAYS_COSTS,  // culprit, region: short_ns, long_ns, cost_ns, share of all waits
    PJ_DELAYS_PATH,   // region, rank: path_ns, share, mean_ns, imbalance_ns
    PJ_DELAYS_IMPACT, // region: on_path_ns, imbalance_ns, off_path_ns, share of the path times
                      // ranks
    PJ_DELAYS_REGION, // pattern, region: wait_ns, share of all ranks' time, if measured instances,
                      // max_ns, at_ns
} pj_delays_by;

/// As measured, or on the ideal network: but for costs, which are told of the measured run. Errors:
/// PJ_E_MISSING when the run has no delays, or lacks what the ideal network needs.
PJ_CHECKED pj_table *pj_delays_table(const pj_run *run, pj_delays_by by, pj_path_clock clock,
                                     pj_err *err);

#endif
