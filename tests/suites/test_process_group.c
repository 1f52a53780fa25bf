// A process group of any size reads the same run as one process, to the last bit; who fails, fails
// for all.
#include "metrics/analyse/load.h"
#include "metrics/base/tiny.h"
#include "metrics/read/source.h"
#include "metrics/run/mpi_use.h"
#include "metrics/run/regions.h"
#include "metrics/run/timeline.h"
#include "metrics/trace/event_code.h"
#include "tests/support/thread_group.h"
#include "tests/support/trace/archives.h"
#include "tests/support/trace/model_app.h"
#include "tests/support/trace/otf2_writer.h"
#include "tests/support/trace/random_archive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define DATA PJ_SOURCE_DIR "/../shared/data/"

static const unsigned sizes[] = {1, 2, 3, 7};
enum { RANDOM_PROGRAMS = 30 };

// What a run holds, as text

static void add_totals(pj_buf *out, const pj_run *run)
{
    for (uint32_t i = 0; i < run->layout.locations; i++) {
        const uint64_t *field = (const uint64_t *)&run->totals[i];
        for (size_t f = 0; f < sizeof *run->totals / sizeof *field; f++)
            pj_buf_addf(out, "%llu ", (unsigned long long)field[f]);
        for (uint32_t c = 0; c < run->counter_count; c++)
            pj_buf_addf(out, "%lld%c", (long long)run->counters[c].useful[i],
                        run->counters[c].present ? ' ' : '-');
        pj_buf_puts(out, "\n");
    }
}

static void add_ideal(pj_buf *out, const pj_run *run)
{
    pj_buf_addf(out, "ideal %d %s %a\n", run->ideal.available,
                run->ideal.available ? "" : run->ideal.reason, run->ideal.runtime_ns);
    for (uint32_t i = 0; run->ideal.available && i < run->layout.ranks; i++)
        pj_buf_addf(out, "%a %a\n", run->ideal.finish_ns[i], run->ideal.compute_ns[i]);
}

static void add_import(pj_buf *out, const pj_run *run)
{
    for (unsigned k = 0; k < PJ_IMPORT_COUNT; k++)
        if (run->import.count[k])
            pj_buf_addf(out, "%s %llu %llu\n", pj_import_at(k)->key,
                        (unsigned long long)run->import.count[k],
                        (unsigned long long)run->import.first_line[k]);
    for (size_t i = 0; i < run->remarks.count; i++)
        pj_buf_addf(out, "%d %s\n", run->remarks.items[i].severity, run->remarks.items[i].text);
}

static void add_regions(pj_buf *out, const pj_run *run)
{
    const pj_regions *regions = run->openmp_regions;
    for (size_t i = 0; regions && i < regions->count; i++) {
        const pj_region_instance *at = &regions->instances[i];
        pj_buf_addf(out, "%llu %llu %llu %llu %u\n", (unsigned long long)at->start_ns,
                    (unsigned long long)at->end_ns, (unsigned long long)at->total_ns,
                    (unsigned long long)at->max_ns, at->function);
    }
    for (uint32_t i = 0; regions && i < regions->function_count; i++)
        pj_buf_addf(out, "%s %a %a %a\n", regions->functions[i].name,
                    regions->functions[i].delay_ns, regions->functions[i].mean_ns,
                    regions->functions[i].weighted_mean);
}

static void add_timeline(pj_buf *out, const pj_run *run)
{
    const pj_timeline *timeline = run->timeline;
    if (!timeline)
        return;
    pj_buf_addf(out, "timeline %llu %llu %a %llu\n", (unsigned long long)timeline->from_ns,
                (unsigned long long)timeline->to_ns, timeline->column_ns,
                (unsigned long long)timeline->messages);
    for (size_t i = 0; i < (size_t)timeline->lanes * PJ_TIMELINE_KINDS; i++)
        pj_buf_addf(out, "%llu ", (unsigned long long)timeline->sums[i]);
    for (size_t i = 0; i < (size_t)timeline->rows * timeline->columns * PJ_TIMELINE_KINDS; i++)
        pj_buf_addf(out, "%a ", (double)timeline->time[i]);
    for (size_t i = 0; i < timeline->bundle_count; i++)
        pj_buf_addf(out, "%u %u %a %a\n", timeline->bundles[i].from, timeline->bundles[i].to,
                    timeline->bundles[i].sent_ns, timeline->bundles[i].received_ns);
}

