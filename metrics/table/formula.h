// A small expression language over named cells: numbers, 'text', names, + - * / % ^, == ~= < <= >
// >=, and or not, min max abs sqrt log log2 log10 exp floor ceil round if empty, and the
// aggregates sum mean max min count over rows. Ownership: arena.
#ifndef PJ_FORMULA_H
#define PJ_FORMULA_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/table/table.h"

typedef struct pj_formula pj_formula;

enum { PJ_FORMULA_SCALAR = 0 }; // domain of names with one value

/// A name that a formula may use.
typedef struct pj_formula_name {
    const char *name; // letters, digits, underscores and dots; borrowed while compiling
    bool text;        // its cells are text
    /// Names of one domain are columns over the same rows; PJ_FORMULA_SCALAR has one value.
    /// Aggregates work on one domain at a time.
    unsigned domain;
} pj_formula_name;

typedef struct pj_formula_names {
    const pj_formula_name *items; // the first of equal names counts; in aggregates a column does
    size_t count;
    unsigned row_domain; // may stand outside aggregates; PJ_FORMULA_SCALAR = none
} pj_formula_names;

/// Where a compiled formula finds its cells.
typedef struct pj_formula_rows {
    const void *self;
    size_t (*count)(const void *self, unsigned domain);
    pj_cell (*cell)(const void *self, size_t row, unsigned name); // index in pj_formula_names
} pj_formula_rows;

/// NULL with PJ_E_SCRIPT: what is wrong, at which character, and the nearest valid name.
PJ_CHECKED const pj_formula *pj_formula_new(pj_arena *arena, pj_str text,
                                            const pj_formula_names *names, pj_err *err);
/// Whether its value is text.
bool pj_formula_is_text(const pj_formula *formula);
/// Marks the names that it depends on; `used` by index in pj_formula_names.
void pj_formula_mark_names(const pj_formula *formula, bool *used);
/// How many cells pj_formula_aggregate writes.
size_t pj_formula_aggregates(const pj_formula *formula);
/// Computes the aggregates, once for all rows.
void pj_formula_aggregate(const pj_formula *formula, const pj_formula_rows *rows, pj_cell *out);
/// Value in one row: a number, text or an empty cell with its reason (a constant or that of the
/// cell it comes from). Truth is 1 and 0. Never NaN, never infinite.
pj_cell pj_formula_value(const pj_formula *formula, const pj_formula_rows *rows, size_t row,
                         const pj_cell *aggregates);

/// "did you mean" for any list of names: the nearest one, or NULL when none is near.
const char *pj_formula_nearest(pj_str name, const pj_formula_names *names);

#endif
