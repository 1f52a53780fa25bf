// Every other event: a row of otf2_events.def each. Ownership: borrow.
#ifndef PJ_REC_EVENT_H
#define PJ_REC_EVENT_H

#include "metrics/record/rec_thread.h"

typedef enum pj_rec_event_type {
#define EVENT(name, type, members) PJ_REC_##name = type,
#define SINGLE(name, type) PJ_REC_##name = type,
#include "metrics/read/otf2/events/otf2_events.def"
#undef EVENT
#undef SINGLE
    PJ_REC_METRIC = 31,
} pj_rec_event_type;

enum { PJ_REC_VALUES_MOST = 16, PJ_REC_MEMBERS_MOST = 8 };

/// Members in the order of the row; PJ_REC_UNDEFINED where there is none; signed ones as their
/// bits. `ticks` is a moment of pj_rec_now since the event before. false: nothing is written.
PJ_REC_API bool pj_rec_event(pj_rec_thread *thread, pj_rec_event_type type, uint64_t ticks,
                             const uint64_t *members);

/// The type of a value of a metric, as OTF2_Type.
typedef enum pj_rec_value_type {
    PJ_REC_VALUE_UINT64 = 4,
    PJ_REC_VALUE_INT64 = 8,
    PJ_REC_VALUE_DOUBLE = 10,
} pj_rec_value_type;

typedef struct pj_rec_value {
    pj_rec_value_type type;
    union {
        uint64_t natural;
        int64_t integer;
        double real;
    };
} pj_rec_value;

/// `metric` of pj_rec_metric. At most PJ_REC_VALUES_MOST values.
PJ_REC_API bool pj_rec_values(pj_rec_thread *thread, uint64_t ticks, uint32_t metric,
                              const pj_rec_value *values, uint8_t count);

#endif
