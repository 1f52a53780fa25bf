// The efficiency table as rows, columns and texts: what every rendering of metrics starts from.
// Ownership: everything is in the caller's arena; texts of the metrics are borrowed.
#ifndef PJ_METRICS_GRID_H
#define PJ_METRICS_GRID_H

#include "metrics/base/arena.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"

#define PJ_GRID_UP "\u2191"
#define PJ_GRID_DOWN "\u2193"
#define PJ_GRID_CUT "\u2020"

typedef struct pj_grid_cell {
    const char *text;   // "0.951", "n/a"
    const char *exact;  // digits that read back, or the reason
    const char *reason; // NULL when there is a value
    double value;
    const char *mark; // arrow of an efficiency above 1 or an inefficiency below 0; "" = none
} pj_grid_cell;

typedef struct pj_grid_row {
    const char *title; // with the unit where the numbers have one
    const char *formula, *explanation;
    pj_metric_kind kind;
    size_t metric; // row of the set; of a residual: its parent's
    unsigned depth;
    bool residual;                // what the parts of its parent leave
    const pj_metric_cause *cause; // of the metric's loss; NULL = the row is no cause
    bool last;                    // no further row of its depth under the same parent
} pj_grid_row;

typedef struct pj_grid_column {
    const char *label; // of the header: "16"; with a dagger where the trace was cut
    const char *about; // "epoch_16proc: 16 ranks x 1 thread, tag"
    size_t run;        // in study order
    size_t group;
    bool reference;
    bool cut; // part of the run is missing: nothing in its column is to be trusted
} pj_grid_column;

typedef struct pj_grid {
    const pj_metrics *metrics;
    const char *label_title, *group_title; // "Ranks"; NULL without groups
    const char **groups;
    size_t group_count;
    pj_grid_column *columns;
    size_t column_count;
    pj_grid_row *rows;
    size_t row_count;
    pj_grid_cell *cells;  // [row * column_count + column]
    const char **reasons; // of values that are not there, each once; not what a remark says
    size_t reason_count;
    bool any_empty;
    bool any_cut;            // some column has a dagger; a remark says what it means
    const char *beyond;      // what marks say: "above 1"; NULL without marks
    const char *beyond_note; // with the arrows
} pj_grid;

pj_grid *pj_grid_new(const pj_metrics *metrics, pj_arena *arena);

static inline const pj_grid_cell *pj_grid_at(const pj_grid *grid, size_t row, size_t column)
{
    return &grid->cells[row * grid->column_count + column];
}
/// Whether the cell gets a colour: it has a value and its row is not plain.
bool pj_grid_coloured(const pj_grid *grid, size_t row, size_t column);
/// Whether it is hatched: beyond what can be, or of a trace that was cut.
bool pj_grid_hatched(const pj_grid *grid, size_t row, size_t column);
pj_colour pj_grid_fill(const pj_grid *grid, size_t row, size_t column, pj_palette palette);

#endif
