// What messages and collectives say about the clocks of the ranks: nothing arrives before it was
// sent, nobody leaves a collective before its causes have come. Violations are counted, and for
// each pair of ranks the tightest difference of clocks is kept; from these follow shifts that fit
// them all. Ownership: new/free.
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
/// Shifts to be added to the clock of each rank, ns. False when no shifts fit all: then they are
/// those that come closest.
bool pj_otf2_sync_solve(const pj_otf2_sync *sync, int64_t *shifts);

#endif
