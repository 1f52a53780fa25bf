// Useful time of each thread up to the borders of a part, and up to the readings of its counters
// on both sides of them: what a border divides is shared in that proportion. Ownership: begin/free.
#ifndef PJ_OTF2_USEFUL_H
#define PJ_OTF2_USEFUL_H

#include "metrics/read/otf2/cut/otf2_copy.h"
#include "metrics/trace/event.h"

#include <stdbool.h>
#include <stdint.h>

enum { PJ_OTF2_BORDERS = 2, PJ_OTF2_COUNTERS = 2 };

typedef struct pj_otf2_worked { // of a thread; ns of useful time
    uint64_t now;
    uint64_t read[PJ_OTF2_COUNTERS]; // up to the latest reading
    uint64_t at[PJ_OTF2_BORDERS];
    uint64_t before[PJ_OTF2_BORDERS][PJ_OTF2_COUNTERS]; // up to the last reading up to the border
    uint64_t behind[PJ_OTF2_BORDERS][PJ_OTF2_COUNTERS]; // up to the first one behind it
    bool crossed[PJ_OTF2_BORDERS], passed[PJ_OTF2_BORDERS][PJ_OTF2_COUNTERS];
} pj_otf2_worked;

typedef struct pj_otf2_useful {
    uint64_t borders[PJ_OTF2_BORDERS]; // ns
    pj_otf2_worked *threads;           // by location of the run
    uint32_t count;
} pj_otf2_useful;

/// Begins anew for a pass.
void pj_otf2_useful_begin(pj_otf2_useful *useful, uint32_t locations, uint64_t from_ns,
                          uint64_t to_ns);
void pj_otf2_useful_free(pj_otf2_useful *useful);
/// States and readings of a location come in order of time.
void pj_otf2_useful_take(pj_otf2_useful *useful, const pj_event *event);
pj_otf2_divided pj_otf2_useful_divided(const pj_otf2_useful *useful, uint32_t location,
                                       unsigned border, unsigned counter);

#endif
