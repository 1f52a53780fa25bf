// What bounds the output of a kernel, from the environment. Ownership: none.
#ifndef PJ_LIMITS_H
#define PJ_LIMITS_H

#include "metrics/base/err.h"

#include <stddef.h>

typedef struct pj_limits {
    size_t queue;         // POPINJAY_QUEUE: bytes of output that wait; then cells wait
    uint64_t rate;        // POPINJAY_RATE: bytes of streams per second; 0 = any
    unsigned patience_ms; // POPINJAY_TIMEOUT: seconds until who reads nothing is cut off
} pj_limits;

/// False with PJ_E_USAGE that names the variable.
PJ_CHECKED bool pj_limits_read(pj_limits *limits, pj_err *err);

#endif
