// Synchronisations of the timelines of the replay: who is expected, who has come, when it opens.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/replay/call_waits.h"
#include "metrics/replay/engine/engine.h"
#include "metrics/replay/engine/engine_state.h"
#include "metrics/replay/network.h"
#include "metrics/replay/whatif/tape.h"
#include "metrics/trace/mpi_call.h"

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
    g->means = true;
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
        pj_engine_wake(engine, w);
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
    pj_engine_run_woken(engine);
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

/// Guests of a collective have to do with each other; those of other synchronisations do not.
static void meet_guests(const pj_engine *engine, sync *g, uint64_t mark)
{
    if (g->marked && g->means)
        engine->watch.met(engine->watch.self, mark, g->mark);
    else
        g->mark = mark;
    g->marked = true;
}

static inline void meet_guest(const pj_engine *engine, const line *l, sync *g)
{
    if (__builtin_expect(engine->watch.met != NULL, 0))
        meet_guests(engine, g,
                    engine->watch.sent(engine->watch.self, (uint32_t)(l - engine->lines),
                                       l->clock.at, l->seen));
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
    if (g->marked)
        meet_guests(engine, m, g->mark);
    come(engine, m, g->arrived, g->clock);
    wake_waiters(engine, g);
    try_open(engine, m);
}

bool pj_engine_do_await(pj_engine *engine, uint32_t location, uint32_t id)
{
    line *l = &engine->lines[location];
    sync *g = sync_meant(engine, id);
    if (!g->open) {
        l->next_waiter = g->first_waiter;
        g->first_waiter = location;
        return false;
    }
    meet_guest(engine, l, g);
    if (g->meeting != PJ_NO_WAIT)
        pj_call_waits_met(engine->account, location, g->meeting, g->clock - l->clock.now);
    if (engine->tape)
        pj_tape_await(engine->tape, location, (uint32_t)(g - engine->syncs),
                      g->costed ? g->expected : 0);
    l->clock.now = later(l->clock.now, g->clock);
    return true;
}

void pj_engine_do_arrive(pj_engine *engine, const line *l, uint32_t id)
{
    sync *g = sync_meant(engine, id);
    meet_guest(engine, l, g);
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

// Other processes

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
