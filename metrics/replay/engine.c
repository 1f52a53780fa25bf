// The clocks of the replay.
// Timelines that run until they must wait, and wake each other: nothing is scheduled by time, so an
// operation costs the same however many locations there are.
#include "metrics/replay/engine.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/replay/call_waits.h"
#include "metrics/replay/engine_state.h"
#include "metrics/replay/whatif/tape.h"
#include "metrics/trace/mpi_call.h"

#include <math.h>
#include <stdlib.h>

pj_engine *pj_engine_new(uint32_t locations, pj_network network, pj_engine_watch watch,
                         pj_call_waits *account, pj_tape *tape)
{
    pj_engine *engine = pj_take_memory(sizeof *engine);
    *engine = (pj_engine){.network = network,
                          .watch = watch,
                          .account = account,
                          .tape = tape,
                          .locations = locations};
    if (engine->network.eager_bytes == 0 && !network.all_rendezvous)
        engine->network.eager_bytes = 32768;
    if (engine->network.bandwidth == 0)
        engine->network.bandwidth = INFINITY;
    engine->lines = pj_take_memory(locations * sizeof *engine->lines);
    for (uint32_t i = 0; i < locations; i++)
        engine->lines[i] = (line){.next_waiter = PJ_NOTHING};
    engine->woken = pj_take_memory(locations * sizeof *engine->woken);
    engine->free_message = engine->free_sync = PJ_NOTHING;
    return engine;
}

void pj_engine_free(pj_engine *engine)
{
    if (!engine)
        return;
    for (uint32_t i = 0; i < engine->locations; i++)
        free(engine->lines[i].ops);
    free(engine->lines);
    free(engine->messages);
    free(engine->syncs);
    free(engine->woken);
    free(engine->borders);
    free(engine->news);
    free(engine->sync_news);
    free(engine);
}

static double later(double a, double b)
{
    return a < b ? b : a;
}

static void wake(pj_engine *engine, uint32_t location)
{
    line *l = &engine->lines[location];
    if (!l->waits || l->woken)
        return;
    l->woken = true;
    engine->woken[engine->woken_count++] = location;
}

// Messages

uint32_t pj_engine_post(pj_engine *engine, uint32_t to)
{
    uint32_t id = engine->free_message;
    if (id != PJ_NOTHING) {
        engine->free_message = engine->messages[id].to;
    } else {
        id = (uint32_t)engine->message_count++;
        pj_grow(engine->messages, &engine->message_cap, engine->message_count);
    }
    engine->messages[id] = (message){
        .from = PJ_NOTHING, .to = to, .holders = 1, .other = PJ_NOTHING, .claim = PJ_NO_WAIT};
    return id;
}

uint32_t pj_engine_send(pj_engine *engine, uint32_t from, uint32_t to, uint64_t size)
{
    uint32_t id = pj_engine_post(engine, to);
    message *m = &engine->messages[id];
    m->is_send = true;
    m->from = from;
    m->size = size;
    return id;
}

void pj_engine_bind(pj_engine *engine, uint32_t id, uint32_t from, uint64_t size)
{
    message *m = &engine->messages[id];
    m->from = from;
    m->size = size;
    m->holders += 2;
}

uint32_t pj_engine_message(pj_engine *engine, uint32_t from, uint32_t to, uint64_t size)
{
    uint32_t id = pj_engine_post(engine, to);
    pj_engine_bind(engine, id, from, size);
    return id;
}

void pj_engine_message_release(pj_engine *engine, uint32_t id)
{
    message *m = &engine->messages[id];
    if (--m->holders > 0)
        return;
    if (m->claim != PJ_NO_WAIT)
        pj_call_waits_drop(engine->account, m->claim);
    if (m->other != PJ_NOTHING)
        engine->messages[m->other].other = PJ_NOTHING;
    if (engine->watch.delivered && !m->is_send && m->is_sent && m->is_posted && !m->no_send &&
        !m->no_post) {
        double start = m->sent;
        if (m->size >= engine->network.eager_bytes && m->posted > start)
            start = m->posted;
        engine->watch.delivered(engine->watch.self, id, m->mark,
                                (double[]){m->sent, start, m->posted, m->arrived});
    }
    m->to = engine->free_message;
    engine->free_message = id;
}

