// Paints the states of a run by pixel.
#ifndef PJ_SCENE_SINK_H
#define PJ_SCENE_SINK_H

#include "metrics/run/scene.h"
#include "metrics/trace/sink.h"

/// A sink that leaves run->scene, without messages; fails with PJ_E_USAGE when nothing of the trace
/// lies in what is to be seen. Freed by its `close`.
pj_sink pj_scene_sink(pj_scene_opts opts);

#endif
