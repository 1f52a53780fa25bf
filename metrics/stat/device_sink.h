// What devices (GPUs) do, and why they do nothing.
#ifndef PJ_DEVICE_SINK_H
#define PJ_DEVICE_SINK_H

#include "metrics/trace/sink.h"

/// A sink that fills run->devices where there are streams of devices. Freed by its `close`.
pj_sink pj_device_sink(void);

#endif
