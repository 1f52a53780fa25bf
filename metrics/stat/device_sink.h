// What devices (GPUs) do, and why they do nothing.
#ifndef PJ_DEVICE_SINK_H
#define PJ_DEVICE_SINK_H

#include "metrics/run/timeline.h"
#include "metrics/trace/sink.h"

/// A sink that fills run->devices where there are streams of devices. Freed by its `close`.
pj_sink pj_device_sink(void);
/// Of such a sink, `self`: brings a device, by its place among pj_device_keys, to `time`, before
/// which nothing more may come; how long it has computed and moved data, in ns.
void pj_device_sink_at(void *self, uint32_t device, uint64_t time, uint64_t *useful_ns,
                       uint64_t *transfer_ns);
/// A sink that adds the lanes of devices to run->timeline: it comes behind who makes that. Freed by
/// its `close`.
pj_sink pj_device_lanes_sink(pj_timeline_opts opts);

#endif
