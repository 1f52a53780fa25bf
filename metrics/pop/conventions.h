// The same runs as every house sees them: what is called alike side by side, and why it differs.
// Ownership: a new table.
#ifndef PJ_CONVENTIONS_H
#define PJ_CONVENTIONS_H

#include "metrics/base/err.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"

/// Columns: trace (of several runs), figure, pop, pop_mult, bsc, jsc, talp, apart (largest
/// less smallest). The note names each house's set and says, for each row whose values lie more
/// than 0.0005 apart, why. Rows that no house has a value for are left out.
PJ_CHECKED pj_table *pj_conventions_table(pj_study *study, pj_err *err);
/// What has to be found in traces for it: PJ_WANT(...).
unsigned pj_conventions_aspects(void);

#endif