static void add_news(pj_engine *engine, const message *m)
{
    pj_grow(engine->news, &engine->news_cap, engine->news_count + 1);
    engine->news[engine->news_count++] = (uint32_t)(m - engine->messages);
}

/// Its sender, who is held until its receive is posted, learns when that was.
static void settle_claim(pj_engine *engine, message *m)
{
    if (m->no_post)
        pj_call_waits_drop(engine->account, m->claim);
    else
        pj_call_waits_posted(engine->account, m->claim, m->to, m->posted_at);
    m->claim = PJ_NO_WAIT;
}

/// The call that the location is in is held by the send of the message.
static void claim(pj_engine *engine, uint32_t location, message *m)
{
    if (m->other != PJ_NOTHING && !m->is_posted)
        m = &engine->messages[m->other];
    if (!engine->account || m->claim != PJ_NO_WAIT)
        return;
    m->claim = pj_call_waits_claim(engine->account, location);
    if (m->claim != PJ_NO_WAIT && m->is_posted)
        settle_claim(engine, m);
}

static uint32_t number_of(const pj_engine *engine, const message *m)
{
    return (uint32_t)(m - engine->messages);
}

/// At `clock`, and `time` in the trace.
static void message_posted(pj_engine *engine, message *m, double clock, uint64_t time)
{
    if (m->is_posted)
        return;
    m->is_posted = true;
    m->posted = clock;
    m->posted_at = time;
    if (m->claim != PJ_NO_WAIT)
        settle_claim(engine, m);
    if (m->sender_waits)
        wake(engine, m->from);
    if (m->far)
        add_news(engine, m);
    if (m->other == PJ_NOTHING || engine->messages[m->other].is_posted)
        return;
    if (engine->tape)
        pj_tape_copy(engine->tape, PJ_TAPE_POSTED_COPY, m->other, number_of(engine, m));
    message_posted(engine, &engine->messages[m->other], clock, time);
}

/// At `clock`, and `time` in the trace.
static void message_sent(pj_engine *engine, message *m, double clock, uint64_t time)
{
    if (m->is_sent)
        return;
    m->is_sent = true;
    m->sent = clock;
    m->sent_at = time;
    if (m->receiver_waits)
        wake(engine, m->to);
    if (m->far)
        add_news(engine, m);
    if (m->other == PJ_NOTHING)
        return;
    engine->messages[m->other].mark = m->mark;
    if (engine->tape && !engine->messages[m->other].is_sent)
        pj_tape_copy(engine->tape, PJ_TAPE_SENT_COPY, m->other, number_of(engine, m));
    message_sent(engine, &engine->messages[m->other], clock, time);
}

static void run_woken(pj_engine *engine);

void pj_engine_no_send(pj_engine *engine, uint32_t id)
{
    message *m = &engine->messages[id];
    m->no_send = true;
    if (m->other != PJ_NOTHING)
        engine->messages[m->other].no_send = true;
    message_sent(engine, m, 0, 0);
    run_woken(engine);
}

void pj_engine_no_post(pj_engine *engine, uint32_t id, double clock)
{
    message *m = &engine->messages[id];
    m->no_post = true;
    if (engine->tape && !m->is_posted)
        pj_tape_copy(engine->tape, PJ_TAPE_POSTED_COPY, id, PJ_NOTHING);
    message_posted(engine, m, clock, 0);
    run_woken(engine);
}

void pj_engine_post_like(pj_engine *engine, uint32_t id, uint32_t as)
{
    message *m = &engine->messages[id];
    const message *like = &engine->messages[as];
    m->no_post = true;
    if (engine->tape && !m->is_posted)
        pj_tape_copy(engine->tape, PJ_TAPE_POSTED_COPY, id, like->is_posted ? as : PJ_NOTHING);
    message_posted(engine, m, like->is_posted ? like->posted : 0, 0);
    run_woken(engine);
}

void pj_engine_message_hold(pj_engine *engine, uint32_t id)
{
    engine->messages[id].holders++;
}

