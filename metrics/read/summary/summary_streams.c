// Streams of devices as [kind, rank, device, how many]: a summary has no events, so that their
// names tell nothing more.
#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/read/summary/summary_parts.h"
#include "metrics/trace/device.h"
#include "metrics/trace/layout.h"

#include <string.h>

enum { ROWS_MOST = 5000, STREAMS_MOST = 1 << 20 };

static bool is_alike(const pj_device_stream *a, const pj_device_stream *b)
{
    return a->kind == b->kind && a->rank == b->rank && strcmp(a->device, b->device) == 0;
}

void pj_summary_streams_write(const pj_layout *layout, json_t *into)
{
    const pj_device_stream *streams = layout->streams;
    uint32_t count = layout->stream_count;
    json_t *rows = json_array();
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && is_alike(&streams[first], &streams[end]);)
            end++;
        json_array_append_new(
            rows, json_pack("[s, I, o, I]", pj_device_kind_name(streams[first].kind),
                            (json_int_t)streams[first].rank, pj_summary_text(streams[first].device),
                            (json_int_t)(end - first)));
    }
    if (json_array_size(rows) > 0 && json_array_size(rows) <= ROWS_MOST)
        json_object_set(into, "streams", rows);
    json_decref(rows);
}

static pj_device_kind kind_named(const char *name)
{
    pj_device_kind kind = PJ_STREAM_CUDA;
    while (name && kind < PJ_STREAM_KINDS && strcmp(pj_device_kind_name(kind), name) != 0)
        kind++;
    return name && kind < PJ_STREAM_KINDS ? kind : PJ_STREAM_NONE;
}

/// How many streams a row stands for; 0 = it makes no sense.
static uint32_t read_row(const json_t *row, const pj_layout *layout, pj_arena *arena,
                         pj_device_stream *out)
{
    json_int_t rank = json_integer_value(json_array_get(row, 1));
    json_int_t count = json_integer_value(json_array_get(row, 3));
    pj_str device = pj_str_of(json_string_value(json_array_get(row, 2)));
    *out = (pj_device_stream){.kind = kind_named(json_string_value(json_array_get(row, 0)))};
    if (!out->kind || rank < 0 || rank >= layout->ranks || count < 1 || count > STREAMS_MOST)
        return 0;
    out->rank = (uint32_t)rank;
    out->device = pj_arena_text(arena, device);
    return (uint32_t)count;
}

void pj_summary_streams_read(const json_t *from, pj_layout *layout, pj_arena *arena)
{
    const json_t *rows = json_object_get(from, "streams");
    size_t row_count = json_array_size(rows) <= ROWS_MOST ? json_array_size(rows) : 0;
    pj_device_stream stream;
    uint64_t total = 0;
    for (size_t i = 0; i < row_count; i++)
        total += read_row(json_array_get(rows, i), layout, arena, &stream);
    if (total == 0 || total > STREAMS_MOST)
        return;
    pj_device_stream *streams = pj_new_n(arena, pj_device_stream, total);
    for (size_t i = 0; i < row_count; i++)
        for (uint32_t n = read_row(json_array_get(rows, i), layout, arena, &stream); n > 0; n--)
            streams[layout->stream_count++] = stream;
    layout->streams = streams;
}
