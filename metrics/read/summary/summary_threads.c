// Totals and counters by thread, ideal times by rank.
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/read/summary/summary_parts.h"
#include "metrics/read/summary/summary_vectors.h"
#include "metrics/run/run.h"

#include <math.h>
#include <stdlib.h>

static const struct {
    const char *name;
    size_t offset; // of a uint64_t in pj_totals
} fields[] = {
    {"useful_ns", offsetof(pj_totals, useful_ns)},
    {"serial_useful_ns", offsetof(pj_totals, serial_useful_ns)},
    {"openmp_useful_ns", offsetof(pj_totals, openmp_useful_ns)},
    {"openmp_ns", offsetof(pj_totals, openmp_ns)},
    {"outside_mpi_ns", offsetof(pj_totals, outside_mpi_ns)},
    {"runtime_ns", offsetof(pj_totals, runtime_ns)},
};

/// Behind what pj_spent has. Its last value and this are there where devices are called.
enum { SPENT_CALLS = PJ_SPENT_KINDS, SPENT_VALUES };

/// By pj_spent.
static const char *const spent[SPENT_VALUES] = {
    [PJ_SPENT_SYNC] = "sync_ns",       [PJ_SPENT_FORK] = "fork_ns",
    [PJ_SPENT_P2P] = "mpi_p2p_ns",     [PJ_SPENT_COLLECTIVE] = "mpi_collective_ns",
    [PJ_SPENT_MPI] = "mpi_other_ns",   [PJ_SPENT_IO] = "io_ns",
    [PJ_SPENT_OTHER] = "other_ns",     [PJ_SPENT_DEVICE] = "device_runtime_ns",
    [SPENT_CALLS] = "device_calls_ns",
};

/// Of input and output.
static const struct {
    const char *name;
    size_t offset; // of a uint64_t in pj_totals
} files[] = {
    {"mpi_io_ns", offsetof(pj_totals, mpi_io_ns)},
    {"io_overlap_ns", offsetof(pj_totals, io_overlap_ns)},
    {"io_calls", offsetof(pj_totals, io_calls)},
    {"io_bytes_read", offsetof(pj_totals, io_read_bytes)},
    {"io_bytes_written", offsetof(pj_totals, io_written_bytes)},
    {"io_read_untold", offsetof(pj_totals, io_read_untold)},
    {"io_written_untold", offsetof(pj_totals, io_written_untold)},
};

enum { FILES = sizeof files / sizeof *files };
enum { FIELDS = sizeof fields / sizeof *fields, IDEALS = 4 };

static uint64_t *field_of(const pj_run *run, uint32_t location, size_t field)
{
    return (uint64_t *)((char *)&run->totals[location] + fields[field].offset);
}

static uint64_t *file_of(pj_totals *totals, size_t file)
{
    return (uint64_t *)((char *)totals + files[file].offset);
}

static uint64_t *spent_of(pj_totals *totals, size_t value)
{
    return value == SPENT_CALLS ? &totals->device_calls_ns : &totals->spent_ns[value];
}

/// Times and counters as vectors by location, zeroed.
static pj_summary_vectors by_location(const pj_run *run, pj_arena *arena)
{
    pj_summary_vectors v = {.count = FIELDS + run->counter_count,
                            .ranks = run->layout.ranks,
                            .first = run->layout.first_location};
    v.items = pj_new_n(arena, pj_summary_vector, v.count);
    for (size_t i = 0; i < v.count; i++)
        v.items[i] = (pj_summary_vector){
            .name = i < FIELDS ? fields[i].name : pj_arena_format(arena, "counter_%zu", i - FIELDS),
            .values = pj_new_n(arena, int64_t, run->layout.locations + 1)};
    return v;
}

/// What time is spent on as vectors by location, zeroed.
static pj_summary_vectors by_spent(const pj_run *run, pj_arena *arena)
{
    pj_summary_vectors v = {.items = pj_new_n(arena, pj_summary_vector, SPENT_VALUES),
                            .count = SPENT_VALUES,
                            .ranks = run->layout.ranks,
                            .first = run->layout.first_location};
    for (size_t k = 0; k < SPENT_VALUES; k++)
        v.items[k] =
            (pj_summary_vector){spent[k], pj_new_n(arena, int64_t, run->layout.locations + 1)};
    return v;
}

/// Input and output as vectors by location, zeroed.
static pj_summary_vectors by_file(const pj_run *run, pj_arena *arena)
{
    pj_summary_vectors v = {.items = pj_new_n(arena, pj_summary_vector, FILES),
                            .count = FILES,
                            .ranks = run->layout.ranks,
                            .first = run->layout.first_location};
    for (size_t k = 0; k < FILES; k++)
        v.items[k] =
            (pj_summary_vector){files[k].name, pj_new_n(arena, int64_t, run->layout.locations + 1)};
    return v;
}

