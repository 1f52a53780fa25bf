// The records of one rank as they come: appended, texts and streams each once.
#include "metrics/ai/ai_rank.h"

#include "metrics/ai/ai_mpi.h"
#include "metrics/ai/ai_ranges.h"
#include "metrics/ai/ai_repeats.h"
#include "metrics/base/buf.h"
#include "metrics/base/fingerprint.h"
#include "metrics/base/utf8.h"

#include <stdlib.h>

enum { MOST_STREAMS = 4096 };

pj_ai_rank *pj_ai_rank_new(const char *path)
{
    pj_ai_rank *rank = pj_take_zeros(sizeof *rank);
    rank->arena = pj_arena_new(NULL);
    rank->path = pj_arena_text(rank->arena, pj_str_of(path));
    rank->rank = rank->world = -1;
    pj_ai_rank_name(rank, PJ_S(""));
    rank->loading.spill = rank->waiting.spill = rank->driving.spill = &rank->spill;
    for (unsigned k = 0; k < PJ_AI_MPI_KINDS; k++)
        rank->mpi[k].spill = &rank->spill;
    return rank;
}

static void free_device(pj_ai_rank *rank, pj_ai_device *device)
{
    pj_ai_spill_drop(&rank->spill, device->pieces);
    free(device->step_useful);
    free(device->of_region);
    free(device->users);
    pj_ai_spans_free(&device->computed);
}

void pj_ai_rank_free(pj_ai_rank *rank)
{
    if (!rank)
        return;
    for (size_t i = 0; i < rank->device_count; i++)
        free_device(rank, &rank->devices[i]);
    free(rank->devices);
    free(rank->names);
    free(rank->name_kinds);
    pj_map_free(&rank->by_name);
    pj_map_free(&rank->by_stream);
    pj_map_free(&rank->by_thread);
    pj_ai_ranges_free(rank->ranges);
    pj_ai_repeats_free(rank->repeats);
    free(rank->regions);
    pj_ai_spill_drop(&rank->spill, rank->records);
    pj_ai_spill_drop(&rank->spill, rank->calls);
    pj_ai_spill_drop(&rank->spill, rank->mpi_calls);
    free(rank->launches);
    free(rank->steps);
    pj_ai_spill_drop(&rank->spill, rank->exchanges);
    free(rank->streams);
    pj_ai_spans_free(&rank->loading);
    pj_ai_cover_free(&rank->waiting);
    pj_ai_cover_free(&rank->driving);
    for (unsigned k = 0; k < PJ_AI_MPI_KINDS; k++)
        pj_ai_cover_free(&rank->mpi[k]);
    pj_ai_spill_free(&rank->spill);
    pj_arena_free(rank->arena);
    free(rank);
}

int pj_ai_rank_by_number(const void *a, const void *b)
{
    const pj_ai_rank *x = *(pj_ai_rank *const *)a, *y = *(pj_ai_rank *const *)b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return pj_str_order_natural(pj_str_of(x->path), pj_str_of(y->path));
}

uint32_t pj_ai_rank_name(pj_ai_rank *rank, pj_str text)
{
    enum { LONGEST = 64 << 10 };
    uint32_t found;
    if (text.len > LONGEST) {
        rank->odd[PJ_AI_ODD_long_text]++;
        text.len = pj_utf8_whole(pj_str_head(text, LONGEST));
    }
    uint64_t hash = pj_fingerprint_of(text);
    for (; pj_map_get(&rank->by_name, hash, &found); hash++)
        if (pj_str_equal(pj_str_of(rank->names[found]), text))
            return found;
    pj_grow(rank->names, &rank->name_cap, (size_t)rank->name_count + 1);
    rank->names[rank->name_count] = pj_arena_text(rank->arena, text);
    pj_map_put(&rank->by_name, hash, rank->name_count);
    return rank->name_count++;
}

static uint32_t device_of(pj_ai_rank *rank, int64_t number)
{
    for (size_t i = 0; i < rank->device_count; i++)
        if (rank->devices[i].number == number)
            return (uint32_t)i;
    pj_grow(rank->devices, &rank->device_cap, rank->device_count + 1);
    rank->devices[rank->device_count] = (pj_ai_device){.number = number};
    return (uint32_t)rank->device_count++;
}

