// Whole traces through pj_load: regions of interest, second passes, what is remarked on.
#include "kernel/command/inputs.h"

#include "metrics/base/buf.h"
#include "metrics/base/pool.h"
#include "tests/support/trace/trace_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/// Two ranks: Running 0..400, MPI 400..600 (rank 1 from 500), Running to 1000; a counter reading
/// of 1000 instructions at each end of a burst.
#define HEADER "#Paraver (x):1000_ns:1(2):1:2(1:1,1:1),0\n"
#define RECORDS                                                                                    \
    "1:1:1:1:1:0:400:1\n"                                                                          \
    "1:2:1:2:1:0:500:1\n"                                                                          \
    "2:1:1:1:1:400:50000003:31:42000050:1000\n"                                                    \
    "1:1:1:1:1:400:600:15\n"                                                                       \
    "2:2:1:2:1:500:50000003:31:42000050:1000\n"                                                    \
    "1:2:1:2:1:500:600:15\n"                                                                       \
    "2:1:1:1:1:600:50000003:0:42000050:5\n"                                                        \
    "2:2:1:2:1:600:50000003:0:42000050:5\n"                                                        \
    "1:1:1:1:1:600:1000:1\n"                                                                       \
    "1:2:1:2:1:600:1000:1\n"                                                                       \
    "2:1:1:1:1:1000:42000050:1000\n"                                                               \
    "2:2:1:2:1:1000:42000050:2000\n"

typedef struct folder {
    char path[64];
    char file[96];
} folder;

static int make_folder(void **state)
{
    folder *f = calloc(1, sizeof *f);
    snprintf(f->path, sizeof f->path, "/tmp/pj_loadXXXXXX");
    *state = f;
    return mkdtemp(f->path) ? 0 : -1;
}

static int drop_folder(void **state)
{
    folder *f = *state;
    unlink(f->file);
    rmdir(f->path);
    free(f);
    return 0;
}

static const char *write_trace(folder *f, const char *name, const char *text)
{
    unlink(f->file);
    snprintf(f->file, sizeof f->file, "%s/%s", f->path, name);
    pj_err err = {.code = PJ_E_NONE};
    if (!pj_trace_writer_file(f->file, pj_str_of(text), &err))
        fail_msg("%s", err.text);
    return f->file;
}

static pj_run *load(const char *path, const char *roi, bool drop, pj_err *err)
{
    pj_load_opts opts = {.no_replay = true};
    *err = (pj_err){.code = PJ_E_NONE};
    assert_true(pj_roi_parse(pj_str_of(roi), &opts.roi, err));
    opts.roi.drop = drop;
    pj_job job = {.workers = 2};
    return pj_load(path, opts, &job, err);
}

static pj_run *load_good(const char *path, const char *roi, bool drop)
{
    pj_err err;
    pj_run *run = load(path, roi, drop, &err);
    if (!run)
        fail_msg("%s", err.text);
    return run;
}

static bool has_remark(const pj_run *run, const char *part)
{
    for (size_t i = 0; i < run->remarks.count; i++)
        if (strstr(run->remarks.items[i].text, part))
            return true;
    return false;
}

static void the_whole_trace(void **state)
{
    pj_auto_run run = load_good(write_trace(*state, "a.prv", HEADER RECORDS), "auto", false);
    assert_false(run->roi.set);
    assert_true(has_remark(run, "no region of interest"));
    assert_true(has_remark(run, ".pcf"));
    assert_int_equal(run->totals[0].useful_ns, 800);
    assert_int_equal(run->totals[0].runtime_ns, 1000);
    assert_int_equal(run->totals[0].outside_mpi_ns, 800);
    assert_int_equal(run->counters[0].useful[0], 2000);
    assert_int_equal(run->counters[0].useful[1], 3000);
    assert_false(run->counters[1].present);
    assert_true(run->has_mpi);
    assert_false(run->has_openmp);
    assert_int_equal(run->totals[0].last_event_ns, 1000);
    assert_int_equal(run->totals[0].first_record_ns, 0);
}

static void a_range_clips(void **state)
{
    static const char *const ranges[] = {"200ns..700ns", "20%..70%"};
    const char *path = write_trace(*state, "a.prv.gz", HEADER RECORDS);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        pj_auto_run run = load_good(path, ranges[i], false);
        assert_true(run->roi.set);
        assert_int_equal(run->roi.from_ns, 200);
        assert_int_equal(run->roi.to_ns, 700);
        assert_int_equal(run->totals[0].useful_ns, 200 + 100);
        assert_int_equal(run->totals[1].useful_ns, 300 + 100);
        assert_int_equal(run->totals[0].runtime_ns, 500);
        assert_int_equal(run->counters[0].useful[0], 500 + 250);
        assert_int_equal(run->counters[0].useful[1], 600 + 500);
        assert_int_equal(run->roi.cut_bursts, 4);
        assert_true(has_remark(run, "4 bursts"));
    }
}

