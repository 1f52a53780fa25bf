// The events of all locations in one stream, in order of time.
// Rounds: locations that run low are filled, each by one worker; then events are taken in order
// until a location has none left. A send is given out with its receive: when that is not decoded
// yet, the receiver's location is filled further, within a limit.
#include "metrics/read/otf2/events/otf2_merge.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/pool.h"
#include "metrics/base/tiny.h"
#include "metrics/read/otf2/events/otf2_location.h"
#include "metrics/read/pass.h"
#include "metrics/trace/event.h"
#include "metrics/trace/layout.h"

#include <stdlib.h>
#include <string.h>

enum {
    READY_IN_ALL = PJ_SIZE(1 << 19, 256), // events that wait in all locations together
    READY_LEAST = PJ_SIZE(256, 4),        // of each
    READY_MOST = PJ_SIZE(1 << 12, 64),    // which stay in the cache
    AHEAD_IN_ALL = 1 << 20,               // events decoded further ahead for the sake of sends
    AHEAD_STEP = PJ_SIZE(1 << 11, 16),
    BATCH = PJ_SIZE(1 << 14, 32),
    TURNS_MOST =
        PJ_SIZE(256, 4), // of locations that are filled in turn, between two looks at the job
};

#define NOT_DUE SIZE_MAX // a location that a round does not fill

typedef struct front { // the next event of a location
    uint64_t time;
    uint32_t location;
} front;

typedef struct merging {
    const pj_otf2_merge *m;
    size_t ready;  // events that a location is filled with
    size_t ahead;  // events decoded beyond that
    uint32_t next; // location that the next worker fills
    size_t turn;   // of locations that need not wait for each other: how many were filled
    size_t *taken; // and the turn of each location, 0 = none yet
    size_t slots;  // locations that may be on their way at once
    bool masters;  // those that make teams come first: call paths of the members go on from theirs
    front *heap;   // by time
    uint32_t heap_count;
    pj_event *events;
    size_t event_count, event_cap;
    pj_message *messages;
    size_t message_count, message_cap;
    uint64_t charged; // bytes in the job's account
    size_t *had;      // in a process group: events of each location before this round; NOT_DUE
    pj_event *sent;   // the same: events of `messages` alone
    size_t sent_cap;
    pj_err *err; // of looking ahead
} merging;

static pj_otf2_location *location_at(const merging *g, uint32_t number)
{
    return g->m->locations[number];
}

// Batches

/// In a process group the sinks that take threads apart have all events but these.
static bool pass_messages(merging *g, const pj_batch *batch, pj_err *err)
{
    pj_grow(g->sent, &g->sent_cap, batch->message_count + 1);
    for (size_t i = 0; i < batch->message_count; i++)
        g->sent[i] = (pj_event){.time = batch->messages[i].logical_send,
                                .a = i,
                                .location = batch->messages[i].from,
                                .kind = PJ_EV_MESSAGE};
    pj_batch own = *batch;
    own.events = g->sent;
    own.count = batch->message_count;
    return pj_pass_own(g->m->pass, &own, err);
}

static bool hand_on(merging *g, pj_err *err)
{
    pj_batch batch = {.events = g->events,
                      .count = g->event_count,
                      .messages = g->messages,
                      .message_count = g->message_count};
    g->event_count = g->message_count = 0;
    if (g->m->share)
        return pass_messages(g, &batch, err) && pj_pass_all(g->m->pass, &batch, err);
    return batch.count == 0 || pj_pass_events(g->m->pass, &batch, err);
}

static void add_message(merging *g, const pj_message *message)
{
    pj_grow(g->messages, &g->message_cap, g->message_count + 1);
    pj_grow(g->events, &g->event_cap, g->event_count + 1);
    g->events[g->event_count++] = (pj_event){.time = message->logical_send,
                                             .a = g->message_count,
                                             .location = message->from,
                                             .kind = PJ_EV_MESSAGE};
    g->messages[g->message_count++] = *message;
}

