// Rows of a pane as they are collected: what each stands for and its amount, which become texts
// once the largest is known. Ownership: new/free; texts are the arena's.
#ifndef PJ_PANE_ROWS_H
#define PJ_PANE_ROWS_H

#include "metrics/base/arena.h"
#include "widgets/view/pane.h"
#include "widgets/view/pane_amount.h"

#include <stddef.h>

enum { PJ_PANE_ROWS_MOST = 20000 }; // what comes behind them is left out

typedef struct pj_pane_rows {
    pj_pane_row *at;
    double *values; // NAN = absent
    size_t count, cap, value_cap;
} pj_pane_rows;

void pj_pane_rows_add(pj_pane_rows *rows, pj_pane_row row, double value);
/// Texts of the values, aligned, and parts of the largest one. `hide`: rows of nothing go that
/// neither hold others nor are searched for.
void pj_pane_rows_complete(pj_pane_rows *rows, pj_pane_amount *how, bool hide, pj_arena *arena);
/// Texts that are there already, as wide as each other.
void pj_pane_rows_align(const pj_pane_rows *rows, pj_arena *arena);
void pj_pane_rows_free(pj_pane_rows *rows);

#endif