static void a_range_drops_when_asked(void **state)
{
    const char *path = write_trace(*state, "a.prv", HEADER RECORDS);
    pj_auto_run run = load_good(path, "450ns..", true);
    assert_int_equal(run->totals[0].useful_ns, 400);
    assert_int_equal(run->totals[1].useful_ns, 400);
    assert_int_equal(run->counters[0].useful[0], 1000);
    assert_int_equal(run->roi.cut_bursts, 1);
}

static void a_range_behind_the_end_is_refused(void **state)
{
    pj_err err;
    const char *path = write_trace(*state, "a.prv", HEADER RECORDS);
    assert_null(load(path, "5s..6s", false, &err));
    assert_int_equal(err.code, PJ_E_MISSING); // of this trace: others are still loaded
}

#define SWITCHES(from, to)                                                                         \
    "2:1:1:1:1:10:40000012:1\n2:1:1:1:1:" from ":40000012:1\n2:1:1:1:1:" to ":40000012:0\n"

static void a_bracket_is_found_and_applied(void **state)
{
    const char *path = write_trace(*state, "a.prv", HEADER SWITCHES("200", "699") RECORDS);
    pj_auto_run run = load_good(path, "auto", false);
    assert_true(run->roi.set);
    assert_int_equal(run->roi.from_ns, 200);
    assert_int_equal(run->roi.to_ns, 700);
    assert_int_equal(run->totals[1].useful_ns, 400);
    assert_true(run->import.count[PJ_IMPORT_time_backwards] > 0); // the switches come first
    pj_auto_run whole = load_good(path, "off", false);
    assert_false(whole->roi.set);
    assert_int_equal(whole->totals[1].useful_ns, 900);
}

static void a_wrong_bracket_is_remarked_on(void **state)
{
    const char *path = write_trace(
        *state, "a.prv", HEADER RECORDS "2:2:1:2:1:1000:40000012:1:40000012:0:40000012:0\n");
    pj_auto_run run = load_good(path, "auto", false);
    assert_false(run->roi.set);
    assert_true(has_remark(run, "not as a bracket (rank 1, thread 0)"));
}

static void unordered_traces_give_the_same(void **state)
{
    static const char *const shuffled = HEADER "1:1:1:1:1:600:1000:1\n"
                                               "2:1:1:1:1:1000:42000050:1000\n"
                                               "2:1:1:1:1:400:50000003:31:42000050:1000\n"
                                               "1:1:1:1:1:0:400:1\n"
                                               "2:1:1:1:1:600:50000003:0:42000050:5\n"
                                               "1:1:1:1:1:400:600:15\n";
    pj_auto_run run = load_good(write_trace(*state, "a.prv", shuffled), "off", false);
    assert_int_equal(run->totals[0].useful_ns, 800);
    assert_int_equal(run->totals[0].runtime_ns, 1000);
    assert_int_equal(run->totals[0].outside_mpi_ns, 800);
    assert_int_equal(run->counters[0].useful[0], 2000);
    assert_int_equal(run->import.first_line[PJ_IMPORT_time_backwards], 4);
    assert_int_equal(run->import.count[PJ_IMPORT_unsorted], 0);
}

static void write_pipe(void *path)
{
    FILE *file = fopen(path, "wb");
    fputs(HEADER SWITCHES("200", "699") RECORDS, file);
    fclose(file);
}

static void a_pipe_gives_one_pass(void **state)
{
    folder *f = *state;
    unlink(f->file);
    snprintf(f->file, sizeof f->file, "%s/pipe", f->path);
    assert_int_equal(mkfifo(f->file, 0600), 0);
    pj_task *writer = pj_task_start(write_pipe, f->file);
    pj_auto_run run = load_good(f->file, "auto", false);
    pj_task_join(writer);
    assert_false(run->roi.set);
    assert_true(has_remark(run, "pipe"));
    assert_true(run->import.count[PJ_IMPORT_unsorted] > 0);
    assert_int_equal(run->import.count[PJ_IMPORT_time_backwards], 0);
}

