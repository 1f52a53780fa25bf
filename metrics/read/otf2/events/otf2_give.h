// What the parts of a place share: events go out in order of time, each after the state and the
// counter reading before it. Ownership: borrow.
#ifndef PJ_OTF2_GIVE_H
#define PJ_OTF2_GIVE_H

#include "metrics/base/buf.h"
#include "metrics/read/otf2/events/otf2_place.h"

enum {
    PJ_OTF2_OF_REGION,
    PJ_OTF2_OF_COMM,
    PJ_OTF2_OF_METRIC,
    PJ_OTF2_OF_CONTEXT,
    PJ_OTF2_OF_WINDOW,
    PJ_OTF2_OF_GROUP
};

/// The event is valid until the next one.
static inline pj_event *pj_otf2_give(pj_otf2_place *place, uint64_t time, uint16_t kind)
{
    if (place->event_count == place->event_cap)
        pj_grow(place->events, &place->event_cap, place->event_count + 1);
    pj_event *event = &place->events[place->event_count++];
    *event = (pj_event){.time = time, .location = place->location, .kind = kind};
    return event;
}

/// Gives out the state up to `time`.
static inline void pj_otf2_cut(pj_otf2_place *place, uint64_t time)
{
    if (time <= place->now.since)
        return;
    if (place->now.state != PJ_STATE_IDLE) {
        pj_event *event = pj_otf2_give(place, place->now.since, PJ_EV_STATE);
        event->a = time;
        event->code = place->now.state;
    }
    place->now.since = time;
}

/// Gives out what was counted up to the last reading.
static inline void pj_otf2_give_reading(pj_otf2_place *place)
{
    pj_otf2_reading *r = &place->now.reading;
    pj_otf2_cut(place, r->time);
    bool both = r->has[0] && r->has[1];
    for (unsigned c = 0; c < (both ? 1u : 2u); c++) {
        if (!r->has[c])
            continue;
        pj_event *event = pj_otf2_give(place, r->time, both ? PJ_EV_COUNTERS : PJ_EV_COUNTER);
        event->a = (uint64_t)r->value[c];
        event->b = (uint64_t)r->value[1];
        event->code = both ? 0 : (uint16_t)c;
    }
    place->now.read_until = r->time;
    *r = (pj_otf2_reading){.due = false};
}

/// Everything before `time` is given out; of two readings at one time the sum waits for the next.
static inline void pj_otf2_settle(pj_otf2_place *place, uint64_t time)
{
    if (place->now.reading.due && place->now.reading.time > place->now.read_until)
        pj_otf2_give_reading(place);
    pj_otf2_cut(place, time);
}

static inline void pj_otf2_count(pj_otf2_place *place, pj_import_key key)
{
    pj_import_add(&place->import, key, 0);
}

/// The global id of one of its own; ids that a map leaves out stand for themselves.
static inline uint64_t pj_otf2_global_of(const pj_otf2_place *place, unsigned of, uint64_t id)
{
    const pj_map *maps[] = {&place->regions,  &place->comms,   &place->metrics,
                            &place->contexts, &place->windows, &place->groups};
    uint32_t global;
    return place->mapped[of] && pj_map_get(maps[of], id, &global) ? global : id;
}

static inline const pj_otf2_region *pj_otf2_region_at(const pj_otf2_place *place, uint32_t index)
{
    return &place->defs->regions[index];
}

#endif
