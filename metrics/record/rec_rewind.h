// Taking events back: to a mark that was set on the same thread. Ownership: plain values.
#ifndef PJ_REC_REWIND_H
#define PJ_REC_REWIND_H

#include "metrics/record/rec_thread.h"

typedef struct pj_rec_mark {
    const pj_rec_thread *thread;
    uint64_t events, last, entered; // ticks of the innermost region's enter
    uint32_t depth, chunks;
    size_t at; // within the chunk
} pj_rec_mark;

PJ_REC_API pj_rec_mark pj_rec_rewind_mark(const pj_rec_thread *thread);
/// The events since the mark are gone; the time between is one of measurement switched off. false
/// where that cannot be: the mark is another thread's or stands in a region that was left, nothing
/// is recorded at the moment, or the file of events cannot be read.
PJ_REC_API bool pj_rec_rewind_to(pj_rec_thread *thread, const pj_rec_mark *mark);

#endif