/// Ideal times as vectors by rank, zeroed.
static pj_summary_vectors by_rank(const pj_run *run, pj_arena *arena)
{
    static const char *const names[IDEALS] = {"finish_ns", "compute_ns", "first_ns", "ahead_ns"};
    uint32_t ranks = run->layout.ranks;
    uint32_t *first = pj_new_n(arena, uint32_t, ranks + 1);
    for (uint32_t r = 0; r <= ranks; r++)
        first[r] = r;
    pj_summary_vectors v = {.items = pj_new_n(arena, pj_summary_vector, IDEALS),
                            .count = IDEALS,
                            .ranks = ranks,
                            .first = first};
    for (size_t i = 0; i < IDEALS; i++)
        v.items[i] = (pj_summary_vector){names[i], pj_new_n(arena, int64_t, ranks + 1)};
    return v;
}

static int64_t signed_ns(uint64_t ns)
{
    return ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

static json_t *write_ranks(const pj_run *run, size_t budget)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_summary_vectors v = by_rank(run, arena);
    for (uint32_t r = 0; r < v.ranks; r++) {
        v.items[0].values[r] = llround(run->ideal.finish_ns[r]);
        v.items[1].values[r] = llround(run->ideal.compute_ns[r]);
        v.items[2].values[r] = llround(run->ideal.first_ns[r]);
        v.items[3].values[r] = llround(run->ideal.ahead_ns[r]);
    }
    return pj_summary_vectors_encode(&v, budget, false);
}

static json_t *write_locations(const pj_run *run, size_t budget)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_summary_vectors v = by_location(run, arena);
    for (uint32_t i = 0; i < run->layout.locations; i++) {
        for (size_t f = 0; f < FIELDS; f++)
            v.items[f].values[i] = signed_ns(*field_of(run, i, f));
        for (size_t c = 0; c < run->counter_count; c++)
            v.items[FIELDS + c].values[i] = run->counters[c].useful[i];
    }
    return pj_summary_vectors_encode(&v, budget, false);
}

static json_t *write_spent(const pj_run *run, size_t budget)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_summary_vectors v = by_spent(run, arena);
    for (uint32_t i = 0; i < run->layout.locations; i++)
        for (size_t k = 0; k < SPENT_VALUES; k++)
            v.items[k].values[i] = signed_ns(*spent_of(&run->totals[i], k));
    if (!pj_run_calls_devices(run))
        v.count = PJ_SPENT_DEVICE;
    return pj_summary_vectors_encode(&v, budget, false);
}

static bool has_files(const pj_run *run)
{
    for (uint32_t i = 0; i < run->layout.locations; i++)
        if (run->totals[i].spent_ns[PJ_SPENT_IO] || run->totals[i].io_calls)
            return true;
    return false;
}

/// NULL = there is none, or it takes too much room.
static json_t *write_files(const pj_run *run, size_t budget)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_summary_vectors v = by_file(run, arena);
    for (uint32_t i = 0; i < run->layout.locations; i++)
        for (size_t k = 0; k < FILES; k++)
            v.items[k].values[i] = signed_ns(*file_of(&run->totals[i], k));
    return has_files(run) ? pj_summary_vectors_encode(&v, budget, true) : NULL;
}

json_t *pj_summary_threads_write(const pj_run *run, size_t budget)
{
    json_t *counters = json_array();
    for (uint32_t c = 0; c < run->counter_count; c++)
        json_array_append_new(counters, json_pack("{s:o, s:I, s:b}", "name",
                                                  pj_summary_text(run->counters[c].name), "type",
                                                  (json_int_t)run->counters[c].type, "present",
                                                  (int)run->counters[c].present));
    json_t *out = json_pack("{s:o}", "counters", counters);
    if (run->ideal.available)
        json_object_set_new(out, "ideal", write_ranks(run, budget / 4));
    size_t used = pj_summary_size(out);
    json_object_set_new(out, "totals", write_locations(run, budget > used ? budget - used : 0));
    used = pj_summary_size(out);
    if (!run->spent_unknown)
        json_object_set_new(out, "spent", write_spent(run, budget > used ? budget - used : 0));
    used = pj_summary_size(out);
    json_t *io = run->io_unknown ? NULL : write_files(run, budget > used ? budget - used : 0);
    if (io)
        json_object_set_new(out, "files", io);
    return out;
}

bool pj_summary_threads_rounded(const json_t *from)
{
    return pj_summary_vectors_rounded(json_object_get(from, "totals")) ||
           pj_summary_vectors_rounded(json_object_get(from, "ideal"));
}

// Reading

