// Receives without completion in the trace (eztrace) wait for the calls that may have completed
// them.
#include "metrics/read/otf2/events/otf2_traffic.h"

#include "metrics/read/otf2/events/otf2_give.h"
#include "metrics/read/otf2/events/otf2_zoom.h"

// Calls

void pj_otf2_begin_call(pj_otf2_place *place, uint64_t time, uint32_t index)
{
    if (place->now.calls++ > 0)
        return;
    place->now.call_begin = time;
    place->now.call_region = index;
    pj_otf2_settle(place, time);
    pj_event *event = pj_otf2_give(place, time, PJ_EV_MPI);
    event->a = pj_otf2_region_at(place, index)->call;
    event->code = pj_otf2_region_at(place, index)->class_;
}

static void add_op(pj_otf2_place *place, pj_otf2_op op)
{
    if (place->op_count == place->op_cap)
        pj_grow(place->ops, &place->op_cap, place->op_count + 1);
    place->ops[place->op_count++] = op;
}

/// An operation that is looked at when the stream comes to `time`.
static void give_op(pj_otf2_place *place, uint64_t time, pj_otf2_op op)
{
    pj_otf2_give(place, time, PJ_EV_MESSAGE)->a = place->op_base + place->op_count;
    add_op(place, op);
}

/// Completes the receives that this call has waited for: all, or the oldest one.
static void complete_posts(pj_otf2_place *place, uint64_t time)
{
    const pj_mpi_call_row *row =
        pj_mpi_call_at(pj_otf2_region_at(place, place->now.call_region)->call);
    if (!row || row->role != PJ_ROLE_WAIT)
        return;
    pj_str name = pj_str_of(row->name);
    place->waits += place->fresh;
    place->partial |= place->fresh && !pj_str_equal(name, PJ_S("MPI_Waitall"));
    place->fresh = false;
    if (place->post_count == 0 || pj_str_starts(name, PJ_S("MPI_Test")))
        return; // whether a test has completed anything is not in the trace
    bool all = pj_str_ends(name, PJ_S("all")) || pj_str_ends(name, PJ_S("some"));
    size_t n = all ? place->post_count : 1;
    for (size_t i = 0; i < n; i++)
        give_op(place, time,
                (pj_otf2_op){.kind = PJ_OTF2_OP_INFERRED,
                             .tag = place->waits,
                             .begin = place->posts[place->post_first + i],
                             .end = time});
    place->post_first += n;
    place->post_count -= n;
}

void pj_otf2_end_call(pj_otf2_place *place, uint64_t time)
{
    if (place->now.calls == 0 || --place->now.calls > 0)
        return;
    pj_otf2_settle(place, time);
    complete_posts(place, time);
    pj_event *event = pj_otf2_give(place, time, PJ_EV_MPI);
    event->code = pj_otf2_region_at(place, place->now.call_region)->class_;
    if (place->now.collectives) {
        pj_otf2_count(place, PJ_IMPORT_collective_not_ended);
        place->now.collectives = 0;
    }
}

// Messages