static void add_late(merging *g)
{
    pj_message message;
    while (pj_otf2_match_late(g->m->match, &message))
        add_message(g, &message);
}

// Filling

/// Whether an event stands for the operation and asks for it when its time has come.
static bool has_event(const pj_otf2_location *location, const pj_otf2_op *op)
{
    switch ((pj_otf2_op_kind)op->kind) {
    case PJ_OTF2_OP_SEND:
    case PJ_OTF2_OP_INFERRED:
    case PJ_OTF2_OP_COUNTED:
        return true;
    case PJ_OTF2_OP_RECEIVE:
        return location->infer;
    case PJ_OTF2_OP_SIGNAL:
    case PJ_OTF2_OP_SIGNALLED:
    case PJ_OTF2_OP_COLLECTIVE:
        break;
    }
    return false;
}

static void take_ops(merging *g, pj_otf2_location *location)
{
    pj_otf2_match_take(g->m->match, location);
    while (location->ops.first < location->ops.seen &&
           !has_event(location, &location->ops.at[location->ops.first]))
        location->ops.first++;
}

static bool is_worker(const merging *g, const pj_otf2_location *location)
{
    return g->m->pass->run->layout.first_location[location->rank] != location->number;
}

static bool is_low(const merging *g, const pj_otf2_location *location)
{
    return !location->ended && pj_otf2_location_ready(location) <= g->ready / 2 &&
           !(g->masters && is_worker(g, location));
}

static bool is_own(const merging *g, const pj_otf2_location *location)
{
    return !g->m->share || pj_otf2_share_owns(g->m->share, location);
}

static bool wants_more(const merging *g, const pj_otf2_location *location)
{
    return is_own(g, location) && is_low(g, location);
}

/// In a process group: sends for what the locations of others want.
static bool send_for_others(merging *g, pj_err *err)
{
    for (uint32_t i = 0; i < g->m->count; i++) {
        const pj_otf2_location *location = location_at(g, i);
        size_t ready = pj_otf2_location_ready(location);
        g->had[i] = is_low(g, location) ? ready : NOT_DUE;
        if (is_low(g, location) && !is_own(g, location))
            pj_otf2_share_ask(g->m->share, location, g->ready - ready);
    }
    return pj_otf2_share_send_for(g->m->share, err);
}

/// In a process group: takes what has come, and all operations in the order in which one process
/// would.
static bool take_of_others(merging *g, pj_err *err)
{
    if (!pj_otf2_share_take(g->m->share, err))
        return false;
    for (uint32_t i = 0; i < g->m->count; i++)
        if (g->had[i] != NOT_DUE)
            take_ops(g, location_at(g, i));
    return true;
}

static bool take(void *self, void *slot, pj_err *err)
{
    merging *g = self;
    (void)err;
    while (g->next < g->m->count && !wants_more(g, location_at(g, g->next)))
        g->next++;
    if (g->next == g->m->count)
        return false;
    *(pj_otf2_location **)slot = location_at(g, g->next++);
    return true;
}

/// The locations round and round, as long as it is sure that the next one has been put.
static bool take_in_turn(void *self, void *slot, pj_err *err)
{
    merging *g = self;
    (void)err;
    if (g->turn == TURNS_MOST)
        return false;
    for (uint32_t passed = 0; passed < g->m->count; passed++) {
        size_t taken = g->taken[g->next];
        if (taken && taken + g->slots > g->turn + 1)
            return false;
        pj_otf2_location *location = location_at(g, g->next);
        g->next = (g->next + 1) % g->m->count;
        if (!location->ended && !(g->masters && is_worker(g, location))) {
            g->taken[location->number] = ++g->turn;
            *(pj_otf2_location **)slot = location;
            return true;
        }
    }
    return false;
}

static bool work(void *self, void *slot, pj_err *err)
{
    const merging *g = self;
    (void)err;
    pj_otf2_location_fill(*(pj_otf2_location **)slot, g->ready);
    return true;
}

