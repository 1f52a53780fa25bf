// Things in their order, taken by key.
// Mostly what is taken is near the end that it is taken from: the ones before it move up. Where it
// is not, all things are linked by their keys, and a slot that is taken stays empty.
#include "metrics/base/shelf.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NEAR = 32 };

#define NO_SLOT UINT32_MAX

struct pj_shelf_links { // to slots of the same key; of a line: its ends
    uint32_t older, newer;
    bool taken;
};

static char *item_at(const pj_shelf *shelf, size_t slot)
{
    return (char *)shelf->items + slot * shelf->item_size;
}

static void unlink_all(pj_shelf *shelf)
{
    free(shelf->links);
    free(shelf->lines);
    pj_map_free(&shelf->line_of);
    shelf->links = shelf->lines = NULL;
    shelf->link_cap = shelf->line_cap = 0;
}

static void link_slot(pj_shelf *shelf, uint32_t slot)
{
    uint32_t line;
    if (!pj_map_get(&shelf->line_of, shelf->keys[slot], &line)) {
        line = (uint32_t)shelf->line_of.count;
        pj_map_put(&shelf->line_of, shelf->keys[slot], line);
        pj_grow(shelf->lines, &shelf->line_cap, line + (size_t)1);
        shelf->lines[line] = (pj_shelf_links){NO_SLOT, NO_SLOT, false};
    }
    assert(shelf->lines);
    pj_shelf_links *ends = &shelf->lines[line];
    pj_grow(shelf->links, &shelf->link_cap, slot + (size_t)1);
    shelf->links[slot] = (pj_shelf_links){ends->newer, NO_SLOT, false};
    if (ends->newer == NO_SLOT)
        ends->older = slot;
    else
        shelf->links[ends->newer].newer = slot;
    ends->newer = slot;
}

static void unlink_slot(pj_shelf *shelf, uint32_t slot)
{
    uint32_t line;
    if (!pj_map_get(&shelf->line_of, shelf->keys[slot], &line))
        return;
    pj_shelf_links *ends = &shelf->lines[line], *own = &shelf->links[slot];
    *(own->older == NO_SLOT ? &ends->older : &shelf->links[own->older].newer) = own->newer;
    *(own->newer == NO_SLOT ? &ends->newer : &shelf->links[own->newer].older) = own->older;
    own->taken = true;
}

static bool is_taken(const pj_shelf *shelf, size_t slot)
{
    return shelf->links && shelf->links[slot].taken;
}

static void move(pj_shelf *shelf, size_t to, size_t from, size_t count)
{
    memmove(item_at(shelf, to), item_at(shelf, from), count * shelf->item_size);
    memmove(shelf->keys + to, shelf->keys + from, count * sizeof *shelf->keys);
}

/// The things that are there become the first ones; they are linked again when that is needed.
static void close_up(pj_shelf *shelf)
{
    size_t kept = 0;
    for (size_t slot = shelf->first; shelf->links && slot < shelf->end; slot++)
        if (!is_taken(shelf, slot))
            move(shelf, kept++, slot, 1);
    if (!shelf->links)
        move(shelf, 0, shelf->first, shelf->count);
    unlink_all(shelf);
    shelf->first = 0;
    shelf->end = shelf->count;
}

void pj_shelf_put(pj_shelf *shelf, uint64_t key, const void *item)
{
    size_t used = shelf->end > shelf->line_of.count ? shelf->end : shelf->line_of.count;
    if (used > NEAR && used / 2 > shelf->count) // mostly of what has been taken
        close_up(shelf);
    size_t slot = shelf->end++;
    shelf->items = pj_grow_array(shelf->items, &shelf->item_cap, shelf->end, shelf->item_size);
    pj_grow(shelf->keys, &shelf->key_cap, shelf->end);
    memcpy(item_at(shelf, slot), item, shelf->item_size);
    shelf->keys[slot] = key;
    shelf->count++;
    if (shelf->links)
        link_slot(shelf, (uint32_t)slot);
}

