// One-sided synchronisation in archives: fences and general active target bind the ranks of their
// window in the replay; Paraver traces do not tell them, and a remark says so.
#include "metrics/analyse/load.h"
#include "metrics/run/aspect.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/trace/event.h"
#include "tests/support/trace/otf2_writer.h"
#include "tests/support/trace/same_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define ANCHOR PJ_BINARY_DIR "/window_archive.otf2"
#define TRACE PJ_BINARY_DIR "/window_archive.prv"
#define IDEAL PJ_BINARY_DIR "/window_archive_ideal.prv"

enum { RANKS = 3 };

static pj_run *load_into(const char *path, unsigned workers, const char *ideal_path)
{
    pj_err err = {0};
    pj_job job = {.workers = workers};
    pj_load_opts opts = {.raw_clock = true, .ideal_path = ideal_path};
    pj_run *run = pj_load(path, opts, &job, &err);
    if (!run)
        fail_msg("%s", err.text);
    return run;
}

static pj_run *load(const char *path, unsigned workers)
{
    return load_into(path, workers, NULL);
}

static void save(pj_trace_writer *trace, pj_otf2_style style)
{
    pj_err err = {0};
    if (!pj_otf2_writer_save(trace, ANCHOR, style, &err) ||
        !pj_trace_writer_save(trace, TRACE, &err))
        fail_msg("%s", err.text);
}

static void expect(const pj_run *run, double first, double second, double third)
{
    const double finish[] = {first, second, third};
    if (!run->ideal.available)
        fail_msg("%s", run->ideal.reason);
    for (uint32_t r = 0; r < RANKS; r++)
        if (run->ideal.finish_ns[r] != finish[r])
            fail_msg("rank %u ends at %.17g, not at %.17g", r, run->ideal.finish_ns[r], finish[r]);
}

/// The idealised trace of the archive takes as long again, by the same calls.
static void expect_again(const pj_run *run)
{
    pj_auto_run written = load_into(ANCHOR, 1, IDEAL);
    assert_non_null(written);
    pj_auto_run again = load(IDEAL, 1);
    assert_true(again->ideal.runtime_ns == run->ideal.runtime_ns);
    expect(again, run->ideal.finish_ns[0], run->ideal.finish_ns[1], run->ideal.finish_ns[2]);
    assert_int_equal(again->import.count[PJ_IMPORT_window_unknown],
                     run->import.count[PJ_IMPORT_window_unknown]);
}

/// A call of a rank that synchronises its window with all others, or with those of `group`.
static void synchronise(pj_trace_writer *trace, uint32_t rank, pj_trace_call call)
{
    call.synchronises = true;
    pj_trace_writer_call(trace, (pj_place){rank, 0}, call);
}

/// Each rank computes for a while, meets the others in a fence, and computes as long as the ranks
/// before it did.
static pj_trace_writer *fences(void)
{
    static const uint64_t work[RANKS] = {100, 700, 300};
    pj_trace_writer *trace = pj_trace_writer_new((pj_trace_header){.ranks = RANKS});
    pj_trace_writer_communicator(trace, (uint32_t[]){0, 1, 2}, RANKS);
    for (uint32_t r = 0; r < RANKS; r++) {
        uint64_t next = 720 + work[(r + 1) % RANKS];
        pj_trace_writer_call(trace, (pj_place){r, 0},
                             (pj_trace_call){.name = "MPI_Comm_rank", .begin = 0, .end = 10});
        synchronise(trace, r,
                    (pj_trace_call){.name = "MPI_Win_fence", .begin = 10 + work[r], .end = 720});
        synchronise(trace, r, (pj_trace_call){.name = "MPI_Win_fence", .begin = next, .end = 1430});
    }
    return trace;
}

static void a_fence_is_a_barrier_of_its_window(void **state)
{
    (void)state;
    static const pj_otf2_style styles[] = {{.clock_step = 0}, {.global_ids = true}};
    pj_auto_trace trace = fences();
    for (size_t i = 0; i < 2; i++) {
        save(trace, styles[i]);
        pj_auto_run run = load(ANCHOR, 1);
        pj_auto_run three = load(ANCHOR, 3);
        // The longest work before each fence: 700 and 700.
        expect(run, 1400, 1400, 1400);
        assert_int_equal(run->import.count[PJ_IMPORT_window_unknown], 0);
        assert_int_equal(run->import.count[PJ_IMPORT_unknown_event], 0);
        same_runs(run, three);
        expect_again(run);
    }
    pj_otf2_writer_remove(ANCHOR);
}

