// Columns of a table as series of points: what bar, line and scatter plots draw.
// Ownership: everything is in the caller's arena.
#ifndef PJ_SERIES_H
#define PJ_SERIES_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/table/table.h"
#include "widgets/figure/axis.h"
#include "widgets/figure/column_text.h"
#include "widgets/plot/plot.h"

enum { PJ_SERIES_MOST = 24 };

typedef struct pj_series_point {
    double x, y;
    size_t row; // of the table
} pj_series_point;

typedef struct pj_series {
    const char *name;
    size_t y; // column
    pj_series_point *points;
    size_t count;
} pj_series;

typedef struct pj_series_set {
    const pj_table *table;
    pj_series *items;
    size_t count;
    size_t x, x_last;    // columns: more than one where only together they tell categories apart
    const char **labels; // categories: x counts them from 0; NULL when x is numeric
    size_t label_count;
    pj_column_text x_form, y_form; // units of the axes
    const char *x_title, *y_title; // with units
    double x_lo, x_hi, y_lo, y_hi; // of all points, in the units of the axes
    size_t points;
    size_t skipped;     // cells without a number
    const char *reason; // of the first of them; may be NULL
} pj_series_set;

/// opts.x NULL = the first column, with the names behind it (rank, thread) as far as they are
/// needed to tell rows apart; opts.y empty = the first column of numbers after it.
/// `categories` takes x as labels even when it is numeric. Values <= 0 are skipped on a logarithmic
/// axis. Fails with PJ_E_USAGE (the message lists the columns) and PJ_E_MISSING (no point is left).
PJ_CHECKED bool pj_series_of(const pj_table *table, pj_plot_opts opts, bool categories,
                             pj_arena *arena, pj_series_set *out, pj_err *err);
/// "rank: 3\nUseful: 1,234,567 ns": exact values of a point.
const char *pj_series_hover(const pj_series_set *set, const pj_series *series,
                            const pj_series_point *point, pj_arena *arena);
/// "3 of 16 values are missing: ..."; NULL when all are there.
const char *pj_series_note(const pj_series_set *set, pj_arena *arena);
/// Says in words what is seen: ranges and the number of points of each series.
const char *pj_series_summary(const pj_series_set *set, pj_arena *arena);
/// opts.title, or "y over x".
const char *pj_series_title(const pj_series_set *set, pj_plot_opts opts, pj_arena *arena);
/// What the table is of, under a title that does not say it; NULL = nothing.
const char *pj_series_subtitle(const pj_series_set *set, pj_plot_opts opts);

#endif
