// Matching of messages and collectives.
// Queues per sender, receiver and communicator: messages of one tag do not overtake each other.
#include "metrics/read/otf2/events/otf2_match.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/map.h"
#include "metrics/base/shelf.h"
#include "metrics/read/otf2/otf2_defs.h"
#include "metrics/trace/event.h"
#include "metrics/trace/import_stats.h"

#include <stdlib.h>

enum { ALL_PAIRS = 32 }; // members of collectives whose pairs are all looked at

typedef struct message {
    pj_message record;
    bool complete, released;
    uint32_t next_free;
} message;

typedef struct waiting { // a send or a receive without the other one
    pj_otf2_op op;
    uint32_t location;
} waiting;

typedef struct channel {
    pj_shelf sends, receives; // waiting, by tag and number
    uint32_t from, to, comm;
    uint64_t sent, received; // received: with a completion
    uint64_t given;          // receives by their number
    bool counted;
    uint32_t quota;     // messages that one wait of the receiver completes
    uint32_t completed; // by the wait that ended at
    uint64_t wait;
    uint32_t next_to; // next channel to the same rank; PJ_OTF2_NONE = none
} channel;

typedef struct visit { // of a member to a collective
    uint64_t enter, leave;
} visit;

typedef struct meeting { // a collective that not all members have come to
    visit *visits;       // by member
    uint32_t come;
    uint32_t root; // member; PJ_OTF2_NONE = none
    uint8_t operation;
} meeting;

typedef struct party { // of a communicator
    pj_map member_of;  // by rank
    uint64_t *next;    // by member: number of its next collective
    uint64_t first;    // number of meetings[0]
    meeting *meetings; // from `head` on
    size_t head, count, cap;
    bool known;
} party;

struct pj_otf2_match {
    const pj_otf2_defs *defs;
    pj_otf2_sync *sync;
    pj_map pair_of;    // (from, to) -> number
    pj_map channel_of; // (pair, comm) -> index
    channel *channels;
    size_t channel_count, channel_cap;
    message *messages;
    size_t message_count, message_cap;
    uint32_t free;  // first unused message; PJ_OTF2_NONE = none
    uint32_t *late; // completed after their release
    size_t late_first, late_count, late_cap;
    party *parties;  // by comm
    size_t bytes;    // of shelves and meetings
    pj_map first_to; // first channel to a rank whose receives are inferred
    pj_map forgiven; // ranks that may leave messages without a receive
    uint64_t inferred, reversed;
    pj_otf2_reach reach;
};

pj_otf2_match *pj_otf2_match_new(const pj_otf2_defs *defs, pj_otf2_sync *sync)
{
    pj_otf2_match *match = pj_take_memory(sizeof *match);
    *match = (pj_otf2_match){.defs = defs, .sync = sync, .free = PJ_OTF2_NONE};
    size_t size = defs->comm_count * sizeof *match->parties;
    match->parties = memset(pj_take_memory(size + 1), 0, size);
    pj_otf2_reach_begin(&match->reach);
    return match;
}

static void free_party(party *p)
{
    for (size_t i = p->head; i < p->head + p->count; i++)
        free(p->meetings[i].visits);
    pj_map_free(&p->member_of);
    free(p->next);
    free(p->meetings);
}

void pj_otf2_match_free(pj_otf2_match *match)
{
    if (!match)
        return;
    for (size_t i = 0; i < match->channel_count; i++) {
        pj_shelf_free(&match->channels[i].sends);
        pj_shelf_free(&match->channels[i].receives);
    }
    for (uint32_t i = 0; i < match->defs->comm_count; i++)
        free_party(&match->parties[i]);
    pj_map_free(&match->pair_of);
    pj_map_free(&match->channel_of);
    pj_map_free(&match->first_to);
    pj_map_free(&match->forgiven);
    free(match->parties);
    free(match->channels);
    free(match->messages);
    free(match->late);
    free(match);
}

size_t pj_otf2_match_bytes(const pj_otf2_match *match)
{
    return match->bytes + match->message_cap * sizeof *match->messages +
           match->channel_cap * sizeof *match->channels + match->late_cap * sizeof *match->late;
}

const pj_otf2_reach *pj_otf2_match_reach(const pj_otf2_match *match)
{
    return &match->reach;
}

// Messages

static uint64_t key_of(const pj_otf2_op *op)
{
    return (uint64_t)op->tag << 32 | op->number;
}

