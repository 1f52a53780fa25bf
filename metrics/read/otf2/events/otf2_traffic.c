// MPI calls of a location and what ties them to other ranks.
// Receives without completion in the trace (eztrace) wait for the calls that may have completed
// them.
#include "metrics/read/otf2/events/otf2_traffic.h"

#include "metrics/base/buf.h"
#include "metrics/base/map.h"
#include "metrics/base/str.h"
#include "metrics/read/otf2/events/otf2_event.h"
#include "metrics/read/otf2/events/otf2_give.h"
#include "metrics/read/otf2/events/otf2_index.h"
#include "metrics/read/otf2/events/otf2_ranged.h"
#include "metrics/read/otf2/events/otf2_requests.h"
#include "metrics/read/otf2/otf2_defs.h"
#include "metrics/trace/event.h"
#include "metrics/trace/mpi_call.h"

// Calls

void pj_otf2_begin_call(pj_otf2_location *location, uint64_t time, uint32_t index)
{
    if (location->now.calls++ > 0)
        return;
    location->now.call_begin = time;
    location->now.call_region = index;
    pj_otf2_settle(location, time);
    pj_event *event = pj_otf2_give(location, time, PJ_EV_MPI);
    event->a = pj_otf2_region_at(location, index)->call;
    event->code = pj_otf2_region_at(location, index)->class_;
}

static void add_op(pj_otf2_location *location, pj_otf2_op op)
{
    if (location->ops.count == location->ops.cap)
        pj_grow(location->ops.at, &location->ops.cap, location->ops.count + 1);
    location->ops.at[location->ops.count++] = op;
}

/// An operation that is looked at when the stream comes to `time`.
static void give_op(pj_otf2_location *location, uint64_t time, pj_otf2_op op)
{
    pj_otf2_give(location, time, PJ_EV_MESSAGE)->a = location->ops.base + location->ops.count;
    add_op(location, op);
}

/// Completes the receives that this call has waited for: all, or the oldest one.
static void complete_posts(pj_otf2_location *location, uint64_t time)
{
    const pj_mpi_call_row *row =
        pj_mpi_call_at(pj_otf2_region_at(location, location->now.call_region)->call);
    if (!row || row->role != PJ_ROLE_WAIT)
        return;
    pj_str name = pj_str_of(row->name);
    location->pending.waits += location->pending.fresh;
    location->pending.partial |=
        location->pending.fresh && !pj_str_equal(name, PJ_S("MPI_Waitall"));
    location->pending.fresh = false;
    if (location->pending.post_count == 0 || pj_str_starts(name, PJ_S("MPI_Test")))
        return; // whether a test has completed anything is not in the trace
    bool all = pj_str_ends(name, PJ_S("all")) || pj_str_ends(name, PJ_S("some"));
    size_t n = all ? location->pending.post_count : 1;
    for (size_t i = 0; i < n; i++)
        give_op(location, time,
                (pj_otf2_op){.kind = PJ_OTF2_OP_INFERRED,
                             .tag = location->pending.waits,
                             .begin = location->pending.posts[location->pending.post_first + i],
                             .end = time});
    location->pending.post_first += n;
    location->pending.post_count -= n;
}

void pj_otf2_end_call(pj_otf2_location *location, uint64_t time)
{
    if (location->now.calls == 0 || --location->now.calls > 0)
        return;
    pj_otf2_settle(location, time);
    complete_posts(location, time);
    pj_event *event = pj_otf2_give(location, time, PJ_EV_MPI);
    event->code = pj_otf2_region_at(location, location->now.call_region)->class_;
    if (location->now.collectives) {
        pj_otf2_count(location, PJ_IMPORT_collective_not_ended);
        location->now.collectives = 0;
    }
}

// Messages

static const pj_otf2_comm *comm_of(pj_otf2_location *location, uint64_t id, uint32_t *index)
{
    if (!pj_map_get(&location->defs->comm_of, pj_otf2_global_of(location, PJ_OTF2_OF_COMM, id),
                    index))
        return NULL;
    const pj_otf2_comm *comm = &location->defs->comms[*index];
    return comm->number ? comm : NULL;
}

static bool has_rank(const uint32_t *ranks, uint32_t size, uint32_t rank)
{
    for (uint32_t i = 0; i < size; i++)
        if (ranks[i] == rank)
            return true;
    return false;
}

