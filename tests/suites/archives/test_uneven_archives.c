// Archives in which a message has only one of its ends: the others are replayed as if it were not
// there. Where all have both, one pass is enough.
#include "metrics/analyse/load.h"
#include "metrics/base/file.h"
#include "tests/support/trace/otf2_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#define BASE PJ_BINARY_DIR "/uneven_archive"
#define ANCHOR BASE ".otf2"
#define IDEAL BASE "_ideal.prv"

enum { LARGE = 40000 };

static void call(pj_trace_writer *trace, uint32_t rank, const char *name, uint64_t begin,
                 uint64_t end)
{
    pj_trace_writer_call(trace, (pj_place){rank, 0},
                         (pj_trace_call){.name = name, .begin = begin, .end = end});
}

/// `times`: sent, posted, received.
static void message(pj_trace_writer *trace, uint32_t from, const uint64_t times[3], int64_t tag)
{
    pj_trace_writer_message(trace,
                            (pj_trace_message){.from = {from, 0},
                                               .to = {1 - from, 0},
                                               .times = {times[0], times[0], times[1], times[2]},
                                               .size = LARGE,
                                               .tag = tag});
}

/// The numbers of the messages are their tags.
static void write_archive(pj_otf2_style style)
{
    pj_auto_trace trace = pj_trace_writer_new((pj_trace_header){.ranks = 2});
    pj_trace_writer_communicator(trace, (uint32_t[]){0, 1}, 2);
    call(trace, 0, "MPI_Comm_rank", 0, 10);
    call(trace, 0, "MPI_Send", 100, 250);
    call(trace, 0, "MPI_Send", 400, 420);
    call(trace, 0, "MPI_Recv", 430, 580);
    call(trace, 1, "MPI_Irecv", 200, 210);
    call(trace, 1, "MPI_Wait", 220, 250);
    call(trace, 1, "MPI_Recv", 300, 420);
    call(trace, 1, "MPI_Send", 560, 570);
    message(trace, 0, (uint64_t[]){105, 205, 245}, 1);
    message(trace, 0, (uint64_t[]){405, 305, 415}, 2);
    message(trace, 1, (uint64_t[]){565, 435, 575}, 3);
    pj_err err = {0};
    if (!pj_otf2_writer_save(trace, ANCHOR, style, &err))
        fail_msg("%s", err.text);
}

typedef struct passes {
    unsigned begun;
    uint64_t parts, messages; // of the last one
} passes;

static bool begin(void *self, const pj_run *run, pj_err *err)
{
    (void)run, (void)err;
    passes *seen = self;
    *seen = (passes){.begun = seen->begun + 1};
    return true;
}

static bool events(void *self, const pj_batch *batch, pj_err *err)
{
    (void)err;
    passes *seen = self;
    for (size_t i = 0; i < batch->count; i++) {
        seen->parts += batch->events[i].kind == PJ_EV_PART;
        seen->messages += batch->events[i].kind == PJ_EV_MESSAGE;
    }
    return true;
}

static bool finish(void *self, pj_run *run, pj_err *err)
{
    (void)self, (void)run, (void)err;
    return true;
}

static void stay(void *self)
{
    (void)self;
}

static void remove_ideal(void)
{
    unlink(BASE "_ideal.prv");
    unlink(BASE "_ideal.pcf");
    unlink(BASE "_ideal.row");
}

static pj_run *load(const char *path, pj_load_opts opts, unsigned workers, passes *seen)
{
    pj_sink sink = {.name = "passes",
                    .begin = begin,
                    .events = events,
                    .finish = finish,
                    .close = stay,
                    .self = seen};
    pj_err err = {0};
    pj_job job = {.workers = workers};
    *seen = (passes){.begun = 0};
    opts.listeners = &sink;
    opts.listener_count = 1;
    pj_run *run = pj_load(path, opts, &job, &err);
    if (!run)
        fail_msg("%s: %s", err.where, err.text);
    return run;
}

static const struct {
    pj_otf2_style style;
    unsigned passes;
    double finish[2];   // ns, by rank
    pj_import_key lack; // PJ_IMPORT_COUNT = none
} answers[] = {
    // Rank 0 waits for the receive at 200, sends at 350, and receives what rank 1, which waits for
    // that, sends at 490.
    {{.no_send = 0}, 1, {490, 490}, PJ_IMPORT_COUNT},
    // It sends at 240 and waits for the receive at 260, which 140 are computed after.
    {{.no_send = 1}, 2, {400, 400}, PJ_IMPORT_message_not_sent},
    {{.no_receive = 1}, 2, {400, 400}, PJ_IMPORT_message_not_received},
    // Rank 1 goes on at 260.
    {{.no_send = 2}, 2, {400, 400}, PJ_IMPORT_message_not_sent},
    {{.no_receive = 2}, 2, {400, 400}, PJ_IMPORT_message_not_received},
    // Rank 0 does not wait for what rank 1 does at 490.
    {{.no_send = 3}, 2, {360, 490}, PJ_IMPORT_message_not_sent},
    {{.no_receive = 3}, 2, {360, 490}, PJ_IMPORT_message_not_received},
};
enum { ANSWERS = sizeof answers / sizeof *answers };

