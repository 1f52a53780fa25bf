// From the records of a location to states and calls.
// A state lasts until something is given out: the interval before is closed first, so that events
// of a location stay in order. Intervals of one state that touch count as one.
#include "metrics/read/otf2/events/otf2_location.h"

#include "metrics/base/buf.h"
#include "metrics/base/map.h"
#include "metrics/read/otf2/events/otf2_calls.h"
#include "metrics/read/otf2/events/otf2_counters.h"
#include "metrics/read/otf2/events/otf2_device.h"
#include "metrics/read/otf2/events/otf2_event.h"
#include "metrics/read/otf2/events/otf2_files.h"
#include "metrics/read/otf2/events/otf2_give.h"
#include "metrics/read/otf2/events/otf2_index.h"
#include "metrics/read/otf2/events/otf2_locks.h"
#include "metrics/read/otf2/events/otf2_ranged.h"
#include "metrics/read/otf2/events/otf2_recorder.h"
#include "metrics/read/otf2/events/otf2_region.h"
#include "metrics/read/otf2/events/otf2_skim.h"
#include "metrics/read/otf2/events/otf2_tangle.h"
#include "metrics/read/otf2/events/otf2_teams.h"
#include "metrics/read/otf2/events/otf2_traffic.h"
#include "metrics/read/otf2/otf2_border.h"
#include "metrics/read/otf2/otf2_parameters.h"

#include <stdlib.h>

enum {
    NESTING_MOST = 1 << 20,
    MEASUREMENT_IS_OFF = 2, // OTF2_MEASUREMENT_OFF
    MODEL_OPENMP = PJ_OTF2_PARADIGM_OPENMP,
    STATE_BASE = PJ_OTF2_STATE_BASE,
    NEAR = 64, // frames above one that is left: more of them make a tangle
    STATE_FORK = 7,
    PATHS_MOST = 1 << 14, // new ones between two looks at the job
    NAMES_AHEAD = 64,     // events between a team and its region
};

// States

static uint8_t top_state(const pj_otf2_location *location)
{
    if (location->tangle)
        return pj_otf2_tangle_state(location->tangle);
    return location->depth ? location->stack[location->depth - 1].state : STATE_BASE;
}

static uint8_t state_now(const pj_otf2_location *location)
{
    if (location->now.off)
        return PJ_STATE_DISABLED;
    uint8_t state = top_state(location);
    if (state == STATE_BASE)
        state = !location->worker || location->now.in_body || !location->defs->has_teams
                    ? PJ_STATE_RUNNING
                    : PJ_STATE_IDLE;
    bool forking = location->now.forks && !location->now.in_body;
    return forking && state == PJ_STATE_RUNNING ? STATE_FORK : state;
}

void pj_otf2_location_change(pj_otf2_location *location, uint64_t time)
{
    uint8_t state = state_now(location);
    if (state == location->now.state)
        return;
    pj_otf2_settle(location, time);
    location->now.state = state;
}

/// What a region makes of the state below it.
static uint8_t state_above(const pj_otf2_location *location, uint8_t below, uint32_t index)
{
    return pj_otf2_state_above(pj_otf2_region_at(location, index), below, location->now.calls > 0);
}

/// One at `from` has been taken out.
static void restate(pj_otf2_location *location, size_t from)
{
    if (location->tangle) {
        pj_otf2_tangle_restate(location->tangle, from, location->now.calls > 0);
        if (pj_otf2_tangle_is_sparse(location->tangle))
            pj_otf2_tangle_end(location);
        return;
    }
    for (size_t i = from; i < location->depth; i++)
        location->stack[i].state = state_above(
            location, i ? location->stack[i - 1].state : STATE_BASE, location->stack[i].region);
}

// Regions

static uint32_t region_of(pj_otf2_location *location, uint64_t id, unsigned of)
{
    if (of != PJ_OTF2_OF_REGION || id >= UINT32_MAX)
        return pj_otf2_look_up_region(location, id, of);
    uint32_t known = pj_otf2_known_region(&location->known, (uint32_t)id);
    if (known != PJ_OTF2_NONE)
        return known & ~PJ_OTF2_NOT_PLAIN;
    uint32_t index = pj_otf2_look_up_region(location, id, of);
    bool plain = pj_otf2_region_at(location, index)->plain;
    pj_otf2_known_add(&location->known, (uint32_t)id, index | (plain ? 0 : PJ_OTF2_NOT_PLAIN));
    return index;
}

