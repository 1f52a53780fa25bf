// Finds the OpenMP parallel regions of every rank and what its threads compute in them.
#ifndef PJ_PARALLEL_H
#define PJ_PARALLEL_H

#include "metrics/trace/sink.h"

/// A sink that leaves run->openmp_regions; NULL there when the run has no region. It wants the
/// events of all threads in order of time. Freed by its `close`.
pj_sink pj_parallel_sink(void);

#endif
