// What an MPI call of a trace means in the replay.
// Each record of a message has three ends in time. An end waits in the heap of its location until
// the call that holds its time is replayed, and becomes the operation that this call makes of it.
#include "metrics/replay/calls.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/replay/engine/engine.h"
#include "metrics/replay/posts.h"
#include "metrics/replay/requested.h"
#include "metrics/trace/ends.h"
#include "metrics/trace/import_stats.h"

#include <stdlib.h>

enum {
    POSTS_IN_ALL = 32768, // receives without message that are remembered
    POSTS_LEAST = 1024,   // of each location: one from every other rank
    PENDING_MOST = 256,   // non-blocking collectives of a location that nothing has completed
};

/// What a role makes of the ends of messages within its call.
typedef struct role_rule {
    bool receives;  // logical receive: post and wait
    bool posts;     // logical receive: post
    bool sends;     // logical send: a send that may wait for its receiver
    bool isends;    // logical send: one that does not
    bool waits;     // physical receive: wait
    bool completes; // physical send of another call: that call has waited for it
} role_rule;

static const role_rule rules[] = {
    [PJ_ROLE_NONE] = {0},
    [PJ_ROLE_SEND] = {.sends = true, .waits = true},
    [PJ_ROLE_ISEND] = {.isends = true, .waits = true},
    [PJ_ROLE_RECV] = {.receives = true},
    [PJ_ROLE_IRECV] = {.posts = true},
    [PJ_ROLE_WAIT] = {.waits = true, .completes = true},
    [PJ_ROLE_SENDRECV] = {.posts = true, .sends = true, .waits = true},
    [PJ_ROLE_START] = {.posts = true, .sends = true},
    [PJ_ROLE_PROBE] = {.waits = true},
    [PJ_ROLE_BARRIER] = {0},
    [PJ_ROLE_REDUCE] = {0},
    [PJ_ROLE_ICOLLECTIVE] = {0},
    [PJ_ROLE_IREDUCE] = {0},
    [PJ_ROLE_INIT] = {0},
    [PJ_ROLE_FENCE] = {0},
    [PJ_ROLE_WINDOW] = {0},
    [PJ_ROLE_EPOCH] = {.posts = true, .isends = true, .waits = true},
};

/// MPI_Start where the trace tells its sends apart from blocking ones: as MPI_Isend and MPI_Irecv.
static const role_rule start_at_once = {.posts = true, .isends = true};

typedef struct part { // an end of a message in the call that comes next
    uint32_t message;
    pj_end_kind kind;
    bool later;    // a receive that another call completes
    uint64_t time; // when it is posted, ns; of a send its number
} part;

typedef struct caller { // of a location
    pj_ends ends;
    part *parts; // what the next call does, where messages come apart
    size_t part_count, part_cap;
    pj_posts posts;
    pj_posts sends;      // of MPI_Isend, by number: what tells when they are completed
    uint64_t send_count; // so far, where messages come apart
    uint64_t replayed;   // end of its last replayed call
    bool has_replayed;
    uint32_t *pending; // synchronisations of non-blocking collectives, the oldest first
    size_t pending_first, pending_count, pending_cap;
    pj_requested requested;
    uint32_t *awaited; // synchronisations of requests that the next call completes
    size_t awaited_count, awaited_cap;
    bool engaged;      // the next call requests or completes
    uint64_t unlocked; // when a rank gave a lock free that its next call waits for; 0 = none
    uint32_t unlocker; // that rank
} caller;

struct pj_calls {
    pj_arena *arena;
    pj_engine *engine;
    pj_groups *groups;
    const pj_run *run;
    pj_import_stats *stats;
    caller *callers;  // by location
    pj_mpi_call wait; // MPI_Wait: the only call that completes a non-blocking collective
    uint32_t posts_most;
    pj_end *kept; // ends that the next call may take
    size_t kept_count, kept_cap;
};

