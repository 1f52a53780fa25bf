// How far messages reach over the time of a run: who looks at a part of it has to read where the
// messages that touch it begin and end. Ownership: plain data.
#ifndef PJ_OTF2_REACH_H
#define PJ_OTF2_REACH_H

#include <stddef.h>
#include <stdint.h>

enum { PJ_OTF2_REACH_BINS = 1024 };

typedef struct pj_otf2_reach {
    uint64_t width; // ns, of a bin
    /// By bin: the latest other end of messages whose first end is in it, and the other way round.
    uint64_t far[PJ_OTF2_REACH_BINS], near[PJ_OTF2_REACH_BINS];
} pj_otf2_reach;

typedef struct pj_otf2_range { // of time, both ends included
    uint64_t from, to;
} pj_otf2_range;

void pj_otf2_reach_begin(pj_otf2_reach *reach);
void pj_otf2_reach_add(pj_otf2_reach *reach, uint64_t sent, uint64_t received);
/// `window` and where the messages have their other ends that are seen in it: fills `out`, which
/// has room for PJ_OTF2_REACH_BINS + 1; gives their number.
size_t pj_otf2_reach_ranges(const pj_otf2_reach *reach, pj_otf2_range window, pj_otf2_range *out);

#endif
