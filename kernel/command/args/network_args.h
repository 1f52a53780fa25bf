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

/// A group over pj_network_args.
extern const pj_param pj_network_rows[];

/// False with PJ_E_USAGE.
PJ_CHECKED bool pj_network_args_take(const pj_network_args *args, pj_network *out, pj_err *err);

#endif
