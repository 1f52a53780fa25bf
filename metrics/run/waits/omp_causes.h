// What threads lose in OpenMP by its causes: exact parts of what efficiencies of parallel regions
// and of serial parts lack (DEFINITIONS 9). Ownership: arena.
#ifndef PJ_OMP_CAUSES_H
#define PJ_OMP_CAUSES_H

#include "metrics/base/arena.h"
#include "metrics/run/run.h"

typedef struct pj_omp_cause {
    const char *cause; // a pattern (omp_wait_patterns.def), "omp_others"
    const char *title; // for people; both constants
    bool serial;       // lost outside parallel regions
    double loss_ns;    // of an average thread of each rank, summed over ranks
} pj_omp_cause;

/// Those of regions add up to the time in them less its useful part. The run has omp_waits.
const pj_omp_cause *pj_omp_causes(const pj_run *run, pj_arena *arena, uint32_t *count);

#endif
