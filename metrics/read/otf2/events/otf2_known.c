// A small cache of what a location knows of its ids.
// All bits set stand for PJ_OTF2_NONE and PJ_OTF2_UNDEFINED: nothing is known.
#include "metrics/read/otf2/events/otf2_known.h"

#include "metrics/base/arena.h"

#include <stdlib.h>
#include <string.h>

void pj_otf2_known_begin(pj_otf2_known *known)
{
    *known = (pj_otf2_known){.sets = NULL};
    memset(known->small, UINT8_MAX, sizeof known->small);
    memset(known->idle, UINT8_MAX, sizeof known->idle);
}

void pj_otf2_known_end(pj_otf2_known *known)
{
    free(known->sets);
}

void pj_otf2_known_add(pj_otf2_known *known, uint32_t id, uint32_t region)
{
    if (id < PJ_OTF2_KNOWN_SMALL) {
        known->small[id] = region;
        return;
    }
    size_t bytes = PJ_OTF2_KNOWN_SETS * sizeof *known->sets;
    if (!known->sets)
        known->sets = memset(pj_take_memory(bytes), UINT8_MAX, bytes);
    pj_otf2_known_set *set = &known->sets[pj_otf2_known_set_of(id)];
    unsigned way = known->region_turn++ % PJ_OTF2_KNOWN_WAYS;
    set->ids[way] = id;
    set->regions[way] = region;
}

void pj_otf2_known_add_idle(pj_otf2_known *known, uint64_t metric)
{
    known->idle[known->idle_turn++ % PJ_OTF2_KNOWN_IDLE] = metric;
}