uint16_t pj_ai_rank_stream(pj_ai_rank *rank, int64_t device, int64_t stream)
{
    uint32_t found;
    uint64_t hash = (uint64_t)device * 0x9e3779b97f4a7c15U ^ (uint64_t)stream;
    for (; pj_map_get(&rank->by_stream, hash, &found); hash += 0x517cc1b727220a95U)
        if (rank->streams[found].device == device && rank->streams[found].number == stream)
            return (uint16_t)found;
    if (rank->stream_count == MOST_STREAMS) {
        rank->odd[PJ_AI_ODD_streams]++;
        return MOST_STREAMS - 1;
    }
    pj_grow(rank->streams, &rank->stream_cap, rank->stream_count + 1);
    rank->streams[rank->stream_count] = (pj_ai_stream){
        .device = device, .number = stream, .last = INT64_MIN, .of = device_of(rank, device)};
    pj_map_put(&rank->by_stream, hash, (uint32_t)rank->stream_count);
    return (uint16_t)rank->stream_count++;
}

/// What kernels of a name do.
enum { COMPUTES = 1, EXCHANGES, COMPUTES_FUSED };

static uint8_t kind_of(pj_str name)
{
    enum { STARTS, HOLDS, FUSED };
    static const struct {
        int where;
        pj_str text;
    } names[] = {
#define NAME(where, text) {where, {text, sizeof(text) - 1}},
#include "metrics/ai/ai_exchange_names.def"
#undef NAME
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].where == STARTS ? pj_str_starts(name, names[i].text)
                                     : pj_str_contains(name, names[i].text))
            return names[i].where == FUSED ? COMPUTES_FUSED : EXCHANGES;
    return COMPUTES;
}

bool pj_ai_rank_exchanges(pj_ai_rank *rank, uint32_t name)
{
    size_t known = rank->name_kind_cap;
    if (name >= known) {
        pj_grow(rank->name_kinds, &rank->name_kind_cap, (size_t)name + 1);
        memset(rank->name_kinds + known, 0, rank->name_kind_cap - known);
    }
    if (!rank->name_kinds[name])
        rank->name_kinds[name] = kind_of(pj_str_of(rank->names[name]));
    rank->odd[PJ_AI_ODD_fused] += rank->name_kinds[name] == COMPUTES_FUSED;
    return rank->name_kinds[name] == EXCHANGES;
}

bool pj_ai_rank_is_fused(const pj_ai_rank *rank, uint32_t name)
{
    return name < rank->name_kind_cap && rank->name_kinds[name] == COMPUTES_FUSED;
}

void pj_ai_rank_add_record(pj_ai_rank *rank, pj_ai_record record)
{
    pj_ai_grow(&rank->spill, rank->records, &rank->record_cap, rank->record_count + 1);
    rank->records[rank->record_count++] = record;
}

/// Two bits of a word: a Bloom filter.
static uint64_t *launch_word(const pj_ai_rank *rank, uint32_t id, uint64_t *bits)
{
    uint64_t hash = id * 0x9e3779b97f4a7c15U;
    *bits = (uint64_t)1 << (hash >> 58) | (uint64_t)1 << (hash >> 52 & 63);
    return &rank->launches[hash >> 20 & (rank->launch_words - 1)];
}

void pj_ai_rank_expect_calls(pj_ai_rank *rank)
{
    enum { RECORDS = 4 }; // a word: then one call of 50 is kept in vain
    uint64_t bits;
    free(rank->launches);
    for (rank->launch_words = 1; rank->launch_words < rank->record_count / RECORDS;)
        rank->launch_words *= 2;
    rank->launches = pj_take_zeros(rank->launch_words * sizeof *rank->launches);
    for (size_t i = 0; i < rank->record_count; i++) {
        pj_ai_spill_pass(&rank->spill, i);
        uint64_t *word = launch_word(rank, rank->records[i].call, &bits);
        *word |= bits;
    }
}

static bool may_launch(const pj_ai_rank *rank, uint32_t id)
{
    uint64_t bits;
    return !rank->launches || (~*launch_word(rank, id, &bits) & bits) == 0;
}