static void a_trace_without_windows_says_so(void **state)
{
    (void)state;
    pj_auto_trace trace = fences();
    save(trace, (pj_otf2_style){.clock_step = 0});
    pj_auto_run run = load(TRACE, 1);
    expect(run, 800, 1000, 400);
    assert_int_equal(run->import.count[PJ_IMPORT_window_unknown], 2 * RANKS);
    pj_otf2_writer_remove(ANCHOR);
}

/// Rank 0 exposes its window to 1 and 2 late, both of which write to it; rank 2 takes longest.
static pj_trace_writer *epochs(bool unanswered)
{
    static const uint32_t origins[] = {1, 2}, target[] = {0};
    pj_trace_writer *trace = pj_trace_writer_new((pj_trace_header){.ranks = RANKS});
    pj_trace_writer_communicator(trace, (uint32_t[]){0, 1, 2}, RANKS);
    synchronise(
        trace, 0,
        (pj_trace_call){
            .name = "MPI_Win_post", .begin = 500, .end = 510, .group = origins, .group_size = 2});
    synchronise(
        trace, 0,
        (pj_trace_call){
            .name = "MPI_Win_wait", .begin = 520, .end = 950, .group = origins, .group_size = 2});
    pj_trace_writer_call(trace, (pj_place){0, 0},
                         (pj_trace_call){.name = "MPI_Comm_rank", .begin = 1000, .end = 1000});
    for (uint32_t r = 1; r < RANKS; r++) {
        uint64_t work = r == 1 ? 100 : 800;
        synchronise(
            trace, r,
            (pj_trace_call){
                .name = "MPI_Win_start", .begin = 0, .end = 10, .group = target, .group_size = 1});
        if (!(unanswered && r == 2))
            synchronise(trace, r,
                        (pj_trace_call){.name = "MPI_Win_complete",
                                        .begin = 10 + work,
                                        .end = 940,
                                        .group = target,
                                        .group_size = 1});
        pj_trace_writer_call(trace, (pj_place){r, 0},
                             (pj_trace_call){.name = "MPI_Comm_rank", .begin = 990, .end = 990});
    }
    return trace;
}

static void epochs_bind_origins_and_targets(void **state)
{
    (void)state;
    static const pj_otf2_style styles[] = {{.clock_step = 0}, {.global_ids = true}};
    pj_auto_trace trace = epochs(false);
    for (size_t i = 0; i < 2; i++) {
        save(trace, styles[i]);
        pj_auto_run run = load(ANCHOR, 1);
        pj_auto_run three = load(ANCHOR, 3);
        // Rank 1 completes when rank 0 has posted, at 500, and has 50 to go on; rank 2 comes at
        // 800, and rank 0 waits for it and has 50 to go on.
        expect(run, 850, 550, 850);
        same_runs(run, three);
        expect_again(run);
        assert_int_equal(run->import.count[PJ_IMPORT_window_unknown], 0);
    }
    pj_auto_run plain = load(TRACE, 1);
    assert_int_equal(plain->import.count[PJ_IMPORT_window_unknown], 4);
    pj_otf2_writer_remove(ANCHOR);
}

/// Rank 0 waits from 520 on until rank 2 completes, at 810, which has written until 700.
static void targets_wait_for_what_comes_after_the_last_operation(void **state)
{
    (void)state;
    pj_auto_trace trace = epochs(false);
    pj_trace_writer_call(trace, (pj_place){2, 0},
                         (pj_trace_call){.name = "MPI_Put", .begin = 600, .end = 700});
    pj_err err = {0};
    pj_job job = {.workers = 1};
    save(trace, (pj_otf2_style){.clock_step = 0});
    pj_auto_run run = pj_load(ANCHOR, (pj_load_opts){.aspects = PJ_WANT(waits)}, &job, &err);
    assert_non_null(run);
    assert_int_equal(run->waits->late_complete_ns, 810 - 700);
    pj_otf2_writer_remove(ANCHOR);
}

