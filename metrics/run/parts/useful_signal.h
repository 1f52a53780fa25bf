// Iterations in the useful share of a run along time, for runs in which nothing is called again and
// again (DEFINITIONS 12). Ownership: starts are arena.
#ifndef PJ_USEFUL_SIGNAL_H
#define PJ_USEFUL_SIGNAL_H

#include "metrics/base/arena.h"

#include <stddef.h>
#include <stdint.h>

typedef struct pj_useful_signal {
    double correlation; // of the share with itself one period later
    uint32_t period;    // bins
    uint32_t *starts;   // bins in which periods begin
    uint32_t count;     // of them; 0 = nothing comes again
} pj_useful_signal;

/// `share`: of `count` bins of equal length.
pj_useful_signal pj_useful_signal_find(const double *share, uint32_t count, pj_arena *arena);

#endif