static void begin_construct(pj_otf2_location *location, uint64_t time, uint32_t index)
{
    switch ((pj_otf2_construct)pj_otf2_region_at(location, index)->construct) {
    case PJ_OTF2_MPI:
        pj_otf2_begin_call(location, time, index);
        return;
    case PJ_OTF2_PARALLEL:
        location->now.parallels++;
        pj_otf2_teams_name(location, pj_otf2_teams_level(location, index));
        pj_otf2_teams_enter(location, time, pj_otf2_teams_level(location, index));
        return;
    case PJ_OTF2_BARRIER:
        pj_otf2_teams_give(location, time, PJ_OMP_BARRIER, 1);
        pj_otf2_teams_mark(location);
        return;
    case PJ_OTF2_TASK:
        pj_otf2_teams_give(location, time, PJ_OMP_TASK, pj_otf2_teams_level(location, index));
        return;
    case PJ_OTF2_TASK_MADE:
        pj_otf2_teams_give(location, time, PJ_OMP_TASK_MADE, pj_otf2_teams_level(location, index));
        return;
    case PJ_OTF2_TASKWAIT:
        pj_otf2_teams_give(location, time, PJ_OMP_TASKWAIT, 1);
        return;
    case PJ_OTF2_LOCK:
        pj_otf2_lock_asked(location, time);
        return;
    case PJ_OTF2_LOCKED:
        pj_otf2_lock_enter_body(location, time);
        return;
    case PJ_OTF2_FILE:
        pj_otf2_file_enter(location, time, index);
        return;
    case PJ_OTF2_DEVICE:
        pj_otf2_device_enter(location, time, index);
        return;
    case PJ_OTF2_PLAIN:
    case PJ_OTF2_ROOT:
        return;
    }
}

static void end_construct(pj_otf2_location *location, uint64_t time, uint32_t index)
{
    switch ((pj_otf2_construct)pj_otf2_region_at(location, index)->construct) {
    case PJ_OTF2_MPI:
        pj_otf2_end_call(location, time);
        return;
    case PJ_OTF2_PARALLEL:
        location->now.parallels--;
        pj_otf2_settle(location, time);
        pj_otf2_teams_leave(location, time);
        return;
    case PJ_OTF2_BARRIER:
        pj_otf2_teams_give(location, time, PJ_OMP_BARRIER, 0);
        pj_otf2_teams_mark(location);
        return;
    case PJ_OTF2_TASK:
        pj_otf2_teams_give(location, time, PJ_OMP_TASK, 0);
        return;
    case PJ_OTF2_TASK_MADE:
        pj_otf2_teams_give(location, time, PJ_OMP_TASK_MADE, 0);
        return;
    case PJ_OTF2_TASKWAIT:
        pj_otf2_teams_give(location, time, PJ_OMP_TASKWAIT, 0);
        return;
    case PJ_OTF2_LOCKED:
        pj_otf2_lock_leave_body(location, time);
        return;
    case PJ_OTF2_FILE:
        pj_otf2_file_leave(location, time);
        return;
    case PJ_OTF2_DEVICE:
        pj_otf2_device_leave(location, time);
        return;
    case PJ_OTF2_LOCK:
    case PJ_OTF2_PLAIN:
    case PJ_OTF2_ROOT:
        return;
    }
}

static void give_region(pj_otf2_location *location, uint64_t time, uint16_t kind, uint32_t index)
{
    pj_otf2_settle(location, time);
    pj_otf2_give(location, time, kind)->a = pj_otf2_region_at(location, index)->number;
}

static void push_frame(pj_otf2_location *location, pj_otf2_frame frame)
{
    if (location->tangle && !pj_otf2_tangle_push(location->tangle, frame))
        pj_otf2_tangle_end(location);
    if (!location->tangle) {
        if (location->depth == location->stack_cap)
            pj_grow(location->stack, &location->stack_cap, location->depth + 1);
        location->stack[location->depth] = frame;
    }
    location->depth++;
}

