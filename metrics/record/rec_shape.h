// What the records of an event file consist of, by their type. Ownership: constant.
#ifndef PJ_REC_SHAPE_H
#define PJ_REC_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pj_rec_shape {
    const char *members; // as in otf2_events.def; NULL = no such record
    bool single;         // one number, which stands where the length of others does
} pj_rec_shape;

static const pj_rec_shape pj_rec_shapes[UINT8_MAX + 1] = {
#define EVENT(name, type, text) [type] = {.members = text},
#define SINGLE(name, type) [type] = {.members = "n", .single = true},
#include "metrics/read/otf2/events/otf2_events.def"
#undef EVENT
#undef SINGLE
};

#endif
