// The network that the replay puts in place of the real one. Ownership: plain data.
#ifndef PJ_NETWORK_H
#define PJ_NETWORK_H

#include "metrics/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/// A message arrives latency + bytes / bandwidth after its start; a collective of P members costs
/// ceil(log2 P) times that after the last arrival; no contention (DEFINITIONS 6).
typedef struct pj_network {
    double latency_ns;
    double bandwidth; // bytes per second; INFINITY = no cost; 0 is read as INFINITY
    uint64_t
        eager_bytes;     // messages of at least this size wait for their receiver; 0 is read as 32k
    bool all_rendezvous; // eager_bytes is really 0
} pj_network;

/// Whether it costs nothing and leaves the eager limit as it is: the network of every metric.
bool pj_network_is_ideal(const pj_network *network);
/// Latency and transfer of `bytes` where the bandwidth is not 0.
static inline double pj_network_transfer_ns(const pj_network *network, uint64_t bytes)
{
    return network->latency_ns + (double)bytes / network->bandwidth * 1e9;
}
/// "2us, 12 GB/s, eager 64 KiB": what is not as on the ideal one; arena.
const char *pj_network_label(const pj_network *network, pj_arena *arena);

#endif
