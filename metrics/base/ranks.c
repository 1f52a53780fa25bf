// The module popinjay-mpi.so: carries the bytes of a crew with MPI. First every pair learns how
// much there is, then what there is goes in pieces that an int can count.
#include "metrics/base/ranks.h"

#include <mpi.h>
#include <stdlib.h>

extern const pj_ranks_module pj_ranks_mpi;

enum { PIECE = 1 << 30, TAG = 1 };

typedef struct transfer {
    MPI_Request *requests;
    size_t count, cap;
} transfer;

static MPI_Request *next_request(transfer *t)
{
    pj_grow(t->requests, &t->cap, t->count + 1);
    return &t->requests[t->count++];
}

static void receive(transfer *t, pj_buf *in, uint64_t size, int from)
{
    in->len = 0;
    char *at = pj_buf_room(in, size);
    for (in->len = size; size;) {
        int piece = size < PIECE ? (int)size : PIECE;
        MPI_Irecv(at, piece, MPI_BYTE, from, TAG, MPI_COMM_WORLD, next_request(t));
        at += piece;
        size -= (uint64_t)piece;
    }
}

static void send(transfer *t, const pj_buf *out, int to)
{
    const char *at = out->at;
    for (uint64_t size = out->len; size;) {
        int piece = size < PIECE ? (int)size : PIECE;
        MPI_Isend(at, piece, MPI_BYTE, to, TAG, MPI_COMM_WORLD, next_request(t));
        at += piece;
        size -= (uint64_t)piece;
    }
}

/// Errors of MPI itself end all processes: that is its default.
static bool carry(void *self, const pj_buf *out, pj_buf *in, pj_err *err)
{
    const pj_crew *crew = self;
    transfer t = {.requests = NULL};
    size_t sizes_cap = 0;
    uint64_t *sizes = NULL;
    (void)err;
    pj_grow(sizes, &sizes_cap, 2 * (size_t)crew->size);
    for (unsigned i = 0; i < crew->size; i++)
        sizes[i] = out[i].len;
    MPI_Alltoall(sizes, 1, MPI_UINT64_T, sizes + crew->size, 1, MPI_UINT64_T, MPI_COMM_WORLD);
    for (unsigned i = 0; i < crew->size; i++)
        receive(&t, &in[i], sizes[crew->size + i], (int)i);
    for (unsigned i = 0; i < crew->size; i++)
        send(&t, &out[i], (int)i);
    for (size_t done = 0; done < t.count;) {
        int some = t.count - done < PIECE ? (int)(t.count - done) : PIECE;
        MPI_Waitall(some, t.requests + done, MPI_STATUSES_IGNORE);
        done += (size_t)some;
    }
    free(t.requests);
    free(sizes);
    return true;
}

static bool join(pj_crew *crew, pj_err *err)
{
    int ended, provided, rank, size;
    MPI_Finalized(&ended);
    if (ended)
        return pj_fail(
            err, PJ_E_USAGE, NULL, 0,
            "several processes can work together only once: name all traces in one call");
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    if (provided < MPI_THREAD_SERIALIZED) {
        MPI_Finalize();
        return pj_fail(err, PJ_E_MISSING, NULL, 0, "this MPI was built without threads");
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    crew->rank = (unsigned)rank;
    crew->size = (unsigned)size;
    crew->carry = carry;
    crew->self = crew;
    return true;
}

static void leave(pj_crew *crew)
{
    (void)crew;
    MPI_Finalize();
}

const pj_ranks_module pj_ranks_mpi = {.join = join, .leave = leave};