static void put(pj_otf2_match *match, pj_shelf *shelf, const pj_otf2_op *op, uint32_t number)
{
    size_t before = pj_shelf_bytes(shelf);
    pj_shelf_put(shelf, key_of(op), &(waiting){*op, number});
    match->bytes += pj_shelf_bytes(shelf) - before;
}

/// Takes the oldest one that fits.
static bool take(pj_otf2_match *match, pj_shelf *shelf, const pj_otf2_op *other, waiting *out)
{
    size_t before = pj_shelf_bytes(shelf);
    bool taken = pj_shelf_take(shelf, key_of(other), PJ_OLDEST, out);
    match->bytes += pj_shelf_bytes(shelf) - before;
    return taken;
}

static bool take_first(pj_otf2_match *match, pj_shelf *shelf, waiting *out)
{
    size_t before = pj_shelf_bytes(shelf);
    bool taken = pj_shelf_take_first(shelf, out);
    match->bytes += pj_shelf_bytes(shelf) - before;
    return taken;
}

static channel *channel_for(pj_otf2_match *match, uint32_t from, uint32_t to, uint32_t comm)
{
    uint32_t pair, index;
    uint64_t ends = (uint64_t)from << 32 | to;
    if (!pj_map_get(&match->pair_of, ends, &pair)) {
        pair = (uint32_t)match->pair_of.count;
        pj_map_put(&match->pair_of, ends, pair);
    }
    uint64_t key = (uint64_t)pair << 32 | comm;
    if (!pj_map_get(&match->channel_of, key, &index)) {
        index = (uint32_t)match->channel_count++;
        pj_map_put(&match->channel_of, key, index);
        pj_grow(match->channels, &match->channel_cap, match->channel_count);
        const pj_shelf empty = {.item_size = sizeof(waiting)};
        match->channels[index] = (channel){.sends = empty,
                                           .receives = empty,
                                           .from = from,
                                           .to = to,
                                           .comm = comm,
                                           .next_to = PJ_OTF2_NONE};
    }
    return &match->channels[index];
}

static uint32_t new_message(pj_otf2_match *match)
{
    uint32_t index = match->free;
    if (index != PJ_OTF2_NONE) {
        match->free = match->messages[index].next_free;
    } else {
        index = (uint32_t)match->message_count++;
        pj_grow(match->messages, &match->message_cap, match->message_count);
    }
    match->messages[index] = (message){.complete = false};
    return index;
}

static void drop_message(pj_otf2_match *match, uint32_t index)
{
    match->messages[index].next_free = match->free;
    match->free = index;
}

static void complete(pj_otf2_match *match, const waiting *send, const waiting *receive,
                     uint32_t from, uint32_t to)
{
    message *m = &match->messages[send->op.message];
    m->record = (pj_message){.logical_send = send->op.begin,
                             .physical_send = send->op.begin,
                             .logical_recv = receive->op.begin,
                             .physical_recv = receive->op.end,
                             .size = send->op.bytes,
                             .tag = send->op.tag,
                             .from = send->location,
                             .to = receive->location};
    m->complete = true;
    match->reversed += receive->op.end < send->op.begin;
    pj_otf2_sync_message(match->sync, from, send->op.begin, to, receive->op.end);
    pj_otf2_reach_add(&match->reach, send->op.begin, receive->op.end);
    if (!m->released)
        return;
    pj_grow(match->late, &match->late_cap, match->late_count + 1);
    match->late[match->late_count++] = send->op.message;
}

static void take_send(pj_otf2_match *match, const pj_otf2_location *location, pj_otf2_op *op)
{
    channel *c = channel_for(match, location->rank, op->peer, op->comm);
    op->message = new_message(match);
    c->sent++;
    waiting send = {*op, location->number}, receive;
    if (c->counted ? take_first(match, &c->receives, &receive)
                   : take(match, &c->receives, op, &receive))
        complete(match, &send, &receive, location->rank, op->peer);
    else
        put(match, &c->sends, op, location->number);
}

static void take_receive(pj_otf2_match *match, const pj_otf2_location *location,
                         const pj_otf2_op *op)
{
    channel *c = channel_for(match, op->peer, location->rank, op->comm);
    waiting receive = {*op, location->number}, send;
    c->received++;
    if (take(match, &c->sends, op, &send))
        complete(match, &send, &receive, op->peer, location->rank);
    else
        put(match, &c->receives, op, location->number);
}

