// Two kinds of ranks: those that call a function which carries work, and those that never do.
// Ownership: arena.
#ifndef PJ_RANK_KINDS_H
#define PJ_RANK_KINDS_H

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/profile/profile.h"

typedef struct pj_rank_kinds {
    uint32_t by;        // function that tells them apart; PJ_NO_ITEM = all are of one kind
    uint32_t only;      // that only those without it call, and which carries their work; PJ_NO_ITEM
    bool *has;          // by location as given: whether it calls `by`
    uint32_t with;      // locations that do
    double wait[2];     // part of their time that they wait: those without it, those with it
    double least, most; // of `by`, over those that call it
} pj_rank_kinds;

/// `flat` has values by function; the locations are those that are compared, by rank.
pj_rank_kinds pj_rank_kinds_of(const pj_profile *flat, uint32_t measure, const uint32_t *locations,
                               uint32_t count, pj_arena *arena);
/// "Ranks 20 to 31 (12 of 32) never call xypix; they wait 98.7 % of their time, the others 91.2 %".
/// Nothing where all are of one kind.
void pj_rank_kinds_say(const pj_rank_kinds *kinds, const pj_profile *flat,
                       const uint32_t *locations, uint32_t count, pj_buf *out);

#endif