static void check(const pj_run *run, size_t which)
{
    static const double compute[] = {90 + 150 + 10, 200 + 10 + 50 + 140};
    if (!run->ideal.available)
        fail_msg("archive %zu: %s", which, run->ideal.reason);
    for (unsigned r = 0; r < 2; r++) {
        if (run->ideal.finish_ns[r] != answers[which].finish[r])
            fail_msg("archive %zu: rank %u ends at %g", which, r, run->ideal.finish_ns[r]);
        assert_true(run->ideal.compute_ns[r] == compute[r]);
    }
    for (unsigned key = 0; key < PJ_IMPORT_COUNT; key++)
        if (run->import.count[key] != (key == answers[which].lack))
            fail_msg("archive %zu: %s %llu", which, pj_import_at(key)->key,
                     (unsigned long long)run->import.count[key]);
}

static void what_has_one_end_binds_nobody(void **state)
{
    (void)state;
    for (size_t i = 0; i < ANSWERS; i++) {
        write_archive(answers[i].style);
        for (unsigned workers = 1; workers <= 3; workers += 2) {
            passes seen;
            pj_auto_run run = load(ANCHOR, (pj_load_opts){.ideal_path = NULL}, workers, &seen);
            check(run, i);
            assert_int_equal(seen.begun, answers[i].passes);
            assert_true((seen.parts > 0) == (seen.begun == 1));
        }
        pj_otf2_writer_remove(ANCHOR);
    }
}

/// The first pass may end in a deadlock, which is none of the run.
static void what_has_one_end_does_not_prevent_an_idealised_trace(void **state)
{
    (void)state;
    for (size_t i = 0; i < ANSWERS; i++) {
        passes seen;
        write_archive(answers[i].style);
        pj_auto_run run = load(ANCHOR, (pj_load_opts){.ideal_path = IDEAL}, 1, &seen);
        check(run, i);
        pj_auto_run ideal = load(IDEAL, (pj_load_opts){.no_replay = true}, 1, &seen);
        assert_int_equal(ideal->end_ns, 490 - (i > 0 && i < 5) * 90);
        assert_int_equal(seen.messages, i == 0 ? 3 : 2);
        pj_otf2_writer_remove(ANCHOR);
        remove_ideal();
    }
}

/// Where receives have no completions, those found by their times are whole records.
static void receives_without_completions_are_replayed_whole(void **state)
{
    (void)state;
    passes seen;
    write_archive((pj_otf2_style){.eztrace = true});
    pj_auto_run run = load(ANCHOR, (pj_load_opts){.ideal_path = IDEAL}, 1, &seen);
    assert_true(run->ideal.available);
    assert_true(seen.begun > 1);
    assert_int_equal(seen.parts, 0);
    assert_int_equal(seen.messages, run->import.count[PJ_IMPORT_receive_inferred]);
    pj_otf2_writer_remove(ANCHOR);
    remove_ideal();
}

/// Rank 1 runs ahead: what it sends is received before. Where clocks are mended, it is not.
static void reversed_messages_are_counted(void **state)
{
    (void)state;
    write_archive((pj_otf2_style){.clock_step = 1000, .no_offsets = true});
    for (unsigned raw = 0; raw < 2; raw++) {
        passes seen;
        pj_auto_run run = load(ANCHOR, (pj_load_opts){.raw_clock = raw}, 1, &seen);
        assert_int_equal(run->import.count[PJ_IMPORT_message_reversed], raw);
        assert_int_equal(seen.begun, raw ? 1 : 2);
        assert_true(run->told.messages_apart && seen.parts > 0);
    }
    pj_otf2_writer_remove(ANCHOR);
}

/// Who does not ask for parts of messages does not get any, and no other pass for them.
static void without_a_replay_there_is_one_pass(void **state)
{
    (void)state;
    for (size_t i = 0; i < ANSWERS; i++) {
        passes seen;
        write_archive(answers[i].style);
        pj_auto_run run =
            load(ANCHOR, (pj_load_opts){.no_replay = true, .in_order = true}, 1, &seen);
        assert_false(run->told.messages_apart);
        assert_int_equal(seen.begun, 1);
        assert_int_equal(seen.parts, 0);
        assert_int_equal(seen.messages, i == 0 ? 3 : 2);
        pj_otf2_writer_remove(ANCHOR);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_one_end_binds_nobody),
        cmocka_unit_test(what_has_one_end_does_not_prevent_an_idealised_trace),
        cmocka_unit_test(receives_without_completions_are_replayed_whole),
        cmocka_unit_test(reversed_messages_are_counted),
        cmocka_unit_test(without_a_replay_there_is_one_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
