// The clocks of the replay.
// Timelines that run until they must wait, and wake each other: nothing is scheduled by time, so an
// operation costs the same however many locations there are.
#include "metrics/replay/engine/engine.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/replay/engine/engine_state.h"
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
        pj_engine_do_post(engine, l, op.what);
        break;
    case PJ_OP_SENT:
        pj_engine_claim(engine, location, &engine->messages[op.what]);
        break;
    case PJ_OP_CALL:
        pj_call_waits_enter(engine->account, location, op.what, (uint64_t[]){l->clock.at, op.time},
                            l->clock.now);
        break;
    case PJ_OP_FENCE:
        pj_call_waits_fence(engine->account, location);
        break;
    case PJ_OP_LOCK:
        pj_call_waits_lock(engine->account, location, op.what, op.time);
        break;
    case PJ_OP_SEND:
    case PJ_OP_ISEND:
        return pj_engine_do_send(engine, l, op.what, op.kind == PJ_OP_SEND);
    case PJ_OP_WAIT:
        return pj_engine_do_wait(engine, l, op.what);
    case PJ_OP_ARRIVE:
        pj_engine_do_arrive(engine, l, op.what);
        break;
    case PJ_OP_AWAIT:
        return pj_engine_do_await(engine, location, op.what);
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

void pj_engine_wake(pj_engine *engine, uint32_t location)
{
    line *l = &engine->lines[location];
    if (!l->waits || l->woken)
        return;
    l->woken = true;
    engine->woken[engine->woken_count++] = location;
}

void pj_engine_run_woken(pj_engine *engine)
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
        pj_engine_run_woken(engine);
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

void pj_engine_lock(pj_engine *engine, uint32_t location, uint32_t rank, uint64_t time)
{
    add_note(engine, location, (pj_op){.time = time, .what = rank, .kind = PJ_OP_LOCK});
}
