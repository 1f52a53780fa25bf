// Rows of a metric table with what their losses come from: waits by pattern, calls, the end of
// ranks (DEFINITIONS 9). Ownership: the arena of the metrics.
#ifndef PJ_METRICS_CAUSES_H
#define PJ_METRICS_CAUSES_H

#include "metrics/pop/metrics.h"

/// Fills metrics->causes: of load balance, serialisation and transfer of ranks, where the set has
/// all three and takes the latter from the ideal replay. A run whose waits are not known has a
/// reason in place of its values.
void pj_metrics_find_causes(pj_metrics *metrics);

#endif