static void enter(pj_otf2_location *location, uint64_t time, uint32_t index)
{
    if (pj_otf2_region_at(location, index)->unknown)
        pj_otf2_count(location, PJ_IMPORT_undefined_region);
    if (location->depth >= NESTING_MOST)
        return;
    uint8_t above = state_above(location, top_state(location), index);
    if (location->named)
        give_region(location, time, PJ_EV_ENTER, index);
    if (location->calls)
        pj_otf2_calls_enter(location, time, index);
    if (pj_otf2_region_at(location, index)->construct != PJ_OTF2_PLAIN)
        begin_construct(location, time, index);
    location->unnamed.count = 0;
    push_frame(location, (pj_otf2_frame){index, above});
    pj_otf2_location_change(location, time);
}

static size_t top_frame(const pj_otf2_location *location)
{
    return location->tangle ? pj_otf2_tangle_top(location->tangle) : location->depth - 1;
}

/// The innermost frame of the region, false = there is none; makes a tangle where it is far down.
static bool find_frame(pj_otf2_location *location, uint32_t index, size_t *at)
{
    size_t top = location->depth - 1, least = top > NEAR ? top - NEAR : 0;
    for (*at = top; !location->tangle && location->stack[*at].region != index; --*at) {
        if (*at > least)
            continue;
        if (least == 0)
            return false;
        location->tangle =
            pj_otf2_tangle_new(location->defs->regions, location->stack, location->depth);
        break;
    }
    return !location->tangle || pj_otf2_tangle_find(location->tangle, index, at);
}

/// The frame that is left: the innermost one of the region, or else the innermost one.
static size_t frame_left(pj_otf2_location *location, uint32_t index)
{
    size_t at;
    bool found = find_frame(location, index, &at);
    if (!found || at != top_frame(location))
        pj_otf2_count(location, found ? PJ_IMPORT_wrong_nesting : PJ_IMPORT_leave_without_enter);
    return found ? at : top_frame(location);
}

/// Gives its region.
static uint32_t take_frame(pj_otf2_location *location, size_t at)
{
    location->depth--;
    if (location->tangle)
        return pj_otf2_tangle_take(location->tangle, at);
    uint32_t region = location->stack[at].region;
    for (size_t i = at; i < location->depth; i++)
        location->stack[i] = location->stack[i + 1];
    return region;
}

static void leave(pj_otf2_location *location, uint64_t time, uint32_t index)
{
    if (location->depth == 0) {
        pj_otf2_count(location, PJ_IMPORT_leave_without_enter);
        return;
    }
    size_t at = frame_left(location, index);
    bool innermost = at == top_frame(location);
    index = take_frame(location, at);
    if (location->calls)
        pj_otf2_calls_leave(location, time, index, innermost);
    if (pj_otf2_region_at(location, index)->construct != PJ_OTF2_PLAIN)
        end_construct(location, time, index);
    if (location->named)
        give_region(location, time, PJ_EV_LEAVE, index);
    location->unnamed.count = 0;
    restate(location, at);
    pj_otf2_location_change(location, time);
}

// Records

static void switch_measurement(pj_otf2_location *location, uint64_t time, uint64_t mode)
{
    bool off = mode == MEASUREMENT_IS_OFF;
    if (off == location->now.off)
        return;
    if (off)
        pj_otf2_count(location, PJ_IMPORT_measurement_off);
    pj_otf2_settle(location, time);
    location->now.measured = location->now.state;
    location->now.just_off =
        off && location->now.since <= time; // else it has been measured already
    // A trace begins switched on; what is switched off before it is switched on is its start.
    unsigned switches = off ? location->now.was_on : location->now.was_on ? 1 : 2;
    for (unsigned i = 0; i < switches; i++)
        pj_otf2_give(location, time, PJ_EV_TRACING)->a = !off;
    location->now.was_on |= !off;
    location->now.off = off;
    pj_otf2_location_change(location, time);
}

