// Runs made by hand: layouts, totals and counters without any trace.
#include "tests/support/made_run.h"

#include "metrics/base/buf.h"
#include "metrics/base/file.h"
#include "metrics/base/num.h"
#include "metrics/pop/measures.h"
#include "metrics/run/devices.h"

pj_run *made_run(const char *path, const uint32_t *threads, uint32_t ranks)
{
    pj_run *run = pj_run_new(path);
    pj_layout *layout = &run->layout;
    layout->applications = 1;
    layout->ranks = ranks;
    layout->first_location = pj_new_n(run->arena, uint32_t, ranks + 1);
    layout->application_of = pj_new_n(run->arena, uint32_t, ranks);
    for (uint32_t r = 0; r < ranks; r++)
        layout->first_location[r + 1] = layout->first_location[r] + threads[r];
    layout->locations = layout->first_location[ranks];
    layout->rank_of = pj_new_n(run->arena, uint32_t, layout->locations);
    layout->node_of = pj_new_n(run->arena, uint32_t, layout->locations);
    layout->location_name = pj_new_n(run->arena, const char *, layout->locations);
    for (uint32_t r = 0; r < ranks; r++)
        for (uint32_t i = layout->first_location[r]; i < layout->first_location[r + 1]; i++)
            layout->rank_of[i] = r;
    run->format = "prv";
    run->has_mpi = ranks > 1;
    run->has_openmp = layout->locations > ranks;
    pj_run_allocate(run);
    return run;
}

pj_run *made_run_even(const char *path, uint32_t ranks, uint32_t threads)
{
    pj_auto_arena kept = pj_arena_new(NULL);
    uint32_t *each = pj_new_n(kept, uint32_t, ranks);
    for (uint32_t r = 0; r < ranks; r++)
        each[r] = threads;
    return made_run(path, each, ranks);
}

void made_run_count(pj_run *run, uint32_t location, int64_t instructions, int64_t cycles)
{
    const int64_t values[] = {instructions, cycles};
    for (unsigned c = 0; c < 2; c++) {
        run->counters[c].present = true;
        run->counters[c].useful[location] = values[c];
    }
}

void made_run_close(pj_run *run)
{
    run->runtime_ns = 0;
    for (uint32_t i = 0; i < run->layout.locations; i++)
        if (run->totals[i].runtime_ns > run->runtime_ns)
            run->runtime_ns = run->totals[i].runtime_ns;
    run->end_ns = run->runtime_ns;
}

static void set_ideal(pj_run *run, double runtime_ns)
{
    run->ideal.available = true;
    run->ideal.runtime_ns = runtime_ns;
    run->ideal.finish_ns = pj_new_n(run->arena, double, run->layout.ranks);
    run->ideal.first_ns = pj_new_n(run->arena, double, run->layout.ranks);
    run->ideal.compute_ns = pj_new_n(run->arena, double, run->layout.ranks);
    for (uint32_t r = 0; r < run->layout.ranks; r++) {
        const pj_totals *master = &run->totals[run->layout.first_location[r]];
        run->ideal.finish_ns[r] = run->ideal.first_ns[r] = runtime_ns;
        run->ideal.compute_ns[r] = (double)master->outside_mpi_ns;
    }
}

pj_run *made_run_simple(const char *path, uint32_t ranks, uint32_t threads, uint64_t useful_ns,
                        uint64_t runtime_ns)
{
    pj_run *run = made_run_even(path, ranks, threads);
    for (uint32_t i = 0; i < run->layout.locations; i++) {
        bool master = i == run->layout.first_location[run->layout.rank_of[i]];
        run->totals[i] = (pj_totals){
            .useful_ns = useful_ns,
            .serial_useful_ns = master ? useful_ns : 0,
            .openmp_useful_ns = master ? 0 : useful_ns,
            .openmp_ns = master ? 0 : useful_ns,
            .outside_mpi_ns = useful_ns,
            .mpi_ns = master ? runtime_ns - useful_ns : 0,
            .runtime_ns = runtime_ns,
        };
        made_run_count(run, i, (int64_t)useful_ns * 3, (int64_t)useful_ns * 2);
    }
    made_run_close(run);
    set_ideal(run, (double)(useful_ns + runtime_ns) / 2);
    return run;
}