void pj_engine_from(pj_engine *engine, uint32_t receive, uint32_t from)
{
    engine->messages[receive].from = from;
}

/// What is known at one end of a message and not at the other.
static void tape_join(const pj_engine *engine, uint32_t send, uint32_t receive)
{
    const message *s = &engine->messages[send], *r = &engine->messages[receive];
    if (s->is_sent && !r->is_sent)
        pj_tape_copy(engine->tape, PJ_TAPE_SENT_COPY, receive, send);
    if (r->is_posted && !s->is_posted)
        pj_tape_copy(engine->tape, PJ_TAPE_POSTED_COPY, send, receive);
}

void pj_engine_join(pj_engine *engine, uint32_t send, uint32_t receive)
{
    message *s = &engine->messages[send], *r = &engine->messages[receive];
    s->other = receive;
    r->other = send;
    r->from = s->from;
    r->size = s->size;
    r->no_send = s->no_send;
    r->mark = s->mark;
    if (engine->tape)
        tape_join(engine, send, receive);
    if (s->is_sent)
        message_sent(engine, r, s->sent, s->sent_at);
    if (r->is_posted)
        message_posted(engine, s, r->posted, r->posted_at);
    r->claim = s->claim; // the receiver's end lasts until it is posted
    s->claim = PJ_NO_WAIT;
    run_woken(engine);
}

static bool do_send(pj_engine *engine, line *l, uint32_t id, bool blocking)
{
    message *m = &engine->messages[id];
    if (__builtin_expect(engine->watch.sent != NULL, 0))
        m->mark = engine->watch.sent(engine->watch.self, (uint32_t)(l - engine->lines), l->clock.at,
                                     l->seen);
    if (blocking && !m->is_sent)
        claim(engine, (uint32_t)(l - engine->lines), m);
    if (engine->tape && !m->is_sent)
        pj_tape_add(engine->tape, PJ_TAPE_SENT, (uint32_t)(l - engine->lines), id, 0);
    message_sent(engine, m, l->clock.now, l->clock.at);
    if (!blocking || m->size < engine->network.eager_bytes)
        return true;
    m->sender_waits = !m->is_posted;
    if (m->sender_waits)
        return false;
    if (engine->account)
        pj_call_waits_held(engine->account, (uint32_t)(l - engine->lines), PJ_WAIT_late_receiver,
                           m->to, m->posted - l->clock.now);
    if (engine->tape)
        pj_tape_add(engine->tape, PJ_TAPE_HELD, (uint32_t)(l - engine->lines), id, 0);
    l->clock.now = later(l->clock.now, m->posted);
    return true;
}

static void do_post(pj_engine *engine, const line *l, uint32_t id)
{
    message *m = &engine->messages[id];
    if (engine->tape && !m->is_posted)
        pj_tape_add(engine->tape, PJ_TAPE_POSTED, (uint32_t)(l - engine->lines), id, 0);
    message_posted(engine, m, l->clock.now, l->clock.at);
}

static bool do_wait(pj_engine *engine, line *l, uint32_t id)
{
    message *m = &engine->messages[id];
    do_post(engine, l, id);
    m->receiver_waits = !m->is_sent;
    if (m->receiver_waits)
        return false;
    double start = m->sent;
    if (m->size >= engine->network.eager_bytes)
        start = later(start, m->posted);
    if (!m->no_send) {
        double there = start + pj_network_transfer_ns(&engine->network, m->size);
        if (engine->account)
            pj_call_waits_receive(engine->account, (uint32_t)(l - engine->lines), m->from,
                                  m->sent_at, there - l->clock.now);
        if (engine->tape)
            pj_tape_add(engine->tape,
                        m->size >= engine->network.eager_bytes ? PJ_TAPE_RECEIVE_LARGE
                                                               : PJ_TAPE_RECEIVE,
                        (uint32_t)(l - engine->lines), id, m->size);
        l->clock.now = later(l->clock.now, there);
    }
    m->arrived = l->clock.now;
    return true;
}

// Synchronisations

