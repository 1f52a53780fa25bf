// One event of an OTF2 archive, from whichever decoder. Ownership: borrow - the values of a metric
// are valid until the next event of the same source.
#ifndef PJ_OTF2_EVENT_H
#define PJ_OTF2_EVENT_H

#include <stdint.h>

enum {
#define EVENT(name, type, members) PJ_OTF2_##name = type,
#define SINGLE(name, type) PJ_OTF2_##name = type,
#include "metrics/read/otf2/events/otf2_events.def"
#undef EVENT
#undef SINGLE
    PJ_OTF2_METRIC = 31, // field[0] = metric; then `count` values
    PJ_OTF2_EVENT_FIRST = 10,
    PJ_OTF2_FIELDS = 6,
    PJ_OTF2_VALUES = 255,
};

/// "Undefined" in any member.
#define PJ_OTF2_UNDEFINED UINT64_MAX

typedef struct pj_otf2_event {
    uint64_t time;                  // ticks
    uint8_t type;                   // PJ_OTF2_*, or another byte: nothing but its time is known
    uint8_t count;                  // values of a metric
    uint64_t field[PJ_OTF2_FIELDS]; // members in the order of otf2_events.def
    const uint64_t *values;         // of a metric; the bits of signed and floating ones
    const uint8_t *kinds;           // their OTF2_Type
} pj_otf2_event;

#endif