pj_calls *pj_calls_new(pj_engine *engine, pj_groups *groups, const pj_run *run,
                       pj_import_stats *stats)
{
    pj_arena *arena = pj_arena_new(NULL);
    pj_calls *calls = pj_new(arena, pj_calls);
    uint32_t share = POSTS_IN_ALL / (run->layout.locations ? run->layout.locations : 1);
    *calls = (pj_calls){.arena = arena, .engine = engine, .groups = groups, .run = run};
    calls->stats = stats;
    calls->callers = pj_new_n(arena, caller, run->layout.locations);
    calls->wait = pj_mpi_call_by_name(PJ_S("MPI_Wait"));
    calls->posts_most = share > POSTS_LEAST ? share : POSTS_LEAST;
    return calls;
}

void pj_calls_free(pj_calls *calls)
{
    if (!calls)
        return;
    for (uint32_t i = 0; i < calls->run->layout.locations; i++) {
        pj_ends_free(&calls->callers[i].ends);
        pj_posts_free(&calls->callers[i].posts);
        pj_posts_free(&calls->callers[i].sends);
        free(calls->callers[i].parts);
        free(calls->callers[i].pending);
        pj_requested_free(&calls->callers[i].requested);
        free(calls->callers[i].awaited);
    }
    free(calls->kept);
    pj_arena_free(calls->arena);
}

static void count(pj_calls *calls, pj_import_key key)
{
    pj_import_add(calls->stats, key, 0);
}

static void add(pj_calls *calls, uint32_t location, pj_op_kind kind, uint32_t what)
{
    pj_engine_add(calls->engine, location, kind, what);
}

// Messages

/// An end that no call has taken.
static void drop(pj_calls *calls, part end)
{
    switch (end.kind) {
    case PJ_END_POST:
        count(calls, PJ_IMPORT_message_without_receive);
        pj_engine_no_post(calls->engine, end.message, 0);
        break;
    case PJ_END_SEND:
        count(calls, PJ_IMPORT_message_without_send);
        pj_engine_no_send(calls->engine, end.message);
        break;
    case PJ_END_RECEIVED: // nobody waits for it
    case PJ_END_SENT:
    case PJ_END_KINDS:
        break;
    }
    pj_engine_message_release(calls->engine, end.message);
}

static void drop_end(pj_calls *calls, pj_end end)
{
    drop(calls, (part){end.message, pj_end_kind_of(end), false, 0});
}

/// The message of a receive whose call has been replayed. Gives its number, or PJ_NOTHING when
/// that call is not known; then `*ready` tells whether it was certainly posted before the send.
static uint32_t find_post(pj_calls *calls, const pj_message *record, bool *ready)
{
    caller *p = &calls->callers[record->to];
    pj_posted *posted = pj_posts_find(&p->posts, record->logical_recv, ready);
    if (!posted)
        return PJ_NOTHING;
    uint32_t message = posted->message;
    if (posted->many) { // stays for the call's other receives
        *ready = true;
        uint32_t many = message;
        message = pj_engine_message(calls->engine, record->from, record->to, record->size);
        pj_engine_post_like(calls->engine, message, many);
        pj_engine_message_release(calls->engine, message);
        return message;
    }
    posted->message = PJ_NOTHING;
    pj_posts_trim(&p->posts);
    pj_engine_bind(calls->engine, message, record->from, record->size);
    pj_engine_message_release(calls->engine, message); // what the posts held
    return message;
}

/// At equal times receives that complete first were posted first; of these one from the rank
/// itself, as its send comes behind it.
static uint64_t order_of_post(const pj_message *record)
{
    return pj_end_order(PJ_END_POST, record->physical_recv << 1 | (record->from != record->to));
}

/// When the receive of a post completes.
static uint64_t completion_of(pj_end post)
{
    return pj_end_rank_of(post) >> 1;
}

static uint32_t new_message(pj_calls *calls, const pj_message *record)
{
    const caller *to = &calls->callers[record->to];
    bool ready = false;
    if (to->has_replayed && record->logical_recv <= to->replayed) {
        uint32_t found = find_post(calls, record, &ready);
        if (found != PJ_NOTHING)
            return found;
    }
    uint32_t message = pj_engine_message(calls->engine, record->from, record->to, record->size);
    if (ready) {
        count(calls, PJ_IMPORT_receive_forgotten);
        pj_engine_no_post(calls->engine, message, 0);
        pj_engine_message_release(calls->engine, message);
    } else {
        pj_ends_add(&calls->callers[record->to].ends, record->logical_recv, order_of_post(record),
                    message);
    }
    return message;
}

