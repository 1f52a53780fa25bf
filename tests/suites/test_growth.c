// Inputs that invite a search in all that is open: twice the records may take twice the time, or a
// small file holds up a session for hours.
#include "metrics/analyse/load.h"
#include "metrics/read/otf2/cut/otf2_cut.h"
#include "metrics/read/paraver/prv_cut.h"
#include "metrics/stat/query.h"
#include "tests/support/folder.h"
#include "tests/support/rounds.h"
#include "tests/support/trace/otf2_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { PARALLEL = 60000001, BARRIER = 60000005, FUNCTION = 60000018, TASK = 60000023 };

typedef void fill(pj_trace_writer *writer, uint32_t n);

static const pj_place first = {0, 0}, second = {1, 0};

static void states_within_states(pj_trace_writer *writer, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        pj_trace_writer_state(writer, first, i, 2 * n - i, 1);
}

static void states_that_are_the_same(pj_trace_writer *writer, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        pj_trace_writer_state(writer, first, 1, n, 1);
}

static void states_that_end_anywhere(pj_trace_writer *writer, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        pj_trace_writer_state(writer, first, i, i + 1 + (i * UINT64_C(7919)) % n, 1);
}

static void put_events(pj_trace_writer *writer, uint32_t n, uint64_t from, uint32_t type,
                       bool begins)
{
    for (uint32_t i = 0; i < n; i++)
        pj_trace_writer_event(writer, first, from + i, type, begins ? i + 1 : 0);
}

static void constructs_within_constructs(pj_trace_writer *writer, uint32_t n)
{
    put_events(writer, n, 0, PARALLEL, true);
    put_events(writer, n, n, PARALLEL, false);
}

static void constructs_that_cross(pj_trace_writer *writer, uint32_t n)
{
    put_events(writer, n, 0, PARALLEL, true);
    put_events(writer, n, n, TASK, true);
    put_events(writer, n, 2 * n, PARALLEL, false);
    put_events(writer, n, 3 * n, TASK, false);
}

static void functions_within_functions(pj_trace_writer *writer, uint32_t n)
{
    put_events(writer, n, 0, FUNCTION, true);
    put_events(writer, n, n, FUNCTION, false);
}

static void regions_that_cross(pj_trace_writer *writer, uint32_t n)
{
    put_events(writer, n, 0, FUNCTION, true);
    put_events(writer, n, n, BARRIER, true);
    put_events(writer, n, 2 * n, FUNCTION, false);
    put_events(writer, n, 3 * n, BARRIER, false);
}

static void call(pj_trace_writer *writer, pj_place at, const char *name, uint64_t begin)
{
    pj_trace_writer_call(writer, at,
                         (pj_trace_call){.name = name, .begin = begin, .end = begin + 1});
}

static void message(pj_trace_writer *writer, uint64_t send, uint64_t recv, int64_t tag)
{
    pj_trace_writer_message(writer,
                            (pj_trace_message){first, second, {send, send, recv, recv}, 8, tag});
}

static void messages_that_wait(pj_trace_writer *writer, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        call(writer, first, "MPI_Send", 2 * i);
        message(writer, 2 * i, 4 * n - 2 * i, 0);
        call(writer, second, "MPI_Recv", 2 * n + 2 * i);
    }
}

static void receives_that_wait(pj_trace_writer *writer, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        call(writer, second, "MPI_Irecv", 2 * i);
        call(writer, first, "MPI_Send", 2 * n + 2 * i);
        message(writer, 2 * n + 2 * i, 6 * n - 2 * i, i);
        call(writer, second, "MPI_Wait", 4 * n + 2 * i);
    }
}

static void tags_in_reverse_order(pj_trace_writer *writer, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        call(writer, first, "MPI_Send", 2 * i);
        message(writer, 2 * i, 4 * n - 2 * i, i);
        call(writer, second, "MPI_Recv", 2 * n + 2 * i);
    }
}

static void receives_that_wait_in_turn(pj_trace_writer *writer, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        call(writer, second, "MPI_Irecv", 2 * i);
        call(writer, first, "MPI_Send", 2 * i);
        message(writer, 2 * i, 2 * n + 2 * i, 0);
        call(writer, second, "MPI_Wait", 2 * n + 2 * i);
    }
}

