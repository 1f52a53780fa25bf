// A ring of gates, from the oldest that still expects a guest to the newest that had one.
#include "metrics/replay/gate_row.h"

#include "metrics/base/buf.h"

#include <stdlib.h>

static void grow(pj_gate_row *row)
{
    uint32_t cap = row->cap ? row->cap * 2 : 4;
    row->entries = pj_widen_ring(row->entries, row->cap, row->head, cap, sizeof *row->entries);
    row->cap = cap;
    row->head = 0;
}

pj_gate_entry *pj_gate_row_find(const pj_gate_row *row, uint64_t number)
{
    bool kept = number >= row->base && number - row->base < row->count;
    return kept ? pj_gate_row_item(row, (uint32_t)(number - row->base)) : NULL;
}

pj_gate_entry *pj_gate_row_make(pj_gate_row *row, pj_engine *engine, uint64_t number,
                                uint32_t guests, bool costed)
{
    if (number < row->base)
        return NULL;
    while (row->count <= number - row->base) {
        if (row->count == row->cap)
            grow(row);
        uint32_t gate = pj_engine_gate(engine, costed);
        pj_engine_gate_expect(engine, gate, guests, 0);
        pj_engine_gate_close(engine, gate);
        if (row->far)
            pj_engine_gate_far(engine, gate, row->number, row->base + row->count);
        row->count++;
        *pj_gate_row_item(row, row->count - 1) = (pj_gate_entry){.gate = gate, .guests = guests};
    }
    return pj_gate_row_find(row, number);
}

pj_gate_entry *pj_gate_row_at(pj_gate_row *row, pj_engine *engine, uint64_t number, uint32_t guests,
                              bool costed)
{
    pj_gate_entry *entry = pj_gate_row_make(row, engine, number, guests, costed);
    if (!entry || entry->seen == entry->guests)
        return NULL;
    entry->seen++;
    return entry;
}

static void drop_first(pj_gate_row *row, pj_engine *engine)
{
    pj_engine_gate_release(engine, row->entries[row->head].gate);
    row->head = (row->head + 1) & (row->cap - 1);
    row->count--;
    row->base++;
}

static bool is_over(const pj_gate_row *row, const pj_engine *engine)
{
    const pj_gate_entry *first = &row->entries[row->head];
    return first->seen == first->guests &&
           (!row->far || pj_engine_gate_is_open(engine, first->gate));
}

void pj_gate_row_trim(pj_gate_row *row, pj_engine *engine)
{
    while (row->count > 0 && is_over(row, engine))
        drop_first(row, engine);
}

void pj_gate_row_end(pj_gate_row *row, pj_engine *engine)
{
    while (row->count > 0) {
        pj_gate_entry *entry = &row->entries[row->head];
        for (; entry->seen < entry->guests; entry->seen++)
            pj_engine_gate_excuse(engine, entry->gate);
        drop_first(row, engine);
    }
    row->base = 0;
}

void pj_gate_row_free(pj_gate_row *row)
{
    free(row->entries);
    *row = (pj_gate_row){0};
}