static void special_traces_are_remarked_on(void **state)
{
    pj_auto_run run =
        load_good(write_trace(*state, "a.sim.prv", HEADER "#20220121:CUTTER:ORIGINAL\n" RECORDS),
                  "off", false);
    assert_true(has_remark(run, "simulation"));
    assert_true(has_remark(run, "cut out of"));
    assert_string_equal(run->name, "a.sim");
    pj_auto_run replayed =
        load_good(write_trace(*state, "b.prv", HEADER "#popinjay:REPLAY:\n" RECORDS), "off", false);
    assert_true(has_remark(replayed, "simulation"));
    assert_false(has_remark(replayed, "cut out of"));
}

static void a_stopped_load_says_so(void **state)
{
    const char *path = write_trace(*state, "a.prv", HEADER RECORDS);
    atomic_bool stop = true;
    pj_job job = {.workers = 2, .stop = &stop};
    pj_err err = {.code = PJ_E_NONE};
    assert_null(pj_load(path, (pj_load_opts){.no_replay = true}, &job, &err));
    assert_int_equal(err.code, PJ_E_STOPPED);
}

static void count_report(void *context, const char *what, uint64_t done, uint64_t total)
{
    assert_true(done <= total);
    assert_non_null(what);
    (*(unsigned *)context)++;
}

static void progress_ends_with_the_input(void **state)
{
    const char *path = write_trace(*state, "a.prv", HEADER RECORDS);
    unsigned reports = 0;
    pj_job job = {.workers = 1, .progress = count_report, .progress_context = &reports};
    pj_auto_run run = pj_load(path, (pj_load_opts){.no_replay = true}, &job, NULL);
    assert_non_null(run);
    assert_true(reports >= 1);
    assert_int_equal(job.bytes_done, job.bytes_total);
    assert_int_equal(run->file_bytes, job.bytes_done);
}

static void sums_beyond_64_bits_are_a_loss(void **state)
{
    const char *path = write_trace(*state, "a.prv",
                                   HEADER "1:1:1:1:1:0:1000:1\n"
                                          "2:1:1:1:1:400:42000050:9223372036854775807\n"
                                          "2:1:1:1:1:1000:42000050:9223372036854775807\n");
    static const char *const windows[] = {"off", "0%..90%"};
    for (size_t i = 0; i < 2; i++) {
        pj_auto_run run = load_good(path, windows[i], false);
        assert_int_equal(run->counters[PJ_COUNTER_INSTRUCTIONS].useful[0], INT64_MAX);
        assert_int_equal(run->import.count[PJ_IMPORT_counter_overflow], 1);
    }
}

static unsigned complaints_about(folder *f, const char *text)
{
    pj_value input = pj_value_borrow_text(write_trace(f, "a.prv", text));
    pj_load_args args = {.inputs = {.items = &input, .count = 1}};
    pj_session *session = pj_session_new(&pj_face_silent, NULL);
    pj_auto_value runs = {0};
    assert_true(pj_inputs_load(session, &args, (pj_load_opts){.no_replay = true}, &runs, NULL));
    unsigned complaints = session->complaints;
    pj_session_free(session);
    return complaints;
}

static void a_text_that_breaks_off_is_complained_of(void **state)
{
    assert_int_equal(complaints_about(*state, HEADER RECORDS), 0);
    assert_int_equal(complaints_about(*state, HEADER RECORDS "1:1:1:1:1:1000:1000:0"), 0);
    assert_int_equal(complaints_about(*state, HEADER RECORDS "1:1:1:1:1:1000:1001"), 1);
    assert_int_equal(complaints_about(*state, HEADER RECORDS "2"), 1);
    assert_int_equal(complaints_about(*state, HEADER "1:1:1:1:1:0:400:1"), 1);
    assert_int_equal(complaints_about(*state, HEADER "1:1:1:1:1:0:400:1\n"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, drop_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_whole_trace),
        TEST(a_range_clips),
        TEST(a_range_drops_when_asked),
        TEST(a_range_behind_the_end_is_refused),
        TEST(a_bracket_is_found_and_applied),
        TEST(a_wrong_bracket_is_remarked_on),
        TEST(unordered_traces_give_the_same),
        TEST(a_pipe_gives_one_pass),
        TEST(special_traces_are_remarked_on),
        TEST(sums_beyond_64_bits_are_a_loss),
        TEST(a_text_that_breaks_off_is_complained_of),
        TEST(a_stopped_load_says_so),
        TEST(progress_ends_with_the_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
