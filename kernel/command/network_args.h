// The network of a replay, as options. Ownership: plain data.
#ifndef PJ_NETWORK_ARGS_H
#define PJ_NETWORK_ARGS_H

#include "kernel/command/command.h"
#include "metrics/base/err.h"
#include "metrics/replay/network.h"

typedef struct pj_network_args {
    double latency, bandwidth; // ns, bytes per second
    const char *eager;
} pj_network_args;

/// Rows for a struct with a field `network` of this type.
#define PJ_NETWORK_PARAMS(args_type)                                                               \
    {.name = "latency",                                                                            \
     .type = PJ_PARAM_DURATION,                                                                    \
     .offset = offsetof(args_type, network.latency),                                               \
     .shown = "T",                                                                                 \
     .preset = "0",                                                                                \
     .help = "What every message costs before its bytes: 500ns, 2us, 1ms."},                       \
        {.name = "bandwidth",                                                                      \
         .type = PJ_PARAM_RATE,                                                                    \
         .offset = offsetof(args_type, network.bandwidth),                                         \
         .shown = "B",                                                                             \
         .preset = "inf",                                                                          \
         .help = "Bytes per second of a message: 100M, 12.5GB (powers of 1000), 12GiB or inf."},   \
    {                                                                                              \
        .name = "eager", .type = PJ_PARAM_TEXT, .offset = offsetof(args_type, network.eager),      \
        .shown = "SIZE", .preset = "32k",                                                          \
        .help = "Messages of at least this size wait for their receiver."                          \
    }

/// False with PJ_E_USAGE.
PJ_CHECKED bool pj_network_args_take(const pj_network_args *args, pj_network *out, pj_err *err);

#endif
