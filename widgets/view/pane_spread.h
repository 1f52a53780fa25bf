// How ranks differ in what is chosen, in words. Ownership: the arena's.
#ifndef PJ_PANE_SPREAD_H
#define PJ_PANE_SPREAD_H

#include "metrics/base/arena.h"
#include "widgets/view/pane_state.h"

/// "solve over 4 ranks: mean 1.2, ..."; "" of one rank, and where values are no sums.
const char *pj_pane_spread(const pj_pane_state *state, pj_arena *arena);

#endif
