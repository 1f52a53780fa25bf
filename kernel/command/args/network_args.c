// From options to the model of a network; what is not given stays ideal.
#include "kernel/command/args/network_args.h"

#include "metrics/analyse/load_texts.h"
#include "metrics/base/err.h"

const pj_param pj_network_rows[] = {
    {.name = "latency",
     .type = PJ_PARAM_DURATION,
     .offset = offsetof(pj_network_args, latency),
     .shown = "T",
     .preset = "0",
     .help = "What every message costs before its bytes: 500ns, 2us, 1ms."},
    {.name = "bandwidth",
     .type = PJ_PARAM_RATE,
     .offset = offsetof(pj_network_args, bandwidth),
     .shown = "B",
     .preset = "inf",
     .help = "Bytes per second of a message: 100M, 12.5GB (powers of 1000), 12GiB or inf."},
    {.name = "eager",
     .type = PJ_PARAM_TEXT,
     .offset = offsetof(pj_network_args, eager),
     .shown = "SIZE",
     .preset = "32k",
     .help = "Messages of at least this size wait for their receiver."},
    {0},
};

bool pj_network_args_take(const pj_network_args *args, pj_network *out, pj_err *err)
{
    *out = (pj_network){.latency_ns = args->latency, .bandwidth = args->bandwidth};
    return pj_load_texts_network(&(pj_load_texts){.eager = args->eager}, out, err);
}
