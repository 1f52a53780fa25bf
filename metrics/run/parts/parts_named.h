// Rows of tables of parts by name. Ownership: new table.
#ifndef PJ_PARTS_NAMED_H
#define PJ_PARTS_NAMED_H

#include "metrics/base/err.h"
#include "metrics/table/table.h"

/// The rows of the part `name`: it itself, call paths that go through it ("main/solve"), values of
/// a parameter ("size=8"); of iterations a number, or some ("3..8"). What shares are of stays the
/// run. PJ_E_MISSING when there is none, with what there is. `table`: parts in its first column.
PJ_CHECKED pj_table *pj_parts_named(const pj_table *table, const char *name, pj_err *err);

#endif
