// Receives that are posted and not completed.
// Items that follow a removed one move up, so that no marks are left behind.
#include "metrics/read/otf2/events/otf2_requests.h"

#include "metrics/base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 20 }; // beyond, they are taken for lost

static size_t home_of(const pj_otf2_requests *requests, uint64_t id)
{
    return (size_t)((id ^ id >> 32) * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (requests->cap - 1);
}

static size_t location_of(const pj_otf2_requests *requests, uint64_t id)
{
    size_t at = home_of(requests, id);
    while (requests->items[at].used && requests->items[at].id != id)
        at = (at + 1) & (requests->cap - 1);
    return at;
}

static void grow(pj_otf2_requests *requests)
{
    pj_otf2_requests old = *requests;
    requests->cap = old.cap ? old.cap * 2 : 16;
    requests->items = pj_take_memory(requests->cap * sizeof *requests->items);
    memset(requests->items, 0, requests->cap * sizeof *requests->items);
    for (size_t i = 0; i < old.cap; i++)
        if (old.items[i].used)
            requests->items[location_of(requests, old.items[i].id)] = old.items[i];
    free(old.items);
}

void pj_otf2_requests_put(pj_otf2_requests *requests, uint64_t id, uint64_t posted)
{
    if (requests->count >= MOST)
        pj_otf2_requests_free(requests);
    if (requests->count + 1 > requests->cap / 2)
        grow(requests);
    pj_otf2_request *item = &requests->items[location_of(requests, id)];
    requests->count += !item->used;
    *item = (pj_otf2_request){id, posted, true};
}

bool pj_otf2_requests_take(pj_otf2_requests *requests, uint64_t id, uint64_t *posted)
{
    if (requests->count == 0)
        return false;
    size_t hole = location_of(requests, id), mask = requests->cap - 1;
    if (!requests->items[hole].used)
        return false;
    *posted = requests->items[hole].posted;
    requests->count--;
    for (size_t at = (hole + 1) & mask; requests->items[at].used; at = (at + 1) & mask) {
        size_t from_home = (at - home_of(requests, requests->items[at].id)) & mask;
        if (from_home < ((at - hole) & mask))
            continue;
        requests->items[hole] = requests->items[at];
        hole = at;
    }
    requests->items[hole].used = false;
    return true;
}

void pj_otf2_requests_free(pj_otf2_requests *requests)
{
    free(requests->items);
    *requests = (pj_otf2_requests){.items = NULL};
}
