// The idealised trace read again: it ends at the ideal runtime, and computation is as it was.
#include "metrics/analyse/load.h"

#include "metrics/base/buf.h"
#include "metrics/base/file.h"
#include "tests/support/folder.h"
#include "tests/support/trace/model_app.h"
#include "tests/support/trace/otf2_writer.h"
#include "tests/support/trace/replay_script.h"
#include "tests/support/trace/trace_writer.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#define DATA PJ_SOURCE_DIR "/../shared/data/paraver/"

static pj_run *load(const char *path, const char *ideal_path, pj_network network)
{
    pj_job job = {.workers = 2};
    pj_err err = {.code = PJ_E_NONE};
    pj_load_opts opts = {.network = network, .ideal_path = ideal_path};
    pj_run *run = pj_load(path, opts, &job, &err);
    if (!run)
        fail_msg("%s: %s", err.where, err.text);
    return run;
}

static void compare(const char *path, pj_network network)
{
    const char *ideal_path = folder_file("ideal.prv");
    pj_auto_run run = load(path, ideal_path, network);
    assert_true(run->ideal.available);
    pj_auto_run ideal = load(ideal_path, NULL, (pj_network){.latency_ns = 0});
    assert_int_equal(ideal->end_ns, (uint64_t)run->ideal.runtime_ns);
    assert_int_equal(ideal->layout.locations, run->layout.locations);
    for (uint32_t i = 0; i < run->layout.locations; i++) {
        assert_int_equal(ideal->totals[i].useful_ns, run->totals[i].useful_ns);
        assert_int_equal(ideal->totals[i].serial_useful_ns, run->totals[i].serial_useful_ns);
        for (unsigned c = 0; c < 2; c++)
            assert_int_equal(ideal->counters[c].useful[i], run->counters[c].useful[i]);
    }
    for (unsigned i = 0; i < PJ_IMPORT_COUNT; i++)
        if (ideal->import.count[i] > run->import.count[i])
            fail_msg("%s", pj_import_at(i)->key);
    if (network.latency_ns > 0)
        return;
    assert_true(ideal->ideal.runtime_ns == run->ideal.runtime_ns); // nothing more to gain
    for (uint32_t i = 0; i < run->layout.ranks; i++)
        assert_true(ideal->ideal.finish_ns[i] == run->ideal.finish_ns[i]);
}

/// A call with counters before and in it, as Extrae reads them.
static void counted_call(pj_trace_writer *w, pj_place at, const char *name, uint64_t begin,
                         uint64_t end)
{
    pj_trace_writer_call(w, at,
                         (pj_trace_call){.name = name,
                                         .begin = begin,
                                         .end = end,
                                         .communicator = strcmp(name, "MPI_Ibarrier") == 0,
                                         .instructions = 1000 + (int64_t)begin,
                                         .cycles = 500 + (int64_t)begin,
                                         .instructions_inside = 77,
                                         .cycles_inside = 99});
}

/// Three ranks: a message in time, one early, a collective, counters, and a call by its name only.
static const char *written_trace(void)
{
    const char *path = folder_file("small.prv.gz");
    pj_auto_trace w = pj_trace_writer_new((pj_trace_header){.ranks = 3, .ranks_per_node = 2});
    uint32_t all[] = {0, 1, 2};
    pj_trace_writer_communicator(w, all, 3);
    pj_place at[] = {{0, 0}, {1, 0}, {2, 0}};
    for (unsigned r = 0; r < 3; r++) {
        pj_trace_writer_state(w, at[r], 0, 100 + 10 * r, 1);
        counted_call(w, at[r], "MPI_Init", 100 + 10 * r, 200);
    }
    pj_trace_writer_state(w, at[0], 200, 260, 1);
    counted_call(w, at[0], "MPI_Send", 260, 300);
    pj_trace_writer_state(w, at[1], 200, 230, 1);
    counted_call(w, at[1], "MPI_Irecv", 230, 235);
    pj_trace_writer_state(w, at[1], 235, 250, 1);
    counted_call(w, at[1], "MPI_Wait", 250, 320);
    pj_trace_writer_message(
        w, (pj_trace_message){at[0], at[1], {260, 265, 230, 320}, .size = 50000, .tag = 7});
    pj_trace_writer_state(w, at[2], 200, 280, 1);
    uint64_t since[] = {300, 320, 280};
    for (unsigned r = 0; r < 3; r++) {
        pj_trace_writer_state(w, at[r], since[r], 400, 1);
        counted_call(w, at[r], "MPI_Ibarrier", 400, 410);
        pj_trace_writer_state(w, at[r], 410, 500, 1);
        pj_trace_writer_event(w, at[r], 500, 40000001, 0);
    }
    pj_err err = {.code = PJ_E_NONE};
    if (!pj_trace_writer_save(w, path, &err))
        fail_msg("%s", err.text);
    return path;
}

