// Enters and leaves the regions of MPI's functions.
#include "metrics/record/mpi/rec_mpi_call.h"

#include "metrics/record/rec_clock.h"
#include "metrics/record/rec_counters.h"
#include "metrics/record/rec_names.h"
#include "metrics/record/rec_part.h"

#include <stdlib.h>

/// Calls of MPI, one within the other.
static _Thread_local int inside __attribute__((tls_model("initial-exec")));

void pj_rec_mpi_call_begin(pj_rec_mpi_call *call, uint32_t *region, const char *name, int role)
{
    call->thread = NULL;
    call->collective = 0;
    call->count = 0;
    call->requests = NULL;
    call->statuses = NULL;
    call->outermost = inside++ == 0;
    if (!call->outermost)
        return;
    pj_rec_thread *thread = pj_rec_here();
    if (!thread)
        return;
    uint32_t id = __atomic_load_n(region, __ATOMIC_RELAXED);
    if (id == 0) {
        id = pj_rec_region(&(pj_rec_region_of){
            .name = name, .file = "MPI", .role = role, .paradigm = PJ_REC_PARADIGM_MPI});
        __atomic_store_n(region, id, __ATOMIC_RELAXED);
    }
    pj_rec_counters_read(thread);
    if (id && pj_rec_enter(thread, id)) {
        call->thread = thread;
        call->region = id;
        call->before = thread->last;
    }
}

void pj_rec_mpi_call_end(pj_rec_mpi_call *call)
{
    inside--;
    if (call->requests != call->few_requests)
        free(call->requests);
    if (call->statuses != call->few_statuses)
        free(call->statuses);
    if (!call->thread || pj_rec_self != call->thread) // the recording has ended inside
        return;
    if (call->collective) // it failed
        pj_rec_event(call->thread, PJ_REC_MPI_COLLECTIVE_END, pj_rec_now(),
                     (uint64_t[]){BARRIER, call->collective, PJ_REC_UNDEFINED, 0, 0});
    pj_rec_counters_read(call->thread);
    pj_rec_leave_to(call->thread, call->region);
}

void pj_rec_mpi_call_keep(pj_rec_mpi_call *call, const MPI_Request *requests, int count)
{
    if (!call->thread || count <= 0)
        return;
    call->requests = count <= PJ_REC_MPI_CALL_FEW ? call->few_requests
                                                  : malloc((size_t)count * sizeof *requests);
    if (!call->requests)
        return;
    memcpy(call->requests, requests, (size_t)count * sizeof *requests);
    call->count = count;
}

MPI_Status *pj_rec_mpi_call_statuses(pj_rec_mpi_call *call, int count)
{
    call->statuses = count <= PJ_REC_MPI_CALL_FEW ? call->few_statuses
                                                  : malloc((size_t)count * sizeof(MPI_Status));
    return call->statuses;
}
