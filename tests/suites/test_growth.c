// Inputs that invite a search in all that is open: twice the records may take twice the time, or a
// small file holds up a session for hours.
#include "kernel/load.h"
#include "metrics/stat/query.h"
#include "tests/support/folder.h"
#include "tests/support/otf2_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { PARALLEL = 60000001, FUNCTION = 60000018, TASK = 60000023 };

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

static const struct {
    const char *name;
    fill *fill;
    bool archive; // too
} cases[] = {
    {"states within states", states_within_states, false},
    {"states that are the same", states_that_are_the_same, false},
    {"states that end anywhere", states_that_end_anywhere, false},
    {"constructs within constructs", constructs_within_constructs, true},
    {"constructs that cross", constructs_that_cross, false},
    {"functions within functions", functions_within_functions, true},
    {"messages that wait", messages_that_wait, true},
    {"receives that wait", receives_that_wait, true},
    {"collectives that wait", collectives_that_wait, true},
    {"labels", labels, false},
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
    pj_scene_opts scene = {.columns = 100, .rows_most = 10, .last_rank = UINT32_MAX};
    pj_load_opts opts = {.listeners = &sink,
                         .listener_count = 1,
                         .scene = &scene,
                         .openmp_regions = true,
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

static double time_of(fill *fill_in, bool archive, uint32_t n)
{
    const char *path = folder_file(archive ? "a.otf2" : "a.prv");
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_trace writer = pj_trace_writer_new((pj_trace_header){.ranks = 2});
    fill_in(writer, n);
    pj_otf2_style style = {.eztrace = true};
    if (!(archive ? pj_otf2_writer_save(writer, path, style, &err)
                  : pj_trace_writer_save(writer, path, &err)))
        fail_msg("%s: %s", path, err.text);
    double seconds = load_once(path);
    if (archive)
        pj_otf2_writer_remove(path);
    for (size_t i = 0; !archive && i < 3; i++)
        unlink(folder_file((const char *[]){"a.prv", "a.pcf", "a.row"}[i]));
    return seconds;
}

/// The machine may be busy with something else: the best of some tries counts.
static double growth(fill *fill_in, bool archive)
{
    enum { RECORDS = 30000, TRIES = 4 };
    const double enough = 2.6;
    double least = 0;
    for (unsigned i = 0; i < TRIES && (i == 0 || least > enough); i++) {
        double one = time_of(fill_in, archive, RECORDS);
        double ratio = time_of(fill_in, archive, 2 * RECORDS) / one;
        least = i == 0 || ratio < least ? ratio : least;
    }
    return least;
}

static void twice_the_records_take_twice_the_time(void **state)
{
    (void)state;
    const double most = 3; // of what grows with the square it is 4
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int archive = 0; archive <= cases[i].archive; archive++) {
            double ratio = growth(cases[i].fill, archive);
            if (ratio > most)
                fail_msg("%s, %s: %.1f times as long", cases[i].name, archive ? "OTF2" : "Paraver",
                         ratio);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twice_the_records_take_twice_the_time),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
