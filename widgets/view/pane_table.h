// What the pane of items shows as a table, to be saved. Ownership: new/free.
#ifndef PJ_PANE_TABLE_H
#define PJ_PANE_TABLE_H

#include "metrics/table/table.h"
#include "widgets/view/pane_state.h"

/// As it is open now, with a column for each rank.
pj_table *pj_pane_table_new(const pj_pane_state *state);

#endif
