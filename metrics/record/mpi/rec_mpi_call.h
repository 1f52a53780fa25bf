// One call of MPI while it runs, and what of it is recorded. Ownership: borrow; one per wrapper.
#ifndef PJ_REC_MPI_CALL_H
#define PJ_REC_MPI_CALL_H

#include "metrics/record/rec_event.h"
#include "metrics/record/rec_thread.h"

#include <mpi.h>

#include <stdbool.h>

enum { PJ_REC_MPI_CALL_FEW = 32 };

typedef struct pj_rec_mpi_call {
    pj_rec_thread *thread; // NULL: nothing of it is recorded
    bool outermost;        // the program's own, not one of MPI within MPI
    uint32_t region;
    uint64_t before;     // ticks of the enter: of what is written for the time before it
    uint32_t collective; // communicator of one that has begun; 0 = none
    int count;           // of `requests`: what they were before the call
    MPI_Request *requests;
    MPI_Status *statuses; // in place of those that the program ignores
    MPI_Request few_requests[PJ_REC_MPI_CALL_FEW];
    MPI_Status few_statuses[PJ_REC_MPI_CALL_FEW];
} pj_rec_mpi_call;

/// OTF2_CollectiveOp (OTF2 3.0), those that are recorded.
enum {
    BARRIER,
    BCAST,
    GATHER,
    GATHERV,
    SCATTER,
    SCATTERV,
    ALLGATHER,
    ALLGATHERV,
    ALLTOALL,
    ALLTOALLV,
    ALLTOALLW,
    ALLREDUCE,
    REDUCE,
    REDUCE_SCATTER,
    SCAN,
    EXSCAN,
    REDUCE_SCATTER_BLOCK,
    CREATE_HANDLE,
    DESTROY_HANDLE,
    NO_ROOT = -1,
};

/// Enters the region `name`, whose id is kept in `region`; `role` is OTF2's. Calls of MPI from
/// within MPI are not recorded.
void pj_rec_mpi_call_begin(pj_rec_mpi_call *call, uint32_t *region, const char *name, int role);
void pj_rec_mpi_call_end(pj_rec_mpi_call *call);
/// Copies of the requests, which the call overwrites.
void pj_rec_mpi_call_keep(pj_rec_mpi_call *call, const MPI_Request *requests, int count);
/// Room for statuses where the program wants none.
MPI_Status *pj_rec_mpi_call_statuses(pj_rec_mpi_call *call, int count);

static inline bool pj_rec_mpi_call_write(const pj_rec_mpi_call *call, pj_rec_event_type type,
                                         uint64_t ticks, const uint64_t *members)
{
    return pj_rec_event(call->thread, type, ticks, members);
}

#endif
