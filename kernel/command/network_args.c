// From options to the model of a network; what is not given stays ideal.
#include "kernel/command/network_args.h"

#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"

bool pj_network_args_take(const pj_network_args *args, pj_network *out, pj_err *err)
{
    *out = (pj_network){.latency_ns = args->latency, .bandwidth = args->bandwidth};
    if (!args->eager)
        return true;
    if (!pj_parse_size(pj_str_of(args->eager), &out->eager_bytes))
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "eager: \"%s\" is no size (32k, 64M)",
                       args->eager);
    out->all_rendezvous = out->eager_bytes == 0;
    return true;
}