uint32_t pj_engine_sync(pj_engine *engine, bool costed)
{
    uint32_t id = engine->free_sync;
    if (id != PJ_NOTHING) {
        engine->free_sync = engine->syncs[id].first_waiter;
    } else {
        id = (uint32_t)engine->sync_count++;
        pj_grow(engine->syncs, &engine->sync_cap, engine->sync_count);
    }
    engine->syncs[id] = (sync){.costed = costed,
                               .holders = 1,
                               .first_waiter = PJ_NOTHING,
                               .next = PJ_NOTHING,
                               .meeting = PJ_NO_WAIT};
    if (engine->tape)
        pj_tape_sync(engine->tape, id);
    return id;
}

void pj_engine_sync_hold(pj_engine *engine, uint32_t id)
{
    engine->syncs[id].holders++;
}

void pj_engine_sync_release(pj_engine *engine, uint32_t id)
{
    bool joined;
    do {
        sync *g = &engine->syncs[id];
        if (--g->holders > 0)
            return;
        if (g->meeting != PJ_NO_WAIT)
            pj_call_waits_part(engine->account, g->meeting);
        g->first_waiter = engine->free_sync;
        engine->free_sync = id;
        joined = g->joined;
        id = g->next;
    } while (joined);
}

/// The synchronisation itself, or the one that it has joined.
static inline sync *sync_meant(pj_engine *engine, uint32_t id)
{
    sync *g = &engine->syncs[id];
    return __builtin_expect(g->joined, false) ? &engine->syncs[g->next] : g;
}

static uint32_t meeting_of(pj_engine *engine, sync *g)
{
    if (g->meeting == PJ_NO_WAIT)
        g->meeting = pj_call_waits_meet(engine->account);
    return g->meeting;
}

void pj_engine_sync_mean(pj_engine *engine, uint32_t id, pj_mpi_call call, uint32_t root)
{
    sync *g = sync_meant(engine, id);
    if (engine->tape)
        pj_tape_sync_mean(engine->tape, (uint32_t)(g - engine->syncs), call);
    if (engine->account)
        pj_call_waits_mean(engine->account, meeting_of(engine, g), call, root);
}

/// What a collective costs after its last arrival: a binomial tree of transfers.
static double collective_ns(const pj_engine *engine, const sync *g)
{
    uint32_t levels = 0;
    while (levels < 32 && (UINT64_C(1) << levels) < g->expected)
        levels++;
    if (engine->tape)
        pj_tape_add(engine->tape, PJ_TAPE_OPEN, levels, (uint32_t)(g - engine->syncs), g->bytes);
    return levels ? levels * pj_network_transfer_ns(&engine->network, g->bytes) : 0;
}

/// `to` opens no sooner than `from`.
static void tape_chain(const pj_engine *engine, const sync *to, const sync *from)
{
    if (engine->tape)
        pj_tape_copy(engine->tape, PJ_TAPE_CHAIN, (uint32_t)(to - engine->syncs),
                     (uint32_t)(from - engine->syncs));
}

static void wake_waiters(pj_engine *engine, sync *g)
{
    for (uint32_t w = g->first_waiter; w != PJ_NOTHING; w = engine->lines[w].next_waiter)
        wake(engine, w);
    g->first_waiter = PJ_NOTHING;
}

static void add_sync_news(pj_engine *engine, sync *g, uint32_t guests)
{
    g->fresh += guests;
    if (g->listed)
        return;
    g->listed = true;
    g->holders++;
    pj_grow(engine->sync_news, &engine->sync_news_cap, engine->sync_news_count + 1);
    engine->sync_news[engine->sync_news_count++] = (uint32_t)(g - engine->syncs);
}

/// Guests arrive here, the last one at `clock`.
static void come(pj_engine *engine, sync *g, uint32_t guests, double clock)
{
    g->arrived += guests;
    g->clock = later(g->clock, clock);
    g->came = later(g->came, clock);
    if (g->far && guests > 0)
        add_sync_news(engine, g, guests);
}

static bool is_complete(const sync *g)
{
    return g->closed && !g->open && g->arrived >= g->expected;
}

