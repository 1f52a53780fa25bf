// What the parts of a location share: events go out in order of time, each after the state and the
// counter reading before it. Ownership: borrow.
#ifndef PJ_OTF2_GIVE_H
#define PJ_OTF2_GIVE_H

#include "metrics/base/buf.h"
#include "metrics/base/map.h"
#include "metrics/read/otf2/events/otf2_event.h"
#include "metrics/read/otf2/events/otf2_evt.h"
#include "metrics/read/otf2/events/otf2_location.h"
#include "metrics/read/otf2/events/otf2_region.h"
#include "metrics/trace/event.h"
#include "metrics/trace/import_stats.h"

enum {
    PJ_OTF2_OF_REGION,
    PJ_OTF2_OF_COMM,
    PJ_OTF2_OF_METRIC,
    PJ_OTF2_OF_CONTEXT,
    PJ_OTF2_OF_WINDOW,
    PJ_OTF2_OF_GROUP,
    PJ_OTF2_OF_PARAMETER,
    PJ_OTF2_OF_STRING,
    PJ_OTF2_OF_HANDLE,
};

/// The event is valid until the next one.
static inline pj_event *pj_otf2_give(pj_otf2_location *location, uint64_t time, uint16_t kind)
{
    if (location->event_count == location->event_cap)
        pj_grow(location->events, &location->event_cap, location->event_count + 1);
    pj_event *event = &location->events[location->event_count++];
    *event = (pj_event){.time = time, .location = location->number, .kind = kind};
    return event;
}

/// Gives out the state up to `time`.
static inline void pj_otf2_end_interval(pj_otf2_location *location, uint64_t time)
{
    if (time <= location->now.since)
        return;
    if (location->now.state != PJ_STATE_IDLE) {
        pj_event *event = pj_otf2_give(location, location->now.since, PJ_EV_STATE);
        event->a = time;
        event->code = location->now.state;
    }
    location->now.since = time;
}

/// Gives out what was counted up to the last reading; one that has waited for the next stands
/// behind the events that were given meanwhile.
static inline void pj_otf2_give_reading(pj_otf2_location *location)
{
    pj_otf2_reading *r = &location->now.reading;
    size_t given = location->event_count;
    if (given && location->events[given - 1].time > r->time)
        r->time = location->events[given - 1].time;
    pj_otf2_end_interval(location, r->time);
    bool both = r->has[0] && r->has[1];
    for (unsigned c = 0; c < (both ? 1u : 2u); c++) {
        if (!r->has[c])
            continue;
        pj_event *event = pj_otf2_give(location, r->time, both ? PJ_EV_COUNTERS : PJ_EV_COUNTER);
        event->a = (uint64_t)r->value[c];
        event->b = (uint64_t)r->value[1];
        event->code = both ? 0 : (uint16_t)c;
    }
    location->now.read_until = r->time;
    *r = (pj_otf2_reading){.due = false};
}

/// Everything before `time` is given out; of two readings at one time the sum waits for the next.
static inline void pj_otf2_settle(pj_otf2_location *location, uint64_t time)
{
    if (location->now.reading.due && location->now.reading.time > location->now.read_until)
        pj_otf2_give_reading(location);
    pj_otf2_end_interval(location, time);
}

static inline void pj_otf2_count(pj_otf2_location *location, pj_import_key key)
{
    pj_import_add(&location->import, key, 0);
}

/// The global id of one of its own; ids that a map leaves out stand for themselves.
static inline uint64_t pj_otf2_global_of(const pj_otf2_location *location, unsigned of, uint64_t id)
{
    const pj_otf2_ids *ids = &location->ids;
    uint32_t global;
    return ids->mapped[of] && pj_map_get(&ids->maps[of], id, &global) ? global : id;
}

static inline const pj_otf2_region *pj_otf2_region_at(const pj_otf2_location *location,
                                                      uint32_t index)
{
    return &location->defs->regions[index];
}

/// The region of an id of its own, in the definitions; region_count of them when it is not defined.
static inline uint32_t pj_otf2_look_up_region(const pj_otf2_location *location, uint64_t id,
                                              unsigned of)
{
    uint32_t index;
    const pj_map *map =
        of == PJ_OTF2_OF_REGION ? &location->defs->region_of : &location->defs->context_of;
    return pj_map_get(map, pj_otf2_global_of(location, of, id), &index)
               ? index
               : location->defs->region_count;
}

/// The next record of its file, with its own ids; false at the end.
static inline bool pj_otf2_next_record(pj_otf2_location *location, pj_otf2_event *event)
{
    bool got = location->evt ? pj_otf2_evt_next(location->evt, event)
                             : location->library.lib &&
                                   location->library.lib->next(location->library.archive,
                                                               location->id, event, NULL);
    location->records += got;
    return got;
}

#endif
