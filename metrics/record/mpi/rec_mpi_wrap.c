// The functions of MPI that programs call, around the library's own (PMPI). What they return is
// what the library returns; messages and collectives are written once they have succeeded.
#include "metrics/record/mpi/rec_mpi_call.h"
#include "metrics/record/mpi/rec_mpi_clocks.h"
#include "metrics/record/mpi/rec_mpi_comms.h"
#include "metrics/record/mpi/rec_mpi_merge.h"
#include "metrics/record/mpi/rec_mpi_requests.h"
#include "metrics/record/rec_clock.h"
#include "metrics/record/rec_defs.h"
#include "metrics/record/rec_export.h"
#include "metrics/record/rec_part.h"

#include <pthread.h>
#include <stdlib.h>

typedef pj_rec_mpi_call call;

/// Whether this job is to be recorded, so that all its processes take part in what the recorder has
/// to send: one that cannot record, or that records no more, does so too.
static bool world_recorded;

/// OTF2_RegionRole (OTF2 3.0).
enum {
    ROLE_FUNCTION = 1,
    ROLE_BARRIER = 15,
    ROLE_ONE2ALL = 23,
    ROLE_ALL2ONE = 24,
    ROLE_ALL2ALL = 25,
    ROLE_COLL_OTHER = 26,
    ROLE_FILE_IO = 27,
    ROLE_P2P = 28,
    ROLE_RMA = 29,
};

enum { MESSAGES = 256 };

// Sizes

static uint64_t bytes(int count, MPI_Datatype type)
{
    int size = 0;
    if (type != MPI_DATATYPE_NULL && count > 0)
        PMPI_Type_size(type, &size);
    return size > 0 ? (uint64_t)count * (uint64_t)size : 0;
}

static uint64_t size_of(MPI_Comm comm)
{
    return (uint64_t)pj_rec_mpi_comms_find(comm).size;
}

static bool is_root(MPI_Comm comm, int root)
{
    pj_rec_mpi_comm known = pj_rec_mpi_comms_find(comm);
    return known.id && (known.between ? root == MPI_ROOT : known.rank == root);
}

static uint64_t at_root(MPI_Comm comm, int root, uint64_t value)
{
    return is_root(comm, root) ? value : 0;
}

/// Arguments that only the root has are not looked at elsewhere.
#define AT_ROOT(value) (is_root(comm, root) ? (value) : 0)

static uint64_t sum_of(const int *counts, MPI_Comm comm, MPI_Datatype type)
{
    uint64_t sum = 0;
    for (uint64_t i = 0, size = size_of(comm); i < size; i++)
        sum += bytes(counts[i], type);
    return sum;
}

static uint64_t sum_of_types(const int *counts, const MPI_Datatype *types, MPI_Comm comm)
{
    uint64_t sum = 0;
    for (uint64_t i = 0, size = size_of(comm); i < size; i++)
        sum += bytes(counts[i], types[i]);
    return sum;
}

static uint64_t own_count(const int *counts, MPI_Comm comm, MPI_Datatype type)
{
    return bytes(counts[pj_rec_mpi_comms_find(comm).rank], type);
}

static uint64_t received_bytes(const MPI_Status *status)
{
    int count = 0;
    PMPI_Get_count(status, MPI_BYTE, &count);
    return count > 0 ? (uint64_t)count : 0;
}

// Messages

static uint64_t rank_of(int peer)
{
    return (uint64_t)(uint32_t)peer;
}

static void sent(const call *c, int peer, int tag, int count, MPI_Datatype type, MPI_Comm comm)
{
    uint32_t id = c->thread && peer != MPI_PROC_NULL ? pj_rec_mpi_comms_id(comm) : 0;
    if (id)
        pj_rec_mpi_call_write(c, PJ_REC_MPI_SEND, c->before,
                              (uint64_t[]){rank_of(peer), id, rank_of(tag), bytes(count, type)});
}

static void received(const call *c, const MPI_Status *status, MPI_Comm comm)
{
    uint32_t id = c->thread && status->MPI_SOURCE != MPI_PROC_NULL ? pj_rec_mpi_comms_id(comm) : 0;
    if (id)
        pj_rec_mpi_call_write(c, PJ_REC_MPI_RECV, pj_rec_now(),
                              (uint64_t[]){rank_of(status->MPI_SOURCE), id,
                                           rank_of(status->MPI_TAG), received_bytes(status)});
}

// Messages that were probed: their communicator

