// What devices (GPUs) do, and why they do nothing.
#ifndef PJ_DEVICE_SINK_H
#define PJ_DEVICE_SINK_H

#include "metrics/run/timeline.h"
#include "metrics/trace/sink.h"

/// A sink that fills run->devices where there are streams of devices. Freed by its `close`.
pj_sink pj_device_sink(void);
/// A sink that adds the lanes of devices to run->timeline: it comes behind who makes that. Freed by
/// its `close`.
pj_sink pj_device_lanes_sink(pj_timeline_opts opts);

#endif