/// What rank 1 waits in a call for the post of rank 0, which comes at 500.
static uint64_t waited_for_post(const pj_trace_call *call, pj_mpi_call *where)
{
    static const uint32_t origin[] = {1}, target[] = {0};
    pj_auto_trace trace = pj_trace_writer_new((pj_trace_header){.ranks = RANKS});
    pj_trace_writer_communicator(trace, (uint32_t[]){0, 1, 2}, RANKS);
    pj_trace_call posts = {
        .name = "MPI_Win_post", .begin = 500, .end = 510, .group = origin, .group_size = 1};
    pj_trace_call closes = {
        .name = "MPI_Win_wait", .begin = 520, .end = 950, .group = origin, .group_size = 1};
    pj_trace_call opens = {
        .name = "MPI_Win_start", .begin = 0, .end = 10, .group = target, .group_size = 1};
    pj_trace_call completes = {
        .name = "MPI_Win_complete", .begin = 600, .end = 610, .group = target, .group_size = 1};
    if (call->group)
        opens = *call;
    else
        pj_trace_writer_call(trace, (pj_place){1, 0}, *call);
    synchronise(trace, 0, posts);
    synchronise(trace, 0, closes);
    synchronise(trace, 1, opens);
    synchronise(trace, 1, completes);
    for (uint32_t r = 0; r < RANKS; r++)
        pj_trace_writer_call(trace, (pj_place){r, 0},
                             (pj_trace_call){.name = "MPI_Comm_rank", .begin = 990, .end = 990});
    pj_err err = {0};
    pj_job job = {.workers = 1};
    uint64_t ns = 0;
    save(trace, (pj_otf2_style){.clock_step = 0});
    pj_auto_run run = pj_load(ANCHOR, (pj_load_opts){.aspects = PJ_HISTORY}, &job, &err);
    assert_non_null(run);
    for (uint32_t i = 0; i < run->waits->sum_count; i++)
        if (run->waits->sums[i].pattern == PJ_WAIT_late_post && run->waits->sums[i].wait_ns) {
            ns += run->waits->sums[i].wait_ns;
            *where = run->waits->sums[i].call;
        }
    pj_otf2_writer_remove(ANCHOR);
    return ns;
}

/// MPI may hold the start of an epoch until the window is open, or the first operation.
static void origins_wait_where_they_are_held(void **state)
{
    (void)state;
    static const uint32_t target[] = {0};
    pj_mpi_call where = PJ_MPI_NONE;
    pj_trace_call starts = {
        .name = "MPI_Win_start", .begin = 0, .end = 505, .group = target, .group_size = 1};
    assert_int_equal(waited_for_post(&starts, &where), 500);
    assert_int_equal(where, pj_mpi_call_by_name(PJ_S("MPI_Win_start")));
    pj_trace_call puts = {.name = "MPI_Put", .begin = 20, .end = 505};
    assert_int_equal(waited_for_post(&puts, &where), 480);
    assert_int_equal(where, pj_mpi_call_by_name(PJ_S("MPI_Put")));
    pj_trace_call before = {.name = "MPI_Put", .begin = 20, .end = 30};
    assert_int_equal(waited_for_post(&before, &where), 0);
}

/// Nobody waits for what never comes.
static void unanswered_signals_bind_nobody(void **state)
{
    (void)state;
    pj_auto_trace trace = epochs(true);
    save(trace, (pj_otf2_style){.clock_step = 0});
    pj_auto_run run = load(ANCHOR, 1);
    expect(run, 560, 150, 980);
    expect_again(run);
    assert_false(run->told.messages_apart);
    assert_int_equal(run->import.count[PJ_IMPORT_message_not_received], 0);
    assert_int_equal(run->import.count[PJ_IMPORT_window_unknown], 3);
    pj_otf2_writer_remove(ANCHOR);
}

typedef struct held { // by a rank
    uint64_t asked, taken, used, freed;
    uint64_t lock; // PJ_RMA_EXCLUSIVE, 0 = shared, ALL_TARGETS = of all targets, shared
} held;

#define ALL_TARGETS UINT64_MAX