/// At equal times receives that were posted first complete first.
uint32_t pj_calls_message(pj_calls *calls, const pj_message *record, uint64_t number)
{
    if (record->physical_recv < record->logical_send)
        count(calls, PJ_IMPORT_message_reversed);
    uint32_t message = new_message(calls, record);
    pj_ends_add(&calls->callers[record->from].ends, record->logical_send,
                pj_end_order(PJ_END_SEND, number), message);
    pj_ends_add(&calls->callers[record->to].ends, record->physical_recv,
                pj_end_order(PJ_END_RECEIVED, record->logical_recv), message);
    if (pj_engine_accounts(calls->engine) && record->physical_send > record->logical_send) {
        pj_engine_message_hold(calls->engine, message);
        pj_ends_add(&calls->callers[record->from].ends, record->physical_send,
                    pj_end_order(PJ_END_SENT, number), message);
    }
    return message;
}

static pj_mpi_role role_of(pj_mpi_call call)
{
    const pj_mpi_call_row *row = pj_mpi_call_at(call);
    return row ? row->role : PJ_ROLE_NONE;
}

/// Waitall, Testsome, Startall: calls for any number of messages.
static bool is_for_many(pj_mpi_call call)
{
    pj_str name = pj_str_of(pj_mpi_call_at(call)->name);
    return pj_str_ends(name, PJ_S("all")) || pj_str_ends(name, PJ_S("some"));
}

static const role_rule *rule_of(const pj_calls *calls, pj_mpi_role role)
{
    return role == PJ_ROLE_START && calls->run->told.starts_go_on ? &start_at_once : &rules[role];
}

static bool accepts(const role_rule *rule, pj_end_kind kind)
{
    switch (kind) {
    case PJ_END_POST:
        return rule->receives || rule->posts;
    case PJ_END_SEND:
        return rule->sends || rule->isends;
    case PJ_END_RECEIVED:
        return rule->waits;
    case PJ_END_SENT:
        return rule->completes;
    case PJ_END_KINDS:
        break;
    }
    return false;
}

/// Ends that a call has taken.
typedef struct taken {
    uint32_t count[PJ_END_KINDS];
    uint32_t received; // the message of a blocking receive
} taken;

/// Receives that wait for the next calls and complete when this one does.
static uint32_t kept_until(const pj_calls *calls, uint64_t completion)
{
    uint32_t count = 0;
    for (size_t i = 0; i < calls->kept_count; i++)
        count += pj_end_kind_of(calls->kept[i]) == PJ_END_POST &&
                 completion_of(calls->kept[i]) == completion;
    return count;
}

/// A blocking receive ends when its message is there, and comes after what its own rank sends:
/// large messages of MPI_Send wait for their receive, which was posted before. Each takes one.
static bool is_received_by(const pj_calls *calls, const pj_replay_call *call,
                           const pj_touching *next, pj_end post)
{
    bool itself = pj_engine_sends_itself(calls->engine, post.message);
    uint32_t before = kept_until(calls, completion_of(post));
    for (uint32_t i = 0; !rules[role_of(call->call)].receives && i < next->count; i++) {
        const role_rule *rule = rule_of(calls, role_of(next->calls[i]->call));
        if (itself && rule->sends)
            return false;
        if (rule->receives && completion_of(post) == next->calls[i]->end && before-- == 0)
            return true;
    }
    return false;
}

/// Whether the call would wait for what its own rank sends only after it.
static bool waits_for_later(const pj_calls *calls, const pj_replay_call *call, pj_end post)
{
    const role_rule *rule = &rules[role_of(call->call)];
    bool waits = rule->receives || (rule->posts && rule->sends && rule->waits);
    if (!waits || !pj_engine_sends_itself(calls->engine, post.message))
        return false;
    uint64_t number = pj_ends_order_of(&calls->callers[call->location].ends, post.message,
                                       PJ_END_SEND, call->end);
    return number == UINT64_MAX || (calls->run->idealised && number > call->number);
}