uint16_t pj_ai_rank_thread(pj_ai_rank *rank, int64_t thread)
{
    uint32_t found;
    if (pj_map_get(&rank->by_thread, (uint64_t)thread, &found))
        return (uint16_t)found;
    found = (uint32_t)rank->by_thread.count;
    found = found < UINT16_MAX ? found : UINT16_MAX;
    pj_map_put(&rank->by_thread, (uint64_t)thread, found);
    return (uint16_t)found;
}

void pj_ai_rank_add_call(pj_ai_rank *rank, pj_ai_call call, int64_t thread)
{
    if (call.doing == PJ_AI_SYNCHRONISE)
        pj_ai_cover_add(&rank->waiting, call.begin, call.end);
    pj_ai_cover_add(&rank->driving, call.begin, call.end);
    if (call.id == PJ_AI_NONE || !may_launch(rank, call.id))
        return;
    call.place = pj_ai_rank_thread(rank, thread);
    pj_ai_grow(&rank->spill, rank->calls, &rank->call_cap, rank->call_count + 1);
    rank->calls[rank->call_count++] = call;
}

void pj_ai_rank_add_mpi(pj_ai_rank *rank, pj_ai_mpi kind, int64_t begin, int64_t end)
{
    if (kind != PJ_AI_MPI_ALL)
        pj_ai_cover_add(&rank->mpi[kind], begin, end);
    pj_ai_cover_add(&rank->mpi[PJ_AI_MPI_ALL], begin, end);
}

typedef struct overlap {
    const pj_ai_cover *mpi;
    int64_t begin, end;
    uint64_t sum;
} overlap;

static void add_overlap(void *context, pj_ai_span span)
{
    overlap *o = context;
    int64_t begin = span.begin > o->begin ? span.begin : o->begin;
    int64_t end = span.end < o->end ? span.end : o->end;
    if (begin < end)
        o->sum += (uint64_t)pj_ai_cover_within(o->mpi, begin, end);
}

uint64_t pj_ai_rank_driving_in_mpi(const pj_ai_rank *rank, int64_t begin, int64_t end)
{
    overlap o = {.mpi = &rank->mpi[PJ_AI_MPI_ALL], .begin = begin, .end = end};
    if (o.mpi->total)
        pj_ai_cover_each(&rank->driving, add_overlap, &o);
    return o.sum;
}

void pj_ai_rank_add_step(pj_ai_rank *rank, pj_ai_step step)
{
    pj_grow(rank->steps, &rank->step_cap, rank->step_count + 1);
    rank->steps[rank->step_count++] = step;
}

uint32_t pj_ai_rank_add_exchange(pj_ai_rank *rank, pj_ai_exchange exchange)
{
    pj_ai_grow(&rank->spill, rank->exchanges, &rank->exchange_cap, rank->exchange_count + 1);
    rank->exchanges[rank->exchange_count] = exchange;
    return (uint32_t)rank->exchange_count++;
}

void pj_ai_rank_shift(pj_ai_rank *rank, int64_t by)
{
    for (size_t i = 0; i < rank->record_count; i++) {
        pj_ai_spill_pass(&rank->spill, i);
        rank->records[i].begin += by;
        rank->records[i].end += by;
    }
    for (size_t i = 0; i < rank->call_count; i++) {
        pj_ai_spill_pass(&rank->spill, i);
        rank->calls[i].begin += by;
        rank->calls[i].end += by;
    }
    for (size_t i = 0; i < rank->step_count; i++) {
        rank->steps[i].begin += by;
        rank->steps[i].end += by;
    }
    pj_ai_spans_shift(&rank->loading, by);
    pj_ai_cover_shift(&rank->waiting, by);
    pj_ai_cover_shift(&rank->driving, by);
    for (unsigned k = 0; k < PJ_AI_MPI_KINDS; k++)
        pj_ai_cover_shift(&rank->mpi[k], by);
    pj_ai_ranges_shift(rank->ranges, by);
}