/// Ranks have the lock of rank 0's window by turns; `late`: they get it when they give it free.
static pj_trace_writer *locks(const held *by_rank, bool late)
{
    static const uint32_t target[] = {0}, targets[] = {UINT32_MAX}; // as Score-P writes it
    pj_trace_writer *trace = pj_trace_writer_new((pj_trace_header){.ranks = RANKS});
    pj_trace_writer_communicator(trace, (uint32_t[]){0, 1, 2}, RANKS);
    for (uint32_t r = 0; r < RANKS; r++) {
        const held *h = &by_rank[r];
        bool all = h->lock == ALL_TARGETS;
        uint64_t kind = all ? 0 : h->lock;
        pj_trace_call ask = {.name = "MPI_Win_lock",
                             .begin = h->asked,
                             .end = h->taken,
                             .group = all ? targets : target,
                             .group_size = 1,
                             .lock = PJ_RMA_ASKED | kind};
        if (!late)
            ask.lock = PJ_RMA_ACQUIRED | kind;
        pj_trace_writer_call(trace, (pj_place){r, 0}, ask);
        ask.name = "MPI_Win_unlock";
        ask.begin = h->used;
        ask.end = h->freed;
        ask.lock = PJ_RMA_RELEASED;
        pj_trace_writer_call(trace, (pj_place){r, 0}, ask);
    }
    return trace;
}

static uint64_t waited(const held *by_rank, bool late, uint32_t rank, uint32_t culprit)
{
    pj_auto_trace trace = locks(by_rank, late);
    pj_err err = {0};
    pj_job job = {.workers = 1};
    uint64_t ns = 0;
    save(trace, (pj_otf2_style){.clock_step = 1000});
    pj_auto_run run = pj_load(ANCHOR, (pj_load_opts){.aspects = PJ_WANT(waits)}, &job, &err);
    assert_non_null(run);
    for (uint32_t i = 0; i < run->waits->sum_count; i++)
        if (run->waits->sums[i].pattern == PJ_WAIT_rma_lock && run->waits->sums[i].rank == rank &&
            run->waits->sums[i].culprit == culprit)
            ns += run->waits->sums[i].wait_ns;
    pj_otf2_writer_remove(ANCHOR);
    return ns;
}

static void locks_are_waited_for(void **state)
{
    (void)state;
    // Rank 1 has the lock from 100 to 500; rank 2 asks at 300, rank 0 comes when nobody has it.
    const held early[RANKS] = {{900, 910, 950, 960, PJ_RMA_EXCLUSIVE},
                               {90, 100, 480, 500, PJ_RMA_EXCLUSIVE},
                               {300, 520, 600, 620, PJ_RMA_EXCLUSIVE}};
    assert_int_equal(waited(early, false, 2, 1), 200);
    assert_int_equal(waited(early, false, 0, 2), 0);
    // MPI locks when it unlocks: rank 2 waits in its unlock, from 330 on.
    const held lazy[RANKS] = {{900, 910, 950, 960, PJ_RMA_EXCLUSIVE},
                              {90, 100, 480, 500, PJ_RMA_EXCLUSIVE},
                              {300, 310, 330, 620, PJ_RMA_EXCLUSIVE}};
    assert_int_equal(waited(lazy, true, 2, 1), 170);
    // Nothing says that the lock is there: rank 2 waits in its lock until rank 1 has unlocked.
    assert_int_equal(waited(early, true, 2, 1), 200);
    assert_int_equal(waited(early, true, 0, 2), 0);
    // Rank 2 asks for all of the window, which it shares with others that do, not with rank 1.
    const held all[RANKS] = {{320, 330, 430, 440, 0},
                             {90, 100, 480, 500, PJ_RMA_EXCLUSIVE},
                             {300, 520, 600, 620, ALL_TARGETS}};
    assert_int_equal(waited(all, true, 2, 1), 200);
    assert_int_equal(waited(all, true, 2, 0), 0);
    // Rank 1 asks for a part of what rank 2 has as a whole.
    const held part[RANKS] = {{900, 910, 950, 960, 0},
                              {300, 520, 600, 620, PJ_RMA_EXCLUSIVE},
                              {90, 100, 480, 500, ALL_TARGETS}};
    assert_int_equal(waited(part, true, 1, 2), 200);
    const held shared[RANKS] = {
        {900, 910, 950, 960, 0}, {90, 100, 480, 500, 0}, {300, 520, 600, 620, 0}};
    assert_int_equal(waited(shared, false, 2, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fence_is_a_barrier_of_its_window),
        cmocka_unit_test(a_trace_without_windows_says_so),
        cmocka_unit_test(epochs_bind_origins_and_targets),
        cmocka_unit_test(targets_wait_for_what_comes_after_the_last_operation),
        cmocka_unit_test(origins_wait_where_they_are_held),
        cmocka_unit_test(unanswered_signals_bind_nobody),
        cmocka_unit_test(locks_are_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
