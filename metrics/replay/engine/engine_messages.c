// Messages between the timelines of the replay: made at their ends, sent, posted, waited for.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/replay/call_waits.h"
#include "metrics/replay/engine/engine.h"
#include "metrics/replay/engine/engine_state.h"
#include "metrics/replay/network.h"
#include "metrics/replay/whatif/tape.h"

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

void pj_engine_claim(pj_engine *engine, uint32_t location, message *m)
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
        pj_engine_wake(engine, m->from);
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
        pj_engine_wake(engine, m->to);
    if (m->far)
        add_news(engine, m);
    if (m->other == PJ_NOTHING)
        return;
    engine->messages[m->other].mark = m->mark;
    if (engine->tape && !engine->messages[m->other].is_sent)
        pj_tape_copy(engine->tape, PJ_TAPE_SENT_COPY, m->other, number_of(engine, m));
    message_sent(engine, &engine->messages[m->other], clock, time);
}

void pj_engine_no_send(pj_engine *engine, uint32_t id)
{
    message *m = &engine->messages[id];
    m->no_send = true;
    if (m->other != PJ_NOTHING)
        engine->messages[m->other].no_send = true;
    message_sent(engine, m, 0, 0);
    pj_engine_run_woken(engine);
}

void pj_engine_no_post(pj_engine *engine, uint32_t id, double clock)
{
    message *m = &engine->messages[id];
    m->no_post = true;
    if (engine->tape && !m->is_posted)
        pj_tape_copy(engine->tape, PJ_TAPE_POSTED_COPY, id, PJ_NOTHING);
    message_posted(engine, m, clock, 0);
    pj_engine_run_woken(engine);
}

void pj_engine_post_like(pj_engine *engine, uint32_t id, uint32_t as)
{
    message *m = &engine->messages[id];
    const message *like = &engine->messages[as];
    m->no_post = true;
    if (engine->tape && !m->is_posted)
        pj_tape_copy(engine->tape, PJ_TAPE_POSTED_COPY, id, like->is_posted ? as : PJ_NOTHING);
    message_posted(engine, m, like->is_posted ? like->posted : 0, 0);
    pj_engine_run_woken(engine);
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
    pj_engine_run_woken(engine);
}

bool pj_engine_do_send(pj_engine *engine, line *l, uint32_t id, bool blocking)
{
    message *m = &engine->messages[id];
    if (__builtin_expect(engine->watch.sent != NULL, 0))
        m->mark = engine->watch.sent(engine->watch.self, (uint32_t)(l - engine->lines), l->clock.at,
                                     l->seen);
    if (blocking && !m->is_sent)
        pj_engine_claim(engine, (uint32_t)(l - engine->lines), m);
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

void pj_engine_do_post(pj_engine *engine, const line *l, uint32_t id)
{
    message *m = &engine->messages[id];
    if (engine->tape && !m->is_posted)
        pj_tape_add(engine->tape, PJ_TAPE_POSTED, (uint32_t)(l - engine->lines), id, 0);
    message_posted(engine, m, l->clock.now, l->clock.at);
}

static void meet_sender(const pj_engine *engine, const line *l, const message *m)
{
    uint32_t location = (uint32_t)(l - engine->lines);
    uint64_t mark = engine->watch.sent(engine->watch.self, location, l->clock.at, l->seen);
    engine->watch.met(engine->watch.self, mark, m->mark);
}

bool pj_engine_do_wait(pj_engine *engine, line *l, uint32_t id)
{
    message *m = &engine->messages[id];
    pj_engine_do_post(engine, l, id);
    m->receiver_waits = !m->is_sent;
    if (m->receiver_waits)
        return false;
    double start = m->sent;
    if (m->size >= engine->network.eager_bytes)
        start = later(start, m->posted);
    if (__builtin_expect(engine->watch.met != NULL, 0) && !m->no_send)
        meet_sender(engine, l, m);
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
    pj_engine_run_woken(engine);
}
