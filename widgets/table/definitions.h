// What metrics are, as Markdown made of their rows: the appendix of reports and the reference.
// Ownership: text is appended to the caller's buffer.
#ifndef PJ_DEFINITIONS_H
#define PJ_DEFINITIONS_H

#include "metrics/base/buf.h"
#include "metrics/pop/metricset.h"

/// A section of third level per set with key, formula and meaning of every row, and one of the
/// symbols in formulas. What a metric means is told once, in the first set that has it so.
void pj_definitions_md(const pj_metric_set *const *sets, size_t count, pj_buf *out);

#endif
