// A metric of a region over time, as a small SVG. Ownership: output is appended to the caller's
// buffer.
#ifndef PJ_TREND_LINES_H
#define PJ_TREND_LINES_H

#include "metrics/base/buf.h"
#include "metrics/pop/trend.h"
#include "metrics/table/table.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/// Of a picture, in tenths of a px.
enum {
    PJ_TREND_WIDTH = 6400,
    PJ_TREND_HEIGHT = 1500,
    PJ_TREND_LEFT = 600,
    PJ_TREND_RIGHT = 160,
    PJ_TREND_TOP = 120,
    PJ_TREND_BOTTOM = 220,
    PJ_TREND_COLOURS = 8 // classes s0 .. s7 of lines
};

/// The rows of a table of trends, and where they stand; arrays by row.
typedef struct pj_trend_lines {
    const pj_table *table;
    const double *x;      // seconds, or the place in the order
    double first, last;   // of x
    const size_t *layout; // which one, as they come
    const size_t *run;    // which run of the layout
} pj_trend_lines;

/// "" where a cell is empty.
static inline const char *pj_trend_text(const pj_table *table, size_t row, int column)
{
    const pj_cell *cell = pj_table_cell(table, row, (size_t)column);
    return cell->kind == PJ_CELL_TEXT ? cell->text : "";
}

/// NaN where a cell is empty.
static inline double pj_trend_number(const pj_table *table, size_t row, int column)
{
    return pj_cell_number(*pj_table_cell(table, row, (size_t)column));
}

/// The value of the latest run among rows; NaN = none has one.
static inline double pj_trend_latest(const pj_table *table, size_t from, size_t to)
{
    double value = NAN;
    const char *time = "";
    for (size_t row = from; row < to; row++)
        if (!isnan(pj_trend_number(table, row, PJ_TREND_VALUE)) &&
            strcmp(pj_trend_text(table, row, PJ_TREND_TIME), time) >= 0) {
            time = pj_trend_text(table, row, PJ_TREND_TIME);
            value = pj_trend_number(table, row, PJ_TREND_VALUE);
        }
    return value;
}

/// A figure of rows `from` to `to`, which are of one region and metric, by layout and time. The
/// page has the axis of time as a symbol "x". Nothing where no run has a value.
void pj_trend_lines_add(const pj_trend_lines *lines, size_t from, size_t to, pj_buf *out);

#endif