/// Whether the rank itself sends the message, in a call that comes only now: none waits for it.
static bool is_still_to_be_sent(const pj_calls *calls, const pj_replay_call *call, uint32_t message)
{
    if (!pj_engine_sends_itself(calls->engine, message))
        return false;
    for (size_t i = 0; i < calls->kept_count; i++)
        if (calls->kept[i].message == message && pj_end_kind_of(calls->kept[i]) == PJ_END_SEND)
            return true;
    return pj_ends_order_of(&calls->callers[call->location].ends, message, PJ_END_SEND,
                            call->end) != UINT64_MAX;
}

/// Whether an end at the very end of the call is rather one of the calls that begin there: in
/// traces whose clock is coarse calls touch or last no time. An idealised trace has each message
/// before the call that sends it.
static bool is_of_next(const pj_calls *calls, const pj_replay_call *call, const pj_touching *next,
                       pj_end end, const taken *so_far)
{
    if (next->count == 0 || end.time != call->end)
        return false;
    pj_end_kind kind = pj_end_kind_of(end);
    if (kind == PJ_END_SENT)
        return false;
    if (kind == PJ_END_SEND && calls->run->idealised)
        return pj_end_rank_of(end) > call->number;
    if (kind == PJ_END_POST &&
        (waits_for_later(calls, call, end) || is_received_by(calls, call, next, end)))
        return true;
    if (so_far->count[kind] > 0 && !is_for_many(call->call))
        return true;
    if (kind == PJ_END_RECEIVED)
        return !pj_engine_has_post(calls->engine, end.message) ||
               is_still_to_be_sent(calls, call, end.message);
    return call->begin < call->end &&
           accepts(rule_of(calls, role_of(next->calls[0]->call)), kind); // they mark the begin
}

/// Makes the operations of an end that its call accepts.
static void take(pj_calls *calls, uint32_t location, const role_rule *rule, part end, taken *so_far)
{
    so_far->count[end.kind]++;
    switch (end.kind) {
    case PJ_END_POST:
        add(calls, location, PJ_OP_POST, end.message);
        if (!rule->receives)
            break;
        so_far->received = end.message;
        add(calls, location, PJ_OP_WAIT, end.message);
        break;
    case PJ_END_SEND:
        if (rule == &rules[PJ_ROLE_START] && pj_engine_is_large(calls->engine, end.message))
            count(calls, PJ_IMPORT_start_waits);
        add(calls, location, rule->sends ? PJ_OP_SEND : PJ_OP_ISEND, end.message);
        break;
    case PJ_END_RECEIVED:
        add(calls, location, PJ_OP_WAIT, end.message);
        break;
    case PJ_END_SENT:
        add(calls, location, PJ_OP_SENT, end.message);
        break;
    case PJ_END_KINDS:
        break;
    }
    pj_engine_message_release(calls->engine, end.message);
}

/// Keeps for the next call what this one does not accept, or what is rather the next one's.
static taken take_ends(pj_calls *calls, const pj_replay_call *call, const role_rule *rule,
                       const pj_touching *next)
{
    pj_ends *ends = &calls->callers[call->location].ends;
    taken sum = {.received = PJ_NOTHING};
    for (pj_end end; pj_ends_pop(ends, call->end, &end);) {
        bool inside = end.time >= call->begin;
        if (inside && accepts(rule, pj_end_kind_of(end)) &&
            !is_of_next(calls, call, next, end, &sum)) {
            take(calls, call->location, rule, (part){end.message, pj_end_kind_of(end), false, 0},
                 &sum);
            continue;
        }
        bool over = pj_end_kind_of(end) == PJ_END_SENT ||
                    (pj_end_kind_of(end) == PJ_END_RECEIVED && end.message == sum.received);
        if (inside && end.time == call->end && !over) {
            pj_grow(calls->kept, &calls->kept_cap, calls->kept_count + 1);
            calls->kept[calls->kept_count++] = end;
        } else {
            drop_end(calls, end);
        }
    }
    for (size_t i = 0; i < calls->kept_count; i++)
        pj_ends_add(ends, calls->kept[i].time, calls->kept[i].order, calls->kept[i].message);
    calls->kept_count = 0;
    return sum;
}