static void take_linked(pj_shelf *shelf, uint32_t slot)
{
    unlink_slot(shelf, slot);
    shelf->count--;
    while (shelf->first < shelf->end && is_taken(shelf, shelf->first))
        shelf->first++;
    while (shelf->end > shelf->first && is_taken(shelf, shelf->end - 1))
        shelf->end--;
    if (shelf->count == 0)
        pj_shelf_clear(shelf);
}

/// Where nothing is linked.
static void take_out(pj_shelf *shelf, size_t slot, pj_shelf_end end)
{
    shelf->count--;
    if (end == PJ_NEWEST) {
        shelf->end--;
        move(shelf, slot, slot + 1, shelf->end - slot);
    } else {
        move(shelf, shelf->first + 1, shelf->first, slot - shelf->first);
        shelf->first++;
    }
}

static bool take_near(pj_shelf *shelf, uint64_t key, pj_shelf_end end, void *item)
{
    for (size_t i = 0; i < NEAR && i < shelf->count; i++) {
        size_t slot = end == PJ_NEWEST ? shelf->end - 1 - i : shelf->first + i;
        if (shelf->keys[slot] != key)
            continue;
        memcpy(item, item_at(shelf, slot), shelf->item_size);
        take_out(shelf, slot, end);
        return true;
    }
    return false;
}

bool pj_shelf_take(pj_shelf *shelf, uint64_t key, pj_shelf_end end, void *item)
{
    if (!shelf->links) {
        if (take_near(shelf, key, end, item))
            return true;
        if (shelf->count <= NEAR || shelf->end >= NO_SLOT)
            return false;
        close_up(shelf);
        for (uint32_t slot = 0; slot < shelf->end; slot++)
            link_slot(shelf, slot);
    }
    uint32_t line;
    if (!pj_map_get(&shelf->line_of, key, &line))
        return false;
    assert(shelf->lines);
    uint32_t slot = end == PJ_NEWEST ? shelf->lines[line].newer : shelf->lines[line].older;
    if (slot == NO_SLOT)
        return false;
    memcpy(item, item_at(shelf, slot), shelf->item_size);
    take_linked(shelf, slot);
    return true;
}

bool pj_shelf_take_first(pj_shelf *shelf, void *item)
{
    const void *first = pj_shelf_first(shelf);
    if (!first)
        return false;
    memcpy(item, first, shelf->item_size);
    if (shelf->links)
        take_linked(shelf, (uint32_t)shelf->first);
    else
        take_out(shelf, shelf->first, PJ_OLDEST);
    return true;
}

const void *pj_shelf_first(const pj_shelf *shelf)
{
    return shelf->count ? item_at(shelf, shelf->first) : NULL;
}

const void *pj_shelf_next(const pj_shelf *shelf, pj_shelf_end from, size_t *at)
{
    size_t slots = shelf->end - shelf->first;
    while (*at < slots) {
        size_t i = (*at)++;
        size_t slot = from == PJ_OLDEST ? shelf->first + i : shelf->end - 1 - i;
        if (!is_taken(shelf, slot))
            return item_at(shelf, slot);
    }
    return NULL;
}

void pj_shelf_clear(pj_shelf *shelf)
{
    unlink_all(shelf);
    shelf->first = shelf->end = shelf->count = 0;
}

void pj_shelf_free(pj_shelf *shelf)
{
    unlink_all(shelf);
    free(shelf->items);
    free(shelf->keys);
    *shelf = (pj_shelf){.item_size = shelf->item_size};
}

size_t pj_shelf_bytes(const pj_shelf *shelf)
{
    return shelf->item_cap * shelf->item_size + shelf->key_cap * sizeof *shelf->keys +
           (shelf->link_cap + shelf->line_cap) * sizeof *shelf->links +
           shelf->line_of.cap * sizeof *shelf->line_of.entries;
}