/// Gives out all that a location has; its messages are of no use without the order of time. In a
/// process group other members have given out theirs to the sinks that take threads apart.
static bool drain(merging *g, pj_otf2_location *location, pj_err *err)
{
    for (size_t i = location->event_first; i < location->event_count; i++) {
        pj_event *event = &location->events[i];
        if (event->kind != PJ_EV_MESSAGE)
            continue;
        pj_message message;
        const pj_otf2_op *op = &location->ops.at[event->a - location->ops.base];
        if (op->kind == PJ_OTF2_OP_SEND)
            pj_otf2_match_release(g->m->match, op->message, &message);
        event->kind = PJ_EV_OTHER;
    }
    pj_batch batch = {.count = pj_otf2_location_ready(location)};
    if (batch.count)
        batch.events = location->events + location->event_first;
    location->event_first = location->event_count;
    location->ops.first = location->ops.seen;
    pj_message message;
    while (pj_otf2_match_late(g->m->match, &message))
        ;
    if (!g->m->share)
        return batch.count == 0 || pj_pass_events(g->m->pass, &batch, err);
    return (!is_own(g, location) || pj_pass_own(g->m->pass, &batch, err)) &&
           pj_pass_all(g->m->pass, &batch, err);
}

/// Fills an own location; in a process group the sinks get what is new at once.
static bool put(void *self, void *slot, pj_err *err)
{
    merging *g = self;
    pj_otf2_location *location = *(pj_otf2_location **)slot;
    if (g->m->share)
        return g->m->pass->by_location ||
               pj_otf2_share_pass(g->m->share, location, g->had[location->number], err);
    take_ops(g, location);
    return !g->m->pass->by_location ||
           (drain(g, location, err) && pj_job_check(g->m->pass->job, g->m->pass->run->path, err));
}

static void report(void *self)
{
    const merging *g = self;
    pj_job_report(g->m->pass->job, g->m->pass->run->path, false);
}

/// Tells the job what memory is in use.
static void charge(merging *g)
{
    uint64_t bytes = pj_otf2_match_bytes(g->m->match);
    for (uint32_t i = 0; i < g->m->count; i++)
        bytes += pj_otf2_location_bytes(location_at(g, i));
    atomic_fetch_add(&g->m->pass->job->memory_used, bytes - g->charged);
    g->charged = bytes;
}

static bool waits_for_masters(const merging *g)
{
    bool open = false;
    for (uint32_t i = 0; i < g->m->count; i++)
        open |= !is_worker(g, location_at(g, i)) && !location_at(g, i)->ended;
    return open && g->m->pass->by_location && location_at(g, 0)->defs->has_teams &&
           pj_pass_calls(g->m->pass);
}

/// In a process group where times are not merged.
static bool drain_all(merging *g, pj_err *err)
{
    for (uint32_t i = 0; i < g->m->count; i++)
        if (g->had[i] != NOT_DUE && !drain(g, location_at(g, i), err))
            return false;
    return true;
}

static bool fill_own(merging *g, pj_err *err)
{
    bool in_turn = g->m->pass->by_location && !g->m->share;
    const pj_line line = {g, in_turn ? take_in_turn : take, work, put, report};
    size_t n = pj_pool_slots(g->m->workers);
    g->slots = n < g->m->count ? n : g->m->count;
    pj_otf2_location **slots = pj_take_memory(g->slots * sizeof *slots);
    void **each = pj_take_memory(g->slots * sizeof *each);
    for (size_t i = 0; i < g->slots; i++)
        each[i] = &slots[i];
    if (!in_turn)
        g->next = 0;
    g->turn = 0;
    memset(g->taken, 0, g->m->count * sizeof *g->taken);
    bool ok = pj_pool_run(&line, g->m->workers, each, g->slots, err);
    free(each);
    free(slots);
    return ok;
}

