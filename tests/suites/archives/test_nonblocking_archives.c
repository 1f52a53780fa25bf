// Non-blocking collectives from the records of an archive to the ideal times, whole and damaged.
#include "metrics/analyse/load.h"
#include "metrics/base/file.h"
#include "tests/support/rounds.h"
#include "tests/support/trace/otf2_writer.h"
#include "tests/support/trace/same_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define BASE PJ_BINARY_DIR "/nonblocking_archive"
#define ANCHOR BASE ".otf2"

enum { RANKS = 3, ROUNDS = 50, ROUND = 1000, LAST = ROUNDS - 1 };

typedef struct variant {
    uint32_t lost;   // round whose completions rank 0 lacks, or ROUNDS
    uint32_t absent; // round whose requests rank 2 lacks, or ROUNDS
    pj_otf2_style style;
} variant;

static const variant whole = {ROUNDS, ROUNDS, {.clock_step = 1000, .ticks_per_ns = 2}};

static void request(pj_trace_writer *trace, uint32_t rank, const char *name, uint64_t begin,
                    uint32_t number)
{
    pj_trace_writer_call(trace, (pj_place){rank, 0},
                         (pj_trace_call){.name = name,
                                         .begin = begin,
                                         .end = begin + 10,
                                         .communicator = 1,
                                         .root = rank == 0,
                                         .send_bytes = 8,
                                         .recv_bytes = 8,
                                         .request = number});
}

/// Each round: an Iallreduce that rank 1 requests last, and an Ireduce to rank 0 that rank 2
/// requests last; one wait completes them in the other order, after 640 or, of rank 2, 920 ns.
static void write_archive(variant v)
{
    pj_auto_trace trace = pj_trace_writer_new((pj_trace_header){.ranks = RANKS});
    pj_trace_writer_communicator(trace, (uint32_t[]){0, 1, 2}, RANKS);
    uint32_t numbers[2 * ROUNDS];
    for (uint32_t i = 0; i < 2 * ROUNDS; i++)
        numbers[i] = (i ^ 1) + 1;
    for (uint32_t r = 0; r < RANKS; r++)
        for (uint32_t i = 0; i < ROUNDS; i++) {
            uint64_t at = (uint64_t)ROUND * i;
            bool requests = !(r == 2 && i == v.absent), waits = !(r == 0 && i == v.lost);
            if (requests) {
                request(trace, r, "MPI_Iallreduce", at + (r == 1 ? 600 : 100), 2 * i + 1);
                request(trace, r, "MPI_Ireduce", at + (r == 2 ? 900 : 620), 2 * i + 2);
            }
            pj_trace_writer_call(trace, (pj_place){r, 0},
                                 (pj_trace_call){.name = "MPI_Waitall",
                                                 .begin = at + (r == 2 ? 920 : 640),
                                                 .end = at + 990,
                                                 .completes = &numbers[2 * i],
                                                 .completed = requests && waits ? 2 : 0});
        }
    pj_err err = {0};
    if (!pj_otf2_writer_save(trace, ANCHOR, v.style, &err))
        fail_msg("%s", err.text);
}

static pj_run *load(unsigned workers)
{
    pj_err err = {0};
    pj_job job = {.workers = workers};
    return pj_load(ANCHOR, (pj_load_opts){.raw_clock = true}, &job, &err);
}

static void expect(const pj_run *run, double first, double second, double third)
{
    const double finish[] = {first, second, third};
    if (!run->ideal.available)
        fail_msg("%s", run->ideal.reason);
    for (uint32_t r = 0; r < RANKS; r++)
        if (run->ideal.finish_ns[r] != finish[r])
            fail_msg("rank %u ends at %.17g", r, run->ideal.finish_ns[r]);
}

static uint64_t counted(const pj_run *run, pj_import_key key)
{
    return run->import.count[key];
}

/// The run begins with the first record, at 100. Rank 2 never waits: 900 ns and 10 between the
/// rounds. Rank 0 waits until its request at 890, rank 1 until that at 100.
static const double begin_of_last = 910.0 * LAST - 100;

static void requests_bind_their_completions(void **state)
{
    (void)state;
    write_archive(whole);
    pj_auto_run one = load(1);
    expect(one, begin_of_last + 890, begin_of_last + 100, begin_of_last + 900);
    for (unsigned key = 0; key < PJ_IMPORT_COUNT; key++)
        assert_int_equal(one->import.count[key], 0);
    for (unsigned workers = 2; workers <= 3; workers++) {
        pj_auto_run more = load(workers);
        same_runs(one, more);
    }
    pj_otf2_writer_remove(ANCHOR);
}

static void lost_completions_are_made_up_for(void **state)
{
    (void)state;
    variant v = whole;
    v.lost = 3;
    write_archive(v);
    pj_auto_run run = load(2);
    expect(run, begin_of_last + 890, begin_of_last + 100, begin_of_last + 900);
    assert_int_equal(counted(run, PJ_IMPORT_collective_not_completed), 2);
    assert_int_equal(counted(run, PJ_IMPORT_collective_absent), 0);
    pj_otf2_writer_remove(ANCHOR);
}

static void who_does_not_come_is_counted(void **state)
{
    (void)state;
    variant v = whole;
    v.absent = LAST;
    write_archive(v);
    pj_auto_run run = load(2);
    // In the last round rank 2 has nothing but its wait, and the others wait for each other alone.
    const double begin_of_0 = begin_of_last - 10;
    expect(run, begin_of_0 + 620, begin_of_0 + 100, begin_of_last + 920);
    assert_int_equal(counted(run, PJ_IMPORT_collective_absent), 2);
    pj_otf2_writer_remove(ANCHOR);
}

static void completions_without_request_are_both(void **state)
{
    (void)state;
    variant v = whole;
    v.style.no_requests = true;
    write_archive(v);
    pj_auto_run run = load(1);
    expect(run, begin_of_last + 900, begin_of_last + 900, begin_of_last + 900);
    assert_int_equal(counted(run, PJ_IMPORT_collective_not_requested), 2 * ROUNDS * RANKS);
    pj_otf2_writer_remove(ANCHOR);
}

static uint32_t noise(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void damage_is_read_alike(void **state)
{
    (void)state;
    write_archive(whole);
    pj_auto_buf good = {.at = NULL};
    assert_true(pj_file_read(BASE "/1.evt", &good, NULL));
    uint32_t seed = 11;
    for (uint64_t rounds = pj_rounds(60, 1000); rounds > 0; rounds--) {
        pj_auto_buf bad = {.at = NULL};
        pj_buf_add(&bad, pj_buf_str(&good));
        for (unsigned i = 1 + noise(&seed) % 4; i > 0; i--)
            bad.at[noise(&seed) % bad.len] = (char)noise(&seed);
        assert_true(pj_trace_writer_file(BASE "/1.evt", pj_buf_str(&bad), NULL));
        pj_run *one = load(1), *three = load(3);
        assert_int_equal(one != NULL, three != NULL);
        if (one)
            same_runs(one, three);
        pj_run_release(one);
        pj_run_release(three);
    }
    pj_otf2_writer_remove(ANCHOR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_bind_their_completions),
        cmocka_unit_test(lost_completions_are_made_up_for),
        cmocka_unit_test(who_does_not_come_is_counted),
        cmocka_unit_test(completions_without_request_are_both),
        cmocka_unit_test(damage_is_read_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
