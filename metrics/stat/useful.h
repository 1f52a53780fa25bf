// The statistics of a run: times and counters of every thread.
#ifndef PJ_USEFUL_H
#define PJ_USEFUL_H

#include "metrics/run/run.h"
#include "metrics/stat/state_clock.h"
#include "metrics/trace/sink.h"

/// A sink that fills run->totals, the counters, run->runtime_ns and what the run has. It looks at
/// run->roi when that is set. Freed by its `close`.
pj_sink pj_useful_sink(void);

/// What a clock has summed.
pj_totals pj_useful_totals(const pj_state_clock *clock);

#endif
