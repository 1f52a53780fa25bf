// What changed from one run to another, metric by metric, and whether that is too much.
// Ownership: a new table.
#ifndef PJ_COMPARISON_H
#define PJ_COMPARISON_H

#include "metrics/base/err.h"
#include "metrics/pop/metrics.h"
#include "metrics/table/table.h"

typedef struct pj_comparison_opts {
    bool judge;         // adds a verdict to every row
    double max_drop;    // that is allowed: of efficiencies as they are, of plain numbers relative
    const char *metric; // the only row that is judged; NULL = all but plain numbers
} pj_comparison_opts;

typedef struct pj_comparison {
    pj_table *table;  // metric, baseline, new, change, relative_change[, verdict]
    size_t regressed; // rows that are worse by more than is allowed
    const char *lack; // why a judged row has no value in one of the runs; NULL = all have
} pj_comparison;

/// Compares the runs `baseline` and `other` of an evaluated study. A time is worse when it grows,
/// an inefficiency too, everything else when it falls. PJ_E_USAGE: no such metric in the set.
PJ_CHECKED bool pj_comparison_make(const pj_metrics *metrics, size_t baseline, size_t other,
                                   pj_comparison_opts opts, pj_comparison *out, pj_err *err);

#endif
