// Marks in event files at which reading can begin anew.
// What belongs to the marks lies in pools; a mark that is dropped leaves its part of the file, and
// the numbers of flows that only that part has, to the one before it.
#include "metrics/read/otf2/events/otf2_index.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/map.h"
#include "metrics/base/str.h"
#include "metrics/base/tiny.h"
#include "metrics/read/otf2/events/otf2_evt.h"
#include "metrics/run/run.h"

#include <stdlib.h>
#include <sys/stat.h>

enum {
    INTERVAL_FIRST = PJ_SIZE(1024, 16), // records between marks
    EACH_MOST = 32,                     // open regions, and flows, of a mark: on average
    MARKS_LEAST = 4,                    // fewer are of no use
    FLOWS_MOST = 1 << 14,
};

// Flows

pj_otf2_flow *pj_otf2_flow_of(pj_otf2_flows *flows, const pj_otf2_op *op)
{
    uint32_t channel, index;
    uint64_t ends = (uint64_t)op->peer << 32 | op->comm;
    bool sent = op->kind == PJ_OTF2_OP_SEND;
    if (!pj_map_get(&flows->channel_of, ends, &channel)) {
        channel = (uint32_t)flows->channel_of.count;
        pj_map_put(&flows->channel_of, ends, channel);
    }
    uint64_t key = ((uint64_t)channel << 1 | sent) << 32 | op->tag;
    if (!pj_map_get(&flows->flow_of, key, &index)) {
        index = (uint32_t)flows->count++;
        pj_map_put(&flows->flow_of, key, index);
        pj_grow(flows->items, &flows->cap, flows->count);
        flows->items[index] =
            (pj_otf2_flow){.peer = op->peer, .comm = op->comm, .tag = op->tag, .sent = sent};
    }
    return &flows->items[index];
}

void pj_otf2_flows_free(pj_otf2_flows *flows)
{
    free(flows->items);
    pj_map_free(&flows->channel_of);
    pj_map_free(&flows->flow_of);
}

// Marks

static void add_mark(pj_otf2_index *index, pj_otf2_mark mark)
{
    pj_grow(index->marks, &index->cap, index->count + 1);
    index->marks[index->count++] = mark;
}

void pj_otf2_index_begin(pj_otf2_location *location, size_t most)
{
    pj_otf2_index *index = pj_take_memory(sizeof *index);
    *index = (pj_otf2_index){.most = most, .interval = INTERVAL_FIRST};
    add_mark(index, (pj_otf2_mark){.depth = 0});
    location->index = index;
    location->due = index->interval;
}

void pj_otf2_index_free(pj_otf2_index *index)
{
    if (!index)
        return;
    free(index->marks);
    free(index->frames);
    free(index->numbers);
    pj_otf2_flows_free(&index->flows);
    free(index);
}

size_t pj_otf2_index_bytes(const pj_otf2_index *index)
{
    if (!index)
        return 0;
    return sizeof *index + index->cap * sizeof *index->marks +
           index->frame_cap * sizeof *index->frames + index->number_cap * sizeof *index->numbers +
           index->flows.cap * sizeof *index->flows.items;
}

static void lose_index(pj_otf2_location *location)
{
    pj_otf2_index_free(location->index);
    location->index = NULL;
    location->due = UINT64_MAX;
}

static bool is_full(const pj_otf2_index *index, size_t depth)
{
    return index->count >= index->most || index->frame_count + depth > EACH_MOST * index->most ||
           index->number_count > EACH_MOST * index->most;
}

/// The numbers from `begin` to `end` now belong to the mark `at`.
static void take_numbers(pj_otf2_index *index, size_t at, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        pj_otf2_number number = index->numbers[i];
        pj_otf2_flow *flow = &index->flows.items[number.flow];
        if (flow->stamp == at + 1)
            continue;
        flow->stamp = (uint32_t)(at + 1);
        index->numbers[index->number_count++] = number;
    }
}

/// Drops every other mark.
static void thin(pj_otf2_index *index)
{
    size_t count = index->count, number_count = index->number_count;
    index->count = index->frame_count = index->number_count = 0;
    for (size_t i = 0; i < index->flows.count; i++)
        index->flows.items[i].stamp = 0;
    for (size_t i = 0; i < count; i += 2) {
        pj_otf2_mark mark = index->marks[i];
        size_t begin = mark.number, end = i + 2 < count ? index->marks[i + 2].number : number_count;
        if (mark.depth)
            memmove(index->frames + index->frame_count, index->frames + mark.frame,
                    mark.depth * sizeof *index->frames);
        mark.frame = (uint32_t)index->frame_count;
        mark.number = (uint32_t)index->number_count;
        index->frame_count += mark.depth;
        take_numbers(index, index->count, begin, end);
        index->marks[index->count++] = mark;
    }
    index->interval *= 2;
}

