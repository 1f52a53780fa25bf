// What a device does while it computes nothing: exchanges that move data or wait, and copies, each
// without what counts before it. Ownership: borrow.
#ifndef PJ_AI_SWEEP_H
#define PJ_AI_SWEEP_H

#include "metrics/ai/ai_rank.h"

#include <stdint.h>

/// The one that counts first.
typedef enum pj_ai_layer {
    PJ_AI_TRANSFERS,
    PJ_AI_COPIES,
    PJ_AI_UNSPLIT,
    PJ_AI_WAITS,
    PJ_AI_LAYERS
} pj_ai_layer;

/// A part of the time of a device, on the clock of its rank. Of waits that overlap the first one
/// counts, of the others the last one that began.
typedef struct pj_ai_stretch {
    int64_t begin, end;
    pj_ai_layer layer;
    uint32_t exchange; // PJ_AI_NONE = a copy
    uint32_t region;   // in which that was launched
    uint8_t user;      // of the device's, whose these are
} pj_ai_stretch;

typedef struct pj_ai_watch {
    void (*tell)(void *self, const pj_ai_stretch *stretch);
    void *self;
} pj_ai_watch;

/// Tells of all stretches in the order of time, once the exchanges are split.
void pj_ai_sweep(pj_ai_rank *rank, const pj_ai_device *device, pj_ai_watch watch);

#endif