static void flush_buffer(pj_otf2_location *location, uint64_t time, uint64_t stop)
{
    uint8_t state = location->now.state;
    pj_otf2_count(location, PJ_IMPORT_buffer_flush);
    pj_otf2_settle(location, time);
    location->now.state = PJ_STATE_OTHERS;
    pj_otf2_settle(location, stop);
    location->now.state = state;
    if (stop > location->now.last)
        location->now.last = stop;
}

static void give_parameter(pj_otf2_location *location, uint64_t time, const pj_otf2_event *event)
{
    const pj_otf2_parameters *known = location->defs->parameters;
    uint64_t id = pj_otf2_global_of(location, PJ_OTF2_OF_PARAMETER, event->field[0]);
    uint32_t index = pj_otf2_parameters_index(known, id);
    uint64_t value = event->field[1];
    uint16_t kind =
        event->type == PJ_OTF2_PARAMETER_INT ? PJ_PARAMETER_SIGNED : PJ_PARAMETER_UNSIGNED;
    if (event->type == PJ_OTF2_PARAMETER_STRING) {
        kind = PJ_PARAMETER_TEXT;
        value = pj_otf2_parameters_text_index(
            known, pj_otf2_global_of(location, PJ_OTF2_OF_STRING, value));
    }
    if (index == UINT32_MAX)
        return;
    pj_otf2_settle(location, time);
    pj_event *given = pj_otf2_give(location, time, PJ_EV_OTHER);
    given->a = value;
    given->b = index;
    given->code = kind;
}

static void take_file_record(pj_otf2_location *location, uint64_t time, const pj_otf2_event *event)
{
    switch (event->type) {
    case PJ_OTF2_IO_CREATE_HANDLE:
    case PJ_OTF2_IO_DESTROY_HANDLE:
    case PJ_OTF2_IO_SEEK:
    case PJ_OTF2_IO_OPERATION_BEGIN:
        if (location->calls)
            pj_otf2_calls_file(location, event->field[0]);
        break;
    }
    if (event->type == PJ_OTF2_IO_OPERATION_BEGIN || event->type == PJ_OTF2_IO_OPERATION_COMPLETE)
        pj_otf2_file_record(location, time, event);
}

/// The records about OpenMP and threads, and parameters of regions.
static void take_thread_record(pj_otf2_location *location, uint64_t time,
                               const pj_otf2_event *event)
{
    switch (event->type) {
    case PJ_OTF2_THREAD_FORK:
        if (event->field[0] == MODEL_OPENMP)
            pj_otf2_teams_fork(location, time);
        return;
    case PJ_OTF2_THREAD_JOIN:
        if (event->field[0] == MODEL_OPENMP)
            pj_otf2_teams_join(location, time);
        return;
    case PJ_OTF2_OMP_FORK:
        pj_otf2_teams_fork(location, time);
        return;
    case PJ_OTF2_OMP_JOIN:
        pj_otf2_teams_join(location, time);
        return;
    case PJ_OTF2_THREAD_TEAM_BEGIN:
        pj_otf2_teams_begin(location, time, event->field[0]);
        return;
    case PJ_OTF2_THREAD_TEAM_END:
        pj_otf2_teams_end(location, time, event->field[0]);
        return;
    case PJ_OTF2_OMP_ACQUIRE_LOCK:
    case PJ_OTF2_OMP_RELEASE_LOCK:
    case PJ_OTF2_THREAD_ACQUIRE_LOCK:
    case PJ_OTF2_THREAD_RELEASE_LOCK:
        pj_otf2_lock_record(location, time, event);
        return;
    case PJ_OTF2_PARAMETER_STRING:
    case PJ_OTF2_PARAMETER_INT:
    case PJ_OTF2_PARAMETER_UNSIGNED:
        if (location->calls)
            pj_otf2_calls_parameter(location, event);
        if (location->parameters)
            give_parameter(location, time, event);
        return;
    }
}

/// Of what is not switched on again at once, that very nanosecond was still measured: regions of
/// interest end behind it. Not where the thread begins with it.
static void measure_last(pj_otf2_location *location)
{
    pj_otf2_standing *now = &location->now;
    if (!now->just_off)
        return;
    now->just_off = false;
    uint8_t off = now->state;
    now->state = now->measured;
    pj_otf2_settle(location, now->since + (now->since > now->began));
    now->state = off;
}

