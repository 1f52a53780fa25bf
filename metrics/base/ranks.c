// The module popinjay-mpi.so: carries the bytes of a process group with MPI. Every pair exchanges a
// letter; what is too large for it follows in pieces that an int can count.
#include "metrics/base/ranks.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

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

/// What every pair exchanges first: how much there is, and the bytes themselves if they are few.
typedef struct letter {
    uint64_t size;
    char bytes[]; // room_for() of them
} letter;

/// Less for many processes: each of them gets a letter from each.
static size_t room_for(unsigned processes)
{
    enum { LETTERS = 8 << 10, LEAST = 64, MOST = 248, STEP = 8 };
    size_t share = LETTERS / processes / STEP * STEP;
    return share > MOST ? MOST : share < LEAST ? LEAST : share;
}

static void write_letters(const pj_process_group *group, const pj_buf *out, size_t room,
                          char *letters)
{
    for (unsigned i = 0; i < group->size; i++, letters += sizeof(letter) + room) {
        letter *l = (letter *)letters;
        l->size = out[i].len;
        if (l->size <= room && l->size)
            memcpy(l->bytes, out[i].at, l->size);
    }
}

/// Takes what is in the letters, and sends and receives what is not.
static void read_letters(const pj_process_group *group, const pj_buf *out, size_t room,
                         const char *letters, pj_buf *in)
{
    transfer t = {.requests = NULL};
    for (unsigned i = 0; i < group->size; i++, letters += sizeof(letter) + room) {
        const letter *l = (const letter *)letters;
        in[i].len = 0;
        if (l->size <= room)
            pj_buf_add(&in[i], (pj_str){l->bytes, l->size});
        else
            receive(&t, &in[i], l->size, (int)i);
    }
    for (unsigned i = 0; i < group->size; i++)
        if (out[i].len > room)
            send(&t, &out[i], (int)i);
    for (size_t done = 0; done < t.count;) {
        int some = t.count - done < PIECE ? (int)(t.count - done) : PIECE;
        MPI_Waitall(some, t.requests + done, MPI_STATUSES_IGNORE);
        done += (size_t)some;
    }
    free(t.requests);
}

/// Errors of MPI itself end all processes: that is its default.
static bool carry(void *self, const pj_buf *out, pj_buf *in, pj_err *err)
{
    const pj_process_group *group = self;
    (void)err;
    size_t room = room_for(group->size), size = sizeof(letter) + room;
    char *letters = pj_take_memory(2 * group->size * size);
    char *theirs = letters + group->size * size;
    memset(letters, 0, group->size * size);
    write_letters(group, out, room, letters);
    MPI_Alltoall(letters, (int)size, MPI_BYTE, theirs, (int)size, MPI_BYTE, MPI_COMM_WORLD);
    read_letters(group, out, room, theirs, in);
    free(letters);
    return true;
}

static bool join(pj_process_group *group, pj_err *err)
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
    group->rank = (unsigned)rank;
    group->size = (unsigned)size;
    group->carry = carry;
    group->self = group;
    return true;
}

static void leave(pj_process_group *group)
{
    (void)group;
    MPI_Finalize();
}

const pj_ranks_module pj_ranks_mpi = {.join = join, .leave = leave};