static bool fill_round(merging *g, pj_err *err)
{
    g->masters = waits_for_masters(g);
    bool ok = (!g->m->share || send_for_others(g, err)) && fill_own(g, err) &&
              (!g->m->share || take_of_others(g, err)) &&
              (!g->m->share || !g->m->pass->by_location || drain_all(g, err));
    g->ahead = 0;
    for (uint32_t i = 0; i < g->m->count; i++) {
        size_t ready = pj_otf2_location_ready(location_at(g, i));
        g->ahead += ready > g->ready ? ready - g->ready : 0;
    }
    charge(g);
    return ok && pj_job_check(g->m->pass->job, g->m->pass->run->path, err);
}

// Order

static front front_of(const merging *g, uint32_t number)
{
    const pj_otf2_location *location = location_at(g, number);
    return (front){location->events[location->event_first].time, number};
}

static bool comes_first(front a, front b)
{
    return a.time < b.time || (a.time == b.time && a.location < b.location);
}

static void sink_down(merging *g, uint32_t at)
{
    front moved = g->heap[at];
    for (uint32_t child; (child = 2 * at + 1) < g->heap_count; at = child) {
        if (child + 1 < g->heap_count && comes_first(g->heap[child + 1], g->heap[child]))
            child++;
        if (!comes_first(g->heap[child], moved))
            break;
        g->heap[at] = g->heap[child];
    }
    g->heap[at] = moved;
}

/// All locations with events; false when one has none left but is not at its end.
static bool build_heap(merging *g)
{
    g->heap_count = 0;
    for (uint32_t i = 0; i < g->m->count; i++)
        if (pj_otf2_location_ready(location_at(g, i)))
            g->heap[g->heap_count++] = front_of(g, i);
        else if (!location_at(g, i)->ended)
            return false;
    for (uint32_t i = g->heap_count / 2; i-- > 0;)
        sink_down(g, i);
    return true;
}

/// Decodes a location further, wherever its files are read; false with g->err.
static bool fill_further(merging *g, pj_otf2_location *location)
{
    pj_otf2_share *share = g->m->share;
    size_t ready = pj_otf2_location_ready(location);
    if (is_own(g, location)) {
        pj_otf2_location_fill(location, ready + AHEAD_STEP);
        return !share || pj_otf2_share_pass(share, location, ready, g->err);
    }
    pj_otf2_share_ask(share, location, AHEAD_STEP);
    return pj_otf2_share_send_for(share, g->err) && pj_otf2_share_take(share, g->err);
}

/// Decodes the receiver of a send further, until its receive is there or the limit is reached.
static void look_ahead(merging *g, const pj_otf2_op *op)
{
    const pj_layout *layout = &g->m->pass->run->layout;
    pj_message message;
    uint32_t first = layout->first_location[op->peer];
    for (uint32_t i = first; i < layout->first_location[op->peer + 1]; i++) {
        pj_otf2_location *location = location_at(g, i);
        // Only the first thread of a rank is sure to receive.
        while (i == first && !location->ended && g->ahead < AHEAD_IN_ALL &&
               !pj_otf2_match_message(g->m->match, op->message, &message)) {
            if (!fill_further(g, location))
                return;
            g->ahead += AHEAD_STEP;
            take_ops(g, location);
        }
    }
}

/// Whether all that a location does up to `time` is decoded.
static bool is_decoded_to(const pj_otf2_location *location, uint64_t time)
{
    return location->ended || (pj_otf2_location_ready(location) &&
                               location->events[location->event_count - 1].time > time);
}

/// Decodes who sends to a rank up to the end of a receive whose sender is not in the trace: which
/// sends there are must not depend on how far their locations happen to be decoded.
static void look_for_senders(merging *g, uint32_t rank, uint64_t end)
{
    const pj_layout *layout = &g->m->pass->run->layout;
    uint32_t cursor = 0, from = 0;
    while (pj_otf2_match_sender(g->m->match, rank, &cursor, &from))
        for (uint32_t i = layout->first_location[from]; i < layout->first_location[from + 1]; i++) {
            pj_otf2_location *location = location_at(g, i);
            while (!is_decoded_to(location, end) && g->ahead < AHEAD_IN_ALL) {
                if (!fill_further(g, location))
                    return;
                g->ahead += AHEAD_STEP;
                take_ops(g, location);
            }
        }
}

