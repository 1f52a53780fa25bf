// Synchronisations in a row: the k-th one that each guest comes to is the same for all (collectives
// of a communicator, barriers of a team). Ownership: a zeroed struct is empty; free releases it.
#ifndef PJ_SYNC_ROW_H
#define PJ_SYNC_ROW_H

#include "metrics/replay/engine/engine.h"

typedef struct pj_sync_entry {
    uint32_t sync;
    uint32_t guests; // expected in all
    uint32_t seen;   // that have been told the synchronisation
    uint32_t label;  // of its guests; the caller's own
    bool differs;    // the caller's own, as well
    uint64_t time;   // the caller's own, too
} pj_sync_entry;

typedef struct pj_sync_row {
    uint64_t base; // number of the first synchronisation kept
    pj_sync_entry *entries;
    uint32_t head, count, cap;
    bool
        far; // its synchronisations have guests in other processes, who know the row by this number
    uint32_t number;
} pj_sync_row;

/// The `number`-th synchronisation for one more of `guests`; NULL when that many have had it. Valid
/// until the next call; the caller holds the synchronisation (by an operation) before
/// pj_sync_row_trim.
pj_sync_entry *pj_sync_row_at(pj_sync_row *row, pj_engine *engine, uint64_t number, uint32_t guests,
                              bool costed);
/// The same for nobody: whoever has been told is counted by the caller.
pj_sync_entry *pj_sync_row_make(pj_sync_row *row, pj_engine *engine, uint64_t number,
                                uint32_t guests, bool costed);
/// One that has been made; NULL = none, or it was forgotten.
pj_sync_entry *pj_sync_row_find(const pj_sync_row *row, uint64_t number);
/// Forgets the first synchronisations as far as all their guests have been told (and have come, if
/// some of them are in other processes).
void pj_sync_row_trim(pj_sync_row *row, pj_engine *engine);
/// Nobody else comes: excuses who is missing and forgets all synchronisations.
void pj_sync_row_end(pj_sync_row *row, pj_engine *engine);
void pj_sync_row_free(pj_sync_row *row);

static inline pj_sync_entry *pj_sync_row_item(const pj_sync_row *row, uint32_t i)
{
    return &row->entries[(row->head + i) & (row->cap - 1)];
}

#endif