/// Only whether each has its other end matters.
static void take_signal(pj_otf2_match *match, const pj_otf2_location *location,
                        const pj_otf2_op *op)
{
    bool sends = op->kind == PJ_OTF2_OP_SIGNAL;
    channel *c = channel_for(match, sends ? location->rank : op->peer,
                             sends ? op->peer : location->rank, op->comm);
    waiting other;
    if (!take(match, sends ? &c->receives : &c->sends, op, &other))
        put(match, sends ? &c->sends : &c->receives, op, location->number);
}

// Receives without completions

size_t pj_otf2_match_traffic(const pj_otf2_match *match, uint32_t rank, pj_otf2_traffic *out)
{
    size_t n = 0;
    for (size_t i = 0; i < match->channel_count; i++) {
        const channel *c = &match->channels[i];
        if (c->to != rank || !c->sent)
            continue;
        if (out)
            out[n] = (pj_otf2_traffic){.from = c->from,
                                       .to = c->to,
                                       .comm = c->comm,
                                       .completed = c->received > 0,
                                       .sends = c->sent};
        n++;
    }
    return n;
}

void pj_otf2_match_infer(pj_otf2_match *match, const pj_otf2_traffic *traffic, uint32_t waits)
{
    channel *c = channel_for(match, traffic->from, traffic->to, traffic->comm);
    if (c->quota)
        return; // another thread of the rank lacks completions too
    c->quota = waits ? (uint32_t)((traffic->sends + waits - 1) / waits) : 1;
    c->counted = traffic->counted;
    pj_map_get(&match->first_to, traffic->to, &c->next_to);
    pj_map_put(&match->first_to, traffic->to, (uint32_t)(c - match->channels));
}

bool pj_otf2_match_infers(const pj_otf2_match *match, uint32_t rank)
{
    uint32_t first;
    return pj_map_get(&match->first_to, rank, &first);
}

bool pj_otf2_match_sender(const pj_otf2_match *match, uint32_t rank, uint32_t *cursor,
                          uint32_t *from)
{
    uint32_t index = *cursor ? match->channels[*cursor - 1].next_to : PJ_OTF2_NONE;
    if (!*cursor)
        pj_map_get(&match->first_to, rank, &index);
    if (index == PJ_OTF2_NONE)
        return false;
    *cursor = index + 1;
    *from = match->channels[index].from;
    return true;
}

/// The first channel that has not given as many receives as the waits up to this one complete.
static channel *counted_to(pj_otf2_match *match, uint32_t rank, uint64_t wait)
{
    uint32_t index = PJ_OTF2_NONE;
    pj_map_get(&match->first_to, rank, &index);
    for (; index != PJ_OTF2_NONE; index = match->channels[index].next_to) {
        channel *c = &match->channels[index];
        if (c->counted && c->given < wait * c->quota)
            return c;
    }
    return NULL;
}

/// Gives the receive a sender if numbers decide; else it is left to the order of time.
static void take_inferred(pj_otf2_match *match, const pj_otf2_location *location, pj_otf2_op *op)
{
    channel *c = counted_to(match, location->rank, op->tag);
    if (!c)
        return;
    op->kind = PJ_OTF2_OP_COUNTED;
    c->given++;
    match->inferred++;
    waiting receive = {*op, location->number}, send;
    if (take_first(match, &c->sends, &send))
        complete(match, &send, &receive, c->from, c->to);
    else
        put(match, &c->receives, op, location->number);
}

static uint64_t first_sent(const channel *c)
{
    const waiting *first = pj_shelf_first(&c->sends);
    return first->op.begin;
}

/// The channel with the oldest send that a wait up to `end` may have completed; NULL = none.
static channel *oldest_to(pj_otf2_match *match, uint32_t rank, uint64_t end)
{
    uint32_t index = PJ_OTF2_NONE;
    channel *oldest = NULL;
    pj_map_get(&match->first_to, rank, &index);
    for (; index != PJ_OTF2_NONE; index = match->channels[index].next_to) {
        channel *c = &match->channels[index];
        if (c->counted || c->sends.count == 0 || (c->wait == end && c->completed >= c->quota))
            continue;
        uint64_t begin = first_sent(c);
        if (begin <= end && (!oldest || begin < first_sent(oldest)))
            oldest = c;
    }
    return oldest;
}

