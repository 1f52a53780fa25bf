// Reference values: CSV files as tables of text. Ownership: new/free.
#ifndef PJ_CSV_H
#define PJ_CSV_H

#include "metrics/base/str.h"

#include <stdint.h>

typedef struct csv {
    char *text;
    pj_str *cells;        // row by row, the header first
    size_t columns, rows; // rows without the header
} csv;

/// False when there is no such file.
bool csv_read(const char *path, csv *out);
/// The same of reference values; where they are not there the test is skipped, with the path.
void csv_of_real_tools(const char *path, csv *out);
void csv_free(csv *table);
/// The cell of a row (from 0) in the column of that name; fails the test when there is none.
pj_str csv_cell(const csv *table, size_t row, const char *column);
/// The same as a number; NaN where it is empty.
double csv_number(const csv *table, size_t row, const char *column);

#endif
