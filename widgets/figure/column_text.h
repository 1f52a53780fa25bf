// How the numbers of a column are shown to people: one unit, one number of decimals, so that they
// align. Exact values are the business of CSV and JSON. Ownership: plain values.
#ifndef PJ_COLUMN_TEXT_H
#define PJ_COLUMN_TEXT_H

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/table/table.h"

typedef struct pj_column_text {
    double factor;    // shown number = value * factor
    const char *unit; // "s", "ms", "GHz"; "" = none
    int decimals;     // of reals; negative = shortest with four significant digits
    bool integers;    // grouped by thousands
    bool sign;        // also of what is above 0
    bool left;        // cells begin at the left: words, and what is empty
} pj_column_text;

/// Fits the values of a whole column.
pj_column_text pj_column_text_of(const pj_table *table, size_t column);
/// The same for every column, in the arena.
const pj_column_text *pj_column_texts_of(const pj_table *table, pj_arena *arena);
/// Fits `count` reals of `unit`, NaN = left out.
pj_column_text pj_column_text_fit(pj_unit unit, const double *values, size_t count);
/// The unit alone: what an axis needs that makes its own decimals.
pj_column_text pj_column_text_unit(pj_unit unit, double largest);
/// Appends a number.
void pj_column_text_number(pj_buf *out, pj_column_text form, double value);
/// The same; "<0.01" of what is more than nothing and would be told as nothing, ">-0.01" of less.
void pj_column_text_slight(pj_buf *out, pj_column_text form, double value);
/// Appends a cell; "n/a" when it is empty for a reason. Text is appended as it is; a number with a
/// unit of its own is fitted alone and followed by it; what is not nothing is not told as
/// nothing.
void pj_column_text_cell(pj_buf *out, pj_column_text form, pj_cell cell);
/// Appends "Useful: 1,234,567 ns" where the text shown is rounded, "Useful: reason" where there is
/// no value; nothing where it would say no more than `shown`.
void pj_column_text_exact(pj_buf *out, const pj_column *column, pj_cell cell, pj_str shown);
/// "Useful [s]": the title with the unit, for a header.
void pj_column_text_title(pj_buf *out, pj_column_text form, const char *title);

/// Of text that tells a trend: 1 = better, -1 = worse, 0 = neither.
int pj_column_text_trend(const pj_column *column, pj_cell cell);

#endif