// Ends of messages that are told apart

static void add_part(pj_calls *calls, uint32_t location, part item)
{
    caller *p = &calls->callers[location];
    pj_grow(p->parts, &p->part_cap, p->part_count + 1);
    p->parts[p->part_count++] = item;
}

void pj_calls_send(pj_calls *calls, uint32_t location, uint32_t message)
{
    add_part(calls, location,
             (part){message, PJ_END_SEND, false, calls->callers[location].send_count++});
}

void pj_calls_sent(pj_calls *calls, uint32_t location, uint64_t number)
{
    pj_posts *sends = &calls->callers[location].sends;
    bool forgotten;
    pj_posted *sent = pj_posts_find(sends, number, &forgotten);
    if (!sent)
        return;
    add_part(calls, location, (part){sent->message, PJ_END_SENT, false, 0});
    sent->message = PJ_NOTHING;
    pj_posts_trim(sends);
}

void pj_calls_post(pj_calls *calls, uint32_t location, uint64_t time)
{
    uint32_t message = pj_engine_post(calls->engine, location);
    add_part(calls, location, (part){message, PJ_END_POST, true, time});
}

/// The receive that the call itself has posted at `time`; PJ_NOTHING when it has not.
static uint32_t posted_here(pj_calls *calls, uint32_t location, uint64_t time)
{
    caller *p = &calls->callers[location];
    for (size_t i = p->part_count; i-- > 0;) {
        part *item = &p->parts[i];
        if (!item->later || item->time != time)
            continue;
        item->later = false;
        pj_engine_message_hold(calls->engine, item->message);
        return item->message;
    }
    return PJ_NOTHING;
}

/// The receive that was posted at `time`; if none is known, a new one that is ready always.
static uint32_t posted_at(pj_calls *calls, uint32_t location, uint64_t time)
{
    pj_posts *posts = &calls->callers[location].posts;
    bool forgotten;
    uint32_t here = posted_here(calls, location, time);
    if (here != PJ_NOTHING)
        return here;
    pj_posted *posted = pj_posts_find(posts, time, &forgotten);
    if (posted) {
        uint32_t message = posted->message;
        posted->message = PJ_NOTHING;
        pj_posts_trim(posts);
        return message;
    }
    count(calls, forgotten ? PJ_IMPORT_receive_forgotten : PJ_IMPORT_message_without_receive);
    uint32_t message = pj_engine_post(calls->engine, location);
    pj_engine_no_post(calls->engine, message, 0);
    return message;
}

uint32_t pj_calls_receive(pj_calls *calls, uint32_t location, const uint64_t *time)
{
    uint32_t message =
        time ? posted_at(calls, location, *time) : pj_engine_post(calls->engine, location);
    if (!time) {
        pj_engine_message_hold(calls->engine, message);
        add_part(calls, location, (part){message, PJ_END_POST, false, 0});
    }
    pj_engine_message_hold(calls->engine, message);
    add_part(calls, location, (part){message, PJ_END_RECEIVED, false, 0});
    return message;
}

/// The post of a receive that another call completes.
static void take_post(pj_calls *calls, uint32_t location, const role_rule *rule, part item)
{
    if (!accepts(rule, PJ_END_POST)) {
        pj_engine_message_release(calls->engine, item.message);
        return;
    }
    add(calls, location, PJ_OP_POST, item.message);
    pj_posts_add(&calls->callers[location].posts, calls->engine,
                 (pj_posted){item.time, item.time, item.message, false}, calls->posts_most);
}

/// A send that goes on is remembered until a call completes it, for the account.
static void remember_send(pj_calls *calls, uint32_t location, part item)
{
    pj_engine_message_hold(calls->engine, item.message);
    pj_posts_add(&calls->callers[location].sends, calls->engine,
                 (pj_posted){item.time, item.time, item.message, false}, calls->posts_most);
}