static void collectives_that_wait(pj_trace_writer *writer, uint32_t n)
{
    const uint32_t both[] = {0, 1};
    uint32_t world = pj_trace_writer_communicator(writer, both, 2);
    for (uint32_t i = 0; i < 2 * n; i++)
        pj_trace_writer_call(
            writer, i < n ? first : second,
            (pj_trace_call){
                .name = "MPI_Barrier", .begin = 2 * i, .end = 2 * i + 1, .communicator = world});
}

/// One thread is through with all barriers before the other one comes to the first.
static void barriers_that_wait(pj_trace_writer *writer, uint32_t n)
{
    pj_trace_writer_event(writer, first, 0, PARALLEL, 1);
    for (uint32_t t = 0; t < 2; t++) {
        const pj_place at = {0, t};
        pj_trace_writer_event(writer, at, 1, FUNCTION, 1);
        for (uint32_t i = 0; i < n; i++) {
            uint64_t time = 2 + 2 * ((uint64_t)t * n + i);
            pj_trace_writer_event(writer, at, time, BARRIER, 1);
            pj_trace_writer_event(writer, at, time + 1, BARRIER, 0);
        }
        pj_trace_writer_event(writer, at, 4 * (uint64_t)n + 2, FUNCTION, 0);
    }
    pj_trace_writer_event(writer, first, 4 * (uint64_t)n + 3, PARALLEL, 0);
}

static void labels(pj_trace_writer *writer, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        char label[32];
        snprintf(label, sizeof label, "function_%u", i);
        pj_trace_writer_label_value(writer, FUNCTION, i + 1, label);
        pj_trace_writer_event(writer, first, 2 * i, FUNCTION, i + 1);
        pj_trace_writer_event(writer, first, 2 * i + 1, FUNCTION, 0);
    }
}

static void counters_of_many_types(pj_trace_writer *writer, uint32_t n)
{
    enum { COUNTER = 42000100 };
    for (uint32_t i = 0; i < 2 * n; i++) {
        pj_trace_writer_state(writer, first, 2 * i, 2 * i + 1, 1);
        pj_trace_writer_event(writer, first, 2 * i + 1, COUNTER + i % n, 5);
    }
}

typedef enum trace_format { PRV = 1, EZTRACE = 2, SCORE_P = 4 } trace_format;

static const struct {
    const char *name;
    fill *fill;
    unsigned formats;
    uint32_t threads; // of each rank
} cases[] = {
    {"states within states", states_within_states, PRV, 1},
    {"states that are the same", states_that_are_the_same, PRV, 1},
    {"states that end anywhere", states_that_end_anywhere, PRV, 1},
    {"constructs within constructs", constructs_within_constructs, PRV | EZTRACE, 1},
    {"constructs that cross", constructs_that_cross, PRV, 1},
    {"functions within functions", functions_within_functions, PRV | EZTRACE, 1},
    {"regions that cross", regions_that_cross, EZTRACE | SCORE_P, 1},
    {"messages that wait", messages_that_wait, PRV | EZTRACE, 1},
    {"tags in reverse order", tags_in_reverse_order, PRV | SCORE_P, 1},
    {"receives that wait", receives_that_wait, PRV | EZTRACE, 1},
    {"receives that wait in turn", receives_that_wait_in_turn, EZTRACE, 1},
    {"collectives that wait", collectives_that_wait, PRV | EZTRACE, 1},
    {"barriers that wait", barriers_that_wait, PRV, 2},
    {"labels", labels, PRV, 1},
    {"counters of many types", counters_of_many_types, PRV, 1},
};

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/// CPU time of one pass with everything that listens.
static double load_once(const char *path)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_str type = PJ_S("type");
    pj_query_fold count = {.fold = PJ_FOLD_COUNT};
    pj_query *query = pj_query_new(
        (pj_query_opts){.keys = &type, .key_count = 1, .folds = &count, .fold_count = 1}, &err);
    assert_non_null(query);
    pj_sink sink = pj_query_sink(query);
    pj_timeline_opts timeline = {.columns = 100, .rows_most = 10, .last_rank = UINT32_MAX};
    pj_load_opts opts = {.listeners = &sink,
                         .listener_count = 1,
                         .timeline = &timeline,
                         .aspects = PJ_WANT(openmp_regions) | PJ_WANT(waits) | PJ_WANT(omp_waits),
                         .regions = true,
                         .in_order = true};
    pj_job job = {.workers = 1};
    double begin = cpu_seconds();
    pj_auto_run run = pj_load(path, opts, &job, &err);
    if (!run)
        fail_msg("%s: %s", path, err.text);
    double seconds = cpu_seconds() - begin;
    pj_query_free(query);
    return seconds;
}

