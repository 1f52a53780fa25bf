// Streams of devices among the threads of a Paraver trace.
// Streams keep the order that they have among the threads of their rank, and stand behind all
// threads. A rank always keeps a thread: the first of one that has nothing but streams.
#include "metrics/read/paraver/prv_streams.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/run/run.h"
#include "metrics/trace/device.h"
#include "metrics/trace/import_stats.h"
#include "metrics/trace/layout.h"

#include <stdlib.h>
#include <string.h>

/// What each thread of the header is.
typedef struct sorting {
    pj_run *run;
    pj_prv_header *header;
    uint8_t *kind; // pj_device_kind, by thread
    uint32_t count, streams;
} sorting;

bool pj_prv_streams_are_named(const pj_layout *layout)
{
    return layout->locations && layout->location_name[0];
}

static bool is_stream(uint8_t deeds)
{
    return deeds & (1 << PJ_DEVICE_COPY | 1 << PJ_DEVICE_KERNEL) && !(deeds & 1 << PJ_DEVICE_CALL);
}

bool pj_prv_streams_seen(const pj_prv_deeds *deeds)
{
    for (size_t i = 0; deeds && i < deeds->count; i++)
        if (is_stream(deeds->of[i]))
            return true;
    return false;
}

void pj_prv_streams_watch(pj_prv_deeds **deeds, const pj_layout *layout, const pj_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        const pj_event *event = &batch->events[i];
        if (event->kind != PJ_EV_DEVICE || !event->a)
            continue;
        if (!*deeds) {
            *deeds = pj_take_memory(sizeof **deeds + layout->locations);
            (*deeds)->count = layout->locations;
            memset((*deeds)->of, 0, layout->locations);
        }
        (*deeds)->of[event->location] |= (uint8_t)(1 << event->code);
    }
}

static void sort_known(sorting *s, const pj_layout *known)
{
    for (uint32_t i = 0; i < known->stream_count; i++) {
        const pj_device_stream *stream = &known->streams[i];
        if (stream->rank >= s->run->layout.ranks)
            continue;
        uint32_t at = s->header->first_thread[stream->rank] + stream->place;
        if (at < s->header->first_thread[stream->rank + 1])
            s->kind[at] = (uint8_t)stream->kind;
    }
}

static void sort_named(sorting *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        s->kind[i] = (uint8_t)pj_device_of_label(pj_str_of(s->run->layout.location_name[i])).kind;
}

static void sort_seen(sorting *s, const pj_prv_deeds *deeds)
{
    for (uint32_t i = 0; deeds && i < s->count && i < deeds->count; i++)
        s->kind[i] = is_stream(deeds->of[i]) ? PJ_STREAM_DEVICE : PJ_STREAM_NONE;
}

static void keep_a_thread_each(sorting *s)
{
    for (uint32_t r = 0; r < s->run->layout.ranks; r++) {
        uint32_t first = s->header->first_thread[r], end = s->header->first_thread[r + 1];
        uint32_t at = first;
        while (at < end && s->kind[at])
            at++;
        if (at < end)
            continue;
        s->kind[first] = PJ_STREAM_NONE;
        pj_import_add(&s->run->import, PJ_IMPORT_rank_of_streams, 0);
    }
}

/// "node1:D0": the node of the label, else that of the rank; streams without a name are of a device
/// of their rank's own.
static const char *device_key(const sorting *s, uint32_t rank, const char *name)
{
    const pj_layout *layout = &s->run->layout;
    pj_arena *arena = s->run->arena;
    pj_device_label label = pj_device_of_label(pj_str_of(name));
    uint32_t node = s->header->node_of[rank];
    if (!label.device.len)
        return pj_arena_format(arena, "rank %u", rank);
    if (label.node.len)
        return pj_arena_format(arena, PJ_STR_FMT ":" PJ_STR_FMT, PJ_STR_ARG(label.node),
                               PJ_STR_ARG(label.device));
    if (node && node <= layout->node_names)
        return pj_arena_format(arena, "%s:" PJ_STR_FMT, layout->node_name[node - 1],
                               PJ_STR_ARG(label.device));
    return node ? pj_arena_format(arena, "node %u:" PJ_STR_FMT, node, PJ_STR_ARG(label.device))
                : pj_arena_text(arena, label.device);
}

/// From a layout in which all are threads to one of threads and streams.
static void divide(sorting *s)
{
    pj_arena *arena = s->run->arena;
    pj_layout *layout = &s->run->layout;
    pj_layout old = *layout;
    pj_device_stream *streams = pj_new_n(arena, pj_device_stream, s->streams);
    layout->locations = s->count - s->streams;
    layout->first_location = pj_new_n(arena, uint32_t, layout->ranks + 1);
    layout->rank_of = pj_new_n(arena, uint32_t, layout->locations);
    layout->node_of = pj_new_n(arena, uint32_t, layout->locations);
    layout->location_name = pj_new_n(arena, const char *, layout->locations);
    s->header->location_of = pj_new_n(arena, uint32_t, s->count);
    uint32_t location = 0, stream = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t rank = old.rank_of[i];
        s->header->location_of[i] = s->kind[i] ? layout->locations + stream : location;
        if (s->kind[i]) {
            streams[stream++] =
                (pj_device_stream){.kind = s->kind[i],
                                   .rank = rank,
                                   .place = i - s->header->first_thread[rank],
                                   .device = device_key(s, rank, old.location_name[i]),
                                   .name = old.location_name[i]};
            continue;
        }
        layout->rank_of[location] = rank;
        layout->node_of[location] = old.node_of[i];
        layout->location_name[location++] = old.location_name[i];
        layout->first_location[rank + 1] = location; // a rank has a thread
    }
    layout->streams = streams;
    layout->stream_count = stream;
}

void pj_prv_streams_settle(pj_run *run, pj_prv_header *header, const pj_layout *known,
                           const pj_prv_deeds *deeds)
{
    sorting s = {.run = run, .header = header, .count = run->layout.locations};
    s.kind = pj_take_memory(s.count + 1);
    memset(s.kind, PJ_STREAM_NONE, s.count);
    if (known)
        sort_known(&s, known);
    else if (pj_prv_streams_are_named(&run->layout))
        sort_named(&s);
    else
        sort_seen(&s, deeds);
    keep_a_thread_each(&s);
    for (uint32_t i = 0; i < s.count; i++)
        s.streams += s.kind[i] != PJ_STREAM_NONE;
    if (s.streams)
        divide(&s);
    free(s.kind);
}
