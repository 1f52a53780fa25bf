// Finds what threads of OpenMP programs wait for: barriers, locks, forks and joins, and what is not
// used. Ownership: new.
#ifndef PJ_OMP_WAITS_SINK_H
#define PJ_OMP_WAITS_SINK_H

#include "metrics/trace/sink.h"

/// Writes pj_run.omp_waits where there is OpenMP. Its events come merged over threads; it comes
/// after the sinks that write runtime_ns.
pj_sink pj_omp_waits_sink(void);

#endif
