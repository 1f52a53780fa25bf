// Paints the states of a run by pixel.
#ifndef PJ_TIMELINE_SINK_H
#define PJ_TIMELINE_SINK_H

#include "metrics/run/timeline.h"
#include "metrics/trace/sink.h"

/// A sink that leaves run->timeline, without messages; fails with PJ_E_USAGE when nothing of the
/// trace lies in what is to be seen. Freed by its `close`.
pj_sink pj_timeline_sink(pj_timeline_opts opts);

#endif
