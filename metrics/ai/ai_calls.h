// What a call of a device's runtime is for, by its name. Ownership: none.
#ifndef PJ_AI_CALLS_H
#define PJ_AI_CALLS_H

#include "metrics/ai/ai_rank.h"
#include "metrics/base/str.h"

/// "cudaStreamSynchronize_v3020" waits for the device, "cudaLaunchKernel" does not.
pj_ai_doing pj_ai_call_doing(pj_str name);
/// Whether it is of HIP.
bool pj_ai_call_is_hip(pj_str name);

#endif
