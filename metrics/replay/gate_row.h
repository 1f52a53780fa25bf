// Gates in a row: the k-th one that each guest comes to is the same for all (collectives of a
// communicator, barriers of a team). Ownership: a zeroed struct is empty; free releases it.
#ifndef PJ_GATE_ROW_H
#define PJ_GATE_ROW_H

#include "metrics/replay/engine.h"

typedef struct pj_gate_entry {
    uint32_t gate;
    uint32_t guests; // expected in all
    uint32_t seen;   // that have been told the gate
    uint32_t label;  // of its guests; the caller's own
    bool differs;    // the caller's own, as well
    uint64_t time;   // the caller's own, too
} pj_gate_entry;

typedef struct pj_gate_row {
    uint64_t base; // number of the first gate kept
    pj_gate_entry *entries;
    uint32_t head, count, cap;
    bool far; // its gates have guests in other processes, who know the row by this number
    uint32_t number;
} pj_gate_row;

/// The `number`-th gate for one more of `guests`; NULL when that many have had it. Valid until the
/// next call; the caller holds the gate (by an operation) before pj_gate_row_trim.
pj_gate_entry *pj_gate_row_at(pj_gate_row *row, pj_engine *engine, uint64_t number, uint32_t guests,
                              bool costed);
/// The same for nobody: whoever has been told is counted by the caller.
pj_gate_entry *pj_gate_row_make(pj_gate_row *row, pj_engine *engine, uint64_t number,
                                uint32_t guests, bool costed);
/// One that has been made; NULL = none, or it was forgotten.
pj_gate_entry *pj_gate_row_find(const pj_gate_row *row, uint64_t number);
/// Forgets the first gates as far as all their guests have been told (and have come, if some of
/// them are in other processes).
void pj_gate_row_trim(pj_gate_row *row, pj_engine *engine);
/// Nobody else comes: excuses who is missing and forgets all gates.
void pj_gate_row_end(pj_gate_row *row, pj_engine *engine);
void pj_gate_row_free(pj_gate_row *row);

static inline pj_gate_entry *pj_gate_row_item(const pj_gate_row *row, uint32_t i)
{
    return &row->entries[(row->head + i) & (row->cap - 1)];
}

#endif
