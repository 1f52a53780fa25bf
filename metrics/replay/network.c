// The network of the replay.
// How a network is named where its numbers stand.
#include "metrics/replay/network.h"

#include "metrics/base/buf.h"

#include <math.h>

enum { EAGER_BYTES = 32768 };

static bool is_limited(const pj_network *network)
{
    return network->bandwidth > 0 && isfinite(network->bandwidth);
}

static bool is_eager_as_usual(const pj_network *network)
{
    return !network->all_rendezvous &&
           (network->eager_bytes == 0 || network->eager_bytes == EAGER_BYTES);
}

bool pj_network_is_ideal(const pj_network *network)
{
    return !(network->latency_ns > 0) && !is_limited(network) && is_eager_as_usual(network);
}

/// A value in the largest unit that leaves it at 1 or more; units are `step` apart.
static void add_scaled(pj_buf *out, double value, double step, const char *const *units)
{
    for (; value >= step && units[1]; units++)
        value /= step;
    pj_buf_addf(out, "%g%s", value, *units);
}

const char *pj_network_label(const pj_network *network, pj_arena *arena)
{
    static const char *const times[] = {"ns", "us", "ms", "s", NULL};
    static const char *const rates[] = {" B/s", " kB/s", " MB/s", " GB/s", NULL};
    static const char *const sizes[] = {" B", " KiB", " MiB", " GiB", NULL};
    pj_auto_buf text = {0};
    if (network->latency_ns > 0)
        add_scaled(&text, network->latency_ns, 1000, times);
    if (is_limited(network)) {
        pj_buf_puts(&text, text.len ? ", " : "");
        add_scaled(&text, network->bandwidth, 1000, rates);
    }
    if (!is_eager_as_usual(network)) {
        pj_buf_puts(&text, text.len ? ", eager " : "eager ");
        add_scaled(&text, network->all_rendezvous ? 0 : (double)network->eager_bytes, 1024, sizes);
    }
    return pj_arena_text(arena, text.len ? pj_buf_str(&text) : PJ_S("ideal"));
}
