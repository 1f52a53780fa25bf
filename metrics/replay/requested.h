// Non-blocking collectives of a location whose communicator is told by their completion only, as in
// OTF2. Which operation of its communicator one is follows from the order of the requests, and is
// known when all before it are. Until then a synchronisation of its own stands for it.
// Ownership: a zeroed struct is empty; free releases it.
#ifndef PJ_REQUESTED_H
#define PJ_REQUESTED_H

#include "metrics/replay/groups.h"

typedef struct pj_requested_item {
    pj_collective collective; // its communicator and bytes only when known
    uint32_t sync;            // where the location arrives, and may wait
    bool known, completed;
} pj_requested_item;

typedef struct pj_requested {
    pj_requested_item *items; // ring, in the order of the requests
    uint32_t head, count, cap;
    uint32_t first; // number of the first one
} pj_requested;

void pj_requested_add(pj_requested *requested, pj_requested_item request);
/// The `number`-th of the location; NULL when it has been taken away. Valid until the next call.
pj_requested_item *pj_requested_find(const pj_requested *requested, uint32_t number);
/// Takes the first one away if it is completed, or holds up too many others, or with `any`. One
/// that was not completed is known when a later one of the same call is: on its communicator.
bool pj_requested_take(pj_requested *requested, bool any, pj_requested_item *out);
void pj_requested_free(pj_requested *requested);

#endif