static void add_mpi_use(pj_buf *out, const pj_mpi_use *use)
{
    if (!use)
        return;
    pj_buf_addf(out, "mpi %llu %llu %llu %llu %llu %llu\n", (unsigned long long)use->messages,
                (unsigned long long)use->bytes, (unsigned long long)use->begun_ns,
                (unsigned long long)use->ended_ns, (unsigned long long)use->input_ns,
                (unsigned long long)use->input_end_ns);
    for (uint32_t i = 0; i < use->count; i++) {
        const pj_mpi_sum *s = &use->sums[i];
        pj_buf_addf(out, "%s %llu %llu %llu %llu %u\n", s->name, (unsigned long long)s->calls,
                    (unsigned long long)s->time_ns, (unsigned long long)s->bytes,
                    (unsigned long long)s->longest_ns, s->rank);
    }
}

static void add_run(pj_buf *out, const pj_run *run)
{
    pj_buf_addf(out, "%s %s %llu %llu %llu\n", run->name, run->format,
                (unsigned long long)run->file_bytes, (unsigned long long)run->text_bytes,
                (unsigned long long)run->events);
    pj_buf_addf(out, "%d %d %llu %llu %llu %d %d\n", run->has_mpi, run->has_openmp,
                (unsigned long long)run->end_ns, (unsigned long long)run->last_record_ns,
                (unsigned long long)run->runtime_ns, run->chopped, run->ranged.states_overlap);
    pj_buf_addf(out, "roi %d %llu %llu %llu\n", run->roi.set, (unsigned long long)run->roi.from_ns,
                (unsigned long long)run->roi.to_ns, (unsigned long long)run->roi.cut_bursts);
    add_totals(out, run);
    add_ideal(out, run);
    add_import(out, run);
    add_regions(out, run);
    add_timeline(out, run);
    add_mpi_use(out, run->mpi_use);
}

// Loading

typedef struct loading {
    const char *path;
    const char *odd_path; // that the last member is given; NULL = the same
    pj_load_opts opts;
    pj_buf text;             // of the leader's run
    _Atomic unsigned failed; // members
    pj_err err;              // of the leader
} loading;

static void load_member(pj_process_group *group, void *context)
{
    loading *l = context;
    pj_job job = {.workers = 2};
    pj_load_opts opts = l->opts;
    pj_err err = {.code = PJ_E_NONE};
    bool last = group && group->rank == group->size - 1;
    opts.group = group;
    pj_run *run = pj_load(last && l->odd_path ? l->odd_path : l->path, opts, &job, &err);
    if (!run)
        l->failed++;
    if (!group || group->rank == 0) {
        l->err = err;
        if (run)
            add_run(&l->text, run);
    }
    pj_run_release(run);
}

static void check_size(const loading *alone, unsigned size)
{
    loading shared = {.path = alone->path, .opts = alone->opts};
    pj_thread_group_run(size, load_member, &shared);
    if (!pj_str_equal(pj_buf_str(&alone->text), pj_buf_str(&shared.text)))
        print_message("%s, %u members:\n%s\nalone:\n%s\n%s\n", alone->path, size,
                      shared.text.len ? shared.text.at : shared.err.text,
                      alone->text.len ? alone->text.at : "", alone->err.text);
    assert_true(pj_str_equal(pj_buf_str(&alone->text), pj_buf_str(&shared.text)));
    assert_int_equal(shared.failed, alone->failed ? size : 0);
    assert_string_equal(shared.err.text, alone->err.text);
    pj_buf_free(&shared.text);
}

static void check_all_sizes(const char *path, pj_load_opts opts)
{
    loading alone = {.path = path, .opts = opts};
    load_member(NULL, &alone);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_size(&alone, sizes[i]);
    pj_buf_free(&alone.text);
}

static const pj_timeline_opts whole = {.last_rank = UINT32_MAX, .rows_most = 5, .columns = 9};
static const pj_load_opts all = {.aspects = PJ_WANT(openmp_regions), .timeline = &whole};
static const pj_load_opts window = {
    .roi = {.kind = PJ_ROI_RANGE, .from = 20, .to = 70, .from_percent = true, .to_percent = true}};