static const pj_otf2_comm *comm_of(pj_otf2_place *place, uint64_t id, uint32_t *index)
{
    if (!pj_map_get(&place->defs->comm_of, pj_otf2_global_of(place, PJ_OTF2_OF_COMM, id), index))
        return NULL;
    const pj_otf2_comm *comm = &place->defs->comms[*index];
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
static uint32_t peer_of(const pj_otf2_place *place, const pj_otf2_comm *comm, uint64_t member)
{
    if (comm->self)
        return place->rank;
    bool across = comm->other && has_rank(comm->ranks, comm->size, place->rank);
    const uint32_t *ranks = across ? comm->other : comm->ranks;
    return member < (across ? comm->other_size : comm->size) ? ranks[member] : PJ_OTF2_NONE;
}

/// Ids that stand for MPI_PROC_NULL: negative numbers of the tracer's MPI.
static bool is_nobody(uint64_t member)
{
    return member >= UINT32_MAX - 15;
}

/// Message records: peer, communicator, tag, bytes. False when the message is left out.
static bool message_op(pj_otf2_place *place, const pj_otf2_event *event, pj_otf2_op *op)
{
    if (is_nobody(event->field[0])) {
        pj_otf2_count(place, PJ_IMPORT_message_to_nobody);
        return false;
    }
    const pj_otf2_comm *comm = comm_of(place, event->field[1], &op->comm);
    op->peer = comm ? peer_of(place, comm, event->field[0]) : PJ_OTF2_NONE;
    op->tag = (uint32_t)event->field[2];
    op->bytes = event->field[3];
    if (op->peer == PJ_OTF2_NONE) {
        pj_otf2_count(place, PJ_IMPORT_unknown_peer);
        return false;
    }
    if (place->zoom)
        op->number = pj_otf2_zoom_number(place->zoom, op);
    else if (place->trail)
        pj_otf2_trail_count(place, op);
    return true;
}

/// When the call that is open began, as nothing was given out since.
static uint64_t time_in_call(const pj_otf2_place *place, uint64_t time)
{
    return place->now.since < time ? place->now.since : time;
}

static pj_event *give_in_call(pj_otf2_place *place, uint64_t time, uint16_t kind)
{
    return pj_otf2_give(place, time_in_call(place, time), kind);
}

/// The number of the place's channel to and from another rank, told when it is new.
static uint32_t channel_of(pj_otf2_place *place, uint64_t time, const pj_otf2_op *op)
{
    uint64_t key = (uint64_t)op->peer << 32 | op->comm;
    uint32_t channel;
    if (pj_map_get(&place->channels, key, &channel))
        return channel;
    channel = (uint32_t)place->channels.count;
    pj_map_put(&place->channels, key, channel);
    give_in_call(place, time, PJ_EV_PART)->a = key;
    return channel;
}

/// The place's own end of a message. `more`: of a send its bytes, of a receive when it was posted.
static void give_part(pj_otf2_place *place, uint64_t time, const pj_otf2_op *op, pj_part_kind kind,
                      uint64_t more)
{
    if (!place->parts)
        return;
    uint64_t channel = channel_of(place, time, op);
    pj_event *event = give_in_call(place, time, PJ_EV_PART);
    event->a = channel << 32 | op->tag;
    event->b = more;
    event->code = (uint16_t)kind;
}

static void give_post(pj_otf2_place *place, uint64_t time)
{
    if (!place->parts)
        return;
    pj_event *event = give_in_call(place, time, PJ_EV_PART);
    event->b = time;
    event->code = PJ_PART_POST;
}

void pj_otf2_send(pj_otf2_place *place, uint64_t time, const pj_otf2_event *event)
{
    pj_otf2_op op = {.kind = PJ_OTF2_OP_SEND, .begin = time, .end = time};
    if (!message_op(place, event, &op))
        return;
    give_part(place, time, &op, PJ_PART_SEND, op.bytes);
    give_op(place, place->parts ? time_in_call(place, time) : time, op);
}

void pj_otf2_receive(pj_otf2_place *place, uint64_t time, const pj_otf2_event *event)
{
    pj_otf2_op op = {.kind = PJ_OTF2_OP_RECEIVE, .end = time};
    pj_part_kind part = PJ_PART_RECEIVE;
    op.begin = place->now.calls ? place->now.call_begin : time;
    if (event->type == PJ_OTF2_MPI_IRECV) {
        place->completed++;
        if (pj_otf2_requests_take(&place->requests, event->field[4], &op.begin))
            part = PJ_PART_COMPLETE;
        else
            pj_otf2_count(place, PJ_IMPORT_request_unknown);
    }
    if (!message_op(place, event, &op))
        return;
    give_part(place, time, &op, part, op.begin);
    if (place->infer)
        give_op(place, time, op);
    else
        add_op(place, op);
}

void pj_otf2_post(pj_otf2_place *place, uint64_t time, uint64_t request)
{
    place->posted++;
    place->fresh = true;
    if (!place->infer) {
        pj_otf2_requests_put(&place->requests, request, time);
        give_post(place, time);
        return;
    }
    if (place->post_first > place->post_count) { // mostly completed: close up
        memmove(place->posts, place->posts + place->post_first,
                place->post_count * sizeof *place->posts);
        place->post_first = 0;
    }
    size_t end = place->post_first + place->post_count++;
    pj_grow(place->posts, &place->post_cap, end + 1);
    place->posts[end] = time;
}

// Collectives

static uint32_t root_of(const pj_otf2_place *place, const pj_otf2_comm *comm, uint64_t member)
{
    return member < UINT32_MAX ? peer_of(place, comm, member) : PJ_OTF2_NONE;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void pj_otf2_collective(pj_otf2_place *place, uint64_t time, const pj_otf2_event *event)
{
    uint32_t index;
    const pj_otf2_comm *comm = comm_of(place, event->field[1], &index);
    uint64_t begin = place->now.calls ? place->now.call_begin : place->now.collective_begin;
    place->now.collectives -= place->now.collectives > 0;
    if (!comm) {
        pj_otf2_count(place, PJ_IMPORT_collective_not_ended);
        return;
    }
    uint32_t root = root_of(place, comm, event->field[2]);
    pj_event *out = give_in_call(place, time, PJ_EV_COLLECTIVE);
    out->a = comm->number;
    out->b = larger(event->field[3], event->field[4]);
    out->code = root == place->rank;
    if (!comm->self && !place->zoom)
        add_op(place, (pj_otf2_op){.kind = PJ_OTF2_OP_COLLECTIVE,
                                   .operation = (uint8_t)event->field[0],
                                   .comm = index,
                                   .peer = root,
                                   .begin = begin,
                                   .end = time});
}

// One-sided synchronisation

enum { SIGNAL_POST, SIGNAL_COMPLETE }; // tags

/// The communicator of a window, by its index in defs->comms; NULL = not of MPI processes.
static const pj_otf2_comm *comm_of_window(pj_otf2_place *place, uint64_t id, uint32_t *index)
{
    uint64_t window = pj_otf2_global_of(place, PJ_OTF2_OF_WINDOW, id);
    return pj_map_get(&place->defs->window_of, window, index) ? &place->defs->comms[*index] : NULL;
}

void pj_otf2_window_collective(pj_otf2_place *place, uint64_t time, const pj_otf2_event *event)
{
    uint32_t index;
    const pj_otf2_comm *comm = comm_of_window(place, event->field[2], &index);
    if (!comm || !place->now.calls)
        return;
    pj_event *out = give_in_call(place, time, PJ_EV_COLLECTIVE);
    out->a = comm->number;
    out->b = larger(event->field[4], event->field[5]);
}

/// A signal without content, between the rank and each of the group: a post goes to the origins,
/// who wait for it when they complete; a completion goes to the targets.
static void give_signals(pj_otf2_place *place, uint64_t time, pj_otf2_op op, bool sends)
{
    op.kind = sends ? PJ_OTF2_OP_SIGNAL : PJ_OTF2_OP_SIGNALLED;
    op.begin = op.end = time;
    give_part(place, time, &op, sends ? PJ_PART_SEND : PJ_PART_RECEIVE, 0);
    if (place->parts)
        add_op(place, op);
}

void pj_otf2_window_signal(pj_otf2_place *place, uint64_t time, const pj_otf2_event *event)
{
    uint32_t at;
    pj_otf2_op op = {.tag = SIGNAL_POST};
    uint64_t id = pj_otf2_global_of(place, PJ_OTF2_OF_GROUP, event->field[2]);
    const pj_otf2_comm *comm = comm_of_window(place, event->field[1], &op.comm);
    if (!place->now.calls || !comm || !pj_map_get(&place->defs->group_of, id, &at))
        return;
    const pj_otf2_group *group = &place->defs->groups[at];
    const pj_mpi_call_row *row =
        pj_mpi_call_at(pj_otf2_region_at(place, place->now.call_region)->call);
    pj_str name = pj_str_of(row ? row->name : "");
    bool posts = pj_str_equal(name, PJ_S("MPI_Win_post"));
    bool completes = pj_str_equal(name, PJ_S("MPI_Win_complete"));
    bool waits =
        pj_str_equal(name, PJ_S("MPI_Win_wait")) || pj_str_equal(name, PJ_S("MPI_Win_test"));
    op.comm += place->defs->comm_count;
    for (uint32_t i = 0; i < group->size; i++) {
        op.peer = group->ranks[i];
        if (op.peer == PJ_OTF2_NONE)
            continue;
        op.tag = posts || completes ? SIGNAL_POST : SIGNAL_COMPLETE;
        if (posts || completes || waits)
            give_signals(place, time, op, posts);
        op.tag = SIGNAL_COMPLETE;
        if (completes)
            give_signals(place, time, op, true);
    }
}

// Non-blocking collectives

static void give_request(pj_otf2_place *place, uint64_t time)
{
    if (!place->now.calls)
        pj_otf2_settle(place, time);
    give_in_call(place, time, PJ_EV_REQUEST)->a = place->collective_count++;
}

void pj_otf2_collective_request(pj_otf2_place *place, uint64_t time, uint64_t request)
{
    pj_otf2_requests_put(&place->collectives, request, place->collective_count);
    give_request(place, time);
}

void pj_otf2_collective_complete(pj_otf2_place *place, uint64_t time, const pj_otf2_event *event)
{
    uint32_t index;
    uint64_t number = place->collective_count;
    const pj_otf2_comm *comm = comm_of(place, event->field[1], &index);
    if (!pj_otf2_requests_take(&place->collectives, event->field[5], &number)) {
        pj_otf2_count(place, PJ_IMPORT_collective_not_requested);
        give_request(place, time);
    }
    if (!place->now.calls)
        pj_otf2_settle(place, time);
    pj_event *out = give_in_call(place, time, PJ_EV_COMPLETE);
    out->a = number << 32 | (comm ? comm->number : 0);
    out->b = larger(event->field[3], event->field[4]);
    out->code = comm && root_of(place, comm, event->field[2]) == place->rank;
}