enum { STATS_FIELDS = 10 };

/// One line of a statistics file: rank, thread (from 1), serial useful, runtime, instructions,
/// cycles, OpenMP time, OpenMP useful, ideal useful, ideal runtime.
static bool parse_line(pj_str line, uint64_t *fields)
{
    for (size_t i = 0; i < STATS_FIELDS; i++)
        if (!pj_parse_u64(pj_str_cut(&line, ','), &fields[i]))
            return false;
    return true;
}

static void fill_location(pj_run *run, uint32_t location, const uint64_t *f)
{
    run->totals[location] = (pj_totals){
        .useful_ns = f[2] + f[7],
        .serial_useful_ns = f[2],
        .openmp_useful_ns = f[7],
        .openmp_ns = f[6],
        .outside_mpi_ns = f[2] + f[6],
        .runtime_ns = f[3],
    };
    made_run_count(run, location, (int64_t)f[4], (int64_t)f[5]);
}

/// "x/stats_omp4.csv" -> "omp4", as the reference tables call the run.
static const char *bare_name(pj_arena *arena, const char *path)
{
    pj_str name = pj_str_of(path);
    name = pj_str_from(name, pj_str_find_last(name, '/') + 1);
    name = pj_str_from(name, sizeof "stats_" - 1);
    return pj_arena_text(arena, pj_str_head(name, name.len - (sizeof ".csv" - 1)));
}

pj_run *made_run_from_stats(const char *path)
{
    pj_auto_buf text = {0};
    if (!pj_file_read(path, &text, NULL) || !text.len)
        return NULL;
    uint64_t rows[256][STATS_FIELDS] = {0};
    uint32_t threads[256] = {0}, ranks = 0, count = 0;
    pj_str rest = pj_buf_str(&text);
    pj_str_cut(&rest, '\n');
    while (rest.len && count < 256 && parse_line(pj_str_cut(&rest, '\n'), rows[count])) {
        ranks = (uint32_t)rows[count][0];
        threads[ranks - 1]++;
        count++;
    }
    if (count == 0)
        return NULL;
    pj_auto_arena kept = pj_arena_new(NULL);
    pj_run *run = made_run(bare_name(kept, path), threads, ranks);
    for (uint32_t i = 0; i < count; i++)
        fill_location(run, i, rows[i]);
    made_run_close(run);
    set_ideal(run, (double)rows[0][9]);
    return run;
}

void made_run_devices(pj_run *run, uint64_t more)
{
    pj_devices *devices = pj_new(run->arena, pj_devices);
    devices->count = 2;
    devices->items = pj_new_n(run->arena, pj_device_sum, devices->count);
    devices->runtime_ns = pj_new_n(run->arena, uint64_t, run->layout.locations);
    devices->items[0] = (pj_device_sum){.key = "D0", .useful_ns = 400 + more, .transfer_ns = 30};
    devices->items[1] = (pj_device_sum){.key = "D1", .useful_ns = 310, .transfer_ns = 150};
    for (uint32_t i = 0; i < run->layout.locations; i++)
        devices->runtime_ns[i] = 10 + i;
    run->devices = devices;
    pj_device_stream *streams = pj_new_n(run->arena, pj_device_stream, devices->count);
    for (uint32_t d = 0; d < devices->count; d++)
        streams[d] = (pj_device_stream){.kind = PJ_STREAM_CUDA, .device = devices->items[d].key};
    run->layout.streams = streams;
    run->layout.stream_count = devices->count;
}

bool made_run_lacks(const pj_metric_set *set)
{
    return set->rows[0].needs & (PJ_NEEDS_DEVICES | PJ_NEEDS_ENERGY);
}
