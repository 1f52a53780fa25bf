// Draws the messages of a run over time: few lines, however many messages.
#ifndef PJ_BUNDLE_SINK_H
#define PJ_BUNDLE_SINK_H

#include "metrics/run/timeline.h"
#include "metrics/trace/sink.h"

/// A sink that adds the messages to run->timeline; it finishes after the one that makes the
/// timeline. Freed by its `close`.
pj_sink pj_bundle_sink(pj_timeline_opts opts);

#endif
