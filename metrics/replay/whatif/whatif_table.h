// What changes of a run would bring, as tables. Ownership: new tables.
#ifndef PJ_WHATIF_TABLE_H
#define PJ_WHATIF_TABLE_H

#include "metrics/base/err.h"
#include "metrics/replay/whatif/whatif.h"
#include "metrics/table/table.h"

typedef struct pj_whatif_opts {
    const char *const *changes; // to show; none: those that can be made of every run
    size_t count;
    double runs_per_year; // core-hours are of so many runs; 0 = 1
} pj_whatif_opts;

/// A row for the run as it was measured, for the networks, and for each change.
PJ_CHECKED pj_table *pj_whatif_table(const pj_whatif *whatif, pj_whatif_opts opts, pj_err *err);
/// How much of the runtime hangs on the functions, or all computation where there are none, on
/// latency and on 1 / bandwidth: the change of the runtime by a change of each, both in parts of
/// the whole. They add up to 1 where no other dependency decides within a tenth.
PJ_CHECKED pj_table *pj_whatif_sensitivity(const pj_whatif *whatif, pj_err *err);

#endif