/// The rank in the run of a member that the trace names by its rank in the communicator.
static uint32_t peer_of(const pj_otf2_location *location, const pj_otf2_comm *comm, uint64_t member)
{
    if (comm->self)
        return location->rank;
    bool across = comm->other && has_rank(comm->ranks, comm->size, location->rank);
    const uint32_t *ranks = across ? comm->other : comm->ranks;
    return member < (across ? comm->other_size : comm->size) ? ranks[member] : PJ_OTF2_NONE;
}

/// Ids that stand for MPI_PROC_NULL: negative numbers of the tracer's MPI.
static bool is_nobody(uint64_t member)
{
    return member >= UINT32_MAX - 15;
}

/// Message records: peer, communicator, tag, bytes. False when the message is left out.
static bool message_op(pj_otf2_location *location, const pj_otf2_event *event, pj_otf2_op *op)
{
    if (is_nobody(event->field[0])) {
        pj_otf2_count(location, PJ_IMPORT_message_to_nobody);
        return false;
    }
    const pj_otf2_comm *comm = comm_of(location, event->field[1], &op->comm);
    op->peer = comm ? peer_of(location, comm, event->field[0]) : PJ_OTF2_NONE;
    op->tag = (uint32_t)event->field[2];
    op->bytes = event->field[3];
    if (op->peer == PJ_OTF2_NONE) {
        pj_otf2_count(location, PJ_IMPORT_unknown_peer);
        return false;
    }
    if (location->ranged)
        op->number = pj_otf2_ranged_number(location->ranged, op);
    else if (location->index)
        pj_otf2_index_count(location, op);
    return true;
}

/// When the call that is open began, as nothing was given out since.
static uint64_t time_in_call(const pj_otf2_location *location, uint64_t time)
{
    return location->now.since < time ? location->now.since : time;
}

static pj_event *give_in_call(pj_otf2_location *location, uint64_t time, uint16_t kind)
{
    return pj_otf2_give(location, time_in_call(location, time), kind);
}

/// The number of the location's channel to and from another rank, told when it is new.
static uint32_t channel_of(pj_otf2_location *location, uint64_t time, const pj_otf2_op *op)
{
    uint64_t key = (uint64_t)op->peer << 32 | op->comm;
    uint32_t channel;
    if (pj_map_get(&location->pending.channels, key, &channel))
        return channel;
    channel = (uint32_t)location->pending.channels.count;
    pj_map_put(&location->pending.channels, key, channel);
    give_in_call(location, time, PJ_EV_PART)->a = key;
    return channel;
}

/// The location's own end of a message. `more`: of a send its bytes, of a receive when it was
/// posted.
static void give_part(pj_otf2_location *location, uint64_t time, const pj_otf2_op *op,
                      pj_part_kind kind, uint64_t more)
{
    if (!location->parts)
        return;
    uint64_t channel = channel_of(location, time, op);
    pj_event *event = give_in_call(location, time, PJ_EV_PART);
    event->a = channel << 32 | op->tag;
    event->b = more;
    event->code = (uint16_t)kind;
    location->pending.send_count += kind == PJ_PART_SEND;
}

static void give_post(pj_otf2_location *location, uint64_t time)
{
    if (!location->parts)
        return;
    pj_event *event = give_in_call(location, time, PJ_EV_PART);
    event->b = time;
    event->code = PJ_PART_POST;
}

void pj_otf2_send(pj_otf2_location *location, uint64_t time, const pj_otf2_event *event)
{
    pj_otf2_op op = {.kind = PJ_OTF2_OP_SEND, .begin = time, .end = time};
    if (!message_op(location, event, &op))
        return;
    if (location->sent && event->type == PJ_OTF2_MPI_ISEND)
        pj_otf2_requests_put(&location->pending.sends, event->field[4],
                             location->pending.send_count);
    give_part(location, time, &op, PJ_PART_SEND, op.bytes);
    give_op(location, location->parts ? time_in_call(location, time) : time, op);
}

void pj_otf2_sent(pj_otf2_location *location, uint64_t time, uint64_t request)
{
    uint64_t number;
    if (!location->now.calls || !pj_otf2_requests_take(&location->pending.sends, request, &number))
        return;
    pj_event *event = give_in_call(location, time, PJ_EV_PART);
    event->a = number;
    event->code = PJ_PART_SENT;
}

