// Rows of the tables of parts (lines, callers, callees) as they are asked for. Ownership: new
// tables.
#ifndef PJ_PART_ORDER_H
#define PJ_PART_ORDER_H

#include "metrics/base/err.h"
#include "metrics/profile/profile_table.h"
#include "metrics/table/table.h"

#include <stdatomic.h>

/// The rows that `match` and `where` of the question leave, in the order of `sort`, the first of
/// them: as in pj_profile_table, with the columns of this table as keys. `stop` as in
/// pj_table_sort.
PJ_CHECKED pj_table *pj_part_order(const pj_table *table, const pj_profile_ask *ask,
                                   const atomic_bool *stop, pj_err *err);

#endif