void pj_otf2_index_mark(pj_otf2_location *location)
{
    pj_otf2_index *index = location->index;
    while (is_full(index, location->depth) && index->count >= MARKS_LEAST)
        thin(index);
    if (is_full(index, location->depth)) {
        lose_index(location);
        return;
    }
    add_mark(index, (pj_otf2_mark){.spot = pj_otf2_evt_spot(location->evt),
                                   .records = location->records,
                                   .piece = location->clock.current,
                                   .frame = (uint32_t)index->frame_count,
                                   .depth = (uint32_t)location->depth,
                                   .number = (uint32_t)index->number_count,
                                   .now = location->now});
    pj_grow(index->frames, &index->frame_cap, index->frame_count + location->depth + 1);
    if (location->depth)
        memcpy(index->frames + index->frame_count, location->stack,
               location->depth * sizeof *index->frames);
    index->frame_count += location->depth;
    location->due = location->records + index->interval;
}

void pj_otf2_index_count(pj_otf2_location *location, const pj_otf2_op *op)
{
    pj_otf2_index *index = location->index;
    pj_otf2_flow *flow = pj_otf2_flow_of(&index->flows, op);
    if (index->flows.count > FLOWS_MOST) {
        lose_index(location);
        return;
    }
    uint32_t number = flow->next++;
    if (flow->stamp == index->count)
        return;
    flow->stamp = (uint32_t)index->count;
    pj_grow(index->numbers, &index->number_cap, index->number_count + 1);
    index->numbers[index->number_count++] =
        (pj_otf2_number){(uint32_t)(flow - index->flows.items), number};
}

// Keeping

static void *copy(pj_arena *arena, const void *items, size_t count, size_t size)
{
    void *to = pj_arena_alloc_n(arena, size, count + 1);
    return count ? memcpy(to, items, count * size) : to;
}

static const char *path_of(pj_buf *out, const char *folder, uint64_t id)
{
    out->len = 0;
    pj_buf_addf(out, "%s/%llu.evt", folder, (unsigned long long)id);
    return out->at;
}

static uint64_t size_of(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) ? (uint64_t)facts.st_size : 0;
}

static bool can_keep(pj_otf2_location *const *locations, uint32_t count)
{
    const pj_otf2_location *before = NULL; // that communicates
    for (uint32_t i = 0; i < count; i++) {
        const pj_otf2_location *location = locations[i];
        if (!location->index || location->damage || pj_otf2_evt_facts_of(location->evt).malformed ||
            (location->pending.posted && !location->pending.completed))
            return false;
        if (!location->index->flows.count)
            continue;
        if (before && before->rank == location->rank)
            return false;
        before = location;
    }
    return true;
}

static pj_otf2_index keep(const pj_otf2_index *index, pj_arena *arena)
{
    pj_otf2_index kept = {
        .marks = copy(arena, index->marks, index->count, sizeof *index->marks),
        .count = index->count,
        .frames = copy(arena, index->frames, index->frame_count, sizeof *index->frames),
        .frame_count = index->frame_count,
        .numbers = copy(arena, index->numbers, index->number_count, sizeof *index->numbers),
        .number_count = index->number_count};
    kept.flows.items =
        copy(arena, index->flows.items, index->flows.count, sizeof *index->flows.items);
    kept.flows.count = index->flows.count;
    return kept;
}

const pj_otf2_indices *pj_otf2_indices_keep(pj_otf2_location *const *locations, uint32_t count,
                                            const pj_otf2_reach *reach, const char *folder,
                                            pj_arena *arena)
{
    if (!can_keep(locations, count))
        return NULL;
    pj_otf2_indices *indices = pj_new(arena, pj_otf2_indices);
    *indices = (pj_otf2_indices){.folder = pj_arena_text(arena, pj_str_of(folder)),
                                 .items = pj_new_n(arena, pj_otf2_index, count),
                                 .count = count,
                                 .region_count = locations[0]->defs->region_count,
                                 .reach = *reach};
    pj_auto_buf path = {.at = NULL};
    for (uint32_t i = 0; i < count; i++) {
        indices->items[i] = keep(locations[i]->index, arena);
        indices->items[i].id = locations[i]->id;
        indices->items[i].bytes = size_of(path_of(&path, folder, locations[i]->id));
    }
    return indices;
}

bool pj_otf2_indices_hold(const pj_otf2_indices *indices)
{
    pj_auto_buf path = {.at = NULL};
    for (uint32_t i = 0; i < indices->count; i++)
        if (size_of(path_of(&path, indices->folder, indices->items[i].id)) !=
            indices->items[i].bytes)
            return false;
    return true;
}
