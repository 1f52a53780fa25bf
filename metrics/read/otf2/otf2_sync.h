// What messages and collectives say about the clocks of the ranks: nothing arrives before it was
// sent, nobody leaves a collective before its causes have come. Violations are counted, and for
// each pair of ranks what ties them tightest is kept; from this follow shifts that fit all, and
// rates where the clocks drift. Ownership: new/free.
#ifndef PJ_OTF2_SYNC_H
#define PJ_OTF2_SYNC_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pj_otf2_sync pj_otf2_sync;

typedef struct pj_otf2_violations {
    uint64_t messages, collectives; // that contradict the clocks
    uint64_t messages_seen, collectives_seen;
    uint64_t worst_ns;
} pj_otf2_violations;

pj_otf2_sync *pj_otf2_sync_new(uint32_t ranks);
void pj_otf2_sync_free(pj_otf2_sync *sync);

/// What rank `from` did at `cause` was needed for what rank `to` had finished at `effect` (ns).
void pj_otf2_sync_bind(pj_otf2_sync *sync, uint32_t from, uint64_t cause, uint32_t to,
                       uint64_t effect);
void pj_otf2_sync_message(pj_otf2_sync *sync, uint32_t from, uint64_t sent, uint32_t to,
                          uint64_t received);
/// `worst`: the latest cause less the earliest effect; positive = violated.
void pj_otf2_sync_collective(pj_otf2_sync *sync, int64_t worst);

pj_otf2_violations pj_otf2_sync_violations(const pj_otf2_sync *sync);
/// What mends the clock of a rank: its time t becomes t + rate * t + ns.
typedef struct pj_otf2_shift {
    int64_t ns;
    double rate;
} pj_otf2_shift;

/// Fills `shifts` of all ranks. Gives by how much some ties are contradicted whatever constant
/// shifts are taken (ns), 0 = by nothing; only then are there rates, if these leave at most half.
int64_t pj_otf2_sync_solve(const pj_otf2_sync *sync, pj_otf2_shift *shifts);

#endif
