// Streams of devices (GPUs), which traces list among the threads of a rank or beside them: what
// they are called, and which device they belong to. Ownership: borrow; keys are arena.
#ifndef PJ_DEVICE_H
#define PJ_DEVICE_H

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/trace/event.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum pj_device_kind {
    PJ_STREAM_NONE, // a thread
    PJ_STREAM_CUDA,
    PJ_STREAM_HIP,
    PJ_STREAM_OPENCL,
    PJ_STREAM_DEVICE,  // of a device of no such name
    PJ_STREAM_SAMPLES, // no stream: samples of a device's metrics
    PJ_STREAM_KINDS,
} pj_device_kind;

typedef struct pj_device_stream {
    pj_device_kind kind;
    uint32_t rank;      // whose process drives it
    uint32_t place;     // in Paraver traces: among the threads that the header gives its rank
    const char *device; // streams with the same key are of one device: "node1:D0"
    const char *name;   // NULL where the trace gives none
} pj_device_stream;

/// What a label of Extrae or nsys2prv says.
typedef struct pj_device_label {
    pj_device_kind kind;
    pj_str device; // "D0", or the first digits of its UUID
    pj_str node;   // empty where the label does not name it
} pj_device_label;

/// "CUDA-D1.S2-node1", "HIP-D0.S1", "GPU_1a2b3c4d.7", "Metrics GPU0"; PJ_STREAM_NONE for any other.
pj_device_label pj_device_of_label(pj_str label);

/// What tells a stream from others of its device, of its name: "S2" of "CUDA-D1.S2-node1", "13" of
/// "CUDA[0:13]", "7" of "GPU_1a2b3c4d.7"; else all of it. A view of the name.
pj_str pj_device_stream_number(pj_str name);

/// What a function of the runtime of devices is for, by its name: "cudaLaunchKernel",
/// "hipMemcpyAsync", "cuStreamSynchronize".
pj_device_call pj_device_call_named(pj_str name);
/// The state of a thread in such a call (PJ_STATE_*), as Extrae has it.
uint16_t pj_device_call_state(pj_device_call call);
/// Which way a copy goes, by what tools call it: "[CUDA memcpy Device-to-Host]",
/// "MEMORY_COPY_HOST_TO_DEVICE", "hipMemset".
pj_device_copy pj_device_copy_named(pj_str name);

/// "cuda", "samples"; NULL past the end.
const char *pj_device_kind_name(pj_device_kind kind);

/// Streams that are no samples.
uint32_t pj_device_streams(const pj_device_stream *streams, uint32_t count);
/// The keys of their devices, each once, in the order of first appearance. `device_of`, by stream,
/// may be NULL.
const char **pj_device_keys(const pj_device_stream *streams, uint32_t count, pj_arena *arena,
                            uint32_t *devices, uint32_t *device_of);

/// The device of samples.
#define PJ_NO_DEVICE UINT32_MAX

#endif
