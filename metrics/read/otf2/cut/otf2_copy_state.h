// What the files share that copy an archive (otf2_copy): the copy at work, its locations and their
// counters. Ownership: all is freed where the copy ends.
#ifndef PJ_OTF2_COPY_STATE_H
#define PJ_OTF2_COPY_STATE_H

#include "metrics/base/map.h"
#include "metrics/base/shelf.h"
#include "metrics/read/otf2/cut/otf2_copy.h"

#include <otf2/otf2.h>

#include <stdlib.h>

enum { PJ_OTF2_BORDERS = 2, PJ_OTF2_VALUES_MOST = 255 };

typedef struct pj_otf2_copy_reading {
    bool known;
    uint64_t time;
    OTF2_MetricValue values[PJ_OTF2_VALUES_MOST];
} pj_otf2_copy_reading;

typedef struct pj_otf2_copy_counter {
    OTF2_MetricRef metric;
    pj_otf2_counting counting;
    uint8_t count;
    OTF2_Type types[PJ_OTF2_VALUES_MOST];
    pj_otf2_copy_reading before[PJ_OTF2_BORDERS],
        behind[PJ_OTF2_BORDERS]; // the latest up to a border, the first after it
    bool divided;                // of one that counts anew: its first value in the part
} pj_otf2_copy_counter;

typedef struct pj_otf2_copy_location {
    OTF2_LocationRef id;
    uint64_t events;
    pj_otf2_copy_counter *counters;
    size_t count;
    pj_map counter_of; // by metric
} pj_otf2_copy_location;

typedef struct pj_otf2_copying {
    const char *path;
    const pj_otf2_part *part;
    pj_otf2_copied *copied;
    OTF2_Archive *out;
    pj_otf2_copy_location *locations;
    size_t count;
    pj_map kept; // by string: what of it is no name; where names are hidden
    bool failed; // an error of the writer, or no memory

    pj_otf2_copy_location *at; // the location that is read now
    pj_otf2_window window;
    OTF2_EvtWriter *writer;
    OTF2_DefWriter *local;
    OTF2_GlobalDefWriter *global;
    pj_shelf items;
    uint64_t first;   // time of its first record
    uint64_t flushed; // end of its last buffer flush before the part
    bool started, begun, ended;
    bool meeting; // in a collective, up to the end of the part
    uint64_t records;
    bool stopped;
} pj_otf2_copying;

static inline void pj_otf2_copy_check(pj_otf2_copying *c, OTF2_ErrorCode code)
{
    c->failed |= code != OTF2_SUCCESS;
}

/// Room for one more; false without memory.
static inline bool pj_otf2_copy_grow(pj_otf2_copying *c, void **items, size_t count, size_t size)
{
    if (count & (count - 1)) // no power of two: there is room
        return true;
    void *more = realloc(*items, (count ? 2 * count : 1) * size);
    c->failed |= !more;
    if (more)
        *items = more;
    return more != NULL;
}

#endif
