// Synchronisations in a row.
// A ring of synchronisations, from the oldest that still expects a guest to the newest that had
// one.
#include "metrics/replay/sync_row.h"

#include "metrics/base/buf.h"

#include <stdlib.h>

static void grow(pj_sync_row *row)
{
    uint32_t cap = row->cap ? row->cap * 2 : 4;
    row->entries = pj_widen_ring(row->entries, row->cap, row->head, cap, sizeof *row->entries);
    row->cap = cap;
    row->head = 0;
}

pj_sync_entry *pj_sync_row_find(const pj_sync_row *row, uint64_t number)
{
    bool kept = number >= row->base && number - row->base < row->count;
    return kept ? pj_sync_row_item(row, (uint32_t)(number - row->base)) : NULL;
}

pj_sync_entry *pj_sync_row_make(pj_sync_row *row, pj_engine *engine, uint64_t number,
                                uint32_t guests, bool costed)
{
    if (number < row->base)
        return NULL;
    while (row->count <= number - row->base) {
        if (row->count == row->cap)
            grow(row);
        uint32_t sync = pj_engine_sync(engine, costed);
        pj_engine_sync_expect(engine, sync, guests, 0);
        pj_engine_sync_close(engine, sync);
        if (row->far)
            pj_engine_sync_far(engine, sync, row->number, row->base + row->count);
        row->count++;
        *pj_sync_row_item(row, row->count - 1) = (pj_sync_entry){.sync = sync, .guests = guests};
    }
    return pj_sync_row_find(row, number);
}

pj_sync_entry *pj_sync_row_at(pj_sync_row *row, pj_engine *engine, uint64_t number, uint32_t guests,
                              bool costed)
{
    pj_sync_entry *entry = pj_sync_row_make(row, engine, number, guests, costed);
    if (!entry || entry->seen == entry->guests)
        return NULL;
    entry->seen++;
    return entry;
}

static void drop_first(pj_sync_row *row, pj_engine *engine)
{
    pj_engine_sync_release(engine, row->entries[row->head].sync);
    row->head = (row->head + 1) & (row->cap - 1);
    row->count--;
    row->base++;
}

static bool is_over(const pj_sync_row *row, const pj_engine *engine)
{
    const pj_sync_entry *first = &row->entries[row->head];
    return first->seen == first->guests &&
           (!row->far || pj_engine_sync_is_open(engine, first->sync));
}

void pj_sync_row_trim(pj_sync_row *row, pj_engine *engine)
{
    while (row->count > 0 && is_over(row, engine))
        drop_first(row, engine);
}

void pj_sync_row_end(pj_sync_row *row, pj_engine *engine)
{
    while (row->count > 0) {
        pj_sync_entry *entry = &row->entries[row->head];
        for (; entry->seen < entry->guests; entry->seen++)
            pj_engine_sync_excuse(engine, entry->sync);
        drop_first(row, engine);
    }
    row->base = 0;
}

void pj_sync_row_free(pj_sync_row *row)
{
    free(row->entries);
    *row = (pj_sync_row){0};
}