static void take_part(pj_calls *calls, uint32_t location, const role_rule *rule, part item,
                      taken *sum)
{
    if (item.kind == PJ_END_SEND && rule->isends && pj_engine_accounts(calls->engine))
        remember_send(calls, location, item);
    if (item.later)
        take_post(calls, location, rule, item);
    else if (accepts(rule, item.kind))
        take(calls, location, rule, item, sum);
    else
        drop(calls, item);
}

/// Receives are posted before a call sends, and it waits in the end, for its sends last.
static taken take_parts(pj_calls *calls, uint32_t location, const role_rule *rule)
{
    caller *p = &calls->callers[location];
    taken sum = {.received = PJ_NOTHING};
    for (pj_end_kind kind = PJ_END_POST; kind < PJ_END_KINDS; kind++)
        for (size_t i = 0; i < p->part_count; i++)
            if (p->parts[i].kind == kind)
                take_part(calls, location, rule, p->parts[i], &sum);
    p->part_count = 0;
    return sum;
}

void pj_calls_unlocked(pj_calls *calls, uint32_t location, uint32_t rank, uint64_t time)
{
    caller *p = &calls->callers[location];
    if (time < p->unlocked)
        return;
    p->unlocked = time;
    p->unlocker = rank;
}

static void wait_for_lock(pj_calls *calls, uint32_t location)
{
    caller *p = &calls->callers[location];
    if (p->unlocked && pj_engine_accounts(calls->engine))
        pj_engine_lock(calls->engine, location, p->unlocker, p->unlocked);
    p->unlocked = 0;
}

void pj_calls_stray(pj_calls *calls, uint32_t location)
{
    take_parts(calls, location, &rules[PJ_ROLE_NONE]);
}

/// A receive whose message has not been seen: its record stands further on in the trace, or there
/// is none.
static void remember_post(pj_calls *calls, const pj_replay_call *call, bool many)
{
    uint32_t message = pj_engine_post(calls->engine, call->location);
    add(calls, call->location, PJ_OP_POST, message);
    pj_posts_add(&calls->callers[call->location].posts, calls->engine,
                 (pj_posted){call->begin, call->end, message, many}, calls->posts_most);
}

// Collectives

static void keep_pending(pj_calls *calls, uint32_t location, uint32_t sync)
{
    caller *p = &calls->callers[location];
    if (p->pending_count == PENDING_MOST) {
        count(calls, PJ_IMPORT_collective_not_completed);
        pj_engine_sync_release(calls->engine, p->pending[p->pending_first]);
        p->pending_first = (p->pending_first + 1) % PENDING_MOST;
        p->pending_count--;
    }
    if (p->pending_cap < PENDING_MOST)
        pj_grow(p->pending, &p->pending_cap, PENDING_MOST);
    p->pending[(p->pending_first + p->pending_count++) % PENDING_MOST] = sync;
    pj_engine_sync_hold(calls->engine, sync);
}

static void complete_pending(pj_calls *calls, uint32_t location)
{
    caller *p = &calls->callers[location];
    if (p->pending_count == 0)
        return;
    uint32_t sync = p->pending[p->pending_first];
    p->pending_first = (p->pending_first + 1) % PENDING_MOST;
    p->pending_count--;
    add(calls, location, PJ_OP_AWAIT, sync);
    pj_engine_sync_release(calls->engine, sync);
}

/// The synchronisation of a collective; PJ_NOTHING when it binds nobody.
static uint32_t meet(pj_calls *calls, pj_collective collective)
{
    uint32_t sync = PJ_NOTHING;
    switch (pj_groups_meet(calls->groups, collective, &sync)) {
    case PJ_MEETS_NONE:
        return PJ_NOTHING;
    case PJ_MEETS_WHO:
        count(calls, PJ_IMPORT_unknown_communicator);
        return PJ_NOTHING;
    case PJ_MEETS:
        break;
    }
    return sync;
}