static void take_window_record(pj_otf2_location *location, uint64_t time,
                               const pj_otf2_event *event)
{
    switch (event->type) {
    case PJ_OTF2_RMA_COLLECTIVE_END:
        pj_otf2_window_collective(location, time, event);
        return;
    case PJ_OTF2_RMA_GROUP_SYNC:
        pj_otf2_window_signal(location, time, event);
        return;
    case PJ_OTF2_RMA_REQUEST_LOCK:
    case PJ_OTF2_RMA_ACQUIRE_LOCK:
    case PJ_OTF2_RMA_RELEASE_LOCK:
        pj_otf2_window_lock(location, time, event);
        return;
    }
}

static void take_record(pj_otf2_location *location, uint64_t time, const pj_otf2_event *event)
{
    switch (event->type) {
    case PJ_OTF2_ENTER:
        enter(location, time, region_of(location, event->field[0], PJ_OTF2_OF_REGION));
        return;
    case PJ_OTF2_LEAVE:
        leave(location, time, region_of(location, event->field[0], PJ_OTF2_OF_REGION));
        return;
    case PJ_OTF2_METRIC:
        pj_otf2_counters_read(location, time, event);
        return;
    case PJ_OTF2_CALLING_CONTEXT_ENTER:
        enter(location, time, region_of(location, event->field[0], PJ_OTF2_OF_CONTEXT));
        return;
    case PJ_OTF2_CALLING_CONTEXT_LEAVE:
        leave(location, time, region_of(location, event->field[0], PJ_OTF2_OF_CONTEXT));
        return;
    case PJ_OTF2_MPI_SEND:
    case PJ_OTF2_MPI_ISEND:
        pj_otf2_send(location, time, event);
        return;
    case PJ_OTF2_MPI_RECV:
    case PJ_OTF2_MPI_IRECV:
        pj_otf2_receive(location, time, event);
        return;
    case PJ_OTF2_MPI_IRECV_REQUEST:
        pj_otf2_post(location, time, event->field[0]);
        return;
    case PJ_OTF2_MPI_ISEND_COMPLETE:
        pj_otf2_sent(location, time, event->field[0]);
        return;
    case PJ_OTF2_MPI_REQUEST_CANCELLED:
        pj_otf2_requests_take(&location->pending.requests, event->field[0], &(uint64_t){0});
        return;
    case PJ_OTF2_MPI_COLLECTIVE_BEGIN:
        pj_otf2_begin_collective(location, time);
        return;
    case PJ_OTF2_MPI_COLLECTIVE_END:
        pj_otf2_collective(location, time, event);
        return;
    case PJ_OTF2_NON_BLOCKING_COLLECTIVE_REQUEST:
        pj_otf2_collective_request(location, time, event->field[0]);
        return;
    case PJ_OTF2_NON_BLOCKING_COLLECTIVE_COMPLETE:
        pj_otf2_collective_complete(location, time, event);
        return;
    case PJ_OTF2_MEASUREMENT_ON_OFF:
        switch_measurement(location, time, event->field[0]);
        return;
    case PJ_OTF2_BUFFER_FLUSH:
        flush_buffer(location, time, pj_otf2_clock_ns(&location->clock, event->field[0]));
        return;
    }
    take_window_record(location, time, event);
    take_file_record(location, time, event);
    take_thread_record(location, time, event);
}

static void begin_location(pj_otf2_location *location, uint64_t time)
{
    location->now.begun = true;
    location->now.began = time;
    if (location->stream)
        return;
    location->now.state = PJ_STATE_NOT_CREATED;
    pj_otf2_end_interval(location, time);
    location->now.state = state_now(location);
    pj_otf2_give(location, time, PJ_EV_OTHER);
}

