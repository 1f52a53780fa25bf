// Operations on tables; each makes a new table and leaves its argument alone. Ownership: new
// tables hold one reference; NULL means failed (PJ_E_SCRIPT; errors list the valid columns).
#ifndef PJ_TABLE_OPS_H
#define PJ_TABLE_OPS_H

#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/table/fold.h"
#include "metrics/table/table.h"

#include <stdatomic.h>

/// What is computed for each row: a formula over the column keys, or a callback.
typedef struct pj_row_value {
    pj_str formula; // used when `call` is NULL
    /// Texts in `out` are copied. False fails the operation.
    bool (*call)(void *context, const pj_table *table, size_t row, pj_cell *out, pj_err *err);
    void *context;
} pj_row_value;

/// Rows in which the value is a number other than 0.
PJ_CHECKED pj_table *pj_table_where(const pj_table *table, pj_row_value test, pj_err *err);
/// By the keys in turn, "-key" downwards; stable, empty cells last, text in natural order.
/// PJ_E_STOPPED when `stop` (NULL = never) was set meanwhile.
PJ_CHECKED pj_table *pj_table_sort(const pj_table *table, const pj_str *keys, size_t count,
                                   const atomic_bool *stop, pj_err *err);
/// These columns in this order.
PJ_CHECKED pj_table *pj_table_select(const pj_table *table, const pj_str *keys, size_t count,
                                     pj_err *err);
/// One more column at the end, or a new content of the column with this key.
PJ_CHECKED pj_table *pj_table_add(const pj_table *table, pj_column column, pj_row_value value,
                                  pj_err *err);
/// The first `count` rows.
pj_table *pj_table_head(const pj_table *table, size_t count);
/// Every row of `left` with the cells of the rows of `right` that have the same values in the key
/// columns; without one the cells are empty and say so. A column of `right` whose key `left` has
/// too becomes "key_2". PJ_E_STOPPED as for sorting.
PJ_CHECKED pj_table *pj_table_join(const pj_table *left, const pj_table *right, const pj_str *keys,
                                   size_t count, const atomic_bool *stop, pj_err *err);

/// Of a column's cells, as in fold.h; reasons are those of the table.
pj_cell pj_table_fold(const pj_table *table, size_t column, pj_fold fold);

typedef struct pj_table_folding {
    pj_fold fold;
    pj_str column; // "" = every column of numbers that is no key; ignored by COUNT
} pj_table_folding;

/// What a table is grouped by, and what of each group is computed.
typedef struct pj_table_grouping {
    const pj_str *keys;
    size_t key_count;
    const pj_table_folding *foldings;
    size_t folding_count;
    const atomic_bool *stop; // NULL = never
} pj_table_grouping;

/// One row per distinct values of the key columns in order of first appearance: the keys, then one
/// column per folding, named as its column, or "column_fold" where a column is folded twice;
/// COUNT gives the column "count". PJ_E_STOPPED when `stop` was set meanwhile.
PJ_CHECKED pj_table *pj_table_by(const pj_table *table, pj_table_grouping by, pj_err *err);

#endif