static uint64_t bytes_of_devices(const pj_ai_rank *rank)
{
    uint64_t bytes = 0;
    for (size_t d = 0; d < rank->device_count; d++) {
        const pj_ai_device *device = &rank->devices[d];
        const pj_ai_spans *computed = &device->computed;
        bytes += pj_ai_spill_held(&rank->spill, device->pieces,
                                  device->piece_cap * sizeof *device->pieces) +
                 pj_ai_spill_held(&rank->spill, computed->items,
                                  computed->cap * sizeof *computed->items);
    }
    return bytes;
}

uint64_t pj_ai_rank_bytes(const pj_ai_rank *rank)
{
    const pj_ai_spill *spill = &rank->spill;
    uint64_t mpi = 0;
    for (unsigned k = 0; k < PJ_AI_MPI_KINDS; k++)
        mpi += pj_ai_cover_bytes(&rank->mpi[k]);
    return mpi + bytes_of_devices(rank) +
           pj_ai_spill_held(spill, rank->records, rank->record_cap * sizeof *rank->records) +
           pj_ai_spill_held(spill, rank->calls, rank->call_cap * sizeof *rank->calls) +
           pj_ai_spill_held(spill, rank->mpi_calls, rank->mpi_call_cap * sizeof *rank->mpi_calls) +
           pj_ai_spill_held(spill, rank->exchanges, rank->exchange_cap * sizeof *rank->exchanges) +
           rank->name_cap * sizeof(char *) + rank->launch_words * sizeof *rank->launches +
           pj_ai_ranges_bytes(rank->ranges) + pj_ai_repeats_bytes(rank->repeats) +
           pj_ai_cover_bytes(&rank->waiting) + pj_ai_cover_bytes(&rank->driving) +
           pj_arena_size(rank->arena);
}

static void move_devices(pj_ai_rank *rank)
{
    pj_ai_spill *spill = &rank->spill;
    for (size_t d = 0; d < rank->device_count; d++) {
        pj_ai_device *device = &rank->devices[d];
        pj_ai_spans *computed = &device->computed;
        device->pieces =
            pj_ai_spill_move(spill, device->pieces, device->piece_cap * sizeof *device->pieces);
        computed->items =
            pj_ai_spill_move(spill, computed->items, computed->cap * sizeof *computed->items);
    }
}

/// What grows with the input leaves memory.
static void move_arrays(pj_ai_rank *rank)
{
    pj_ai_spill *spill = &rank->spill;
    rank->records =
        pj_ai_spill_move(spill, rank->records, rank->record_cap * sizeof *rank->records);
    rank->calls = pj_ai_spill_move(spill, rank->calls, rank->call_cap * sizeof *rank->calls);
    rank->mpi_calls =
        pj_ai_spill_move(spill, rank->mpi_calls, rank->mpi_call_cap * sizeof *rank->mpi_calls);
    rank->exchanges =
        pj_ai_spill_move(spill, rank->exchanges, rank->exchange_cap * sizeof *rank->exchanges);
    pj_ai_cover_spill(&rank->waiting);
    pj_ai_cover_spill(&rank->driving);
    for (unsigned k = 0; k < PJ_AI_MPI_KINDS; k++)
        pj_ai_cover_spill(&rank->mpi[k]);
    pj_ai_ranges_spill(rank->ranges);
    move_devices(rank);
    pj_ai_spill_relax(spill);
}

static void count(pj_ai_rank *rank, pj_job *job)
{
    uint64_t now = pj_ai_rank_bytes(rank);
    rank->spill.used = &job->memory_used;
    job->memory_used += now - rank->spill.counted;
    rank->spill.counted = now;
}

bool pj_ai_rank_fit(pj_ai_rank *rank, pj_job *job, pj_err *err)
{
    enum { LEAST = PJ_SIZE(1 << 20, 1 << 12) }; // less is of no avail
    count(rank, job);
    if (!job->memory_budget)
        job->memory_budget = pj_job_default_budget();
    if (rank->spill.counted >= LEAST && job->memory_used > job->memory_budget / 2) {
        if (!rank->spill.active && !pj_ai_spill_begin(&rank->spill, err))
            return false;
        move_arrays(rank);
        count(rank, job);
    } else {
        pj_ai_spill_relax(&rank->spill);
    }
    return pj_ai_spill_check(&rank->spill, err) && pj_job_check(job, rank->path, err);
}
