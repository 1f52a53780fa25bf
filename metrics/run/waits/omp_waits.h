// What threads of OpenMP programs wait for and lose, in ns of threads. Rules: DEFINITIONS 9.
// Ownership: the run's arena; tables new.
#ifndef PJ_OMP_WAITS_H
#define PJ_OMP_WAITS_H

#include "metrics/base/err.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"

typedef enum pj_omp_pattern {
#define PATTERN(key, title, sentence) PJ_OMP_WAIT_##key,
#include "metrics/run/waits/omp_wait_patterns.def"
#undef PATTERN
    PJ_OMP_PATTERNS // number of patterns
} pj_omp_pattern;

typedef struct pj_omp_pattern_row {
    const char *key, *title; // "omp_lock_contention", "OpenMP lock contention"
} pj_omp_pattern_row;

extern const pj_omp_pattern_row pj_omp_pattern_rows[PJ_OMP_PATTERNS];

#define PJ_NO_THREAD UINT32_MAX

/// All of a pattern in a rank, of waits for the same thread.
typedef struct pj_omp_wait {
    uint32_t rank;
    uint32_t culprit; // thread: who came last, or had the lock; PJ_NO_THREAD = nobody
    pj_omp_pattern pattern;
    uint64_t instances, ns;
    uint64_t longest_ns, longest_at_ns;
} pj_omp_wait;

typedef struct pj_omp_waits {
    pj_omp_wait *items; // in the order of pattern, rank, culprit
    size_t count;
} pj_omp_waits;

/// For qsort.
int pj_omp_wait_order(const void *a, const void *b);
/// pattern, rank, culprit, instances, wait_ns, share of the runtime of all threads, max_ns, at_ns.
/// Errors: PJ_E_MISSING when the run has no OpenMP.
PJ_CHECKED pj_table *pj_omp_waits_table(const pj_run *run, pj_err *err);

#endif
