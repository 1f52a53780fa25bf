// The rows of linked panes. Ownership: rows are the caller's (pj_pane_rows), texts the arena's.
#ifndef PJ_PANE_LIST_H
#define PJ_PANE_LIST_H

#include "metrics/base/arena.h"
#include "widgets/view/pane_amount.h"
#include "widgets/view/pane_rows.h"
#include "widgets/view/pane_state.h"

/// With their values as texts: each has a unit of its own.
void pj_pane_list_metrics(const pj_pane_state *state, pj_pane_rows *rows, pj_arena *arena);
/// Call paths as far as they are open, or functions, the largest first.
void pj_pane_list_items(const pj_pane_state *state, pj_pane_rows *rows, pj_arena *arena);
/// Ranks, and threads of those that are open; `whole`: of all ranks.
void pj_pane_list_places(const pj_pane_state *state, double whole, pj_pane_rows *rows,
                         pj_arena *arena);
/// How the amounts of items are told.
pj_pane_amount pj_pane_list_amount(const pj_pane_state *state);

#endif