void pj_otf2_receive(pj_otf2_location *location, uint64_t time, const pj_otf2_event *event)
{
    pj_otf2_op op = {.kind = PJ_OTF2_OP_RECEIVE, .end = time};
    pj_part_kind part = PJ_PART_RECEIVE;
    op.begin = location->now.calls ? location->now.call_begin : time;
    if (event->type == PJ_OTF2_MPI_IRECV) {
        location->pending.completed++;
        if (pj_otf2_requests_take(&location->pending.requests, event->field[4], &op.begin))
            part = PJ_PART_COMPLETE;
        else
            pj_otf2_count(location, PJ_IMPORT_request_unknown);
    }
    if (!message_op(location, event, &op))
        return;
    give_part(location, time, &op, part, op.begin);
    if (location->infer)
        give_op(location, time, op);
    else
        add_op(location, op);
}

void pj_otf2_post(pj_otf2_location *location, uint64_t time, uint64_t request)
{
    location->pending.posted++;
    location->pending.fresh = true;
    if (!location->infer) {
        pj_otf2_requests_put(&location->pending.requests, request, time);
        give_post(location, time);
        return;
    }
    if (location->pending.post_first > location->pending.post_count) { // mostly completed: close up
        memmove(location->pending.posts, location->pending.posts + location->pending.post_first,
                location->pending.post_count * sizeof *location->pending.posts);
        location->pending.post_first = 0;
    }
    size_t end = location->pending.post_first + location->pending.post_count++;
    pj_grow(location->pending.posts, &location->pending.post_cap, end + 1);
    location->pending.posts[end] = time;
}

// Collectives