static bool is_nonblocking(pj_mpi_role role)
{
    return role == PJ_ROLE_ICOLLECTIVE || role == PJ_ROLE_IREDUCE;
}

static pj_collective collective_of(const pj_calls *calls, const pj_replay_call *call)
{
    return (pj_collective){.rank = calls->run->layout.rank_of[call->location],
                           .communicator = call->communicator,
                           .call = call->call,
                           .nonblocking = is_nonblocking(role_of(call->call)),
                           .bytes = call->bytes};
}

static void collect(pj_calls *calls, const pj_replay_call *call, pj_mpi_role role)
{
    uint32_t sync = meet(calls, collective_of(calls, call));
    if (sync == PJ_NOTHING)
        return;
    pj_engine_sync_mean(calls->engine, sync, call->call, call->root ? call->location : PJ_NOTHING);
    add(calls, call->location, PJ_OP_ARRIVE, sync);
    if (is_nonblocking(role))
        keep_pending(calls, call->location, sync);
    else if (role == PJ_ROLE_BARRIER || call->root)
        add(calls, call->location, PJ_OP_AWAIT, sync);
    pj_groups_settle(calls->groups);
}

// Requests of collectives

/// The request is known, or lost: its synchronisation becomes that of the communicator, or opens.
static void settle_request(pj_calls *calls, const pj_requested_item *request)
{
    if (!request->completed)
        count(calls, PJ_IMPORT_collective_not_completed);
    bool binds = request->known && role_of(request->collective.call) != PJ_ROLE_NONE;
    uint32_t sync = binds ? meet(calls, request->collective) : PJ_NOTHING;
    if (sync == PJ_NOTHING) {
        pj_engine_sync_close(calls->engine, request->sync);
    } else {
        pj_engine_sync_mean(calls->engine, sync, request->collective.call, PJ_NOTHING);
        pj_engine_sync_join(calls->engine, request->sync, sync);
        pj_groups_settle(calls->groups);
    }
    pj_engine_sync_release(calls->engine, request->sync);
}

static void settle_requests(pj_calls *calls, uint32_t location, bool all)
{
    pj_requested_item request;
    while (pj_requested_take(&calls->callers[location].requested, all, &request))
        settle_request(calls, &request);
}

void pj_calls_request(pj_calls *calls, const pj_replay_call *call)
{
    caller *p = &calls->callers[call->location];
    uint32_t sync = pj_engine_sync(calls->engine, false);
    pj_requested_item request = {.collective = collective_of(calls, call), .sync = sync};
    request.collective.nonblocking = true;
    pj_requested_add(&p->requested, request);
    add(calls, call->location, PJ_OP_ARRIVE, sync);
    p->engaged = true;
    settle_requests(calls, call->location, false);
}

void pj_calls_complete(pj_calls *calls, const pj_replay_call *call, uint32_t number)
{
    caller *p = &calls->callers[call->location];
    pj_requested_item *request = pj_requested_find(&p->requested, number);
    if (!request)
        return;
    p->engaged = true;
    request->known = request->completed = true;
    request->collective.communicator = call->communicator;
    request->collective.bytes = call->bytes;
    if (call->root || role_of(request->collective.call) != PJ_ROLE_IREDUCE) {
        pj_grow(p->awaited, &p->awaited_cap, p->awaited_count + 1);
        p->awaited[p->awaited_count++] = request->sync;
        pj_engine_sync_hold(calls->engine, request->sync);
    }
    settle_requests(calls, call->location, false);
}

static void await_requests(pj_calls *calls, uint32_t location)
{
    caller *p = &calls->callers[location];
    for (size_t i = 0; i < p->awaited_count; i++) {
        add(calls, location, PJ_OP_AWAIT, p->awaited[i]);
        pj_engine_sync_release(calls->engine, p->awaited[i]);
    }
    p->awaited_count = 0;
    p->engaged = false;
}

