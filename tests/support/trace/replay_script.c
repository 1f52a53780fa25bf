// Events are kept in the order in which they were written down, and sorted stably before a replay.
#include "tests/support/trace/replay_script.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/run/waits/wait_causes.h"
#include "metrics/trace/mpi_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

pj_script *pj_script_new(uint32_t ranks, uint32_t threads)
{
    pj_script *script = pj_take_memory(sizeof *script);
    *script = (pj_script){.run = pj_run_new("script.prv")};
    script->run->has_mpi = true;
    pj_arena *arena = script->run->arena;
    pj_layout *layout = &script->run->layout;
    *layout = (pj_layout){.applications = 1, .ranks = ranks, .locations = ranks * threads};
    layout->first_location = pj_new_n(arena, uint32_t, ranks + 1);
    layout->rank_of = pj_new_n(arena, uint32_t, layout->locations);
    layout->application_of = pj_new_n(arena, uint32_t, ranks);
    layout->node_of = pj_new_n(arena, uint32_t, layout->locations);
    layout->location_name = pj_new_n(arena, const char *, layout->locations);
    for (uint32_t i = 0; i <= ranks; i++)
        layout->first_location[i] = i * threads;
    for (uint32_t i = 0; i < layout->locations; i++)
        layout->rank_of[i] = i / threads;
    pj_run_allocate(script->run);
    uint32_t *all = pj_new_n(arena, uint32_t, ranks);
    for (uint32_t i = 0; i < ranks; i++)
        all[i] = i;
    pj_script_communicator(script, 1, all, ranks);
    size_t size = layout->locations * sizeof *script->channels;
    script->channels = memset(pj_take_memory(size), 0, size);
    return script;
}

void pj_script_free(pj_script *script)
{
    if (!script)
        return;
    for (uint32_t i = 0; i < script->run->layout.locations; i++)
        pj_map_free(&script->channels[i]);
    free(script->channels);
    free(script->run->names.communicators);
    pj_run_release(script->run);
    free(script->events);
    free(script->messages);
    free(script);
}

void pj_script_communicator(pj_script *script, uint32_t id, const uint32_t *ranks, uint32_t size)
{
    pj_run *run = script->run;
    pj_grow(run->names.communicators, &script->communicator_cap, run->names.communicator_count + 1);
    uint32_t *copy = pj_new_n(run->arena, uint32_t, size + 1);
    for (uint32_t i = 0; i < size; i++)
        copy[i] = ranks[i];
    run->names.communicators[run->names.communicator_count++] =
        (pj_communicator){.id = id, .size = size, .ranks = copy};
}

void pj_script_event(pj_script *script, pj_event event)
{
    pj_grow(script->events, &script->cap, script->count + 1);
    script->events[script->count++] = event;
    if (event.kind != PJ_EV_STATE && event.kind != PJ_EV_MESSAGE)
        pj_script_last(script, event.location, event.time);
}

static pj_mpi_call call_named(const char *name)
{
    pj_mpi_call call = pj_mpi_call_by_name(pj_str_of(name));
    if (call == PJ_MPI_UNKNOWN) {
        fprintf(stderr, "no MPI call is named %s\n", name);
        abort();
    }
    return call;
}

static void call_event(pj_script *script, uint32_t location, uint64_t time, pj_mpi_call call,
                       bool enter)
{
    pj_script_event(script, (pj_event){.time = time,
                                       .a = enter ? call : 0,
                                       .location = location,
                                       .kind = PJ_EV_MPI,
                                       .code = (uint16_t)pj_mpi_call_at(call)->class_});
}

void pj_script_call(pj_script *script, uint32_t location, const char *name, uint64_t begin,
                    uint64_t end)
{
    call_event(script, location, begin, call_named(name), true);
    call_event(script, location, end, call_named(name), false);
}

void pj_script_collect(pj_script *script, uint32_t location, pj_script_collective c)
{
    call_event(script, location, c.begin, call_named(c.name), true);
    if (c.communicator)
        pj_script_event(script, (pj_event){.time = c.begin,
                                           .a = c.communicator,
                                           .b = c.bytes,
                                           .location = location,
                                           .kind = PJ_EV_COLLECTIVE,
                                           .code = c.root});
    call_event(script, location, c.end, call_named(c.name), false);
}

void pj_script_request(pj_script *script, uint32_t location, pj_script_part c)
{
    call_event(script, location, c.begin, call_named(c.name), true);
    if (c.requests)
        pj_script_event(script,
                        (pj_event){.time = c.begin, .location = location, .kind = PJ_EV_REQUEST});
    for (size_t i = 0; i < c.count; i++)
        pj_script_event(script, (pj_event){.time = c.begin,
                                           .a = (uint64_t)c.completes[i].number << 32 |
                                                c.completes[i].communicator,
                                           .b = c.completes[i].bytes,
                                           .location = location,
                                           .kind = PJ_EV_COMPLETE,
                                           .code = c.completes[i].root});
    call_event(script, location, c.end, call_named(c.name), false);
}

void pj_script_send(pj_script *script, pj_script_message m)
{
    pj_grow(script->messages, &script->message_cap, script->message_count + 1);
    script->messages[script->message_count] =
        (pj_message){.logical_send = m.send,
                     .physical_send = m.sent ? m.sent : m.send,
                     .logical_recv = m.post,
                     .physical_recv = m.received,
                     .size = m.size,
                     .tag = m.tag,
                     .from = m.from,
                     .to = m.to};
    pj_script_event(script, (pj_event){.time = m.record ? m.record : m.send,
                                       .a = script->message_count++,
                                       .location = m.from,
                                       .kind = PJ_EV_MESSAGE});
}

