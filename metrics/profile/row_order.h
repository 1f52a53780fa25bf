// Rows of a profile in an order that is asked for. Ownership: borrow.
#ifndef PJ_ROW_ORDER_H
#define PJ_ROW_ORDER_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_rows.h"

#include <stdatomic.h>

typedef struct pj_row_ordering {
    pj_profile_grouping by; // what the rows are
    pj_str keys;
    const pj_measure *measure; // NULL = only calls
    size_t first;              // only so many rows are needed; the others follow in any order
    const atomic_bool *stop;   // NULL = never
} pj_row_ordering;

/// By the keys ("inclusive_s,-function") in turn: numbers downwards, texts upwards, '-' turns;
/// equal rows keep their order. "" = the largest exclusive value first; call paths as a tree, the
/// largest inclusive value first; ranks and threads upwards. Errors: PJ_E_USAGE with the valid
/// keys, PJ_E_STOPPED.
PJ_CHECKED bool pj_row_order(const pj_profile *profile, pj_profile_rows *rows, pj_row_ordering how,
                             pj_arena *arena, pj_err *err);

#endif