static void initialise(pj_calls *calls, const pj_replay_call *call)
{
    uint32_t sync = pj_groups_init(calls->groups, calls->run->layout.rank_of[call->location]);
    if (sync == PJ_NOTHING)
        return;
    pj_engine_sync_mean(calls->engine, sync, call->call, PJ_NOTHING);
    add(calls, call->location, PJ_OP_ARRIVE, sync);
    add(calls, call->location, PJ_OP_AWAIT, sync);
}

static bool is_collective(pj_mpi_role role)
{
    return role == PJ_ROLE_BARRIER || role == PJ_ROLE_REDUCE || is_nonblocking(role);
}

/// A fence is a barrier of its window; so is making or freeing one. Elsewhere traces do not say who
/// belongs to a window.
static void synchronise(pj_calls *calls, const pj_replay_call *call, pj_mpi_role role,
                        const taken *ends)
{
    bool signals = ends->count[PJ_END_SEND] || ends->count[PJ_END_RECEIVED];
    if ((role == PJ_ROLE_FENCE || role == PJ_ROLE_WINDOW) && call->has_communicator) {
        collect(calls, call, PJ_ROLE_BARRIER);
        return;
    }
    if (role == PJ_ROLE_FENCE)
        pj_engine_fence(calls->engine, call->location);
    if (role == PJ_ROLE_FENCE || (role == PJ_ROLE_EPOCH && !signals && !calls->run->told.windows))
        count(calls, PJ_IMPORT_window_unknown);
}

void pj_calls_replay(pj_calls *calls, const pj_replay_call *call, const pj_touching *next)
{
    pj_mpi_role role = role_of(call->call);
    caller *p = &calls->callers[call->location];
    if (pj_engine_accounts(calls->engine))
        pj_engine_call(calls->engine, call->location, call->call, call->end);
    if (role == PJ_ROLE_INIT)
        initialise(calls, call);
    else if (role != PJ_ROLE_NONE) // MPI_Initialized and others may come before MPI_Init
        pj_groups_begin(calls->groups, calls->run->layout.rank_of[call->location]);
    bool apart = calls->run->told.messages_apart;
    const role_rule *rule = rule_of(calls, role);
    taken ends =
        apart ? take_parts(calls, call->location, rule) : take_ends(calls, call, rule, next);
    // A blocking receive has got its message by now; the record of another may stand further on.
    if (!apart &&
        ((role == PJ_ROLE_IRECV && ends.count[PJ_END_POST] == 0) || role == PJ_ROLE_START))
        remember_post(calls, call, role == PJ_ROLE_START);
    if (call->call == calls->wait && ends.count[PJ_END_RECEIVED] == 0)
        complete_pending(calls, call->location);
    if (is_collective(role) && call->has_communicator)
        collect(calls, call, role);
    else if (is_collective(role) && !p->engaged)
        count(calls, PJ_IMPORT_collective_without_fields);
    synchronise(calls, call, role, &ends);
    wait_for_lock(calls, call->location);
    if (p->engaged)
        await_requests(calls, call->location);
    p->replayed = call->end;
    p->has_replayed = true;
    pj_engine_move(calls->engine, call->location, call->end, false);
}

void pj_calls_end(pj_calls *calls, uint32_t location)
{
    caller *p = &calls->callers[location];
    pj_groups_begin(calls->groups, calls->run->layout.rank_of[location]);
    for (pj_end end; pj_ends_pop(&p->ends, UINT64_MAX, &end);)
        drop_end(calls, end);
    pj_calls_stray(calls, location);
    for (; p->pending_count > 0; p->pending_count--)
        count(calls, PJ_IMPORT_collective_not_completed);
    settle_requests(calls, location, true);
}

size_t pj_calls_bytes(const pj_calls *calls)
{
    size_t bytes = (size_t)pj_arena_size(calls->arena);
    for (uint32_t i = 0; i < calls->run->layout.locations; i++) {
        const caller *p = &calls->callers[i];
        bytes += pj_ends_bytes(&p->ends) + p->posts.cap * sizeof *p->posts.items +
                 p->sends.cap * sizeof *p->sends.items + p->pending_cap * sizeof *p->pending +
                 p->requested.cap * sizeof *p->requested.items;
    }
    return bytes;
}