/// Opens a synchronisation to which all have come, and those behind it as far as the same is true
/// of them.
static void open_syncs(pj_engine *engine, sync *g)
{
    for (;;) {
        g->open = true;
        if (g->costed)
            g->clock += collective_ns(engine, g);
        wake_waiters(engine, g);
        if (g->next == PJ_NOTHING)
            return;
        sync *next = &engine->syncs[g->next];
        g->next = PJ_NOTHING;
        next->arrived++;
        tape_chain(engine, next, g);
        next->clock = later(next->clock, g->clock);
        if (!is_complete(next))
            return;
        g = next; // still held by the maker, or by those who wait in it
    }
}

static void try_open(pj_engine *engine, sync *g)
{
    if (is_complete(g))
        open_syncs(engine, g);
    run_woken(engine);
}

void pj_engine_sync_expect(pj_engine *engine, uint32_t id, uint32_t guests, uint64_t bytes)
{
    sync *g = &engine->syncs[id];
    g->expected += guests;
    if (bytes > g->bytes)
        g->bytes = bytes;
}

void pj_engine_sync_excuse(pj_engine *engine, uint32_t id)
{
    engine->syncs[id].expected--;
    try_open(engine, &engine->syncs[id]);
}

void pj_engine_sync_close(pj_engine *engine, uint32_t id)
{
    engine->syncs[id].closed = true;
    try_open(engine, &engine->syncs[id]);
}

void pj_engine_sync_chain(pj_engine *engine, uint32_t id, uint32_t next)
{
    sync *g = &engine->syncs[id], *n = &engine->syncs[next];
    if (g->open) {
        tape_chain(engine, n, g);
        n->clock = later(n->clock, g->clock);
        return;
    }
    n->expected++;
    g->next = next;
}

void pj_engine_sync_join(pj_engine *engine, uint32_t id, uint32_t meant)
{
    sync *g = &engine->syncs[id], *m = &engine->syncs[meant];
    pj_engine_sync_hold(engine, meant);
    g->joined = true;
    g->next = meant;
    if (g->meeting != PJ_NO_WAIT)
        pj_call_waits_merge(engine->account, g->meeting, meeting_of(engine, m));
    g->meeting = PJ_NO_WAIT;
    if (engine->tape)
        pj_tape_sync_join(engine->tape, id, meant);
    come(engine, m, g->arrived, g->clock);
    wake_waiters(engine, g);
    try_open(engine, m);
}

static bool do_await(pj_engine *engine, uint32_t location, uint32_t id)
{
    line *l = &engine->lines[location];
    sync *g = sync_meant(engine, id);
    if (!g->open) {
        l->next_waiter = g->first_waiter;
        g->first_waiter = location;
        return false;
    }
    if (g->meeting != PJ_NO_WAIT)
        pj_call_waits_met(engine->account, location, g->meeting, g->clock - l->clock.now);
    if (engine->tape)
        pj_tape_await(engine->tape, location, (uint32_t)(g - engine->syncs),
                      g->costed ? g->expected : 0);
    l->clock.now = later(l->clock.now, g->clock);
    return true;
}

static void do_arrive(pj_engine *engine, const line *l, uint32_t id)
{
    sync *g = sync_meant(engine, id);
    if (engine->account)
        pj_call_waits_arrive(engine->account, meeting_of(engine, g), (uint32_t)(l - engine->lines),
                             l->clock.at, l->clock.now);
    if (engine->tape)
        pj_tape_add(engine->tape, PJ_TAPE_ARRIVE, (uint32_t)(l - engine->lines),
                    (uint32_t)(g - engine->syncs), 0);
    come(engine, g, 1, l->clock.now);
    if (is_complete(g))
        open_syncs(engine, g);
}

// Timelines

/// The clock at `time`, which the location passes on its way.
static pj_clock clock_at(const line *l, uint64_t time, bool running)
{
    pj_clock clock = l->clock;
    double length = running && time > clock.at ? (double)(time - clock.at) : 0;
    return (pj_clock){clock.now + length, time, clock.compute_ns + length};
}

