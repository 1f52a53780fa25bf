// Who waits for whom when a replay cannot go on.
// From one that waits to the one that it waits for, until that one does not wait.
#include "metrics/replay/waits.h"

#include "metrics/base/arena.h"
#include "metrics/base/num.h"
#include "metrics/replay/engine/engine.h"
#include "metrics/trace/layout.h"
#include "metrics/trace/mpi_call.h"

pj_wait pj_wait_of(const pj_engine *engine, const pj_groups *groups, uint32_t location)
{
    pj_wait wait = {.at = pj_engine_clock(engine, location).at};
    pj_op op;
    uint32_t from, to;
    wait.waits = pj_engine_waits(engine, location, &op);
    if (!wait.waits)
        return wait;
    wait.kind = op.kind;
    if (op.kind == PJ_OP_AWAIT) {
        wait.collective = pj_groups_name(groups, op.what, &wait.sync);
        return wait;
    }
    pj_engine_ends(engine, op.what, &from, &to, &wait.size);
    wait.other = op.kind == PJ_OP_SEND ? to : from;
    return wait;
}

/// "rank 3", or "rank 3 thread 1" of a worker.
static const char *who(const pj_layout *layout, uint32_t location, pj_arena *arena)
{
    uint32_t rank = layout->rank_of[location];
    uint32_t thread = location - layout->first_location[rank];
    return thread ? pj_arena_format(arena, "rank %u thread %u", rank, thread)
                  : pj_arena_format(arena, "rank %u", rank);
}

/// The rank that a collective lacks; PJ_NOTHING when it lacks none, or is none.
static uint32_t missing(const pj_wait *wait, const pj_groups *groups)
{
    return wait->collective ? pj_groups_missing(groups, wait->sync) : PJ_NOTHING;
}

static const char *what(const pj_wait *wait, const pj_groups *groups, const pj_layout *layout,
                        pj_arena *arena)
{
    switch ((pj_op_kind)wait->kind) {
    case PJ_OP_SEND:
        return pj_arena_format(arena,
                               "to send %llu bytes until %s receives them; a larger eager limit "
                               "(--eager) lets such messages go at once",
                               (unsigned long long)wait->size, who(layout, wait->other, arena));
    case PJ_OP_WAIT:
        return pj_arena_format(arena, "for a message of %s", who(layout, wait->other, arena));
    case PJ_OP_AWAIT: {
        uint32_t rank = missing(wait, groups);
        const pj_mpi_call_row *row = pj_mpi_call_at((pj_mpi_call)wait->sync.call);
        return rank == PJ_NOTHING ? "for the other threads"
                                  : pj_arena_format(arena, "in %s for rank %u",
                                                    row ? row->name : "a collective", rank);
    }
    case PJ_OP_RUN:
    case PJ_OP_PASS:
    case PJ_OP_ISEND:
    case PJ_OP_POST:
    case PJ_OP_SENT:
    case PJ_OP_ARRIVE:
    case PJ_OP_CALL:
    case PJ_OP_FENCE:
    case PJ_OP_LOCK:
        break;
    }
    return "";
}

/// The location that must go on first; PJ_NOTHING when that is not known.
static uint32_t awaited(const pj_wait *wait, const pj_groups *groups, const pj_layout *layout)
{
    if (wait->kind != PJ_OP_AWAIT)
        return wait->other;
    uint32_t rank = missing(wait, groups);
    return rank == PJ_NOTHING ? PJ_NOTHING : layout->first_location[rank];
}

const char *pj_waits_text(const pj_wait *waits, const pj_groups *groups, const pj_layout *layout,
                          pj_arena *arena)
{
    uint32_t waiting = 0, culprit = PJ_NOTHING;
    for (uint32_t i = layout->locations; i-- > 0;)
        if (waits[i].waits) {
            culprit = i;
            waiting++;
        }
    if (waiting == 0)
        return NULL;
    for (uint32_t i = 0, next; i < layout->locations; i++, culprit = next) { // on into the circle
        next = awaited(&waits[culprit], groups, layout);
        if (next == PJ_NOTHING || !waits[next].waits)
            break;
    }
    char time[32];
    pj_format_duration((double)waits[culprit].at, time);
    return pj_arena_format(arena, "%u of %u locations wait; %s, at %s in the trace, waits %s",
                           waiting, layout->locations, who(layout, culprit, arena), time,
                           what(&waits[culprit], groups, layout, arena));
}
