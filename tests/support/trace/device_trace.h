// Small Paraver traces with streams of devices, written by hand into the folder of a test
// (folder.h). Ownership: runs are new references.
#ifndef PJ_DEVICE_TRACE_H
#define PJ_DEVICE_TRACE_H

#include "metrics/analyse/load.h"
#include "metrics/run/devices.h"

/// Of a trace of 1000 ns; resources and tasks follow.
#define DEVICE_TRACE_HEADER "#Paraver (01/01/2026 at 00:00):1000_ns:"

/// Writes a file, of these names those that device_trace_remove removes: run.prv, run.row, run.pcf,
/// run.json, part.prv, part.row.
void device_trace_put(const char *name, const char *text);
void device_trace_remove(void);

/// Fails the test when it cannot be read.
pj_run *device_trace_load_with(const char *path, pj_load_opts opts, unsigned workers);
/// A file of the folder.
pj_run *device_trace_load(const char *name, unsigned workers);

/// All but its key and why it is idle.
void device_trace_expect(const pj_device_sum *device, pj_device_sum wanted);

#endif
