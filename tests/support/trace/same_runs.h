// Whether two readings of one trace are the same run. Ownership: borrow.
#ifndef PJ_SAME_RUNS_H
#define PJ_SAME_RUNS_H

#include "metrics/run/run.h"

/// Fails, by cmocka's means, unless totals, counters, oddities and ideal runtime are the same to
/// the last bit.
void same_runs(const pj_run *a, const pj_run *b);

#endif