/// The middle of what the trace writer has written, as a part of its own.
static double cut_once(const char *path)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_job job = {.workers = 1};
    bool archive = pj_str_ends(pj_str_of(path), PJ_S(".otf2"));
    const char *part = folder_file(archive ? "part.otf2" : "part.prv");
    pj_otf2_cut *cut = pj_otf2_cut_new();
    pj_sink sink = pj_otf2_cut_sink(cut);
    pj_roi_request middle = {
        .kind = PJ_ROI_RANGE, .from = 45, .to = 55, .from_percent = true, .to_percent = true};
    double begin = cpu_seconds();
    pj_auto_run run = pj_load(path,
                              (pj_load_opts){.roi = middle,
                                             .no_replay = true,
                                             .in_order = archive,
                                             .listeners = &sink,
                                             .listener_count = archive},
                              &job, &err);
    bool ok = run && (archive ? pj_otf2_cut_write(cut, run, part, &job, &(pj_otf2_copied){0}, &err)
                              : pj_prv_cut(run, part, &job, &(pj_cut_facts){0}, &err));
    double seconds = cpu_seconds() - begin;
    if (!ok)
        fail_msg("%s: %s", path, err.text);
    pj_otf2_cut_free(cut);
    return seconds;
}

typedef double timed(const char *path);

/// Everything that the tests write.
static void remove_files(void)
{
    static const char *const archives[] = {"a.otf2", "part.otf2"};
    static const char *const files[] = {"a.prv",    "a.pcf",    "a.row",
                                        "part.prv", "part.pcf", "part.row"};
    for (size_t i = 0; i < sizeof archives / sizeof *archives; i++)
        pj_otf2_writer_remove(folder_file(archives[i]));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(folder_file(files[i]));
}

static double time_of(timed *measure, size_t which, trace_format format, uint32_t n)
{
    const char *path = folder_file(format == PRV ? "a.prv" : "a.otf2");
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_trace writer =
        pj_trace_writer_new((pj_trace_header){.ranks = 2, .threads_each = cases[which].threads});
    cases[which].fill(writer, n);
    pj_otf2_style style = {.eztrace = format == EZTRACE};
    if (!(format == PRV ? pj_trace_writer_save(writer, path, &err)
                        : pj_otf2_writer_save(writer, path, style, &err)))
        fail_msg("%s: %s", path, err.text);
    double seconds = measure(path);
    remove_files();
    return seconds;
}

/// The machine may be busy with something else: the best of some tries counts.
static double growth(timed *measure, size_t which, trace_format format)
{
    enum { RECORDS = 30000, TRIES = 4 };
    const double enough = 2.6;
    const unsigned records = pj_rounds(RECORDS, RECORDS);
    double least = 0;
    for (unsigned i = 0; i < TRIES && (i == 0 || least > enough); i++) {
        double one = time_of(measure, which, format, records);
        double ratio = time_of(measure, which, format, 2 * records) / one;
        least = i == 0 || ratio < least ? ratio : least;
    }
    return least;
}

static void expect_growth(timed *measure, unsigned formats)
{
    static const struct {
        trace_format format;
        const char *name;
    } rows[] = {{PRV, "Paraver"}, {EZTRACE, "eztrace"}, {SCORE_P, "Score-P"}};
    const double most = 3; // of what grows with the square it is 4
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t f = 0; f < sizeof rows / sizeof *rows; f++) {
            if (!(cases[i].formats & formats & rows[f].format))
                continue;
            double ratio = growth(measure, i, rows[f].format);
            if (ratio > most)
                fail_msg("%s, %s: %.1f times as long", cases[i].name, rows[f].name, ratio);
        }
}

static void twice_the_records_take_twice_the_time(void **state)
{
    (void)state;
    expect_growth(load_once, PRV | EZTRACE | SCORE_P);
}

static void twice_the_records_are_cut_in_twice_the_time(void **state)
{
    (void)state;
    expect_growth(cut_once, PRV | SCORE_P);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twice_the_records_take_twice_the_time),
        cmocka_unit_test(twice_the_records_are_cut_in_twice_the_time),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
