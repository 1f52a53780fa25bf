// Communicators of the replay: which synchronisation is a rank's next collective. The k-th
// collective of a rank on a communicator meets the k-th of the others (DEFINITIONS 6); blocking
// ones never meet non-blocking ones, and count apart. Ownership: new/free.
#ifndef PJ_GROUPS_H
#define PJ_GROUPS_H

#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/replay/engine/engine.h"
#include "metrics/replay/far.h"
#include "metrics/run/run.h"
#include "metrics/trace/import_stats.h"

typedef struct pj_groups pj_groups;

typedef enum pj_meeting {
    PJ_MEETS,      // others take part: use the synchronisation
    PJ_MEETS_NONE, // the rank is alone
    PJ_MEETS_WHO,  // the communicator is not known, or the rank is no member
} pj_meeting;

typedef struct pj_collective {
    uint32_t rank;
    uint32_t communicator; // the trace's number
    uint32_t call;         // pj_mpi_call
    bool nonblocking;
    uint64_t bytes;
} pj_collective;

/// `far`: ranks of other processes; NULL = none. `stats` receives the oddities.
pj_groups *pj_groups_new(pj_engine *engine, const pj_run *run, pj_far *far, pj_import_stats *stats);
void pj_groups_free(pj_groups *groups);

/// The synchronisation of the rank's next collective in `*synchronisation`, to be held before
/// pj_groups_settle.
pj_meeting pj_groups_meet(pj_groups *groups, pj_collective call, uint32_t *sync);
/// Forgets the synchronisations that nobody else comes to; after each pj_groups_meet.
void pj_groups_settle(pj_groups *groups);

/// The synchronisation at the end of MPI_Init; PJ_NOTHING for a rank that has begun before.
uint32_t pj_groups_init(pj_groups *groups, uint32_t rank);
/// A rank calls MPI without MPI_Init (or has ended without MPI): the others do not wait for it.
void pj_groups_begin(pj_groups *groups, uint32_t rank);

/// Nobody else comes: who waits in a non-blocking collective goes on without the ranks that did not
/// come to it.
void pj_groups_end(pj_groups *groups);

/// Writes to `far` what the others need to know, and takes what they have written; false when that
/// cannot be understood.
void pj_groups_tell(pj_groups *groups);
bool pj_groups_hear(pj_groups *groups, pj_far_kind kind, pj_str *in);

/// A collective, for all processes.
typedef struct pj_sync_name {
    uint32_t row; // communicator, and whether it blocks
    uint32_t call;
    uint64_t number;
} pj_sync_name;
/// False when the synchronisation is no collective's.
bool pj_groups_name(const pj_groups *groups, uint32_t sync, pj_sync_name *name);
/// The first rank that has not come to a collective; PJ_NOTHING when all have.
uint32_t pj_groups_missing(const pj_groups *groups, pj_sync_name name);
/// How many collectives the ranks of this process have come to, where some are open; and those of
/// another one, for pj_groups_missing.
void pj_groups_tell_slots(const pj_groups *groups, pj_buf *out);
bool pj_groups_hear_slots(pj_groups *groups, pj_str *in);
/// Bytes in use.
size_t pj_groups_bytes(const pj_groups *groups);

#endif
