// Communicators of the replay: which gate is a rank's next collective. The k-th collective of a
// rank on a communicator meets the k-th of the others (METRICS part C); blocking ones never meet
// non-blocking ones, and count apart. Ownership: new/free.
#ifndef PJ_GROUPS_H
#define PJ_GROUPS_H

#include "metrics/model/run.h"
#include "metrics/replay/engine.h"

typedef struct pj_groups pj_groups;

typedef enum pj_meeting {
    PJ_MEETS,       // others take part: use the gate
    PJ_MEETS_NONE,  // the rank is alone
    PJ_MEETS_WHO,   // the communicator is not known, or the rank is no member
    PJ_MEETS_OTHER, // as PJ_MEETS, but the others call another function
} pj_meeting;

typedef struct pj_collective {
    uint32_t rank;
    uint32_t communicator; // the trace's number
    uint32_t call;         // pj_mpi_call
    bool nonblocking;
    uint64_t bytes;
} pj_collective;

pj_groups *pj_groups_new(pj_engine *engine, const pj_run *run);
void pj_groups_free(pj_groups *groups);

/// The gate of the rank's next collective in `*gate`, to be held before pj_groups_settle.
pj_meeting pj_groups_meet(pj_groups *groups, pj_collective call, uint32_t *gate);
/// Forgets the gates that nobody else comes to; after each pj_groups_meet.
void pj_groups_settle(pj_groups *groups);

/// The gate at the end of MPI_Init; PJ_NOTHING for a rank that has begun before.
uint32_t pj_groups_init(pj_groups *groups, uint32_t rank);
/// A rank calls MPI without MPI_Init (or has ended without MPI): the others do not wait for it.
void pj_groups_begin(pj_groups *groups, uint32_t rank);

/// Nobody else comes: who waits in a non-blocking collective goes on without the ranks that did not
/// come to it. Gives how many have not.
uint64_t pj_groups_end(pj_groups *groups);

/// Who has not come to a gate, and the call that others wait in; false when it is no collective's.
bool pj_groups_missing(const pj_groups *groups, uint32_t gate, uint32_t *rank, uint32_t *call);
/// Bytes in use.
size_t pj_groups_bytes(const pj_groups *groups);

#endif
