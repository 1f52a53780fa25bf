// An arrow begins where its call does, and ends where its record begins; either may stand before
// the other in the file.
#include "metrics/read/kineto/kineto_flows.h"

#include "metrics/base/buf.h"

#include <stdlib.h>

static uint64_t mix(uint64_t key, int64_t more)
{
    key = (key ^ (uint64_t)more) * UINT64_C(0x9e3779b97f4a7c15);
    return key ^ key >> 29;
}

static uint64_t begin_key(int64_t thread, int64_t time)
{
    return mix(mix(0, thread), time);
}

static uint64_t end_key(int64_t device, int64_t stream, int64_t time)
{
    return mix(mix(mix(0, device), stream), time);
}

/// The next one at that place and time.
static uint64_t next_of(pj_map *met, uint64_t key)
{
    uint32_t count = 0;
    pj_map_get(met, key, &count);
    pj_map_put(met, key, count + 1);
    return mix(key, count);
}

void pj_kineto_flows_begin(pj_kineto_flows *flows, int64_t thread, int64_t time, uint32_t id)
{
    pj_map_put(&flows->begins, next_of(&flows->met, begin_key(thread, time)), id);
}

void pj_kineto_flows_end(pj_kineto_flows *flows, int64_t device, int64_t stream, int64_t time,
                         uint32_t id)
{
    pj_map_put(&flows->ends, next_of(&flows->met, end_key(device, stream, time)), id);
}

void pj_kineto_flows_call(pj_kineto_flows *flows, pj_ai_rank *rank, pj_ai_call call, int64_t thread)
{
    pj_grow(flows->calls, &flows->cap, flows->count + 1);
    flows->calls[flows->count++] = (pj_kineto_flow_call){rank, call, thread};
}

static void tell_calls(const pj_kineto_flows *flows, pj_map *met)
{
    for (size_t i = 0; i < flows->count; i++) {
        pj_kineto_flow_call of = flows->calls[i];
        uint64_t key = next_of(met, begin_key(of.thread, of.call.begin));
        pj_map_get(&flows->begins, key, &of.call.id);
        pj_ai_rank_add_call(of.rank, of.call, of.thread);
    }
}

static void tell_records(const pj_kineto_flows *flows, pj_map *met, pj_ai_rank *rank)
{
    for (size_t i = 0; i < rank->record_count; i++) {
        pj_ai_record *record = &rank->records[i];
        const pj_ai_stream *stream = &rank->streams[record->stream];
        if (record->call != PJ_AI_NONE)
            continue;
        uint64_t key = next_of(met, end_key(stream->device, stream->number, record->begin));
        pj_map_get(&flows->ends, key, &record->call);
    }
}

void pj_kineto_flows_tell(const pj_kineto_flows *flows, pj_ai_rank **ranks, size_t count)
{
    pj_map met = {.count = 0};
    tell_calls(flows, &met);
    for (size_t r = 0; flows->ends.count && r < count; r++)
        tell_records(flows, &met, ranks[r]);
    pj_map_free(&met);
}

size_t pj_kineto_flows_bytes(const pj_kineto_flows *flows)
{
    return flows->cap * sizeof *flows->calls +
           (flows->met.cap + flows->begins.cap + flows->ends.cap) * sizeof(pj_map_entry);
}

void pj_kineto_flows_free(pj_kineto_flows *flows)
{
    pj_map_free(&flows->met);
    pj_map_free(&flows->begins);
    pj_map_free(&flows->ends);
    free(flows->calls);
}
