// What must be said beside a result: remarks of the metrics and of their runs, each said once with
// the names of the runs. Ownership: arena (that of the metrics).
#ifndef PJ_METRICS_REMARK_H
#define PJ_METRICS_REMARK_H

#include "metrics/pop/measures.h"
#include "metrics/pop/metrics.h"

/// Fills remarks and remark_count from the values and runs; `measures` by run.
/// `repeated`: what is said of repetitions; NULL = nothing.
void pj_metrics_remark(pj_metrics *metrics, const pj_measures *measures,
                       const struct pj_repeated_runs *repeated);

#endif
