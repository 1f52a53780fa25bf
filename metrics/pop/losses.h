// What each cause costs a run, and so what mending it would bring at most: the leaves of a metric
// set as parts of the runtime and as core time. Ownership: arena, or a new table.
#ifndef PJ_LOSSES_H
#define PJ_LOSSES_H

#include "metrics/base/arena.h"
#include "metrics/pop/metrics.h"
#include "metrics/table/table.h"

typedef struct pj_loss {
    size_t row;         // of the set
    double value;       // of the metric
    double share;       // of the runtime: what the run would be shorter
    double core_ns;     // the same of all threads: share x threads x runtime
    const char *method; // how it is known, a clause
} pj_loss;

typedef struct pj_losses {
    pj_loss *items;
    size_t count;
} pj_losses;

/// Losses of 1 % of the runtime and more, the largest first. Shares of an additive convention add
/// up; those of factors and scalings hold "if nothing else changed" and overlap.
pj_losses pj_losses_of(const pj_metrics *metrics, size_t run, pj_arena *arena);
/// The same as a table: metric, value, share_of_runtime, core_hours, method.
pj_table *pj_losses_table(const pj_metrics *metrics, size_t run);

#endif
