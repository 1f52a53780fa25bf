// Hands the events of a pass to its sinks, and in a process group what each member has found.
#include "metrics/read/pass.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/memory.h"
#include "metrics/base/str.h"
#include "metrics/run/run_gather.h"
#include "metrics/trace/event.h"
#include "metrics/trace/event_code.h"
#include "metrics/trace/layout.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/// What sinks and replay keep of every thread, measured; few threads are not worth the question.
static bool find_room(const pj_run *run, pj_err *err)
{
    enum { BYTES_EACH = 700, FEW = 10000 };
    uint32_t threads = run->layout.locations;
    char why[64];
    snprintf(why, sizeof why, "a run of %" PRIu32 " threads", threads);
    return threads < FEW || pj_memory_want((uint64_t)threads * BYTES_EACH, run->path, why, err);
}

/// Whether every member of a process group has such a sink, for its own threads.
static bool is_own(const pj_pass *pass, const pj_sink *sink)
{
    return sink->by_location || (sink->sharing && pass->ranks_apart);
}

/// The one that is told of the ranks of other members; NULL = none.
static const pj_sink *shared_sink(const pj_pass *pass)
{
    for (size_t i = 0; pass->ranks_apart && i < pass->sink_count; i++)
        if (pass->sinks[i].sharing)
            return &pass->sinks[i];
    return NULL;
}

uint32_t pj_pass_shared_from(const pj_pass *pass)
{
    uint32_t from = PJ_SHARED_LEAST;
    for (size_t i = 0; i < pass->sink_count; i++)
        if (pass->sinks[i].sharing && pass->sinks[i].shared_from > from)
            from = pass->sinks[i].shared_from;
    return from;
}

/// Whether the sink has to do with what the reader tells.
static bool is_told(const pj_pass *pass, const pj_sink *sink)
{
    return !pass->calls_alone || sink->calls_alone;
}

bool pj_pass_begin(pj_pass *pass, pj_err *err)
{
    if (!find_room(pass->run, err))
        return false;
    const pj_sink *shared = shared_sink(pass);
    if (shared)
        shared->sharing->share(shared->self, pass->group);
    for (size_t i = 0; i < pass->sink_count; i++)
        if (is_told(pass, &pass->sinks[i]) &&
            !pass->sinks[i].begin(pass->sinks[i].self, pass->run, err))
            return false;
    return true;
}

bool pj_pass_has_devices(const pj_pass *pass)
{
    for (size_t i = 0; pass->run->layout.stream_count && i < pass->sink_count; i++)
        if (pass->sinks[i].devices)
            return true;
    return false;
}

bool pj_pass_has_meters(const pj_pass *pass)
{
    for (size_t i = 0; pass->run->meters.count && i < pass->sink_count; i++)
        if (pass->sinks[i].meters)
            return true;
    return false;
}

/// Whether a sink is given anything of this run.
static bool takes_part(const pj_pass *pass, const pj_sink *sink)
{
    if (!is_told(pass, sink) || (sink->below && pass->run->layout.locations >= sink->below))
        return false;
    if (sink->meters)
        return pass->run->meters.count > 0;
    return !sink->devices || pass->run->layout.stream_count;
}

const pj_sink *pj_pass_calls(const pj_pass *pass)
{
    for (size_t i = 0; i < pass->sink_count; i++)
        if (pass->sinks[i].calls)
            return &pass->sinks[i];
    return NULL;
}

/// What a batch holds of locations before `end`, into room for all its events.
static pj_batch of_locations(uint32_t end, const pj_batch *batch, pj_event *room)
{
    pj_batch out = {
        .events = room, .messages = batch->messages, .message_count = batch->message_count};
    for (size_t i = 0; i < batch->count; i++) {
        const pj_event *event = &batch->events[i];
        bool leads_out = event->kind == PJ_EV_MESSAGE && batch->messages[event->a].to >= end;
        if (event->location < end && !leads_out)
            room[out.count++] = *event;
    }
    return out;
}

typedef bool chooses(const pj_pass *pass, const pj_sink *sink);

/// Hands a batch to the sinks that are chosen, to each what it wants of it.
static bool hand(pj_pass *pass, chooses *chosen, const pj_batch *batch, pj_err *err)
{
    const pj_layout *layout = &pass->run->layout;
    bool metered = pj_pass_has_meters(pass), divided = metered || pj_pass_has_devices(pass);
    pj_event *room = divided ? pj_take_memory(2 * (batch->count + 1) * sizeof *room) : NULL;
    pj_batch threads = divided ? of_locations(layout->locations, batch, room) : *batch;
    pj_batch devices = metered ? of_locations(layout->locations + layout->stream_count, batch,
                                              room + batch->count + 1)
                               : *batch;
    bool ok = true;
    for (size_t i = 0; ok && i < pass->sink_count; i++) {
        const pj_sink *sink = &pass->sinks[i];
        const pj_batch *wanted = sink->meters ? batch : sink->devices ? &devices : &threads;
        if (takes_part(pass, sink) && chosen(pass, sink))
            ok = sink->events(sink->self, wanted, err);
    }
    free(room);
    return ok;
}

static bool is_any(const pj_pass *pass, const pj_sink *sink)
{
    (void)pass, (void)sink;
    return true;
}

bool pj_pass_events(pj_pass *pass, const pj_batch *batch, pj_err *err)
{
    return hand(pass, is_any, batch, err);
}

bool pj_pass_asks(const pj_pass *pass, pj_event_kind kind)
{
    unsigned kinds = 0;
    for (size_t i = 0; i < pass->sink_count; i++)
        kinds |= pass->sinks[i].kinds;
    return kinds >> kind & 1;
}

