// What a run does in MPI, counted from events made by hand and worked out beside them.
#include "metrics/run/mpi_use.h"
#include "metrics/stat/mpi_use_sink.h"
#include "tests/support/made_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ALLREDUCE_BYTES = 8 };

static pj_event call(uint32_t location, uint64_t time, const char *name, bool entered)
{
    pj_mpi_call index = pj_mpi_call_by_name(pj_str_of(name));
    return (pj_event){.time = time,
                      .a = entered ? index : 0,
                      .location = location,
                      .kind = PJ_EV_MPI,
                      .code = (uint16_t)pj_mpi_call_at(index)->class_};
}

/// Two ranks: 0 waits from 20 to 50, both reduce; 1 is still in its reduction at the end.
static void fill(pj_sink *sink, uint32_t only)
{
    const pj_event events[] = {
        {.time = 0, .a = 5, .location = 0, .kind = PJ_EV_STATE, .code = 12},
        call(0, 5, "MPI_Init", true),
        call(0, 12, "MPI_Init", false),
        call(1, 5, "MPI_Init_thread", true),
        call(1, 14, "MPI_Init_thread", false),
        call(0, 20, "MPI_Wait", true),
        call(0, 50, "MPI_Wait", false),
        call(0, 60, "MPI_Allreduce", true),
        {.time = 60, .b = ALLREDUCE_BYTES, .location = 0, .kind = PJ_EV_COLLECTIVE},
        call(0, 70, "MPI_Allreduce", false),
        call(1, 62, "MPI_Allreduce", true),
        {.time = 62, .b = ALLREDUCE_BYTES, .location = 1, .kind = PJ_EV_COLLECTIVE},
        call(0, 80, "MPI_Finalize", true),
        call(0, 81, "MPI_Finalize", false),
        {.time = 90, .a = 91, .location = 0, .kind = PJ_EV_STATE, .code = 12},
    };
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        const pj_batch one = {.events = &events[i], .count = 1};
        if (only == UINT32_MAX || events[i].location == only)
            assert_true(sink->events(sink->self, &one, NULL));
    }
}

static const pj_mpi_sum *sum_of(const pj_run *run, const char *name)
{
    for (uint32_t i = 0; i < run->mpi_use->count; i++)
        if (strcmp(run->mpi_use->sums[i].name, name) == 0)
            return &run->mpi_use->sums[i];
    fail_msg("no %s", name);
    return NULL;
}

static void expect(const pj_run *run, const char *name, uint64_t calls, uint64_t time_ns,
                   uint64_t longest_ns, uint32_t rank)
{
    const pj_mpi_sum *sum = sum_of(run, name);
    assert_int_equal(sum->calls, calls);
    assert_int_equal(sum->time_ns, time_ns);
    assert_int_equal(sum->longest_ns, longest_ns);
    assert_int_equal(sum->rank, rank);
}

static pj_run *new_run(void)
{
    pj_run *run = made_run_even("made.prv", 2, 1);
    run->end_ns = 100;
    run->totals[0].last_event_ns = 81;
    run->totals[1].last_event_ns = 98; // of its reduction, which is never left
    return run;
}

static void expect_whole(const pj_run *run)
{
    const pj_mpi_use *use = run->mpi_use;
    assert_int_equal(use->count, 5);
    assert_string_equal(use->sums[0].name, "MPI_Wait"); // classes, then names
    assert_string_equal(use->sums[4].name, "MPI_Init_thread");
    expect(run, "MPI_Wait", 1, 30, 30, 0);
    expect(run, "MPI_Allreduce", 2, 10 + 36, 36, 1);
    assert_int_equal(sum_of(run, "MPI_Allreduce")->bytes, 2 * ALLREDUCE_BYTES);
    expect(run, "MPI_Init", 1, 7, 7, 0);
    expect(run, "MPI_Init_thread", 1, 9, 9, 1);
    expect(run, "MPI_Finalize", 1, 1, 1, 0);
    assert_int_equal(use->begun_ns, 14);
    assert_int_equal(use->ended_ns, 80);
    assert_int_equal(use->input_ns, 5); // the other I/O is in the second half
    assert_int_equal(use->input_end_ns, 5);
}

static void calls_are_summed_up(void **state)
{
    (void)state;
    pj_auto_run run = new_run();
    pj_sink sink = pj_mpi_use_sink();
    assert_true(sink.begin(sink.self, run, NULL));
    fill(&sink, UINT32_MAX);
    assert_true(sink.finish(sink.self, run, NULL));
    sink.close(sink.self);
    expect_whole(run);
}

/// What two processes have found of a thread each is what one finds of both.
static void processes_add_up(void **state)
{
    (void)state;
    pj_auto_run run = new_run();
    pj_sink leader = pj_mpi_use_sink(), other = pj_mpi_use_sink();
    pj_auto_buf found = {0};
    assert_true(leader.begin(leader.self, run, NULL) && other.begin(other.self, run, NULL));
    fill(&leader, 0);
    fill(&other, 1);
    other.tell(other.self, run, &found);
    assert_true(leader.hear(leader.self, pj_buf_str(&found)));
    assert_true(leader.finish(leader.self, run, NULL));
    expect_whole(run);
    for (size_t len = 0; len < found.len; len++) // cut short anywhere, it is refused or harmless
        leader.hear(leader.self, pj_str_head(pj_buf_str(&found), len));
    leader.close(leader.self);
    other.close(other.self);
}

/// Of a region of interest from 30 to 65: times are clipped, calls count where they are entered.
static void a_region_of_interest_clips(void **state)
{
    (void)state;
    pj_auto_run run = new_run();
    run->roi = (pj_roi){.set = true, .from_ns = 30, .to_ns = 65};
    pj_sink sink = pj_mpi_use_sink();
    assert_true(sink.begin(sink.self, run, NULL));
    fill(&sink, UINT32_MAX);
    assert_true(sink.finish(sink.self, run, NULL));
    sink.close(sink.self);
    expect(run, "MPI_Wait", 0, 20, 20, 0);
    expect(run, "MPI_Allreduce", 2, 5 + 3, 5, 0);
    assert_int_equal(run->mpi_use->count, 2);
}

static void messages_are_counted_where_they_are_sent(void **state)
{
    (void)state;
    static const pj_message messages[] = {{.logical_send = 10, .size = 100},
                                          {.logical_send = 40, .size = 7},
                                          {.logical_send = 60, .size = 1000}};
    static const pj_event events[] = {{.time = 10, .a = 0, .kind = PJ_EV_MESSAGE},
                                      {.time = 40, .a = 1, .kind = PJ_EV_MESSAGE},
                                      {.time = 60, .a = 2, .kind = PJ_EV_MESSAGE}};
    const pj_batch batch = {events, 3, messages, 3};
    pj_auto_run run = new_run();
    run->roi = (pj_roi){.set = true, .from_ns = 20, .to_ns = 60};
    pj_mpi_use before = {.begun_ns = 3};
    run->mpi_use = &before;
    pj_sink sink = pj_mpi_messages_sink();
    assert_true(sink.begin(sink.self, run, NULL) && sink.events(sink.self, &batch, NULL) &&
                sink.finish(sink.self, run, NULL));
    sink.close(sink.self);
    assert_int_equal(run->mpi_use->messages, 1);
    assert_int_equal(run->mpi_use->bytes, 7);
    assert_int_equal(run->mpi_use->begun_ns, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_summed_up),
        cmocka_unit_test(processes_add_up),
        cmocka_unit_test(a_region_of_interest_clips),
        cmocka_unit_test(messages_are_counted_where_they_are_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
