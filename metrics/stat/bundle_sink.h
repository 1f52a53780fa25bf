// Draws the messages of a run over time: few lines, however many messages.
#ifndef PJ_BUNDLE_SINK_H
#define PJ_BUNDLE_SINK_H

#include "metrics/run/scene.h"
#include "metrics/trace/sink.h"

/// A sink that adds the messages to run->scene; it finishes after the one that makes the scene.
/// Freed by its `close`.
pj_sink pj_bundle_sink(pj_scene_opts opts);

#endif