static void a_small_trace(void **state)
{
    (void)state;
    compare(written_trace(), (pj_network){.latency_ns = 0});
    compare(written_trace(), (pj_network){.latency_ns = 1000, .bandwidth = 1e9});
}

static void messages_keep_size_and_tag(void **state)
{
    (void)state;
    const char *path = folder_file("ideal.prv");
    pj_run_release(load(written_trace(), path, (pj_network){.latency_ns = 0}));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char line[512], message[512] = "";
    uint64_t last = 0;
    while (fgets(line, sizeof line, file)) {
        unsigned long long time = 0;
        if (line[0] == '3')
            snprintf(message, sizeof message, "%s", line);
        if (line[0] >= '1' && line[0] <= '3')
            assert_int_equal(sscanf(line + 2, "%*[^:]:%*[^:]:%*[^:]:%*[^:]:%llu", &time), 1);
        assert_true(time >= last); // sorted
        last = time;
    }
    fclose(file);
    // all leave MPI_Init at 120; the send is at 120 + 60, posted at 120 + 30
    assert_string_equal(message, "3:0:1:1:1:180:180:0:1:2:1:150:180:50000:7\n");
}

/// More calls than the replay keeps back come at once, as from the reader of archives.
static void a_long_batch_keeps_its_times(void **state)
{
    (void)state;
    enum { CALLS = 10000 };
    const char *path = folder_file("ideal.prv");
    pj_auto_script s = pj_script_new(1, 1);
    for (uint64_t i = 0; i < CALLS; i++)
        pj_script_call(s, 0, "MPI_Comm_rank", 10 + 10 * i, 14 + 10 * i);
    pj_script_replay(s, (pj_replay_opts){.ideal_path = path}, 0);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char line[512];
    unsigned long long time, seen = 0;
    while (seen < 2 * CALLS && fgets(line, sizeof line, file)) {
        if (sscanf(line, "2:0:1:1:1:%llu", &time) != 1)
            continue;
        assert_int_equal(time, 10 + 6 * (seen / 2)); // computation of 6 ns, then the call
        seen++;
    }
    fclose(file);
    assert_int_equal(seen, 2 * CALLS);
}

static void several_applications_are_read_again(void **state)
{
    (void)state;
    const char *path = folder_file("ideal.prv");
    pj_auto_script s = pj_script_new(3, 1);
    s->run->layout.applications = 2;
    s->run->layout.application_of[2] = 1;
    for (uint32_t r = 0; r < 3; r++)
        pj_script_call(s, r, "MPI_Comm_rank", 10, 20);
    pj_script_replay(s, (pj_replay_opts){.ideal_path = path}, 0);
    pj_auto_run run = load(path, NULL, (pj_network){.latency_ns = 0});
    assert_int_equal(run->layout.applications, 2);
    assert_int_equal(run->layout.ranks, 3);
}

/// Waiting in OpenMP is told from computing in archives, not in other Paraver traces.
static void a_hybrid_archive_is_read_again(void **state)
{
    (void)state;
    static const pj_model_app app = {.ranks = 2,
                                     .threads = 3,
                                     .openmp = true,
                                     .iterations = 3,
                                     .work_ns = 5e6,
                                     .imbalance = 0.2,
                                     .serial_fraction = 0.2,
                                     .thread_imbalance = 0.3,
                                     .halo_ns = 200000,
                                     .collective_ns = 100000,
                                     .fork_ns = 5000,
                                     .join_ns = 7000,
                                     .halo_bytes = 40960};
    pj_auto_trace trace = pj_model_write(&app);
    const char *anchor = folder_file("hybrid.otf2");
    pj_err err = {.code = PJ_E_NONE};
    assert_true(pj_otf2_writer_save(trace, anchor, (pj_otf2_style){.clock_step = 0}, &err));
    compare(anchor, (pj_network){.latency_ns = 0});
    pj_otf2_writer_remove(anchor);
}