static pthread_mutex_t message_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    MPI_Message message;
    MPI_Comm comm;
    bool used;
} messages[MESSAGES];

static void message_probed(const MPI_Message *message, MPI_Comm comm)
{
    pthread_mutex_lock(&message_lock);
    for (int i = 0; i < MESSAGES; i++)
        if (!messages[i].used) {
            messages[i].message = *message;
            messages[i].comm = comm;
            messages[i].used = true;
            break;
        }
    pthread_mutex_unlock(&message_lock);
}

static MPI_Comm message_comm(const MPI_Message *message)
{
    MPI_Comm comm = MPI_COMM_NULL;
    pthread_mutex_lock(&message_lock);
    for (int i = 0; i < MESSAGES; i++)
        if (messages[i].used && messages[i].message == *message) {
            comm = messages[i].comm;
            messages[i].used = false;
            break;
        }
    pthread_mutex_unlock(&message_lock);
    return comm;
}

// Requests

static void write_send(const call *c, const pj_rec_mpi_request *r)
{
    pj_rec_mpi_call_write(c, PJ_REC_MPI_ISEND, c->before,
                          (uint64_t[]){rank_of(r->peer), r->comm, rank_of(r->tag), r->sent, r->id});
}

static void write_receive(const call *c, const pj_rec_mpi_request *r)
{
    pj_rec_mpi_call_write(c, PJ_REC_MPI_IRECV_REQUEST, c->before, &r->id);
}

static pj_rec_mpi_request request_on(const call *c, const MPI_Request *handle, MPI_Comm comm,
                                     pj_rec_mpi_request_kind kind)
{
    return (pj_rec_mpi_request){.handle = *handle,
                                .kind = kind,
                                .comm = c->thread ? pj_rec_mpi_comms_id(comm) : 0,
                                .on = comm,
                                .active = true,
                                .id = pj_rec_mpi_requests_number()};
}

// NOLINTNEXTLINE(readability-function-size): what its function of MPI has
static void send_posted(const call *c, const MPI_Request *handle, int peer, int tag, int count,
                        MPI_Datatype type, MPI_Comm comm)
{
    pj_rec_mpi_request r = request_on(c, handle, comm, PJ_REC_REQUEST_SEND);
    if (!r.comm || peer == MPI_PROC_NULL)
        return;
    r.peer = peer;
    r.tag = tag;
    r.sent = bytes(count, type);
    pj_rec_mpi_requests_add(r);
    write_send(c, &r);
}

static void receive_posted(const call *c, const MPI_Request *handle, int peer, MPI_Comm comm)
{
    pj_rec_mpi_request r = request_on(c, handle, comm, PJ_REC_REQUEST_RECEIVE);
    if (!r.comm || peer == MPI_PROC_NULL)
        return;
    pj_rec_mpi_requests_add(r);
    write_receive(c, &r);
}

// NOLINTNEXTLINE(readability-function-size): what its function of MPI has
static void send_made(const call *c, const MPI_Request *handle, int peer, int tag, int count,
                      MPI_Datatype type, MPI_Comm comm)
{
    pj_rec_mpi_request r = request_on(c, handle, comm, PJ_REC_REQUEST_SEND);
    if (!r.comm || peer == MPI_PROC_NULL)
        return;
    r.persistent = true;
    r.active = false;
    r.peer = peer;
    r.tag = tag;
    r.sent = bytes(count, type);
    pj_rec_mpi_requests_add(r);
}

static void receive_made(const call *c, const MPI_Request *handle, int peer, MPI_Comm comm)
{
    pj_rec_mpi_request r = request_on(c, handle, comm, PJ_REC_REQUEST_RECEIVE);
    r.persistent = true;
    r.active = false;
    if (r.comm && peer != MPI_PROC_NULL)
        pj_rec_mpi_requests_add(r);
}

static void started(const call *c, const MPI_Request *handles, int count)
{
    pj_rec_mpi_request r;
    for (int i = 0; c->thread && i < count; i++) {
        if (!pj_rec_mpi_requests_start(handles[i], &r))
            continue;
        if (r.kind == PJ_REC_REQUEST_SEND)
            write_send(c, &r);
        else
            write_receive(c, &r);
    }
}

