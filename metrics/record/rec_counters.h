// Counters of the processor by the kernel's perf events, each thread its own. Ownership: none.
#ifndef PJ_REC_COUNTERS_H
#define PJ_REC_COUNTERS_H

#include "metrics/record/rec_thread.h"

#include <stdbool.h>

/// Whether $POPINJAY_RECORD_COUNTERS names any ("instructions,cycles"), or allocations are counted;
/// known from the first thread's begin on.
extern PJ_REC_API bool pj_rec_counters_wanted;

/// Writes the calling thread's counters since its first reading, as metrics; before the enter or
/// leave that they belong to. Those that the kernel does not give are left out, and a note says so.
PJ_REC_API void pj_rec_counters_write(pj_rec_thread *thread);

static inline void pj_rec_counters_read(pj_rec_thread *thread)
{
    if (__builtin_expect(pj_rec_counters_wanted, 0) && thread && !thread->tree)
        pj_rec_counters_write(thread);
}

/// For rec_thread: before the first thread begins, and when one ends, which closes them if it is
/// the calling one.
void pj_rec_counters_begin(void);
void pj_rec_counters_end(const pj_rec_thread *thread);

#endif