bool pj_pass_wants_calls(const pj_pass *pass)
{
    bool calls = false;
    for (size_t i = 0; i < pass->sink_count; i++)
        calls |= pass->sinks[i].calls_alone;
    return calls;
}

bool pj_pass_wants_sent(const pj_pass *pass)
{
    bool sent = false;
    for (size_t i = 0; i < pass->sink_count; i++)
        sent |= pass->sinks[i].sent;
    return sent;
}

bool pj_pass_wants_locks(const pj_pass *pass)
{
    bool locks = false;
    for (size_t i = 0; i < pass->sink_count; i++)
        locks |= pass->sinks[i].locks;
    return locks;
}

static bool is_others(const pj_pass *pass, const pj_sink *sink)
{
    return !is_own(pass, sink);
}

bool pj_pass_own(pj_pass *pass, const pj_batch *batch, pj_err *err)
{
    return !batch->count || hand(pass, is_own, batch, err);
}

bool pj_pass_all(pj_pass *pass, const pj_batch *batch, pj_err *err)
{
    return !batch->count || hand(pass, is_others, batch, err);
}

unsigned pj_pass_kinds(const pj_pass *pass)
{
    unsigned kinds = 0;
    for (size_t i = 0; i < pass->sink_count; i++)
        if (!is_own(pass, &pass->sinks[i]) && takes_part(pass, &pass->sinks[i]))
            kinds |= pass->sinks[i].kinds ? pass->sinks[i].kinds : UINT_MAX;
    return kinds;
}

/// Whether every member of a process group finishes a sink, and not only its leader.
static bool ends_everywhere(const pj_pass *pass, const pj_sink *sink)
{
    return is_own(pass, sink) && !sink->tell;
}

static bool finish_sinks(pj_pass *pass, bool everywhere, pj_err *err)
{
    for (size_t i = 0; i < pass->sink_count; i++) {
        const pj_sink *sink = &pass->sinks[i];
        if (ends_everywhere(pass, sink) == everywhere && is_told(pass, sink) &&
            !sink->finish(sink->self, pass->run, err))
            return false;
    }
    return true;
}

static void tell_found(pj_pass *pass)
{
    pj_buf *out = &pass->group->out[0];
    for (size_t i = 0; i < pass->sink_count; i++) {
        const pj_sink *sink = &pass->sinks[i];
        pj_auto_buf found = {.at = NULL};
        if (!sink->tell || !is_own(pass, sink))
            continue;
        sink->tell(sink->self, pass->run, &found);
        pj_code_number(out, found.len);
        pj_buf_add(out, pj_buf_str(&found));
    }
}

static bool hear_found(pj_pass *pass, pj_str in)
{
    for (size_t i = 0; i < pass->sink_count; i++) {
        const pj_sink *sink = &pass->sinks[i];
        uint64_t size;
        if (!sink->hear || !is_own(pass, sink))
            continue;
        if (!pj_decode_number(&in, &size) || size > in.len ||
            !sink->hear(sink->self, pj_str_head(in, size)))
            return false;
        in = pj_str_from(in, size);
    }
    return true;
}

static bool take_news(pj_pass *pass, const pj_sink *sink, bool *busy, pj_err *err)
{
    *busy = false;
    for (unsigned member = 0; member < pass->group->size; member++) {
        pj_str in = pj_process_group_from(pass->group, member);
        if (!in.len || !sink->sharing->take(sink->self, member, pj_str_from(in, 1)))
            return pj_fail(err, PJ_E_IO, pass->run->path, 0,
                           "what process %u has sent cannot be read", member);
        *busy |= in.at[0] != 0;
    }
    return true;
}

bool pj_pass_trade(pj_pass *pass, pj_err *err)
{
    const pj_sink *sink = shared_sink(pass);
    for (bool busy = sink != NULL; busy;) {
        const pj_buf *news = sink->sharing->news(sink->self);
        char any = 0; // the others hear of news that are not for them
        for (unsigned i = 0; i < pass->group->size; i++)
            any |= news[i].len > 0;
        pj_process_group_tell(pass->group, (pj_str){&any, 1});
        for (unsigned i = 0; i < pass->group->size; i++)
            pj_buf_add(&pass->group->out[i], pj_buf_str(&news[i]));
        if (!pj_process_group_exchange(pass->group, err) || !take_news(pass, sink, &busy, err))
            return false;
    }
    return true;
}

/// In a process group: what is left to do for sinks that are told of others.
static bool conclude(pj_pass *pass, pj_err *err)
{
    const pj_sink *sink = shared_sink(pass);
    for (unsigned step = 0; sink && sink->sharing->conclude(sink->self, pass->run, step); step++)
        if (!pj_pass_trade(pass, err))
            return false;
    return true;
}

/// In a process group: the leader's sinks learn what those of the others have found.
static bool gather(pj_pass *pass, pj_err *err)
{
    pj_process_group *group = pass->group;
    if (!pj_run_gather(pass->run, group, err))
        return false;
    if (!pj_process_group_leads(group))
        tell_found(pass);
    if (!pj_process_group_exchange(group, err))
        return false;
    for (unsigned member = 1; pj_process_group_leads(group) && member < group->size; member++)
        if (!hear_found(pass, pj_process_group_from(group, member)))
            return pj_fail(err, PJ_E_IO, pass->run->path, 0,
                           "what process %u has found cannot be read", member);
    return true;
}

// The sinks that take all threads together need what the others have left in the run.
bool pj_pass_finish(pj_pass *pass, pj_err *err)
{
    return finish_sinks(pass, true, err) && conclude(pass, err) &&
           (!pass->group || gather(pass, err)) &&
           (!pj_process_group_leads(pass->group) || finish_sinks(pass, false, err));
}