/// The operation that a location has next: a send goes out with its message, or later.
static void op_out(merging *g, pj_otf2_location *location)
{
    uint64_t number = location->events[location->event_first].a;
    pj_otf2_op op = location->ops.at[number - location->ops.base];
    pj_message message;
    if (op.kind == PJ_OTF2_OP_SEND && !pj_otf2_match_infers(g->m->match, op.peer) &&
        !pj_otf2_match_message(g->m->match, op.message, &message))
        look_ahead(g, &op);
    if (op.kind == PJ_OTF2_OP_INFERRED)
        look_for_senders(g, location->rank, op.end);
    // A location that sends to itself may have moved its events.
    location->ops.first = (size_t)(number + 1 - location->ops.base);
    location->event_first++;
    if (op.kind != PJ_OTF2_OP_SEND)
        pj_otf2_match_receive(g->m->match, location, &op);
    else if (pj_otf2_match_release(g->m->match, op.message, &message))
        add_message(g, &message);
}

/// Takes events of the first location up to `until`.
static void take_run(merging *g, pj_otf2_location *location, uint64_t until)
{
    while (pj_otf2_location_ready(location)) {
        const pj_event *event = &location->events[location->event_first];
        if (event->time > until && event->kind != PJ_EV_MESSAGE)
            return;
        if (event->kind == PJ_EV_MESSAGE) {
            op_out(g, location);
            continue;
        }
        if (g->event_count == g->event_cap)
            pj_grow(g->events, &g->event_cap, g->event_count + 1);
        g->events[g->event_count++] = *event;
        location->event_first++;
    }
}

/// How long the first location comes before all others; at equal times the lower location does.
static uint64_t until_second(const merging *g)
{
    front second = {UINT64_MAX, UINT32_MAX};
    for (uint32_t i = 1; i < 3 && i < g->heap_count; i++)
        second = comes_first(g->heap[i], second) ? g->heap[i] : second;
    return second.time - (second.location < g->heap[0].location);
}

/// Gives out events until a location needs to be filled.
static bool merge(merging *g, pj_err *err)
{
    bool full = build_heap(g);
    while (full && g->heap_count) {
        pj_otf2_location *location = location_at(g, g->heap[0].location);
        take_run(g, location, until_second(g));
        if (pj_otf2_location_ready(location)) {
            g->heap[0] = front_of(g, location->number);
        } else {
            full = location->ended;
            g->heap[0] = g->heap[--g->heap_count];
        }
        sink_down(g, 0);
        add_late(g);
        if (g->event_count >= BATCH && !hand_on(g, err))
            return false;
    }
    add_late(g);
    return hand_on(g, err);
}

static bool all_ended(const merging *g)
{
    for (uint32_t i = 0; i < g->m->count; i++)
        if (!location_at(g, i)->ended || pj_otf2_location_ready(location_at(g, i)))
            return false;
    return true;
}

bool pj_otf2_merge_run(const pj_otf2_merge *m, pj_err *err)
{
    merging g = {.m = m, .err = err};
    size_t share = READY_IN_ALL / m->count;
    g.ready = share < READY_LEAST ? READY_LEAST : share > READY_MOST ? READY_MOST : share;
    g.heap = pj_take_memory(m->count * sizeof *g.heap);
    g.had = pj_take_memory(m->count * sizeof *g.had);
    g.taken = pj_take_memory(m->count * sizeof *g.taken);
    bool ok = true;
    while (ok && !all_ended(&g))
        ok = fill_round(&g, err) && (m->pass->by_location || merge(&g, err)) && !err->code;
    ok = ok && (!m->share || pj_otf2_share_dismiss(m->share, err));
    atomic_fetch_sub(&m->pass->job->memory_used, g.charged);
    free(g.heap);
    free(g.had);
    free(g.taken);
    free(g.sent);
    free(g.events);
    free(g.messages);
    return ok;
}
