// Waits of runs of many ranks as columns, which take a fifth of rows. Ownership: what is written is
// new; what is read is the run's arena.
#ifndef PJ_SUMMARY_WAIT_COLUMNS_H
#define PJ_SUMMARY_WAIT_COLUMNS_H

#include "metrics/base/err.h"
#include "metrics/run/run.h"
#include "metrics/run/waits/run_waits.h"

#include <jansson.h>

/// Sums and ranks within a budget: all of them, else with the longest wait of some sums, among them
/// that of each pattern and function, else with the culprits of short ones taken together; NULL =
/// not even then. Sums of ranks, patterns and functions are exact.
json_t *pj_summary_wait_columns_write(const pj_run *run, size_t budget);
/// Where the calls of `out` have been read. Errors: PJ_E_FORMAT.
PJ_CHECKED bool pj_summary_wait_columns_read(const json_t *from, const pj_run *run, pj_waits *out,
                                             pj_err *err);

#endif
