// Collects bursts of computation, with what counters read in each.
#ifndef PJ_BURST_SINK_H
#define PJ_BURST_SINK_H

#include "metrics/trace/sink.h"

/// A sink that fills run->bursts. Freed by its `close`.
pj_sink pj_burst_sink(void);

#endif
