// Metrics of the same program over time, from summaries and files of TALP. Ownership: new tables.
#ifndef PJ_TREND_H
#define PJ_TREND_H

#include "metrics/base/err.h"
#include "metrics/pop/metrics.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"

#include <stddef.h>

typedef struct pj_trend_opts {
    const char *region; // part of the runs; "all" = each, and the whole; NULL = the whole runs
    const char *const *metrics; // keys; none: the efficiencies of the set, and runtime_s
    size_t metric_count;
} pj_trend_opts;

/// Columns of pj_trend_table.
enum {
    PJ_TREND_TIME,
    PJ_TREND_COMMIT,
    PJ_TREND_BRANCH,
    PJ_TREND_LAYOUT,
    PJ_TREND_REGION,
    PJ_TREND_METRIC,
    PJ_TREND_TITLE, // of the metric, with its unit
    PJ_TREND_VALUE,
    PJ_TREND_CHANGE,
    PJ_TREND_COLUMNS
};

/// Rows: by region (the whole "Global", then the longest), metric, layout and time. A change is
/// that from one level to the next (change_points.h), in parts of the level before; where none
/// begins the cell is empty. What has no time of its commit or measurement counts with that of its
/// file, which the note says, as it says how many runs lack the region. Errors: PJ_E_USAGE,
/// PJ_E_MISSING (no run has the region).
PJ_CHECKED pj_table *pj_trend_table(pj_run *const *runs, size_t count, pj_trend_opts opts,
                                    pj_err *err);

/// The same of runs, or parts of runs, whose metrics are known; `region` has been chosen before.
PJ_CHECKED pj_table *pj_trend_of(const pj_metrics *metrics, pj_trend_opts opts, pj_err *err);

#endif
