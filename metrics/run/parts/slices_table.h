// Slices of a run as tables. Ownership: new tables.
#ifndef PJ_SLICES_TABLE_H
#define PJ_SLICES_TABLE_H

#include "metrics/base/err.h"
#include "metrics/run/parts/slices.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"

/// What is said under tables of slices, iterations and functions.
#define PJ_EFFICIENCIES_OF_PARTS                                                                   \
    "Efficiencies are as in metrics --set bsc: load balance is the mean over all threads in "      \
    "parts "                                                                                       \
    "of the maximum, communication efficiency the maximum in parts of the runtime; other sets "    \
    "may define them otherwise."

/// One row per slice, DEFINITIONS 12. Error: PJ_E_MISSING where the run has no slices.
PJ_CHECKED pj_table *pj_slices_table(const pj_run *run, pj_err *err);

/// The efficiencies of a slice, with reasons where there are none.
typedef struct pj_slice_metrics {
    pj_cell parallel_efficiency, load_balance, communication_efficiency, serialisation_efficiency,
        transfer_efficiency, ipc;
} pj_slice_metrics;
pj_slice_metrics pj_slice_metrics_of(const pj_slices *slices, uint32_t index);

#endif
