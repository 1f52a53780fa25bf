// The bundled example runs with devices: a stencil code whose ranks each drive a GPU, modelled from
// a few parameters like those of model_app.h. Ownership: plain data.
#ifndef PJ_MODEL_GPU_H
#define PJ_MODEL_GPU_H

#include "tests/support/trace/trace_writer.h"

/// Every iteration: the host prepares, data go to the device in a stream of their own, two kernels
/// compute, the first one's result comes back beside the second, the host waits for both and meets
/// the others. Times in ns.
typedef struct pj_model_gpu {
    uint32_t ranks, iterations;
    uint64_t serial_ns;  // of the host, however many ranks there are
    uint64_t prepare_ns; // of all hosts together
    uint64_t kernel_ns;  // of all devices together: the first kernel
    uint64_t reduce_ns;  // and the second
    uint64_t copy_ns;    // one way
    uint64_t call_ns;    // of a call that does not wait
    uint64_t meet_ns;    // of a collective
    double imbalance;    // work of the last device over the mean, less 1
    uint64_t copy_bytes;
} pj_model_gpu;

/// The example runs: name ("gpu_4x1") and parameters; NULL past the end.
const pj_model_gpu *pj_model_gpu_example(size_t index, const char **name);
/// Writes every record as Extrae does; the caller frees the writer.
pj_trace_writer *pj_model_gpu_write(const pj_model_gpu *model);
/// Time that the device of a rank computes.
uint64_t pj_model_gpu_useful(const pj_model_gpu *model, uint32_t rank);

#endif