/// The number of a location's channel; its event comes before its first use.
static uint64_t channel_of(pj_script *script, uint32_t location, uint64_t time,
                           const pj_script_end *end)
{
    pj_map *channels = &script->channels[location];
    uint64_t key = (uint64_t)end->other << 32 | end->communicator;
    uint32_t channel;
    if (pj_map_get(channels, key, &channel))
        return channel;
    channel = (uint32_t)channels->count;
    pj_map_put(channels, key, channel);
    pj_script_event(script, (pj_event){.time = time,
                                       .a = key,
                                       .location = location,
                                       .kind = PJ_EV_PART,
                                       .code = PJ_PART_CHANNEL});
    return channel;
}

static void end_event(pj_script *script, uint32_t location, uint64_t time, const pj_script_end *end)
{
    uint64_t to = 0;
    if (end->kind == PJ_PART_SENT)
        to = end->more;
    else if (end->kind != PJ_PART_POST)
        to = channel_of(script, location, time, end) << 32 | end->tag;
    pj_script_event(script, (pj_event){.time = time,
                                       .a = to,
                                       .b = end->more,
                                       .location = location,
                                       .kind = PJ_EV_PART,
                                       .code = (uint16_t)end->kind});
}

void pj_script_apart(pj_script *script, uint32_t location, pj_script_ends c)
{
    script->run->told.messages_apart = true;
    if (c.name)
        call_event(script, location, c.begin, call_named(c.name), true);
    for (size_t i = 0; i < c.count; i++)
        end_event(script, location, c.begin, &c.ends[i]);
    if (c.name)
        call_event(script, location, c.end, call_named(c.name), false);
}

void pj_script_openmp(pj_script *script, uint32_t location, uint16_t code, uint64_t value,
                      uint64_t time)
{
    pj_script_event(
        script,
        (pj_event){
            .time = time, .a = value, .location = location, .kind = PJ_EV_OPENMP, .code = code});
}

void pj_script_last(pj_script *script, uint32_t location, uint64_t time)
{
    pj_totals *totals = &script->run->totals[location];
    if (time > totals->last_event_ns)
        totals->last_event_ns = time;
    if (time > script->run->end_ns)
        script->run->end_ns = time;
}

static void merge(pj_event *into, const pj_event *a, size_t n, const pj_event *b, size_t m)
{
    size_t i = 0, j = 0;
    while (i < n || j < m)
        *into++ = j == m || (i < n && a[i].time <= b[j].time) ? a[i++] : b[j++];
}

static void sort_by_time(pj_event *events, pj_event *spare, size_t count)
{
    if (count < 2)
        return;
    size_t half = count / 2;
    sort_by_time(events, spare, half);
    sort_by_time(events + half, spare, count - half);
    for (size_t i = 0; i < count; i++)
        spare[i] = events[i];
    merge(events, spare, half, spare + half, count - half);
}

void pj_script_replay(pj_script *script, pj_replay_opts opts, size_t batch)
{
    pj_event *spare = pj_take_memory((script->count + 1) * sizeof *spare);
    sort_by_time(script->events, spare, script->count);
    free(spare);
    pj_err err = {0};
    pj_sink sink = pj_replay_sink(opts);
    bool good = sink.begin(sink.self, script->run, &err);
    size_t step = batch ? batch : script->count + 1;
    for (size_t i = 0; good && i < script->count; i += step) {
        size_t left = script->count - i;
        good = sink.events(sink.self,
                           &(pj_batch){.events = script->events + i,
                                       .count = left < step ? left : step,
                                       .messages = script->messages,
                                       .message_count = script->message_count},
                           &err);
    }
    good = good && sink.finish(sink.self, script->run, &err);
    sink.close(sink.self);
    if (!good) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
}

void pj_script_solve(pj_script *script)
{
    pj_script_replay(script, (pj_replay_opts){.waits = true}, 0);
    if (!script->run->ideal.available)
        fail_msg("%s", script->run->ideal.reason);
}

void pj_script_expect(const pj_script *script, uint32_t rank, double finish, double compute)
{
    const pj_ideal *ideal = &script->run->ideal;
    if (!ideal->available)
        fail_msg("%s", ideal->reason);
    if (ideal->finish_ns[rank] != finish || ideal->compute_ns[rank] != compute)
        fail_msg("rank %u: finish %.17g, compute %.17g; not %.17g, %.17g", rank,
                 ideal->finish_ns[rank], ideal->compute_ns[rank], finish, compute);
}

uint64_t pj_script_counted(const pj_script *script, pj_import_key key)
{
    return script->run->import.count[key];
}

double pj_script_lost(const pj_script *script, const char *metric, const char *cause)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    uint32_t count;
    double ns = 0;
    const pj_wait_cause *causes =
        pj_wait_causes(script->run, PJ_WORK_OUTSIDE, PJ_WORK_OUTSIDE, arena, &count);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(causes[i].metric, metric) == 0 &&
            (!cause || strcmp(causes[i].cause, cause) == 0))
            ns += causes[i].loss_ns;
    return ns;
}
