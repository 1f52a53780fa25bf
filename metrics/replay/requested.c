// Collectives that were requested and are not yet completed.
// A ring, from the oldest request that is not known to the newest.
#include "metrics/replay/requested.h"

#include "metrics/base/buf.h"

#include <stdlib.h>

enum { HELD_MOST = 256 }; // requests behind one that nothing has completed

static pj_requested_item *item_at(const pj_requested *requested, uint32_t i)
{
    return &requested->items[(requested->head + i) & (requested->cap - 1)];
}

static void grow(pj_requested *requested)
{
    uint32_t cap = requested->cap ? requested->cap * 2 : 4;
    requested->items = pj_widen_ring(requested->items, requested->cap, requested->head, cap,
                                     sizeof *requested->items);
    requested->cap = cap;
    requested->head = 0;
}

void pj_requested_add(pj_requested *requested, pj_requested_item request)
{
    if (requested->count == requested->cap)
        grow(requested);
    *item_at(requested, requested->count++) = request;
}

pj_requested_item *pj_requested_find(const pj_requested *requested, uint32_t number)
{
    uint32_t at = number - requested->first;
    return at < requested->count ? item_at(requested, at) : NULL;
}

/// What was not completed is an operation on the communicator of the next one of its call.
static void guess(const pj_requested *requested, pj_requested_item *lost)
{
    for (uint32_t i = 0; i < requested->count && !lost->known; i++) {
        const pj_requested_item *other = item_at(requested, i);
        lost->known = other->completed && other->collective.call == lost->collective.call;
        if (lost->known)
            lost->collective.communicator = other->collective.communicator;
    }
}

bool pj_requested_take(pj_requested *requested, bool any, pj_requested_item *out)
{
    if (requested->count == 0)
        return false;
    *out = *item_at(requested, 0);
    if (!out->completed && !any && requested->count <= HELD_MOST)
        return false;
    requested->head = (requested->head + 1) & (requested->cap - 1);
    requested->count--;
    requested->first++;
    if (!out->completed)
        guess(requested, out);
    return true;
}

void pj_requested_free(pj_requested *requested)
{
    free(requested->items);
    *requested = (pj_requested){.items = NULL};
}
