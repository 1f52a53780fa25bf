// What can be seen of the clocks of the replay from outside.
#include "metrics/base/arena.h"
#include "metrics/replay/engine/engine.h"
#include "metrics/replay/engine/engine_state.h"
#include "metrics/trace/mpi_call.h"

bool pj_engine_has_post(const pj_engine *engine, uint32_t id)
{
    return engine->messages[id].has_post;
}

bool pj_engine_sends_itself(const pj_engine *engine, uint32_t id)
{
    const message *m = &engine->messages[id];
    return m->from == m->to && !m->has_send;
}

bool pj_engine_posted(const pj_engine *engine, uint32_t id, double *clock)
{
    *clock = engine->messages[id].posted;
    return engine->messages[id].is_posted;
}

void pj_engine_ends(const pj_engine *engine, uint32_t id, uint32_t *from, uint32_t *to,
                    uint64_t *size)
{
    const message *m = &engine->messages[id];
    *from = m->from;
    *to = m->to;
    *size = m->size;
}

bool pj_engine_accounts(const pj_engine *engine)
{
    return engine->account != NULL;
}

bool pj_engine_sent(const pj_engine *engine, uint32_t id, double *clock, bool *lost)
{
    const message *m = &engine->messages[id];
    *clock = m->sent;
    *lost = m->no_send;
    return m->is_sent;
}

bool pj_engine_sender_waits(const pj_engine *engine, uint32_t id)
{
    const message *m = &engine->messages[id];
    return m->sender_waits && !m->is_posted;
}

bool pj_engine_is_large(const pj_engine *engine, uint32_t id)
{
    return engine->messages[id].size >= engine->network.eager_bytes;
}

bool pj_engine_sync_is_open(const pj_engine *engine, uint32_t id)
{
    return engine->syncs[id].open;
}

void pj_engine_roi(pj_engine *engine, uint64_t from, uint64_t to)
{
    engine->roi[0] = from;
    engine->roi[1] = to;
    engine->borders = pj_take_memory(2 * engine->locations * sizeof *engine->borders);
    for (uint32_t i = 0; i < 2 * engine->locations; i++)
        engine->borders[i] = (border){.passed = false};
}

bool pj_engine_borders(const pj_engine *engine, uint32_t location, pj_clock *from, pj_clock *to)
{
    *from = *to = engine->lines[location].clock;
    if (!engine->borders)
        return false;
    const border *b = &engine->borders[2 * location];
    if (b[0].passed)
        *from = b[0].clock;
    if (b[1].passed)
        *to = b[1].clock;
    return b[1].inside;
}

pj_clock pj_engine_clock(const pj_engine *engine, uint32_t location)
{
    return engine->lines[location].clock;
}

bool pj_engine_waits(const pj_engine *engine, uint32_t location, pj_op *op)
{
    const line *l = &engine->lines[location];
    if (l->waits)
        *op = l->ops[l->head];
    if (l->waits && op->kind == PJ_OP_AWAIT)
        op->what = engine->syncs[op->what].joined ? engine->syncs[op->what].next : op->what;
    return l->waits;
}

size_t pj_engine_bytes(const pj_engine *engine)
{
    return engine->ring_bytes + engine->message_cap * sizeof *engine->messages +
           engine->sync_cap * sizeof *engine->syncs +
           engine->locations * (sizeof *engine->lines + sizeof *engine->woken);
}
