// Which devices stand in a timeline, and what they are called.
#include "metrics/run/timeline.h"

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/run/devices.h"
#include "metrics/trace/device.h"
#include "metrics/trace/layout.h"

#include <stdbool.h>

typedef struct listing {
    const pj_layout *layout;
    uint32_t *next;  // by stream: the next one of its device; PJ_NO_DEVICE = it is the last
    uint32_t *first; // stream, by device
    bool *used;      // by device
    pj_timeline_device *out;
    uint32_t count;
} listing;

static void add(listing *l, const char *key, uint32_t device, const pj_device_stream *stream)
{
    l->out[l->count++] = (pj_timeline_device){.key = key, .device = device, .stream = stream};
}

static void add_streams(listing *l, const char *key, uint32_t device)
{
    for (uint32_t s = l->first[device]; s != PJ_NO_DEVICE; s = l->next[s])
        add(l, key, device, &l->layout->streams[s]);
}

static void chain(listing *l, const uint32_t *device_of, uint32_t devices, pj_arena *scratch)
{
    uint32_t streams = l->layout->stream_count;
    l->next = pj_new_n(scratch, uint32_t, streams);
    l->first = pj_new_n(scratch, uint32_t, devices + 1);
    l->used = pj_new_n(scratch, bool, devices + 1);
    for (uint32_t d = 0; d < devices; d++)
        l->first[d] = PJ_NO_DEVICE;
    for (uint32_t s = streams; s-- > 0;) {
        if (device_of[s] == PJ_NO_DEVICE)
            continue;
        l->next[s] = l->first[device_of[s]];
        l->first[device_of[s]] = s;
    }
}

const pj_timeline_device *pj_timeline_devices_of(const pj_layout *layout,
                                                 const pj_timeline_opts *opts, pj_arena *arena,
                                                 uint32_t *count)
{
    uint32_t streams = layout->stream_count, devices;
    *count = 0;
    if (!streams)
        return NULL;
    pj_auto_arena scratch = pj_arena_new(NULL);
    listing l = {.layout = layout};
    uint32_t *device_of = pj_new_n(scratch, uint32_t, streams);
    const char **keys = pj_device_keys(layout->streams, streams, arena, &devices, device_of);
    chain(&l, device_of, devices, scratch);
    for (uint32_t s = 0; s < streams; s++) {
        uint32_t rank = layout->streams[s].rank;
        if (device_of[s] != PJ_NO_DEVICE && rank >= opts->first_rank && rank <= opts->last_rank)
            l.used[device_of[s]] = true;
    }
    l.out = pj_new_n(arena, pj_timeline_device, devices + (opts->streams ? streams : 0));
    for (uint32_t d = 0; d < devices; d++) {
        if (!l.used[d])
            continue;
        add(&l, keys[d], d, NULL);
        if (opts->streams)
            add_streams(&l, keys[d], d);
    }
    *count = l.count;
    return l.count ? l.out : NULL;
}

/// Nodes are named where there are several.
static bool on_several_nodes(const pj_timeline *timeline)
{
    pj_str first = pj_device_node(timeline->devices[0].key);
    for (uint32_t i = 1; i < timeline->lanes - timeline->threads; i++)
        if (!pj_str_equal(pj_device_node(timeline->devices[i].key), first))
            return true;
    return false;
}

const char *pj_timeline_device_name(const pj_timeline *timeline, uint32_t index, pj_arena *arena)
{
    const pj_timeline_device *device = &timeline->devices[index];
    uint32_t place = index;
    if (!device->stream)
        return on_several_nodes(timeline) ? device->key
                                          : pj_arena_text(arena, pj_device_name(device->key));
    while (timeline->devices[place].stream)
        place--;
    return device->stream->name
               ? pj_arena_text(arena, pj_device_stream_number(pj_str_of(device->stream->name)))
               : pj_arena_format(arena, "S%u", index - place);
}