static uint32_t root_of(const pj_otf2_location *location, const pj_otf2_comm *comm, uint64_t member)
{
    return member < UINT32_MAX ? peer_of(location, comm, member) : PJ_OTF2_NONE;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void pj_otf2_begin_collective(pj_otf2_location *location, uint64_t time)
{
    location->now.collective_begin = time;
    location->now.collectives++;
}

void pj_otf2_collective(pj_otf2_location *location, uint64_t time, const pj_otf2_event *event)
{
    uint32_t index;
    const pj_otf2_comm *comm = comm_of(location, event->field[1], &index);
    uint64_t begin =
        location->now.calls ? location->now.call_begin : location->now.collective_begin;
    location->now.collectives -= location->now.collectives > 0;
    if (!comm) {
        pj_otf2_count(location, PJ_IMPORT_collective_not_ended);
        return;
    }
    uint32_t root = root_of(location, comm, event->field[2]);
    pj_event *out = give_in_call(location, time, PJ_EV_COLLECTIVE);
    out->a = comm->number;
    out->b = larger(event->field[3], event->field[4]);
    out->code = root == location->rank;
    if (!comm->self && !location->ranged)
        add_op(location, (pj_otf2_op){.kind = PJ_OTF2_OP_COLLECTIVE,
                                      .operation = (uint8_t)event->field[0],
                                      .comm = index,
                                      .peer = root,
                                      .begin = begin,
                                      .end = time});
}

// One-sided synchronisation

enum { SIGNAL_POST, SIGNAL_COMPLETE }; // tags

/// The communicator of a window, by its index in defs->comms; NULL = not of MPI processes.
static const pj_otf2_comm *comm_of_window(pj_otf2_location *location, uint64_t id, uint32_t *index)
{
    uint64_t window = pj_otf2_global_of(location, PJ_OTF2_OF_WINDOW, id);
    return pj_map_get(&location->defs->window_of, window, index) ? &location->defs->comms[*index]
                                                                 : NULL;
}

void pj_otf2_window_collective(pj_otf2_location *location, uint64_t time,
                               const pj_otf2_event *event)
{
    uint32_t index;
    const pj_otf2_comm *comm = comm_of_window(location, event->field[2], &index);
    if (!comm || !location->now.calls)
        return;
    pj_event *out = give_in_call(location, time, PJ_EV_COLLECTIVE);
    out->a = comm->number;
    out->b = larger(event->field[4], event->field[5]);
}

/// A signal without content, between the rank and each of the group: a post goes to the origins,
/// who wait for it when they complete; a completion goes to the targets.
static void give_signals(pj_otf2_location *location, uint64_t time, pj_otf2_op op, bool sends)
{
    op.kind = sends ? PJ_OTF2_OP_SIGNAL : PJ_OTF2_OP_SIGNALLED;
    op.begin = op.end = time;
    give_part(location, time, &op, sends ? PJ_PART_SEND : PJ_PART_RECEIVE, 0);
    if (location->parts)
        add_op(location, op);
}

void pj_otf2_window_signal(pj_otf2_location *location, uint64_t time, const pj_otf2_event *event)
{
    uint32_t at;
    pj_otf2_op op = {.tag = SIGNAL_POST};
    uint64_t id = pj_otf2_global_of(location, PJ_OTF2_OF_GROUP, event->field[2]);
    const pj_otf2_comm *comm = comm_of_window(location, event->field[1], &op.comm);
    if (!location->now.calls || !comm || !pj_map_get(&location->defs->group_of, id, &at))
        return;
    const pj_otf2_group *group = &location->defs->groups[at];
    const pj_mpi_call_row *row =
        pj_mpi_call_at(pj_otf2_region_at(location, location->now.call_region)->call);
    pj_str name = pj_str_of(row ? row->name : "");
    bool posts = pj_str_equal(name, PJ_S("MPI_Win_post"));
    bool completes = pj_str_equal(name, PJ_S("MPI_Win_complete"));
    bool waits =
        pj_str_equal(name, PJ_S("MPI_Win_wait")) || pj_str_equal(name, PJ_S("MPI_Win_test"));
    op.comm += location->defs->comm_count;
    for (uint32_t i = 0; i < group->size; i++) {
        op.peer = group->ranks[i];
        if (op.peer == PJ_OTF2_NONE)
            continue;
        op.tag = posts || completes ? SIGNAL_POST : SIGNAL_COMPLETE;
        if (posts || completes || waits)
            give_signals(location, time, op, posts);
        op.tag = SIGNAL_COMPLETE;
        if (completes)
            give_signals(location, time, op, true);
    }
}

/// At its own time: what others do while the call lasts decides.
static void give_lock(pj_otf2_location *location, uint64_t time, uint64_t lock, uint64_t what)
{
    pj_otf2_settle(location, time);
    pj_event *out = pj_otf2_give(location, time, PJ_EV_PART);
    out->a = lock;
    out->b = what;
    out->code = PJ_PART_LOCK;
}

void pj_otf2_window_lock(pj_otf2_location *location, uint64_t time, const pj_otf2_event *event)
{
    enum { EXCLUSIVE = 0 }; // OTF2_LockType
    if (!location->locks || !location->parts || !location->now.calls)
        return;
    uint64_t window = pj_otf2_global_of(location, PJ_OTF2_OF_WINDOW, event->field[0]);
    uint64_t what = event->type == PJ_OTF2_RMA_RELEASE_LOCK   ? PJ_RMA_RELEASED
                    : event->type == PJ_OTF2_RMA_ACQUIRE_LOCK ? PJ_RMA_ACQUIRED
                                                              : PJ_RMA_ASKED;
    if (what != PJ_RMA_RELEASED && event->field[3] == EXCLUSIVE)
        what |= PJ_RMA_EXCLUSIVE;
    give_lock(location, time, window << 32 | (uint32_t)event->field[1], what);
}

// Non-blocking collectives

static void give_request(pj_otf2_location *location, uint64_t time)
{
    if (!location->now.calls)
        pj_otf2_settle(location, time);
    give_in_call(location, time, PJ_EV_REQUEST)->a = location->pending.collective_count++;
}

void pj_otf2_collective_request(pj_otf2_location *location, uint64_t time, uint64_t request)
{
    pj_otf2_requests_put(&location->pending.collectives, request,
                         location->pending.collective_count);
    give_request(location, time);
}

void pj_otf2_collective_complete(pj_otf2_location *location, uint64_t time,
                                 const pj_otf2_event *event)
{
    uint32_t index;
    uint64_t number = location->pending.collective_count;
    const pj_otf2_comm *comm = comm_of(location, event->field[1], &index);
    if (!pj_otf2_requests_take(&location->pending.collectives, event->field[5], &number)) {
        pj_otf2_count(location, PJ_IMPORT_collective_not_requested);
        give_request(location, time);
    }
    if (!location->now.calls)
        pj_otf2_settle(location, time);
    pj_event *out = give_in_call(location, time, PJ_EV_COMPLETE);
    out->a = number << 32 | (comm ? comm->number : 0);
    out->b = larger(event->field[3], event->field[4]);
    out->code = comm && root_of(location, comm, event->field[2]) == location->rank;
}
