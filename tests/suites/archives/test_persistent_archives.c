// Persistent sends in archives never wait for their receiver, as nobody's do: two ranks that start
// large ones to each other before they receive are no deadlock.
#include "metrics/analyse/load.h"
#include "tests/support/trace/otf2_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define ANCHOR PJ_BINARY_DIR "/persistent_archive.otf2"
#define IDEAL PJ_BINARY_DIR "/persistent_ideal.prv"
#define TRACE PJ_BINARY_DIR "/persistent_archive.prv"

enum { LARGE = 1 << 20 };

static void call(pj_trace_writer *trace, uint32_t rank, const char *name, uint64_t begin,
                 uint64_t end)
{
    pj_trace_writer_call(trace, (pj_place){rank, 0},
                         (pj_trace_call){.name = name, .begin = begin, .end = end});
}

/// Both start a send, compute for 100 and 200 ns, and receive.
static pj_trace_writer *exchange(void)
{
    pj_trace_writer *trace = pj_trace_writer_new((pj_trace_header){.ranks = 2});
    pj_trace_writer_communicator(trace, (uint32_t[]){0, 1}, 2);
    for (uint32_t r = 0; r < 2; r++) {
        uint64_t receive = 10 + 100 * (r + 1);
        call(trace, r, "MPI_Start", 0, 10);
        call(trace, r, "MPI_Recv", receive, 300);
        pj_trace_writer_message(trace, (pj_trace_message){.from = {1 - r, 0},
                                                          .to = {r, 0},
                                                          .times = {5, 5, receive, 300},
                                                          .size = LARGE});
    }
    return trace;
}

static pj_run *load(const char *path, const char *ideal_path)
{
    pj_err err = {0};
    pj_job job = {.workers = 2};
    pj_load_opts opts = {.raw_clock = true, .ideal_path = ideal_path};
    pj_run *run = pj_load(path, opts, &job, &err);
    if (!run)
        fail_msg("%s", err.text);
    return run;
}

static void a_started_send_goes_on(void **state)
{
    (void)state;
    // With both ends of each message, and where one lacks, so that messages are whole records.
    static const pj_otf2_style styles[] = {{.clock_step = 0}, {.no_send = 3}};
    for (size_t i = 0; i < 2; i++) {
        pj_auto_trace trace = exchange();
        if (styles[i].no_send)
            pj_trace_writer_message(
                trace, (pj_trace_message){
                           .from = {0, 0}, .to = {1, 0}, .times = {5, 5, 215, 300}, .tag = 9});
        pj_err err = {0};
        if (!pj_otf2_writer_save(trace, ANCHOR, styles[i], &err))
            fail_msg("%s", err.text);
        pj_auto_run run = load(ANCHOR, IDEAL);
        if (!run->ideal.available)
            fail_msg("%s", run->ideal.reason);
        assert_int_equal(run->told.messages_apart, !styles[i].no_send);
        assert_true(run->ideal.finish_ns[0] == 100 && run->ideal.finish_ns[1] == 200);
        assert_int_equal(run->import.count[PJ_IMPORT_start_waits], 0);
        pj_auto_run again = load(IDEAL, NULL); // the idealised trace says by which rules
        assert_true(again->ideal.available && again->ideal.finish_ns[1] == 200);
        assert_int_equal(again->import.count[PJ_IMPORT_start_waits], 0);
    }
    pj_otf2_writer_remove(ANCHOR);
}

/// As with Dimemas, whose rules hold there.
static void in_paraver_traces_it_waits_and_that_is_said(void **state)
{
    (void)state;
    pj_auto_trace trace = exchange();
    pj_err err = {0};
    assert_true(pj_trace_writer_save(trace, TRACE, &err));
    pj_auto_run run = load(TRACE, NULL);
    assert_false(run->ideal.available);
    assert_int_equal(run->import.count[PJ_IMPORT_start_waits], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_started_send_goes_on),
        cmocka_unit_test(in_paraver_traces_it_waits_and_that_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