/// Further counters of the trace; the first two stand in every run.
static bool read_counters(const json_t *from, pj_run *run, pj_err *err)
{
    enum { MOST = 256 };
    size_t count = json_array_size(from), index;
    const json_t *item;
    if (count < 2 || count > MOST)
        return pj_fail(err, PJ_E_FORMAT, run->path, 0, "damaged summary: %zu counters", count);
    run->counter_count = (uint32_t)count;
    run->counters = pj_new_n(run->arena, pj_counter, count);
    json_array_foreach(from, index, item)
    {
        pj_counter *counter = &run->counters[index];
        const char *name = json_string_value(json_object_get(item, "name"));
        if (!name)
            return pj_fail(err, PJ_E_FORMAT, run->path, 0, "damaged summary: a nameless counter");
        counter->name = pj_arena_text(run->arena, pj_str_of(name));
        counter->type = (uint64_t)json_integer_value(json_object_get(item, "type"));
        counter->present = json_is_true(json_object_get(item, "present"));
        counter->useful = pj_new_n(run->arena, int64_t, run->layout.locations + 1);
    }
    return true;
}

static bool read_locations(const json_t *from, pj_run *run, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_summary_vectors v = by_location(run, arena);
    if (!pj_summary_vectors_decode(from, &v, run->path, err))
        return false;
    run->totals = pj_new_n(run->arena, pj_totals, run->layout.locations + 1);
    for (uint32_t i = 0; i < run->layout.locations; i++) {
        run->totals[i].first_record_ns = UINT64_MAX;
        for (size_t f = 0; f < FIELDS; f++) {
            int64_t value = v.items[f].values[i];
            *field_of(run, i, f) = value > 0 ? (uint64_t)value : 0;
        }
        for (size_t c = 0; c < run->counter_count; c++)
            run->counters[c].useful[i] = v.items[FIELDS + c].values[i];
    }
    return true;
}

/// Summaries of earlier versions have none.
static bool read_spent(const json_t *from, pj_run *run, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_summary_vectors v = by_spent(run, arena);
    run->spent_unknown = !from;
    run->spent_rounded = pj_summary_vectors_rounded(from);
    if (from && !pj_summary_vectors_decode(from, &v, run->path, err))
        return false;
    for (uint32_t i = 0; i < run->layout.locations; i++)
        for (size_t k = 0; k < SPENT_VALUES; k++) {
            int64_t value = v.items[k].values[i];
            *spent_of(&run->totals[i], k) = value > 0 ? (uint64_t)value : 0;
        }
    return true;
}

/// Where there is input or output, summaries of earlier versions do not tell it.
static bool read_files(const json_t *from, pj_run *run, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_summary_vectors v = by_file(run, arena);
    run->io_unknown = !from && has_files(run);
    if (from && !pj_summary_vectors_decode(from, &v, run->path, err))
        return false;
    for (uint32_t i = 0; i < run->layout.locations; i++)
        for (size_t k = 0; k < FILES; k++)
            *file_of(&run->totals[i], k) =
                (uint64_t)(v.items[k].values[i] > 0 ? v.items[k].values[i] : 0);
    return true;
}

static bool read_ranks(const json_t *from, pj_run *run, pj_err *err)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_summary_vectors v = by_rank(run, arena);
    if (!pj_summary_vectors_decode(from, &v, run->path, err))
        return false;
    bool told = json_object_get(json_object_get(from, "values"), v.items[2].name) != NULL;
    run->ideal.finish_ns = pj_new_n(run->arena, double, v.ranks + 1);
    run->ideal.compute_ns = pj_new_n(run->arena, double, v.ranks + 1);
    run->ideal.first_ns = pj_new_n(run->arena, double, v.ranks + 1);
    run->ideal.ahead_ns = pj_new_n(run->arena, double, v.ranks + 1);
    for (uint32_t r = 0; r < v.ranks; r++) {
        run->ideal.finish_ns[r] = (double)v.items[0].values[r];
        run->ideal.compute_ns[r] = (double)v.items[1].values[r];
        // Versions that do not tell it have waits there of ranks with one thread alone.
        run->ideal.first_ns[r] = told ? (double)v.items[2].values[r] : run->ideal.finish_ns[r];
        run->ideal.ahead_ns[r] = (double)v.items[3].values[r];
    }
    return true;
}

bool pj_summary_threads_read(const json_t *from, pj_run *run, pj_err *err)
{
    return read_counters(json_object_get(from, "counters"), run, err) &&
           read_locations(json_object_get(from, "totals"), run, err) &&
           read_spent(json_object_get(from, "spent"), run, err) &&
           read_files(json_object_get(from, "files"), run, err) &&
           (!run->ideal.available || read_ranks(json_object_get(from, "ideal"), run, err));
}
