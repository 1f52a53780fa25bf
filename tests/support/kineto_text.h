// Events of PyTorch's profiler as text, and runs of such texts. Ownership: runs are the caller's.
#ifndef PJ_KINETO_TEXT_H
#define PJ_KINETO_TEXT_H

#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/run/run.h"

#define KERNEL(name, ts, dur, correlation)                                                         \
    "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"" name                                       \
    "\", \"pid\": 0, \"tid\": 7, \"ts\": " ts ", \"dur\": " dur                                    \
    ", \"args\": {\"correlation\": " correlation "}}"
#define CALL(pid, ts, dur, correlation)                                                            \
    "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaLaunchKernel\", \"pid\": " pid     \
    ", \"tid\": 1, \"ts\": " ts ", \"dur\": " dur ", \"args\": {\"correlation\": " correlation     \
    "}}"
#define EVENTS(...) "{\"deviceProperties\": [], \"traceEvents\": [" __VA_ARGS__ "]}"

/// One file, plain or packed. NULL with an error.
pj_run *kineto_run_of(pj_str bytes, pj_err *err);
/// A remark of the run holds the text.
bool kineto_run_says(const pj_run *run, const char *text);

#endif
