// Calls of MPI of the hosts of an AI run, with what they exchange, for who replays them: who waited
// for whom. Ownership: the caller's; ranks are borrowed.
#ifndef PJ_AI_MPI_H
#define PJ_AI_MPI_H

#include "metrics/ai/ai_rank.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/run/run.h"
#include "metrics/trace/event.h"
#include "metrics/trace/mpi_call.h"

#include <stdbool.h>
#include <stdint.h>

/// A call as its process knows it; one that completes several requests comes once for each.
typedef struct pj_ai_mpi_call {
    int64_t begin, end;   // ns of the rank's clock
    int64_t communicator; // handle of the process; -1 = none
    int64_t request;      // likewise
    uint64_t bytes;
    pj_mpi_call call;
    int32_t peer, root; // in the communicator; < 0 = none, or any
    int32_t tag;
    uint32_t done;        // once gathered: the call that completes it
    uint32_t first, next; // and what this one completes, or what is completed with it
    uint32_t sent;        // number of the send
    uint32_t row;         // among those that its rank keeps, as they were read
    bool sends, receives;
    bool dropped; // another thread was in one: it is not told
} pj_ai_mpi_call;

/// Who hears of the calls; times are ns from the begin of all.
typedef struct pj_ai_mpi_listener {
    bool (*begin)(void *self, pj_err *err);
    bool (*events)(void *self, const pj_batch *batch, pj_err *err);
    bool (*finish)(void *self, pj_err *err);
    void *self;
    bool sent; // PJ_PART_SENT is wanted
} pj_ai_mpi_listener;

/// Keeps a call of a rank that keeps them.
void pj_ai_mpi_keep(pj_ai_rank *rank, pj_ai_mpi_call call);
/// Whether it is a collective, of a communicator that is told.
bool pj_ai_mpi_is_collective(const pj_ai_mpi_call *call);
/// Tells the calls of all ranks of a filled run, in the order of its ranks. The run is as long as
/// its devices; what lies before and behind is told, but does not count.
PJ_CHECKED bool pj_ai_mpi_tell(pj_run *run, pj_ai_rank *const *ranks, pj_ai_mpi_listener to,
                               pj_job *job, pj_err *err);

#endif