static void write_end(const call *c, const pj_rec_mpi_request *r, const MPI_Status *status)
{
    int cancelled = 0;
    const uint64_t now = pj_rec_now();
    if (r->kind != PJ_REC_REQUEST_COLLECTIVE)
        PMPI_Test_cancelled(status, &cancelled);
    if (cancelled)
        pj_rec_mpi_call_write(c, PJ_REC_MPI_REQUEST_CANCELLED, now, &r->id);
    else if (r->kind == PJ_REC_REQUEST_SEND)
        pj_rec_mpi_call_write(c, PJ_REC_MPI_ISEND_COMPLETE, now, &r->id);
    else if (r->kind == PJ_REC_REQUEST_RECEIVE)
        pj_rec_mpi_call_write(c, PJ_REC_MPI_IRECV, now,
                              (uint64_t[]){rank_of(status->MPI_SOURCE), r->comm,
                                           rank_of(status->MPI_TAG), received_bytes(status),
                                           r->id});
    else
        pj_rec_mpi_call_write(c, PJ_REC_NON_BLOCKING_COLLECTIVE_COMPLETE, now,
                              (uint64_t[]){(uint64_t)r->operation, r->comm,
                                           r->root < 0 ? PJ_REC_UNDEFINED : (uint64_t)r->root,
                                           r->sent, r->received, r->id});
    if (r->made)
        pj_rec_mpi_comms_add_dup(r->on, *r->made, r->dup);
}

/// The request that had been `index` of those of the call.
static void completed(const call *c, int index, const MPI_Status *status)
{
    pj_rec_mpi_request r;
    if (c->thread && index >= 0 && index < c->count && c->requests[index] != MPI_REQUEST_NULL &&
        pj_rec_mpi_requests_take(c->requests[index], &r))
        write_end(c, &r, status);
}

static void all_completed(const call *c, int count, const MPI_Status *statuses)
{
    for (int i = 0; c->thread && i < count; i++)
        completed(c, i, &statuses[i]);
}

static void some_completed(const call *c, int count, const int *indices, const MPI_Status *statuses)
{
    for (int i = 0; c->thread && count != MPI_UNDEFINED && i < count; i++)
        completed(c, indices[i], &statuses[i]);
}

static void tested(const call *c)
{
    pj_rec_mpi_request r;
    if (c->thread && c->count == 1 && pj_rec_mpi_requests_find(c->requests[0], &r) && r.active)
        pj_rec_mpi_call_write(c, PJ_REC_MPI_REQUEST_TEST, pj_rec_now(), &r.id);
}

/// A freed send ends there; a freed receive has no end that could be told.
static void freed(const call *c)
{
    pj_rec_mpi_request r;
    if (!c->thread || c->count != 1 || !pj_rec_mpi_requests_remove(c->requests[0], &r) || !r.active)
        return;
    pj_rec_mpi_call_write(
        c, r.kind == PJ_REC_REQUEST_SEND ? PJ_REC_MPI_ISEND_COMPLETE : PJ_REC_MPI_REQUEST_CANCELLED,
        pj_rec_now(), &r.id);
}

// Collectives

static void begin_collective(call *c, MPI_Comm comm)
{
    c->collective = c->thread ? pj_rec_mpi_comms_id(comm) : 0;
    if (c->collective)
        pj_rec_mpi_call_write(c, PJ_REC_MPI_COLLECTIVE_BEGIN, c->before, NULL);
}

static void collective(call *c, int operation, MPI_Comm comm, int root, uint64_t out, uint64_t in)
{
    (void)comm;
    if (c->collective)
        pj_rec_mpi_call_write(c, PJ_REC_MPI_COLLECTIVE_END, pj_rec_now(),
                              (uint64_t[]){(uint64_t)operation, c->collective,
                                           root < 0 ? PJ_REC_UNDEFINED : (uint64_t)root, out, in});
    c->collective = 0;
}

// NOLINTNEXTLINE(readability-function-size): what its function of MPI has
static void collective_posted(const call *c, const MPI_Request *handle, int operation,
                              MPI_Comm comm, int root, uint64_t out, uint64_t in)
{
    pj_rec_mpi_request r = request_on(c, handle, comm, PJ_REC_REQUEST_COLLECTIVE);
    if (!r.comm)
        return;
    r.operation = operation;
    r.root = root;
    r.sent = out;
    r.received = in;
    pj_rec_mpi_requests_add(r);
    pj_rec_mpi_call_write(c, PJ_REC_NON_BLOCKING_COLLECTIVE_REQUEST, c->before, &r.id);
}

