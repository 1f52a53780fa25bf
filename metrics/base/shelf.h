// Things in the order in which they were put, of which the oldest or the newest one with a key is
// taken. Ownership: a zeroed struct with an item size is empty; pj_shelf_free releases it.
#ifndef PJ_SHELF_H
#define PJ_SHELF_H

#include "metrics/base/map.h"

typedef enum pj_shelf_end { PJ_OLDEST, PJ_NEWEST } pj_shelf_end;

typedef struct pj_shelf_links pj_shelf_links;

typedef struct pj_shelf {
    size_t item_size; // bytes
    size_t count;     // things that are there
    // Private.
    void *items;
    uint64_t *keys; // of slots, as items are
    size_t first, end, item_cap, key_cap;
    pj_shelf_links *links; // of slots, where things are found by their keys; NULL = one by one
    pj_shelf_links *lines; // of the keys: the oldest and the newest with it
    size_t link_cap, line_cap;
    pj_map line_of;
} pj_shelf;

void pj_shelf_put(pj_shelf *shelf, uint64_t key, const void *item);
/// False when nothing has the key.
bool pj_shelf_take(pj_shelf *shelf, uint64_t key, pj_shelf_end end, void *item);
/// Whatever is the oldest: false when there is nothing.
bool pj_shelf_take_first(pj_shelf *shelf, void *item);
/// Borrowed until the next change: the oldest; NULL = none.
const void *pj_shelf_first(const pj_shelf *shelf);
/// Goes through all from one end to the other one, `*at` is 0 at first; NULL behind the last.
const void *pj_shelf_next(const pj_shelf *shelf, pj_shelf_end from, size_t *at);
void pj_shelf_clear(pj_shelf *shelf);
void pj_shelf_free(pj_shelf *shelf);
/// Bytes in use.
size_t pj_shelf_bytes(const pj_shelf *shelf);

#endif
