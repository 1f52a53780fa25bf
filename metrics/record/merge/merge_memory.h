// Memory of each process over time, as mprof (memory_profiler) writes it. Ownership: borrow.
#ifndef PJ_MERGE_MEMORY_H
#define PJ_MERGE_MEMORY_H

#include "metrics/base/err.h"
#include "metrics/record/merge/unite.h"

#include <stddef.h>

/// Writes `folder`/memory/<place>.dat of each process whose memory was read. Errors: PJ_E_IO.
PJ_CHECKED bool pj_merge_memory(const pj_united_part *parts, size_t count, const char *folder,
                                pj_err *err);

#endif