/// The communicator is there when the request is completed.
static void dup_posted(const call *c, const MPI_Request *handle, MPI_Comm comm, MPI_Comm *made)
{
    pj_rec_mpi_request r = request_on(c, handle, comm, PJ_REC_REQUEST_COLLECTIVE);
    r.dup = pj_rec_mpi_comms_begin_dup(comm);
    if (!r.comm)
        return;
    r.operation = CREATE_HANDLE;
    r.root = NO_ROOT;
    r.made = made;
    pj_rec_mpi_requests_add(r);
    pj_rec_mpi_call_write(c, PJ_REC_NON_BLOCKING_COLLECTIVE_REQUEST, c->before, &r.id);
}

/// In every process, whether or not it still records: the name is told by a broadcast.
#define comm_made(c, parent, made)                                                                 \
    if ((c)->outermost && world_recorded)                                                          \
    pj_rec_mpi_comms_add(parent, *(made), __func__)

static void comm_freed(MPI_Comm comm)
{
    pj_rec_mpi_comms_remove(comm);
}

// Every row as a function

#define ONE_STATUS(wanted)                                                                         \
    MPI_Status own_status;                                                                         \
    if (wanted == MPI_STATUS_IGNORE)                                                               \
    wanted = &own_status
#define ALL_STATUSES(wanted, number)                                                               \
    if (wanted == MPI_STATUSES_IGNORE && pj_rec_mpi_call_statuses(&c, number))                     \
    wanted = c.statuses
#define keep pj_rec_mpi_call_keep

#define CALL(name, role, parameters, arguments, before, after)                                     \
    PJ_REC_API int name parameters                                                                 \
    {                                                                                              \
        static uint32_t region;                                                                    \
        call c;                                                                                    \
        pj_rec_mpi_call_begin(&c, &region, #name, ROLE_##role);                                    \
        before;                                                                                    \
        int done = P##name arguments;                                                              \
        if (done == MPI_SUCCESS) {                                                                 \
            after;                                                                                 \
        }                                                                                          \
        pj_rec_mpi_call_end(&c);                                                                   \
        return done;                                                                               \
    }
#include "metrics/record/mpi/mpi_wrapped.def"
#undef CALL

// Begin and end

static void begin_world(call *c)
{
    int rank, size;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    world_recorded = getenv("POPINJAY_RECORD") || pj_rec_started();
    if (!world_recorded)
        return;
    if (c->thread)
        pj_rec_defs_numbers('P', "0\t%d\t%d", rank, size);
    pj_rec_mpi_clocks_measure();
    pj_rec_mpi_comms_begin();
    begin_collective(c, MPI_COMM_WORLD);
    collective(c, CREATE_HANDLE, MPI_COMM_WORLD, NO_ROOT, 0, 0);
}

PJ_REC_API int MPI_Init(int *argc, char ***argv)
{
    static uint32_t region;
    call c;
    pj_rec_mpi_call_begin(&c, &region, __func__, ROLE_COLL_OTHER);
    int done = PMPI_Init(argc, argv);
    if (done == MPI_SUCCESS)
        begin_world(&c);
    pj_rec_mpi_call_end(&c);
    return done;
}

PJ_REC_API int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    static uint32_t region;
    call c;
    pj_rec_mpi_call_begin(&c, &region, __func__, ROLE_COLL_OTHER);
    int done = PMPI_Init_thread(argc, argv, required, provided);
    if (done == MPI_SUCCESS)
        begin_world(&c);
    pj_rec_mpi_call_end(&c);
    return done;
}

/// When all have closed their parts, the first process makes the archive.
static void merge_all(void)
{
    int rank;
    PMPI_Barrier(MPI_COMM_WORLD);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        pj_rec_mpi_merge();
}

/// The part is closed before MPI is gone: nothing of this process may be needed afterwards.
PJ_REC_API int MPI_Finalize(void)
{
    static uint32_t region;
    call c;
    pj_rec_mpi_call_begin(&c, &region, __func__, ROLE_COLL_OTHER);
    if (world_recorded) {
        begin_collective(&c, MPI_COMM_WORLD);
        PMPI_Barrier(MPI_COMM_WORLD);
        collective(&c, DESTROY_HANDLE, MPI_COMM_WORLD, NO_ROOT, 0, 0);
        pj_rec_mpi_clocks_measure();
    }
    pj_rec_mpi_call_end(&c);
    pj_rec_finish();
    if (world_recorded)
        merge_all();
    return PMPI_Finalize();
}

PJ_REC_API int MPI_Abort(MPI_Comm comm, int errorcode)
{
    pj_rec_finish();
    return PMPI_Abort(comm, errorcode);
}