static void pass_borders(pj_engine *engine, uint32_t location, uint64_t time, bool running)
{
    for (uint32_t i = 0; i < 2; i++) {
        border *b = &engine->borders[2 * location + i];
        if (b->passed || engine->roi[i] > time)
            continue;
        b->clock = clock_at(&engine->lines[location], engine->roi[i], running);
        b->passed = true;
        if (engine->tape)
            pj_tape_border(engine->tape, location, i, engine->lines[location].clock.at,
                           running ? engine->roi[i] : 0);
        b->inside =
            !running && engine->lines[location].clock.at < engine->roi[i] && engine->roi[i] < time;
    }
}

/// Tells borders and watch of a move before it is made.
static void announce(pj_engine *engine, uint32_t location, uint64_t time, bool running)
{
    const line *l = &engine->lines[location];
    if (engine->borders)
        pass_borders(engine, location, time, running);
    if (!engine->watch.moved)
        return;
    double begin = running ? l->clock.now : l->seen;
    double end = clock_at(l, time, running).now;
    engine->watch.moved(engine->watch.self, location, (uint64_t[]){l->clock.at, time},
                        (double[]){begin, end}, running);
}

/// To `time` in the trace: at full speed when `running`, else at no cost.
static inline void do_move(pj_engine *engine, uint32_t location, uint64_t time, bool running)
{
    line *l = &engine->lines[location];
    if (time < l->clock.at) // the trace went back in time; counted by the reader
        time = l->clock.at;
    if (__builtin_expect(engine->borders || engine->watch.moved, 0))
        announce(engine, location, time, running);
    if (engine->tape && running)
        pj_tape_run(engine->tape, location, l->clock.at, time);
    else if (engine->tape)
        pj_tape_pass(engine->tape, location);
    if (running) {
        double length = (double)(time - l->clock.at);
        l->clock.now += length;
        l->clock.compute_ns += length;
    }
    l->clock.at = time;
    l->seen = l->clock.now;
    if (engine->account && !running)
        pj_call_waits_leave(engine->account, location);
}

/// False when the location must wait.
static bool step(pj_engine *engine, uint32_t location, pj_op op)
{
    line *l = &engine->lines[location];
    switch (op.kind) {
    case PJ_OP_RUN:
    case PJ_OP_PASS:
        do_move(engine, location, op.time, op.kind == PJ_OP_RUN);
        break;
    case PJ_OP_POST:
        do_post(engine, l, op.what);
        break;
    case PJ_OP_SENT:
        claim(engine, location, &engine->messages[op.what]);
        break;
    case PJ_OP_CALL:
        pj_call_waits_enter(engine->account, location, op.what, l->clock.at, op.time);
        break;
    case PJ_OP_FENCE:
        pj_call_waits_fence(engine->account, location);
        break;
    case PJ_OP_SEND:
    case PJ_OP_ISEND:
        return do_send(engine, l, op.what, op.kind == PJ_OP_SEND);
    case PJ_OP_WAIT:
        return do_wait(engine, l, op.what);
    case PJ_OP_ARRIVE:
        do_arrive(engine, l, op.what);
        break;
    case PJ_OP_AWAIT:
        return do_await(engine, location, op.what);
    }
    return true;
}

/// Operations that must wait hold what they work on.
static void hold(pj_engine *engine, pj_op op)
{
    if (op.kind >= PJ_OP_CALL)
        return;
    if (op.kind >= PJ_OP_ARRIVE)
        engine->syncs[op.what].holders++;
    else if (op.kind >= PJ_OP_SEND)
        engine->messages[op.what].holders++;
}

static void release(pj_engine *engine, pj_op op)
{
    if (op.kind >= PJ_OP_CALL)
        return;
    if (op.kind >= PJ_OP_ARRIVE)
        pj_engine_sync_release(engine, op.what);
    else if (op.kind >= PJ_OP_SEND)
        pj_engine_message_release(engine, op.what);
}

static __attribute__((noinline)) void grow_ring(pj_engine *engine, line *l)
{
    uint32_t cap = l->cap ? l->cap * 2 : 16;
    l->ops = pj_widen_ring(l->ops, l->cap, l->head, cap, sizeof *l->ops);
    engine->ring_bytes += (cap - l->cap) * sizeof *l->ops;
    l->cap = cap;
    l->head = 0;
}