static char folder[] = "/tmp/pj_group_XXXXXX";

static const char *path_of(const char *name, char path[256])
{
    snprintf(path, 256, "%s/%s", folder, name);
    return path;
}

static void remove_trace(const char *path)
{
    static const char *const ends[] = {"prv", "pcf", "row"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        pj_auto_buf file = {.at = NULL};
        pj_buf_addf(&file, "%.*s%s", (int)(strlen(path) - 3), path, ends[i]);
        unlink(file.at);
    }
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

// Tests

static void test_numbers_and_events(void **state)
{
    (void)state;
    const pj_event events[] = {
        {.time = 5, .kind = PJ_EV_OTHER},
        {.time = 3, .a = UINT64_MAX, .location = 70000, .kind = PJ_EV_STATE, .code = 15},
        {.time = 3, .a = 2, .location = 70000, .kind = PJ_EV_STATE},
        {.time = UINT64_MAX, .a = 7, .b = UINT64_MAX, .kind = PJ_EV_COUNTERS},
        {.time = 0, .a = 1, .kind = PJ_EV_LEAVE, .code = UINT16_MAX},
    };
    const pj_message message = {10, 9, 8, UINT64_MAX, 7, -3, 1, 2};
    pj_auto_buf bytes = {.at = NULL};
    pj_event_code code = {.time = 0};
    for (size_t i = 0; i < 5; i++)
        pj_code_event(&code, &bytes, &events[i]);
    pj_code_message(&code, &bytes, &message);
    pj_str in = pj_buf_str(&bytes);
    code = (pj_event_code){.time = 0};
    for (size_t i = 0; i < 5; i++) {
        pj_event event;
        assert_true(pj_decode_event(&code, &in, &event));
        assert_memory_equal(&event, &events[i], sizeof event);
    }
    pj_message back;
    assert_true(pj_decode_message(&code, &in, &back));
    assert_memory_equal(&back, &message, sizeof back);
    assert_int_equal(in.len, 0);
    assert_false(pj_decode_event(&code, &in, &(pj_event){.time = 0}));
}

/// Every trace of the examples, dealt out in small ranges that cut its lines anywhere.
static void test_paraver(void **state)
{
    (void)state;
    char path[256];
    const pj_model_app *app;
    const char *name;
    path_of("run.prv", path);
    for (size_t i = 0; (app = pj_model_example(i, &name)) && i < 4; i++) {
        pj_auto_trace trace = pj_model_write(app);
        pj_err err = {.code = PJ_E_NONE};
        assert_true(pj_trace_writer_save(trace, path, &err));
        check_all_sizes(path, i % 2 ? window : all);
        remove_trace(path);
    }
}

static void test_archives(void **state)
{
    (void)state;
    char path[256];
    const pj_model_app *app;
    const char *name;
    path_of("run.otf2", path);
    for (size_t i = 0; (app = pj_model_example(i, &name)) && i < 6; i++) {
        pj_auto_trace trace = pj_model_write(app);
        pj_err err = {.code = PJ_E_NONE};
        pj_otf2_style style = {.clock_step = i % 3 == 1 ? 500000 : 0,
                               .clock_drift = i % 3 == 1 ? 900000 : 0,
                               .eztrace = i % 3 == 2,
                               .no_receive = i % 3 == 0 ? i + 1 : 0};
        assert_true(pj_otf2_writer_save(trace, path, style, &err));
        check_all_sizes(path, i % 2 ? window : all);
        pj_otf2_writer_remove(path);
    }
}

// Ranks that send to all others in turn and meet in the communicators 1 (all), 2 (even ones) and 3

enum { SHARED_RANKS = 5, ROUNDS = 40, ROUND_NS = 1000, LARGE = 40000 };

typedef enum ending { ALL_WELL, SENDS_WAIT, ONE_STAYS_AWAY, ENDINGS } ending;

static uint64_t begin_of(uint32_t rank, uint32_t round)
{
    return (uint64_t)ROUND_NS * round + 7 * rank;
}

static void write_call(pj_trace_writer *trace, uint32_t rank, uint64_t begin, pj_trace_call call)
{
    call.begin += begin;
    call.end += begin;
    pj_trace_writer_call(trace, (pj_place){.rank = rank}, call);
}

static void write_exchange(pj_trace_writer *trace, uint32_t rank, uint32_t round)
{
    uint64_t begin = begin_of(rank, round);
    write_call(trace, rank, begin, (pj_trace_call){.name = "MPI_Irecv", .begin = 10, .end = 14});
    write_call(trace, rank, begin, (pj_trace_call){.name = "MPI_Isend", .begin = 20, .end = 24});
    write_call(trace, rank, begin, (pj_trace_call){.name = "MPI_Waitall", .begin = 30, .end = 90});
    uint32_t to = (rank + 1 + round % (SHARED_RANKS - 1)) % SHARED_RANKS;
    uint64_t sent = begin + 22, there = begin_of(to, round);
    pj_trace_writer_message(trace, (pj_trace_message){.from = {.rank = rank},
                                                      .to = {.rank = to},
                                                      .times = {sent, sent, there + 12, there + 80},
                                                      .size = round % 3 ? 8 : LARGE,
                                                      .tag = round % 2});
}

static void write_meetings(pj_trace_writer *trace, uint32_t rank, uint32_t round)
{
    uint64_t begin = begin_of(rank, round);
    write_call(
        trace, rank, begin,
        (pj_trace_call){.name = "MPI_Allreduce", .begin = 100, .end = 200, .communicator = 1});
    write_call(trace, rank, begin,
               (pj_trace_call){.name = "MPI_Bcast",
                               .begin = 210,
                               .end = 260,
                               .communicator = 2 + rank % 2,
                               .root = rank / 2 == round % 2});
}

/// Everybody sends to the next one what only goes once that one receives it, which it does later.
static void write_circle(pj_trace_writer *trace, uint32_t rank)
{
    uint32_t to = (rank + 1) % SHARED_RANKS;
    uint64_t begin = begin_of(rank, ROUNDS), sent = begin + 10, there = begin_of(to, ROUNDS);
    write_call(trace, rank, begin, (pj_trace_call){.name = "MPI_Send", .begin = 5, .end = 50});
    write_call(trace, rank, begin, (pj_trace_call){.name = "MPI_Recv", .begin = 60, .end = 95});
    pj_trace_writer_message(trace, (pj_trace_message){.from = {.rank = rank},
                                                      .to = {.rank = to},
                                                      .times = {sent, sent, there + 65, there + 90},
                                                      .size = LARGE});
}

static void write_shared(const char *path, ending how)
{
    static const uint32_t ranks[] = {0, 1, 2, 3, 4}, even[] = {0, 2, 4}, odd[] = {1, 3};
    pj_auto_trace trace = pj_trace_writer_new((pj_trace_header){.ranks = SHARED_RANKS});
    pj_trace_writer_communicator(trace, ranks, 5);
    pj_trace_writer_communicator(trace, even, 3);
    pj_trace_writer_communicator(trace, odd, 2);
    for (uint32_t rank = 0; rank < SHARED_RANKS; rank++) {
        for (uint32_t round = 0; round < ROUNDS; round++) {
            write_exchange(trace, rank, round);
            if (how != ONE_STAYS_AWAY || rank != 3 || round + 1 < ROUNDS)
                write_meetings(trace, rank, round);
        }
        if (how == SENDS_WAIT)
            write_circle(trace, rank);
    }
    pj_err err = {.code = PJ_E_NONE};
    assert_true(pj_otf2_writer_save(trace, path, (pj_otf2_style){.clock_step = 0}, &err));
}

static void check_says(const char *path, const char *what)
{
    loading alone = {.path = path, .opts = all};
    load_member(NULL, &alone);
    assert_int_equal(alone.failed, 0);
    if (!strstr(alone.text.at, what))
        print_message("%s\n", alone.text.at);
    assert_non_null(strstr(alone.text.at, what));
    pj_buf_free(&alone.text);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

#define HEADER "#Paraver (01/01/2024 at 12:00):1000_ns:1(4):1:3(1:1,1:1,1:1)\n"

static const char odd_records[] =
    "1:1:1:1:1:0:100:1\n2:1:1:1:1:100:50000001:1\n2:1:1:1:1:200:50000001:0\nnonsense\n"
    "1:2:1:2:1:0:500:1\n\n1:3:1:3:1:0:999:1\n2:2:1:2:1:500:42000050:12:42000059:77";

/// Ranges of a few bytes: lines are longer than they are, and most hold no begin of a line.
static void test_small_ranges(void **state)
{
    (void)state;
    char path[256];
    path_of("small.prv", path);
    static const char *const bodies[] = {
        "",
        "1:1:1:1:1:0:100:1\n",
        odd_records,
        "# comment\n1:9:9:9:9:0:1:1\n1:1:1:1:1:5:90:1\r\n3:1:1:1:1:5:6:2:1:2:1:7:9:10:1\n",
        "1:1:1:1:1:50:60:1\n1:2:1:2:1:0:9:1\n1:1:1:1:1:10:20:1\n", // a thread goes back
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        pj_auto_buf text = {.at = NULL};
        pj_buf_addf(&text, HEADER "%s", bodies[i]);
        write_text(path, text.at);
        check_all_sizes(path, all);
    }
    unlink(path);
}

/// A line beyond the longest that is read spans many ranges and is dropped once.
static void test_long_line(void **state)
{
    (void)state;
    char path[256];
    FILE *file = fopen(path_of("long.prv", path), "wb");
    assert_non_null(file);
    fputs(HEADER "1:1:1:1:1:0:100:1\n2:1:1:1:1:100", file);
    for (unsigned i = 0; i < (PJ_LINE_BYTES_MAX / 11) + 1; i++)
        fputs(":50000001:0", file);
    fputs("\n1:2:1:2:1:0:500:1\n", file);
    fclose(file);
    check_all_sizes(path, all);
    unlink(path);
}

static void test_failure_ends_all(void **state)
{
    (void)state;
    char path[256], missing[256];
    write_text(path_of("small.prv", path), HEADER "1:1:1:1:1:0:100:1\n");
    loading l = {.path = path, .odd_path = path_of("missing.prv", missing), .opts = all};
    pj_thread_group_run(3, load_member, &l);
    assert_int_equal(l.failed, 3);
    assert_int_equal(l.err.code, PJ_E_IO);
    assert_string_equal(l.err.where, missing);
    unlink(path);
}

/// Messages and collectives between the threads of all members, also where the replay must stop.
static void test_shared_calls(void **state)
{
    (void)state;
    static const char *const says[] = {
        [ALL_WELL] = "ideal 1",
        [SENDS_WAIT] = "waits to send 40000 bytes until rank",
        [ONE_STAYS_AWAY] = "waits in MPI_Allreduce for rank 3",
    };
    char path[256], events[256];
    path_of("run.otf2", path);
    for (ending e = ALL_WELL; e < ENDINGS; e++) {
        write_shared(path, e);
        check_says(path, says[e]);
        check_all_sizes(path, all);
        assert_return_code(truncate(path_of("run/1.evt", events), 700), 0);
        check_says(path, "the event file of location 1");
        check_all_sizes(path, all);
        pj_otf2_writer_remove(path);
    }
}

// Who replays what

typedef struct witness { // of one member, of what its replay hears
    const pj_process_group *group;
    const pj_run *run;
    uint64_t calls, of_others;
    bool told; // in place of the replay
    bool failed;
} witness;

static bool witness_begin(void *self, const pj_run *run, pj_err *err)
{
    (void)err;
    ((witness *)self)->run = run;
    return true;
}

static bool witness_events(void *self, const pj_batch *batch, pj_err *err)
{
    witness *w = self;
    (void)err;
    for (size_t i = 0; i < batch->count; i++) {
        const pj_event *event = &batch->events[i];
        w->calls += event->kind == PJ_EV_MPI;
        w->of_others +=
            event->kind == PJ_EV_MPI &&
            pj_layout_owner(&w->run->layout, w->group, event->location) != w->group->rank;
    }
    return true;
}

static bool witness_finish(void *self, pj_run *run, pj_err *err)
{
    (void)self;
    (void)run;
    (void)err;
    return true;
}

static void witness_share(void *self, const pj_process_group *group)
{
    (void)group;
    ((witness *)self)->told = true;
}

typedef struct watched { // an archive, and what its members have heard
    const char *path;
    witness seen[3];
} watched;

static void load_watched(pj_process_group *group, void *context)
{
    static const pj_sharing sharing = {.share = witness_share};
    watched *all_of = context;
    witness *w = &all_of->seen[group->rank];
    w->group = group;
    pj_sink listener = {.name = "witness",
                        .begin = witness_begin,
                        .events = witness_events,
                        .finish = witness_finish,
                        .self = w,
                        .kinds = 1u << PJ_EV_MPI,
                        .sharing = &sharing};
    pj_load_opts opts = {.group = group, .listeners = &listener, .listener_count = 1};
    pj_job job = {.workers = 1};
    pj_err err = {.code = PJ_E_NONE};
    pj_run *run = pj_load(all_of->path, opts, &job, &err);
    w->failed = !run;
    pj_run_release(run);
}

/// Each of three members replays its own ranks, and no other, where small groups do so.
static void test_ranks_apart(void **state)
{
    (void)state;
    char path[256];
    watched archive = {.path = path_of("run.otf2", path)};
    write_shared(path, ALL_WELL);
    pj_thread_group_run(3, load_watched, &archive);
    uint64_t calls = 0;
    for (unsigned i = 0; i < 3; i++) {
        assert_false(archive.seen[i].failed);
        calls += archive.seen[i].calls;
        if (PJ_SIZE(true, false))
            continue;
        assert_false(archive.seen[i].told);
        assert_int_equal(archive.seen[i].of_others, 0);
        assert_in_range(archive.seen[i].calls, 1, UINT64_MAX);
    }
    assert_int_equal(calls, 2 * 5 * SHARED_RANKS * ROUNDS); // enter and leave
    pj_otf2_writer_remove(path);
}

static pj_load_opts opts_of(uint64_t seed)
{
    static const pj_network networks[] = {
        {.latency_ns = 0},           {.latency_ns = 1500, .bandwidth = 1e9},
        {.eager_bytes = 4001},       {.all_rendezvous = true},
        {.eager_bytes = UINT64_MAX},
    };
    pj_load_opts opts = seed % 3 == 2 ? window : all;
    opts.network = networks[seed % 5];
    opts.raw_clock = seed % 7 == 6;
    return opts;
}

/// Half of the programs replay to their end.
static void test_random_programs(void **state)
{
    (void)state;
    char path[256];
    unsigned ideal = 0;
    path_of("run.otf2", path);
    for (uint64_t seed = 0; seed < RANDOM_PROGRAMS; seed++) {
        assert_true(pj_random_archive_save(seed, folder));
        loading alone = {.path = path, .opts = opts_of(seed)};
        load_member(NULL, &alone);
        assert_int_equal(alone.failed, 0);
        ideal += strstr(alone.text.at, "ideal 1") != NULL;
        for (unsigned size = 2 + seed % 2; size <= 6; size += 2)
            check_size(&alone, size);
        pj_buf_free(&alone.text);
        pj_otf2_writer_remove(path);
    }
    assert_in_range(ideal, RANDOM_PROGRAMS / 4, RANDOM_PROGRAMS * 3 / 4);
}

/// Compressed traces are read by the leader alone.
static void test_real_data(void **state)
{
    (void)state;
    static const char *const traces[] = {
        "paraver/edge/qsort_beo3.prv",
        "paraver/edge/test1.prv",
        "paraver/edge/test2.prv",
        "paraver/edge/lulesh_7+1_with_uncores_sockets1+2.chop8.prv",
        "paraver/edge/qsort_beo3.prv.gz",
    };
    if (access(DATA, R_OK) != 0) {
        print_message("no " DATA ": real traces are not compared\n");
        skip();
    }
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        pj_auto_buf path = {.at = NULL};
        pj_buf_addf(&path, DATA "%s", traces[i]);
        check_all_sizes(path.at, all);
    }
    for (size_t i = 0; archives_real(i); i++) {
        pj_auto_buf path = {.at = NULL};
        pj_buf_addf(&path, DATA "otf2/%s", archives_real(i));
        check_all_sizes(path.at, all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_and_events), cmocka_unit_test(test_paraver),
        cmocka_unit_test(test_small_ranges),       cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_failure_ends_all),   cmocka_unit_test(test_archives),
        cmocka_unit_test(test_shared_calls),       cmocka_unit_test(test_ranks_apart),
        cmocka_unit_test(test_random_programs),    cmocka_unit_test(test_real_data),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
