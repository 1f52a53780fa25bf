// What a location knows of its own ids without a map: the regions that it met of late, those with
// an id of one byte directly and all others in sets of four, and metrics that count nothing here.
// Ownership: begin/end; what is between them is one piece of memory at most.
#ifndef PJ_OTF2_KNOWN_H
#define PJ_OTF2_KNOWN_H

#include "metrics/read/otf2/otf2_defs.h"

#include <stdbool.h>

enum {
    PJ_OTF2_KNOWN_SMALL = 256,
    PJ_OTF2_KNOWN_SETS = 512,
    PJ_OTF2_KNOWN_WAYS = 4,
    PJ_OTF2_KNOWN_IDLE = 4,
};

#define PJ_OTF2_NOT_PLAIN (UINT32_C(1) << 31) // entering and leaving the region means something

typedef struct pj_otf2_known_set {
    uint32_t ids[PJ_OTF2_KNOWN_WAYS];
    uint32_t regions[PJ_OTF2_KNOWN_WAYS];
} pj_otf2_known_set;

typedef struct pj_otf2_known {
    uint32_t small[PJ_OTF2_KNOWN_SMALL]; // index and flag; PJ_OTF2_NONE = not met
    pj_otf2_known_set *sets;             // NULL = no other id was met
    uint64_t idle[PJ_OTF2_KNOWN_IDLE];   // metrics
    uint32_t region_turn, idle_turn;     // what gives way next
} pj_otf2_known;

void pj_otf2_known_begin(pj_otf2_known *known);
void pj_otf2_known_end(pj_otf2_known *known);
/// `region` is index and flag.
void pj_otf2_known_add(pj_otf2_known *known, uint32_t id, uint32_t region);
void pj_otf2_known_add_idle(pj_otf2_known *known, uint64_t metric);

/// Ids that follow each other go to different sets, and so do those that are far apart.
static inline uint32_t pj_otf2_known_set_of(uint32_t id)
{
    enum { BITS = 9 };
    return (id ^ id >> BITS ^ id >> 2 * BITS ^ id >> 3 * BITS) % PJ_OTF2_KNOWN_SETS;
}

/// Index and flag of a region; PJ_OTF2_NONE, in which the flag is set, when it is not known.
static inline uint32_t pj_otf2_known_region(const pj_otf2_known *known, uint32_t id)
{
    if (id < PJ_OTF2_KNOWN_SMALL)
        return known->small[id];
    if (!known->sets)
        return PJ_OTF2_NONE;
    const pj_otf2_known_set *set = &known->sets[pj_otf2_known_set_of(id)];
    for (unsigned way = 0; way < PJ_OTF2_KNOWN_WAYS; way++)
        if (set->ids[way] == id)
            return set->regions[way];
    return PJ_OTF2_NONE;
}

static inline bool pj_otf2_known_idle(const pj_otf2_known *known, uint64_t metric)
{
    for (unsigned i = 0; i < PJ_OTF2_KNOWN_IDLE; i++)
        if (known->idle[i] == metric)
            return true;
    return false;
}

static inline size_t pj_otf2_known_bytes(const pj_otf2_known *known)
{
    return known->sets ? PJ_OTF2_KNOWN_SETS * sizeof *known->sets : 0;
}

#endif