static void end_location(pj_otf2_location *location)
{
    location->ended = true;
    if (location->now.begun && !location->stream) {
        measure_last(location);
        pj_otf2_settle(location, location->now.last);
        pj_otf2_give(location, location->now.last, PJ_EV_OTHER);
    }
    if (location->parts && !location->stream)
        pj_otf2_give(location, location->now.last, PJ_EV_END);
    if (location->calls)
        pj_otf2_calls_end(location);
    location->import.count[PJ_IMPORT_region_not_left] += location->depth;
    if (!location->evt)
        return;
    pj_otf2_evt_facts facts = pj_otf2_evt_facts_of(location->evt);
    location->damage = facts.damage;
    if (facts.damage)
        pj_otf2_count(location, PJ_IMPORT_damaged_location);
    location->import.count[PJ_IMPORT_malformed_event] += facts.malformed;
    location->import.count[PJ_IMPORT_unknown_event] += facts.unknown;
    memcpy(location->passed, facts.passed, sizeof location->passed);
}

/// The time of a record in ns; many have that of the one before.
static uint64_t time_of(pj_otf2_location *location, uint64_t ticks)
{
    if (ticks != location->latest.ticks) {
        location->latest.ticks = ticks;
        location->latest.ns = pj_otf2_clock_ns(&location->clock, ticks);
    }
    return location->latest.ns;
}

static void take_next(pj_otf2_location *location, const pj_otf2_event *event)
{
    uint64_t time = time_of(location, event->time);
    if (!location->now.begun)
        begin_location(location, time);
    if (time < location->now.last) {
        pj_otf2_count(location, PJ_IMPORT_time_reversed);
        time = location->now.last;
    }
    location->now.last = time;
    if (location->stream) {
        if (location->recorder)
            pj_otf2_recorder_record(location, time, event);
        else
            pj_otf2_stream_record(location, time, event);
        return;
    }
    if (event->type != PJ_OTF2_MEASUREMENT_ON_OFF && event->type != PJ_OTF2_METRIC)
        measure_last(location);
    take_record(location, time, event);
}

/// Passes over records that change nothing; not while the location is ahead of their time.
static void skim(pj_otf2_location *location)
{
    pj_otf2_event reading;
    uint64_t events = location->records, ticks, before = location->now.last;
    if (before != location->latest.ns || !pj_otf2_border_lets_skim(location))
        return;
    bool counted = pj_otf2_skim(location, pj_otf2_border_limit(location), &reading, &ticks);
    if (location->records == events)
        return;
    uint64_t counted_at = counted ? time_of(location, reading.time) : 0;
    uint64_t time = time_of(location, ticks);
    location->now.last = time > before ? time : before;
    if (counted)
        pj_otf2_counters_read(location, counted_at > before ? counted_at : before, &reading);
}

void pj_otf2_location_close_up(pj_otf2_location *location)
{
    size_t ready = pj_otf2_location_ready(location);
    if (location->event_first)
        memmove(location->events, location->events + location->event_first,
                ready * sizeof *location->events);
    location->event_first = 0;
    location->event_count = ready;
    location->unnamed.count = 0;
    size_t left = location->ops.count - location->ops.first;
    if (location->ops.first)
        memmove(location->ops.at, location->ops.at + location->ops.first,
                left * sizeof *location->ops.at);
    location->ops.base += location->ops.first;
    location->ops.seen -= location->ops.first;
    location->ops.first = 0;
    location->ops.count = left;
}

/// At a mark, or at the end of a part that is needed; false when nothing more is.
static bool go_on(pj_otf2_location *location)
{
    pj_otf2_tangle_end(location);
    if (location->ranged)
        pj_otf2_ranged_on(location);
    else
        pj_otf2_index_mark(location);
    return !location->ended;
}

void pj_otf2_location_fill(pj_otf2_location *location, size_t events)
{
    pj_otf2_location_close_up(location);
    if (location->has_ahead) {
        location->has_ahead = false;
        take_next(location, &location->ahead);
    }
    pj_otf2_event event;
    bool may_skim = location->evt && !location->named && !location->stream;
    size_t paths = location->calls ? location->calls->count + PATHS_MOST : 0;
    while (location->event_count < events + (location->unnamed.count ? NAMES_AHEAD : 0) &&
           !location->ended && (!location->calls || location->calls->count < paths)) {
        if (location->records >= location->due && !go_on(location))
            return;
        if (may_skim && !location->tangle && !(location->sent && location->now.calls))
            skim(location);
        if (pj_otf2_next_record(location, &event))
            take_next(location, &event);
        else
            end_location(location);
    }
}