static void names_lie_beside_it(void **state)
{
    (void)state;
    const char *path = folder_file("named.prv");
    pj_run_release(load(written_trace(), path, (pj_network){.latency_ns = 0}));
    static const struct {
        const char *name, *text;
    } files[] = {{"named.pcf", "MPI_Ibarrier"}, {"named.row", "LEVEL THREAD SIZE 3"}};
    for (size_t i = 0; i < 2; i++) {
        pj_auto_buf text = {.at = NULL};
        assert_true(pj_file_read(folder_file(files[i].name), &text, NULL));
        assert_true(pj_str_contains(pj_buf_str(&text), pj_str_of(files[i].text)));
    }
}

static void real_traces(void **state)
{
    (void)state;
    static const char *const files[] = {"epoch/epoch_1proc.prv.gz", "epoch/epoch_4proc.prv.gz",
                                        "epoch/epoch_16proc.prv.gz", "imagemagick/omp2.prv.gz",
                                        "imagemagick/omp8.prv.gz"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[1024];
        snprintf(path, sizeof path, DATA "%s", files[i]);
        if (access(path, R_OK) != 0) {
            print_message("%s is not there\n", path);
            skip();
        }
        compare(path, (pj_network){.latency_ns = 0});
    }
}

static void refused(const char *trace, const char *path, pj_err_code code, const char *why)
{
    pj_job job = {.workers = 1};
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_run run = pj_load(trace, (pj_load_opts){.ideal_path = path}, &job, &err);
    assert_null(run);
    assert_int_equal(err.code, code);
    if (!strstr(err.text, why))
        fail_msg("%s", err.text);
}

static void what_cannot_be_written_is_an_error(void **state)
{
    (void)state;
    refused(written_trace(), folder_file("ideal.csv"), PJ_E_USAGE, ".prv");
    refused(written_trace(), folder_file("nowhere/ideal.prv"), PJ_E_IO, "cannot be written");
    if (access("/dev/full", W_OK) == 0) // a folder that is none
        refused(written_trace(), "/dev/full/ideal.prv", PJ_E_IO, "cannot be written");
}

/// A limit on the size of files stands for a disk that is full.
static void a_full_disk_leaves_nothing_behind(void **state)
{
    (void)state;
    struct rlimit before, small;
    const char *trace = written_trace();
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 1000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    pj_job job = {.workers = 1};
    pj_err err = {.code = PJ_E_NONE};
    const char *path = folder_file("full.prv");
    pj_run *run = pj_load(trace, (pj_load_opts){.ideal_path = path}, &job, &err);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_null(run);
    assert_int_equal(err.code, PJ_E_IO);
    assert_int_equal(access(path, F_OK), -1);
}

static void a_deadlock_has_no_idealised_trace(void **state)
{
    (void)state;
    const char *path = folder_file("deadlock.prv");
    pj_auto_trace w = pj_trace_writer_new((pj_trace_header){.ranks = 2});
    uint32_t all[] = {0, 1};
    pj_trace_writer_communicator(w, all, 2);
    pj_trace_writer_call(
        w, (pj_place){1, 0},
        (pj_trace_call){.name = "MPI_Barrier", .begin = 10, .end = 20, .communicator = 1});
    pj_err err = {.code = PJ_E_NONE};
    assert_true(pj_trace_writer_save(w, path, &err));
    refused(path, folder_file("full.prv"), PJ_E_MISSING, "in MPI_Barrier for rank 0");
    assert_int_equal(access(folder_file("full.prv"), F_OK), -1);
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {
        "ideal.prv", "ideal.pcf", "ideal.row", "small.prv.gz", "small.pcf",    "small.row",
        "named.prv", "named.pcf", "named.row", "deadlock.prv", "deadlock.pcf", "deadlock.row"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(folder_file(names[i]));
    return folder_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_trace),
        cmocka_unit_test(messages_keep_size_and_tag),
        cmocka_unit_test(a_long_batch_keeps_its_times),
        cmocka_unit_test(several_applications_are_read_again),
        cmocka_unit_test(a_hybrid_archive_is_read_again),
        cmocka_unit_test(names_lie_beside_it),
        cmocka_unit_test(real_traces),
        cmocka_unit_test(what_cannot_be_written_is_an_error),
        cmocka_unit_test(a_full_disk_leaves_nothing_behind),
        cmocka_unit_test(a_deadlock_has_no_idealised_trace),
    };
    return cmocka_run_group_tests(tests, folder_make, remove_folder);
}