void pj_otf2_match_receive(pj_otf2_match *match, const pj_otf2_location *location,
                           const pj_otf2_op *op)
{
    if (op->kind == PJ_OTF2_OP_RECEIVE)
        take_receive(match, location, op);
    if (op->kind != PJ_OTF2_OP_INFERRED)
        return;
    channel *c = oldest_to(match, location->rank, op->end);
    if (!c)
        return; // nobody sent: it was posted for MPI_PROC_NULL
    waiting receive = {*op, location->number}, send;
    take_first(match, &c->sends, &send);
    c->completed = c->wait == op->end ? c->completed + 1 : 1;
    c->wait = op->end;
    match->inferred++;
    complete(match, &send, &receive, c->from, c->to);
}

bool pj_otf2_match_message(const pj_otf2_match *match, uint32_t index, pj_message *out)
{
    const message *m = &match->messages[index];
    if (m->complete)
        *out = m->record;
    return m->complete;
}

bool pj_otf2_match_release(pj_otf2_match *match, uint32_t index, pj_message *out)
{
    match->messages[index].released = true;
    if (!pj_otf2_match_message(match, index, out))
        return false;
    drop_message(match, index);
    return true;
}

bool pj_otf2_match_late(pj_otf2_match *match, pj_message *out)
{
    if (match->late_first == match->late_count) {
        match->late_first = match->late_count = 0;
        return false;
    }
    uint32_t index = match->late[match->late_first++];
    *out = match->messages[index].record;
    drop_message(match, index);
    return true;
}

// Collectives

typedef enum flow { ALL_TO_ALL, ROOT_TO_ALL, ALL_TO_ROOT, NO_FLOW } flow;

/// Who waits for whom, by OTF2_CollectiveOp.
static flow flow_of(uint8_t operation)
{
    static const uint8_t flows[] = {
        [0] = ALL_TO_ALL,                                         // barrier
        [1] = ROOT_TO_ALL,                                        // broadcast
        [2] = ALL_TO_ROOT,  [3] = ALL_TO_ROOT,                    // gather
        [4] = ROOT_TO_ALL,  [5] = ROOT_TO_ALL,                    // scatter
        [6] = ALL_TO_ALL,   [7] = ALL_TO_ALL,                     // allgather
        [8] = ALL_TO_ALL,   [9] = ALL_TO_ALL,  [10] = ALL_TO_ALL, // alltoall
        [11] = ALL_TO_ALL,                                        // allreduce
        [12] = ALL_TO_ROOT,                                       // reduce
        [13] = ALL_TO_ALL,                                        // reduce_scatter
    };
    return operation < sizeof flows ? flows[operation] : NO_FLOW;
}

static party *party_of(pj_otf2_match *match, uint32_t comm)
{
    party *p = &match->parties[comm];
    const pj_otf2_comm *c = &match->defs->comms[comm];
    if (p->known)
        return p;
    p->known = true;
    p->next =
        memset(pj_take_memory((c->size + 1) * sizeof *p->next), 0, (c->size + 1) * sizeof *p->next);
    for (uint32_t i = 0; i < c->size; i++)
        pj_map_put(&p->member_of, c->ranks[i], i);
    return p;
}

static meeting *meeting_of(pj_otf2_match *match, party *p, uint64_t number, uint32_t size)
{
    while (p->count <= number - p->first) {
        if (p->head > 16 && p->head > p->count) {
            memmove(p->meetings, p->meetings + p->head, p->count * sizeof *p->meetings);
            p->head = 0;
        }
        pj_grow(p->meetings, &p->cap, p->head + p->count + 1);
        meeting *m = &p->meetings[p->head + p->count++];
        *m = (meeting){.root = PJ_OTF2_NONE};
        m->visits = pj_take_memory(size * sizeof *m->visits);
        match->bytes += size * sizeof *m->visits;
    }
    return &p->meetings[p->head + (size_t)(number - p->first)];
}

typedef struct extremes { // members of a meeting
    uint32_t last_in, first_out;
} extremes;

static extremes extremes_of(const meeting *m, uint32_t size, flow f)
{
    extremes e = {0, 0};
    bool from_root = f == ROOT_TO_ALL, to_root = f == ALL_TO_ROOT;
    for (uint32_t i = 1; i < size; i++) {
        e.last_in = m->visits[i].enter > m->visits[e.last_in].enter ? i : e.last_in;
        e.first_out = m->visits[i].leave < m->visits[e.first_out].leave ? i : e.first_out;
    }
    if (from_root)
        e.last_in = m->root;
    if (to_root)
        e.first_out = m->root;
    return e;
}

