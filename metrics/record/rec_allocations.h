// Allocations of memory by each thread: who allocates counts them here, and they are told where
// counters are, or to the call path that they happened in. Ownership: none.
#ifndef PJ_REC_ALLOCATIONS_H
#define PJ_REC_ALLOCATIONS_H

#include "metrics/record/rec_thread.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct pj_rec_allocations {
    uint64_t count, bytes; // so far
} pj_rec_allocations;

/// The calling thread's.
extern PJ_REC_API _Thread_local pj_rec_allocations pj_rec_allocated
    __attribute__((tls_model("initial-exec")));

/// Whether they are to be counted: $POPINJAY_RECORD_MEMORY is "calls".
PJ_REC_API bool pj_rec_allocations_wanted(void);

/// Writes the calling thread's as metrics.
void pj_rec_allocations_write(pj_rec_thread *thread);

#endif
