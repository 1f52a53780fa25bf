// A question about the events of a trace, answered in one pass: which ones count, by what they are
// grouped, what is folded of each group. Memory is bounded by groups, and those by a limit.
// Ownership: new/free; what options point to is copied.
#ifndef PJ_QUERY_H
#define PJ_QUERY_H

#include "metrics/base/err.h"
#include "metrics/table/question.h"
#include "metrics/trace/sink.h"

typedef struct pj_query pj_query;

/// NULL with PJ_E_SCRIPT: a formula is wrong, with the nearest valid name.
PJ_CHECKED pj_query *pj_query_new(pj_query_opts opts, pj_err *err);
void pj_query_free(pj_query *query);
/// Whether the answer depends on regions: a pass without them is several times faster.
bool pj_query_wants_regions(const pj_query *query);
/// Wants events in order. Fails with PJ_E_USAGE when there are more rows than the limit.
pj_sink pj_query_sink(pj_query *query);
/// After the pass: groups in the order of their keys, events in the order in which they end. NULL
/// before.
struct pj_table *pj_query_table(const pj_query *query);

/// Names of fields; NULL past the end.
const char *pj_query_field(unsigned index);

#endif