static void bind(pj_otf2_match *match, const meeting *m, const pj_otf2_comm *c, uint32_t a,
                 uint32_t b)
{
    flow f = flow_of(m->operation);
    if (f == ALL_TO_ALL || (f == ROOT_TO_ALL ? a == m->root : b == m->root))
        pj_otf2_sync_bind(match->sync, c->ranks[a], m->visits[a].enter, c->ranks[b],
                          m->visits[b].leave);
}

/// All pairs of a small meeting; of a large one those of everybody with who came last, who left
/// first, and the first member.
static void bind_members(pj_otf2_match *match, const meeting *m, const pj_otf2_comm *c, extremes e)
{
    for (uint32_t a = 0; a < c->size; a++) {
        for (uint32_t b = 0; c->size <= ALL_PAIRS && b < c->size; b++)
            bind(match, m, c, a, b);
        if (c->size <= ALL_PAIRS)
            continue;
        bind(match, m, c, e.last_in, a);
        bind(match, m, c, a, e.first_out);
        bind(match, m, c, 0, a);
        bind(match, m, c, a, 0);
    }
}

static void end_meeting(pj_otf2_match *match, const meeting *m, const pj_otf2_comm *c)
{
    flow f = flow_of(m->operation);
    bool rooted = f == ROOT_TO_ALL || f == ALL_TO_ROOT;
    if (f == NO_FLOW || c->size < 2 || (rooted && m->root == PJ_OTF2_NONE))
        return;
    extremes e = extremes_of(m, c->size, f);
    pj_otf2_sync_collective(match->sync,
                            (int64_t)(m->visits[e.last_in].enter - m->visits[e.first_out].leave));
    bind_members(match, m, c, e);
}

static void take_collective(pj_otf2_match *match, const pj_otf2_location *location,
                            const pj_otf2_op *op)
{
    const pj_otf2_comm *c = &match->defs->comms[op->comm];
    party *p = party_of(match, op->comm);
    uint32_t member;
    if (c->other || !pj_map_get(&p->member_of, location->rank, &member))
        return;
    meeting *m = meeting_of(match, p, p->next[member]++, c->size);
    m->visits[member] = (visit){op->begin, op->end};
    m->operation = op->operation;
    if (op->peer != PJ_OTF2_NONE)
        pj_map_get(&p->member_of, op->peer, &m->root);
    m->come++;
    while (p->count && p->meetings[p->head].come == c->size) {
        meeting *first = &p->meetings[p->head];
        end_meeting(match, first, c);
        free(first->visits);
        match->bytes -= c->size * sizeof *first->visits;
        p->head++;
        p->count--;
        p->first++;
    }
}

void pj_otf2_match_take(pj_otf2_match *match, pj_otf2_location *location)
{
    for (; location->ops.seen < location->ops.count; location->ops.seen++) {
        pj_otf2_op *op = &location->ops.at[location->ops.seen];
        switch ((pj_otf2_op_kind)op->kind) {
        case PJ_OTF2_OP_SEND:
            take_send(match, location, op);
            break;
        case PJ_OTF2_OP_RECEIVE:
            if (!location->infer)
                take_receive(match, location, op);
            break;
        case PJ_OTF2_OP_SIGNAL:
        case PJ_OTF2_OP_SIGNALLED:
            take_signal(match, location, op);
            break;
        case PJ_OTF2_OP_COLLECTIVE:
            take_collective(match, location, op);
            break;
        case PJ_OTF2_OP_INFERRED:
            take_inferred(match, location, op);
            break;
        case PJ_OTF2_OP_COUNTED:
            break;
        }
    }
}

void pj_otf2_match_forgive(pj_otf2_match *match, uint32_t rank)
{
    pj_map_put(&match->forgiven, rank, 0);
}

uint64_t pj_otf2_match_left(const pj_otf2_match *match)
{
    uint64_t left = 0;
    for (size_t i = 0; i < match->channel_count; i++)
        left += match->channels[i].sends.count + match->channels[i].receives.count;
    return left;
}

uint64_t pj_otf2_match_reversed(const pj_otf2_match *match)
{
    return match->reversed;
}

void pj_otf2_match_end(pj_otf2_match *match, pj_import_stats *import)
{
    uint32_t ignored;
    for (size_t i = 0; i < match->channel_count; i++) {
        if (!pj_map_get(&match->forgiven, match->channels[i].to, &ignored))
            import->count[PJ_IMPORT_message_not_received] += match->channels[i].sends.count;
        import->count[PJ_IMPORT_message_not_sent] += match->channels[i].receives.count;
    }
    import->count[PJ_IMPORT_receive_inferred] += match->inferred;
}
