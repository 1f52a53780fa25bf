// What belongs to the marks lies in pools; a mark that is dropped leaves its part of the file, and
// the numbers of flows that only that part has, to the one before it.
#include "metrics/read/otf2/events/otf2_trail.h"

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"

#include <stdlib.h>
#include <sys/stat.h>

enum {
    INTERVAL_FIRST = 1024, // records between marks
    EACH_MOST = 32,        // open regions, and flows, of a mark: on average
    MARKS_LEAST = 4,       // fewer are of no use
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

static void add_mark(pj_otf2_trail *trail, pj_otf2_mark mark)
{
    pj_grow(trail->marks, &trail->cap, trail->count + 1);
    trail->marks[trail->count++] = mark;
}

void pj_otf2_trail_begin(pj_otf2_place *place, size_t most)
{
    pj_otf2_trail *trail = pj_take_memory(sizeof *trail);
    *trail = (pj_otf2_trail){.most = most, .interval = INTERVAL_FIRST};
    add_mark(trail, (pj_otf2_mark){.depth = 0});
    place->trail = trail;
    place->due = trail->interval;
}

void pj_otf2_trail_free(pj_otf2_trail *trail)
{
    if (!trail)
        return;
    free(trail->marks);
    free(trail->frames);
    free(trail->numbers);
    pj_otf2_flows_free(&trail->flows);
    free(trail);
}

size_t pj_otf2_trail_bytes(const pj_otf2_trail *trail)
{
    if (!trail)
        return 0;
    return sizeof *trail + trail->cap * sizeof *trail->marks +
           trail->frame_cap * sizeof *trail->frames + trail->number_cap * sizeof *trail->numbers +
           trail->flows.cap * sizeof *trail->flows.items;
}

static void lose_trail(pj_otf2_place *place)
{
    pj_otf2_trail_free(place->trail);
    place->trail = NULL;
    place->due = UINT64_MAX;
}

static bool is_full(const pj_otf2_trail *trail, size_t depth)
{
    return trail->count >= trail->most || trail->frame_count + depth > EACH_MOST * trail->most ||
           trail->number_count > EACH_MOST * trail->most;
}

/// The numbers from `begin` to `end` now belong to the mark `at`.
static void take_numbers(pj_otf2_trail *trail, size_t at, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        pj_otf2_number number = trail->numbers[i];
        pj_otf2_flow *flow = &trail->flows.items[number.flow];
        if (flow->stamp == at + 1)
            continue;
        flow->stamp = (uint32_t)(at + 1);
        trail->numbers[trail->number_count++] = number;
    }
}

/// Drops every other mark.
static void thin(pj_otf2_trail *trail)
{
    size_t count = trail->count, number_count = trail->number_count;
    trail->count = trail->frame_count = trail->number_count = 0;
    for (size_t i = 0; i < trail->flows.count; i++)
        trail->flows.items[i].stamp = 0;
    for (size_t i = 0; i < count; i += 2) {
        pj_otf2_mark mark = trail->marks[i];
        size_t begin = mark.number, end = i + 2 < count ? trail->marks[i + 2].number : number_count;
        if (mark.depth)
            memmove(trail->frames + trail->frame_count, trail->frames + mark.frame,
                    mark.depth * sizeof *trail->frames);
        mark.frame = (uint32_t)trail->frame_count;
        mark.number = (uint32_t)trail->number_count;
        trail->frame_count += mark.depth;
        take_numbers(trail, trail->count, begin, end);
        trail->marks[trail->count++] = mark;
    }
    trail->interval *= 2;
}

void pj_otf2_trail_mark(pj_otf2_place *place)
{
    pj_otf2_trail *trail = place->trail;
    while (is_full(trail, place->depth) && trail->count >= MARKS_LEAST)
        thin(trail);
    if (is_full(trail, place->depth)) {
        lose_trail(place);
        return;
    }
    add_mark(trail, (pj_otf2_mark){.spot = pj_otf2_evt_spot(place->evt),
                                   .records = place->records,
                                   .piece = place->clock.current,
                                   .frame = (uint32_t)trail->frame_count,
                                   .depth = (uint32_t)place->depth,
                                   .number = (uint32_t)trail->number_count,
                                   .now = place->now});
    pj_grow(trail->frames, &trail->frame_cap, trail->frame_count + place->depth + 1);
    if (place->depth)
        memcpy(trail->frames + trail->frame_count, place->stack,
               place->depth * sizeof *trail->frames);
    trail->frame_count += place->depth;
    place->due = place->records + trail->interval;
}

void pj_otf2_trail_count(pj_otf2_place *place, const pj_otf2_op *op)
{
    pj_otf2_trail *trail = place->trail;
    pj_otf2_flow *flow = pj_otf2_flow_of(&trail->flows, op);
    if (trail->flows.count > FLOWS_MOST) {
        lose_trail(place);
        return;
    }
    uint32_t number = flow->next++;
    if (flow->stamp == trail->count)
        return;
    flow->stamp = (uint32_t)trail->count;
    pj_grow(trail->numbers, &trail->number_cap, trail->number_count + 1);
    trail->numbers[trail->number_count++] =
        (pj_otf2_number){(uint32_t)(flow - trail->flows.items), number};
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

static bool can_keep(pj_otf2_place *const *places, uint32_t count)
{
    const pj_otf2_place *before = NULL; // that communicates
    for (uint32_t i = 0; i < count; i++) {
        const pj_otf2_place *place = places[i];
        if (!place->trail || place->damage || pj_otf2_evt_facts_of(place->evt).malformed ||
            (place->posted && !place->completed))
            return false;
        if (!place->trail->flows.count)
            continue;
        if (before && before->rank == place->rank)
            return false;
        before = place;
    }
    return true;
}

static pj_otf2_trail keep(const pj_otf2_trail *trail, pj_arena *arena)
{
    pj_otf2_trail kept = {
        .marks = copy(arena, trail->marks, trail->count, sizeof *trail->marks),
        .count = trail->count,
        .frames = copy(arena, trail->frames, trail->frame_count, sizeof *trail->frames),
        .frame_count = trail->frame_count,
        .numbers = copy(arena, trail->numbers, trail->number_count, sizeof *trail->numbers),
        .number_count = trail->number_count};
    kept.flows.items =
        copy(arena, trail->flows.items, trail->flows.count, sizeof *trail->flows.items);
    kept.flows.count = trail->flows.count;
    return kept;
}

void pj_otf2_trails_keep(pj_otf2_place *const *places, uint32_t count, const pj_otf2_reach *reach,
                         const char *folder, pj_run *run)
{
    if (!can_keep(places, count))
        return;
    pj_otf2_trails *trails = pj_new(run->arena, pj_otf2_trails);
    *trails = (pj_otf2_trails){.folder = pj_arena_text(run->arena, pj_str_of(folder)),
                               .items = pj_new_n(run->arena, pj_otf2_trail, count),
                               .count = count,
                               .region_count = places[0]->defs->region_count,
                               .reach = *reach};
    pj_auto_buf path = {.at = NULL};
    for (uint32_t i = 0; i < count; i++) {
        trails->items[i] = keep(places[i]->trail, run->arena);
        trails->items[i].id = places[i]->id;
        trails->items[i].bytes = size_of(path_of(&path, folder, places[i]->id));
    }
    run->trails = trails;
}

bool pj_otf2_trails_hold(const pj_otf2_trails *trails)
{
    pj_auto_buf path = {.at = NULL};
    for (uint32_t i = 0; i < trails->count; i++)
        if (size_of(path_of(&path, trails->folder, trails->items[i].id)) != trails->items[i].bytes)
            return false;
    return true;
}