static inline void push(pj_engine *engine, line *l, pj_op op)
{
    if (__builtin_expect(l->count == l->cap, 0))
        grow_ring(engine, l);
    l->ops[(l->head + l->count++) & (l->cap - 1)] = op;
}

static void run_location(pj_engine *engine, uint32_t location)
{
    line *l = &engine->lines[location];
    l->woken = l->waits = false;
    while (l->count > 0) {
        pj_op op = l->ops[l->head];
        l->waits = !step(engine, location, op);
        if (l->waits)
            return;
        l->head = (l->head + 1) & (l->cap - 1);
        l->count--;
        release(engine, op);
    }
}

static void run_woken(pj_engine *engine)
{
    while (engine->woken_count > 0)
        run_location(engine, engine->woken[--engine->woken_count]);
}

void pj_engine_move(pj_engine *engine, uint32_t location, uint64_t time, bool running)
{
    line *l = &engine->lines[location];
    if (l->waits)
        push(engine, l, (pj_op){.time = time, .kind = running ? PJ_OP_RUN : PJ_OP_PASS});
    else
        do_move(engine, location, time, running);
}

void pj_engine_add(pj_engine *engine, uint32_t location, pj_op_kind kind, uint32_t what)
{
    line *l = &engine->lines[location];
    pj_op op = {.what = what, .kind = kind};
    if (kind == PJ_OP_POST)
        engine->messages[what].has_post = true;
    else if (kind == PJ_OP_SEND || kind == PJ_OP_ISEND)
        engine->messages[what].has_send = true;
    if (l->waits || !step(engine, location, op)) {
        l->waits = true;
        hold(engine, op);
        push(engine, l, op);
    }
    if (engine->woken_count > 0)
        run_woken(engine);
}

/// An operation that never waits.
static void add_note(pj_engine *engine, uint32_t location, pj_op op)
{
    line *l = &engine->lines[location];
    if (l->waits)
        push(engine, l, op);
    else
        step(engine, location, op);
}

void pj_engine_call(pj_engine *engine, uint32_t location, pj_mpi_call call, uint64_t leave)
{
    add_note(engine, location, (pj_op){.time = leave, .what = call, .kind = PJ_OP_CALL});
}

void pj_engine_fence(pj_engine *engine, uint32_t location)
{
    if (engine->account)
        add_note(engine, location, (pj_op){.kind = PJ_OP_FENCE});
}

// Other processes

void pj_engine_far(pj_engine *engine, uint32_t id)
{
    engine->messages[id].far = true;
}

bool pj_engine_far_news(pj_engine *engine, uint32_t *id)
{
    if (engine->news_count == 0)
        return false;
    *id = engine->news[--engine->news_count];
    return true;
}

void pj_engine_sent_at(pj_engine *engine, uint32_t id, double clock)
{
    message_sent(engine, &engine->messages[id], clock, 0);
    run_woken(engine);
}

void pj_engine_sync_far(pj_engine *engine, uint32_t id, uint32_t row, uint64_t number)
{
    sync *g = &engine->syncs[id];
    g->far = true;
    g->row = row;
    g->number = number;
}

bool pj_engine_sync_news(pj_engine *engine, pj_arrivals *out)
{
    if (engine->sync_news_count == 0)
        return false;
    uint32_t id = engine->sync_news[--engine->sync_news_count];
    sync *g = &engine->syncs[id];
    *out = (pj_arrivals){g->row, g->number, g->fresh, g->came};
    g->fresh = 0;
    g->listed = false;
    pj_engine_sync_release(engine, id);
    return true;
}

void pj_engine_sync_arrived(pj_engine *engine, uint32_t id, uint32_t guests, double clock)
{
    sync *g = &engine->syncs[id];
    g->arrived += guests;
    g->clock = later(g->clock, clock);
    try_open(engine, g);
}

void pj_engine_sync_skip(pj_engine *engine, uint32_t id)
{
    come(engine, &engine->syncs[id], 1, 0);
    try_open(engine, &engine->syncs[id]);
}
