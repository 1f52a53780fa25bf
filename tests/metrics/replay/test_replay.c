// The rules of the replay one by one, with answers worked out by hand (DEFINITIONS 6).
#include "tests/support/trace/replay_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const uint64_t small = 100, large = 40000; // bytes: below and above the eager limit

static void assert_exactly(double got, double want)
{
    if (got != want)
        print_error("%.17g is not %.17g\n", got, want);
    assert_true(got == want);
}

// Bursts

static void time_before_and_after_calls_is_computation(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(1, 1);
    pj_script_call(s, 0, "MPI_Comm_rank", 10, 30);
    pj_script_call(s, 0, "MPI_Comm_size", 35, 40);
    pj_script_last(s, 0, 100);
    pj_script_solve(s);
    pj_script_expect(s, 0, 10 + 5 + 60, 75);
    assert_exactly(s->run->ideal.runtime_ns, 75);
}

static void file_access_counts_as_computation(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(1, 1);
    pj_script_call(s, 0, "MPI_File_open", 10, 30);
    pj_script_call(s, 0, "MPI_Put", 50, 60);
    pj_script_last(s, 0, 100);
    pj_script_solve(s);
    pj_script_expect(s, 0, 90, 90);
}

static void a_call_of_unknown_name_takes_no_time(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(1, 1);
    pj_script_event(s, (pj_event){.time = 10, .a = 0xffff, .kind = PJ_EV_MPI, .code = 3});
    pj_script_event(s, (pj_event){.time = 30, .a = 0, .kind = PJ_EV_MPI, .code = 3});
    pj_script_last(s, 0, 40);
    pj_script_solve(s);
    pj_script_expect(s, 0, 20, 20);
}

// Point to point: two ranks; the sender's calls are given, and what the receiver does

static void a_small_message_is_there_when_it_is_sent(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 0, "MPI_Send", 100, 120);
    pj_script_call(s, 1, "MPI_Recv", 10, 130);
    pj_script_send(s, (pj_script_message){0, 1, 100, 10, 130, .size = small});
    pj_script_last(s, 0, 150);
    pj_script_last(s, 1, 150);
    pj_script_solve(s);
    pj_script_expect(s, 0, 130, 130);
    pj_script_expect(s, 1, 120, 30); // waits until 100, then 20
}

static void a_small_message_does_not_hold_its_sender(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 0, "MPI_Ssend", 10, 120);
    pj_script_call(s, 1, "MPI_Recv", 100, 120);
    pj_script_send(s, (pj_script_message){0, 1, 10, 100, 120, .size = 32767});
    pj_script_solve(s);
    pj_script_expect(s, 0, 10, 10);
    pj_script_expect(s, 1, 100, 100);
}

static void a_large_message_holds_its_sender_until_the_receive(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 0, "MPI_Send", 10, 120);
    pj_script_call(s, 1, "MPI_Recv", 100, 120);
    pj_script_send(s, (pj_script_message){0, 1, 10, 100, 120, .size = 32768});
    pj_script_last(s, 0, 125);
    pj_script_solve(s);
    pj_script_expect(s, 0, 105, 15);
    pj_script_expect(s, 1, 100, 100);
}

static void a_posted_receive_frees_the_sender_of_a_large_message(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 1, "MPI_Irecv", 5, 6);
    pj_script_call(s, 0, "MPI_Send", 20, 30);
    pj_script_call(s, 1, "MPI_Wait", 200, 210);
    pj_script_send(s, (pj_script_message){0, 1, 20, 5, 210, .size = large});
    pj_script_solve(s);
    pj_script_expect(s, 0, 20, 20);
    pj_script_expect(s, 1, 199, 199);
}

static void a_large_message_starts_when_its_receive_is_posted(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 0, "MPI_Isend", 20, 30);
    pj_script_call(s, 1, "MPI_Irecv", 50, 60);
    pj_script_call(s, 1, "MPI_Waitall", 61, 70);
    pj_script_call(s, 0, "MPI_Wait", 40, 80);
    pj_script_send(s, (pj_script_message){0, 1, 20, 50, 70, .size = large});
    pj_script_solve(s);
    pj_script_expect(s, 0, 30, 30); // the wait for its own send costs nothing
    pj_script_expect(s, 1, 51, 51);
}

static void each_kind_of_send(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double finish;
    } rows[] = {{"MPI_Send", 50},     {"MPI_Ssend", 50},   {"MPI_Rsend", 50},  {"MPI_Isend", 10},
                {"MPI_Bsend", 10},    {"MPI_Issend", 10},  {"MPI_Irsend", 10}, {"MPI_Start", 50},
                {"MPI_Startall", 50}, {"MPI_Sendrecv", 50}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pj_auto_script s = pj_script_new(2, 1);
        pj_script_call(s, 0, rows[i].name, 10, 60);
        pj_script_call(s, 1, "MPI_Recv", 50, 60);
        pj_script_send(s, (pj_script_message){0, 1, 10, 50, 60, .size = large});
        pj_script_solve(s);
        pj_script_expect(s, 0, rows[i].finish, 10);
    }
}

static void large_persistent_sends_wait_as_in_dimemas(void **state)
{
    (void)state;
    for (int told = 0; told < 2; told++) {
        pj_auto_script s = pj_script_new(2, 1);
        s->run->told.starts_go_on = told;
        pj_script_call(s, 0, "MPI_Start", 10, 60);
        pj_script_call(s, 1, "MPI_Recv", 50, 60);
        pj_script_send(s, (pj_script_message){0, 1, 10, 50, 60, .size = large});
        pj_script_call(s, 0, "MPI_Start", 70, 80);
        pj_script_call(s, 1, "MPI_Recv", 90, 100);
        pj_script_send(s, (pj_script_message){0, 1, 70, 90, 100, .size = small});
        pj_script_solve(s);
        pj_script_expect(s, 0, told ? 20 : 60, 20);
        assert_int_equal(pj_script_counted(s, PJ_IMPORT_start_waits), !told);
    }
}

static void a_run_without_events_has_no_ideal(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    s->run->has_mpi = false;
    pj_script_replay(s, (pj_replay_opts){0}, 0);
    assert_false(s->run->ideal.available);
    assert_string_equal(s->run->ideal.reason,
                        "no events to replay: the trace has neither MPI nor OpenMP");
}

static bool says(const pj_run *run, const char *text)
{
    for (size_t i = 0; i < run->remarks.count; i++)
        if (strstr(run->remarks.items[i].text, text))
            return true;
    return false;
}

/// Rank 0 enters a receive within the region and leaves it long after; the replay has waited when
/// it passes the region's end.
static void more_than_was_measured_in_a_region_says_why(void **state)
{
    (void)state;
    static const struct {
        uint64_t to, runtime;
        const char *why;
    } rows[] = {{100, 90, "rank 0 is in an MPI call"},
                {250, 240, NULL},
                {250, 100, "threads are idle or tracing is off"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pj_auto_script s = pj_script_new(2, 1);
        s->run->roi = (pj_roi){.set = true, .from_ns = 10, .to_ns = rows[i].to};
        s->run->runtime_ns = rows[i].runtime;
        pj_script_call(s, 0, "MPI_Recv", 90, 205);
        pj_script_call(s, 1, "MPI_Send", 200, 205);
        pj_script_send(s, (pj_script_message){1, 0, 200, 90, 205, .size = small});
        pj_script_last(s, 0, 300);
        pj_script_last(s, 1, 300);
        pj_script_solve(s);
        assert_int_equal(says(s->run, "transfer is above 1"), rows[i].why != NULL);
        if (rows[i].why && !says(s->run, rows[i].why))
            fail_msg("%s", s->run->remarks.items[0].text);
    }
}

static void each_kind_of_wait(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double finish;
    } rows[] = {
        {"MPI_Wait", 70},    {"MPI_Waitall", 70},   {"MPI_Waitany", 70}, {"MPI_Waitsome", 70},
        {"MPI_Test", 70},    {"MPI_Testall", 70},   {"MPI_Testany", 70}, {"MPI_Testsome", 70},
        {"MPI_Probe", 70},   {"MPI_Iprobe", 70},    {"MPI_Send", 70},    {"MPI_Isend", 70},
        {"MPI_Barrier", 18}, {"MPI_Comm_rank", 18}, {"MPI_Recv", 18},    {"MPI_Irecv", 18}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pj_auto_script s = pj_script_new(2, 1);
        pj_script_call(s, 1, "MPI_Irecv", 10, 12);
        pj_script_call(s, 1, rows[i].name, 20, 80);
        pj_script_call(s, 0, "MPI_Send", 70, 75);
        pj_script_send(s, (pj_script_message){0, 1, 70, 10, 80, .size = small});
        pj_script_solve(s);
        pj_script_expect(s, 1, rows[i].finish, 18);
    }
}

static void sendrecv_posts_sends_and_waits(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    for (uint32_t r = 0; r < 2; r++)
        pj_script_call(s, r, r ? "MPI_Sendrecv_replace" : "MPI_Sendrecv", r ? 30 : 10, 40);
    pj_script_send(s, (pj_script_message){0, 1, 10, 30, 40, .size = large});
    pj_script_send(s, (pj_script_message){1, 0, 30, 10, 40, .size = large});
    pj_script_last(s, 0, 50);
    pj_script_last(s, 1, 60);
    pj_script_solve(s);
    pj_script_expect(s, 0, 40, 20);
    pj_script_expect(s, 1, 50, 50);
}

static void persistent_requests_post_at_their_start(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 1, "MPI_Startall", 10, 12);
    pj_script_call(s, 1, "MPI_Waitall", 100, 102);
    pj_script_call(s, 0, "MPI_Send", 40, 45);
    pj_script_call(s, 0, "MPI_Send", 50, 55);
    pj_script_send(s, (pj_script_message){0, 1, 40, 10, 102, .size = large});
    pj_script_send(s, (pj_script_message){0, 1, 50, 10, 102, .size = large});
    pj_script_solve(s);
    pj_script_expect(s, 0, 45, 45);
    pj_script_expect(s, 1, 98, 98);
}

static void tests_that_find_nothing_wait_for_nothing(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 1, "MPI_Irecv", 10, 12);
    for (uint64_t t = 20; t < 70; t += 10)
        pj_script_call(s, 1, "MPI_Test", t, t + 1);
    pj_script_call(s, 1, "MPI_Test", 80, 82);
    pj_script_call(s, 0, "MPI_Send", 70, 75);
    pj_script_send(s, (pj_script_message){0, 1, 70, 10, 82, .size = small});
    pj_script_solve(s);
    // computes 10 + 8 + 4 * 9 + 19 = 73 before the last test
    pj_script_expect(s, 1, 73, 73);
}

static void ends_of_calls_belong_to_them(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 1, "MPI_Irecv", 10, 20); // posted at its very end
    pj_script_call(s, 1, "MPI_Wait", 20, 80);  // begins there
    pj_script_call(s, 0, "MPI_Comm_rank", 60, 70);
    pj_script_call(s, 0, "MPI_Send", 70, 75); // sent at its begin
    pj_script_send(s, (pj_script_message){0, 1, 70, 20, 80, .size = large});
    pj_script_last(s, 1, 90);
    pj_script_solve(s);
    pj_script_expect(s, 0, 60, 60);
    pj_script_expect(s, 1, 70, 20);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_message_without_receive), 0);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_message_without_send), 0);
}

static void equal_times_receive_before_they_send(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    for (uint32_t r = 0; r < 2; r++) // all at one time: posts come first, so nobody waits for ever
        pj_script_call(s, r, "MPI_Sendrecv", 10, 10);
    pj_script_send(s, (pj_script_message){0, 1, 10, 10, 10, .size = large});
    pj_script_send(s, (pj_script_message){1, 0, 10, 10, 10, .size = large});
    pj_script_solve(s);
    pj_script_expect(s, 0, 10, 10);
}

static void a_message_that_nobody_receives_holds_nobody(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 0, "MPI_Send", 10, 20);
    pj_script_call(s, 1, "MPI_Comm_rank", 40, 50);
    pj_script_send(s, (pj_script_message){0, 1, 10, 45, 46, .size = large});
    pj_script_solve(s);
    pj_script_expect(s, 0, 10, 10);
    pj_script_expect(s, 1, 40, 40);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_message_without_receive), 1);
}

static void a_message_that_nobody_sends_is_there(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 1, "MPI_Recv", 40, 90);
    pj_script_send(s, (pj_script_message){0, 1, 80, 40, 90, .size = small});
    pj_script_last(s, 0, 200);
    pj_script_solve(s);
    pj_script_expect(s, 1, 40, 40);
    pj_script_expect(s, 0, 200, 200);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_message_without_send), 1);
}

static void a_received_message_without_wait_is_posted_only(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 1, "MPI_Irecv", 40, 50);
    pj_script_call(s, 0, "MPI_Send", 10, 60);
    pj_script_send(s, (pj_script_message){0, 1, 10, 40, 70, .size = large});
    pj_script_last(s, 1, 100);
    pj_script_solve(s);
    pj_script_expect(s, 0, 40, 10);
    pj_script_expect(s, 1, 90, 90);
}

static void reversed_messages_keep_their_order(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1); // the receiver's clock runs 100 ns behind
    pj_script_call(s, 1, "MPI_Recv", 10, 30);
    pj_script_last(s, 1, 50);
    pj_script_call(s, 0, "MPI_Send", 120, 130);
    pj_script_send(s, (pj_script_message){0, 1, 120, 10, 30, .size = small});
    pj_script_solve(s);
    pj_script_expect(s, 1, 140, 30);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_message_reversed), 1);
}

static void records_may_stand_early_or_late(void **state)
{
    (void)state;
    static const uint64_t places[] = {1, 10, 60, 500};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        pj_auto_script s = pj_script_new(2, 1);
        pj_script_call(s, 0, "MPI_Send", 50, 60);
        pj_script_call(s, 1, "MPI_Recv", 10, 70);
        pj_script_send(s, (pj_script_message){0, 1, 50, 10, 70, small, .record = places[i]});
        pj_script_call(s, 1, "MPI_Comm_rank", 600, 610);
        pj_script_solve(s);
        pj_script_expect(s, 1, 580, 540);
    }
}

/// Calls of 1 ns, 1 ns apart, from `time` on: enough to push what came before out of the window.
static uint64_t chatter(pj_script *s, uint32_t location, const char *name, uint64_t time)
{
    enum { CALLS = 20000 };
    for (uint64_t i = 0; i < CALLS; i++)
        pj_script_call(s, location, name, time + 2 * i, time + 2 * i + 1);
    return time + 2 * (uint64_t)CALLS;
}

static void receives_may_be_posted_long_before(void **state)
{
    (void)state;
    static const char *const names[] = {"MPI_Irecv", "MPI_Startall"};
    for (size_t i = 0; i < 2; i++) {
        pj_auto_script s = pj_script_new(3, 1);
        pj_script_call(s, 1, names[i], 10, 20);
        uint64_t time = chatter(s, 2, "MPI_Comm_rank", 30);
        pj_script_call(s, 0, "MPI_Send", time, time + 10);
        pj_script_send(s, (pj_script_message){0, 1, time, 10, time + 90, large, .record = 0});
        if (i == 1) { // a second message of the same call
            pj_script_call(s, 0, "MPI_Send", time + 20, time + 30);
            pj_script_send(s, (pj_script_message){0, 1, time + 20, 15, time + 90, .size = large});
        }
        pj_script_call(s, 1, "MPI_Waitall", time + 80, time + 90);
        pj_script_solve(s);
        double sent = (double)time + (i == 1 ? 10 : 0);
        pj_script_expect(s, 0, sent, sent); // does not wait
        pj_script_expect(s, 1, (double)time + 70, (double)time + 70);
        assert_int_equal(pj_script_counted(s, PJ_IMPORT_message_without_receive), 0);
        assert_int_equal(pj_script_counted(s, PJ_IMPORT_receive_forgotten), 0);
    }
}

static void receives_posted_while_waiting_count_from_their_replay(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(3, 1);
    // rank 1 waits for rank 2 from 5 on: in the replay it posts when that message has come
    pj_script_call(s, 1, "MPI_Recv", 5, 9);
    pj_script_call(s, 1, "MPI_Irecv", 10, 20);
    uint64_t time = chatter(s, 0, "MPI_Comm_rank", 30); // half of it is computation
    pj_script_call(s, 0, "MPI_Send", time, time + 10);
    pj_script_send(s, (pj_script_message){0, 1, time, 10, time + 90, large, .record = 0});
    pj_script_call(s, 2, "MPI_Send", time + 50, time + 60);
    pj_script_send(s, (pj_script_message){2, 1, time + 50, 5, 9, small, .record = 1});
    pj_script_call(s, 1, "MPI_Wait", time + 80, time + 90);
    pj_script_solve(s);
    pj_script_expect(s, 2, (double)time + 50, (double)time + 50);
    pj_script_expect(s, 0, (double)time + 51, 30 + 20000);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_message_reversed), 1);
}

static void ranks_of_many_remember_a_receive_from_each_other(void **state)
{
    (void)state;
    enum { RANKS = 600, FIRST = 10, APART = 2 };
    pj_auto_script s = pj_script_new(RANKS, 1);
    uint64_t time = FIRST;
    for (unsigned i = 0; i < RANKS; i++, time += APART)
        pj_script_call(s, 1, "MPI_Irecv", time, time + 1);
    time = chatter(s, 2, "MPI_Comm_rank", time);
    pj_script_call(s, 0, "MPI_Send", time, time + 10);
    pj_script_send(s, (pj_script_message){0, 1, time, FIRST, time + 90, large, .record = 0});
    pj_script_call(s, 1, "MPI_Wait", time + 80, time + 90);
    pj_script_solve(s);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_receive_forgotten), 0);
}

static void receives_that_are_forgotten_are_ready(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    uint64_t time = chatter(s, 1, "MPI_Irecv", 10); // 16384 of a location are remembered
    time = chatter(s, 1, "MPI_Comm_rank", time);
    pj_script_call(s, 0, "MPI_Send", time, time + 10);
    pj_script_send(s, (pj_script_message){0, 1, time, 10, time + 90, large, .record = 0});
    pj_script_call(s, 1, "MPI_Wait", time + 80, time + 90);
    pj_script_solve(s);
    pj_script_expect(s, 0, (double)time, (double)time);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_receive_forgotten), 1);
}

// Collectives

static void every_blocking_collective_is_a_barrier(void **state)
{
    (void)state;
    static const char *const names[] = {
        "MPI_Barrier", "MPI_Bcast",     "MPI_Allreduce", "MPI_Gather",         "MPI_Scatter",
        "MPI_Scan",    "MPI_Allgather", "MPI_Alltoall",  "MPI_Reduce_scatter", "MPI_Exscan"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        pj_auto_script s = pj_script_new(3, 1);
        for (uint32_t r = 0; r < 3; r++) {
            pj_script_collect(s, r,
                              (pj_script_collective){names[i], 10 + 20 * r, 60, 1, r == 0, 8});
            pj_script_last(s, r, 65);
        }
        pj_script_solve(s);
        pj_script_expect(s, 0, 55, 15);
        pj_script_expect(s, 1, 55, 35);
        pj_script_expect(s, 2, 55, 55);
    }
}

static void reduce_holds_its_root_only(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(3, 1);
    for (uint32_t r = 0; r < 3; r++) {
        pj_script_collect(s, r,
                          (pj_script_collective){"MPI_Reduce", 10 + 20 * r, 60, 1, .root = r == 1});
        pj_script_last(s, r, 65);
    }
    pj_script_solve(s);
    pj_script_expect(s, 0, 15, 15);
    pj_script_expect(s, 1, 55, 35);
    pj_script_expect(s, 2, 55, 55);
}

static void the_kth_meets_the_kth_of_its_communicator(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(3, 1);
    pj_script_communicator(s, 7, (uint32_t[]){2, 0}, 2);
    // rank 0: pair, world; rank 1: world; rank 2: world is entered after the pair
    pj_script_collect(s, 0, (pj_script_collective){"MPI_Barrier", 10, 50, .communicator = 7});
    pj_script_collect(s, 0, (pj_script_collective){"MPI_Bcast", 60, 90, .communicator = 1});
    pj_script_collect(s, 1, (pj_script_collective){"MPI_Bcast", 20, 90, .communicator = 1});
    pj_script_collect(s, 2, (pj_script_collective){"MPI_Barrier", 45, 50, .communicator = 7});
    pj_script_collect(s, 2, (pj_script_collective){"MPI_Bcast", 85, 90, .communicator = 1});
    pj_script_solve(s);
    pj_script_expect(s, 0, 80, 20);
    pj_script_expect(s, 1, 80, 20);
    pj_script_expect(s, 2, 80, 80);
}

static void alone_in_a_communicator_nobody_waits(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_communicator(s, 2, NULL, 0); // MPI_COMM_SELF, as some traces have it
    pj_script_communicator(s, 3, (uint32_t[]){1}, 1);
    pj_script_collect(s, 0, (pj_script_collective){"MPI_Barrier", 10, 20, .communicator = 2});
    pj_script_collect(s, 1, (pj_script_collective){"MPI_Barrier", 30, 40, .communicator = 3});
    pj_script_solve(s);
    pj_script_expect(s, 0, 10, 10);
    pj_script_expect(s, 1, 30, 30);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_unknown_communicator), 0);
}

static void both_groups_of_an_intercommunicator_meet(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(4, 1);
    pj_script_communicator(s, 5, (uint32_t[]){0, 1, 2, 3}, 4);
    s->run->names.communicators[1].inter = true;
    for (uint32_t r = 0; r < 4; r++)
        pj_script_collect(
            s, r, (pj_script_collective){"MPI_Barrier", 10 + 10 * r, 60, .communicator = 5});
    pj_script_solve(s);
    for (uint32_t r = 0; r < 4; r++)
        pj_script_expect(s, r, 40, 10 + 10 * r);
}

static void collectives_without_partners_synchronise_nothing(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_communicator(s, 4, (uint32_t[]){1, 1}, 2);
    pj_script_collect(s, 0, (pj_script_collective){"MPI_Barrier", 10, 20, .communicator = 0});
    pj_script_collect(s, 0, (pj_script_collective){"MPI_Barrier", 30, 40, .communicator = 99});
    pj_script_collect(s, 0, (pj_script_collective){"MPI_Barrier", 50, 60, .communicator = 4});
    pj_script_collect(s, 1, (pj_script_collective){"MPI_Barrier", 50, 60, .communicator = 4});
    pj_script_solve(s);
    pj_script_expect(s, 0, 30, 30);
    pj_script_expect(s, 1, 50, 50);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_collective_without_fields), 1);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_unknown_communicator), 2);
}

static void different_collectives_that_meet_are_counted(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_collect(s, 0, (pj_script_collective){"MPI_Barrier", 10, 50, .communicator = 1});
    pj_script_collect(s, 1, (pj_script_collective){"MPI_Bcast", 40, 50, .communicator = 1});
    pj_script_solve(s);
    pj_script_expect(s, 0, 40, 10);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_collective_mismatch), 1);
}

static void waits_complete_nonblocking_collectives_in_order(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_collect(s, 0, (pj_script_collective){"MPI_Iallreduce", 10, 11, .communicator = 1});
    pj_script_collect(s, 0, (pj_script_collective){"MPI_Ibarrier", 12, 13, .communicator = 1});
    pj_script_call(s, 0, "MPI_Test", 14, 15);  // completes none
    pj_script_call(s, 0, "MPI_Wait", 20, 51);  // the first
    pj_script_call(s, 0, "MPI_Wait", 60, 101); // the second
    pj_script_collect(s, 1, (pj_script_collective){"MPI_Iallreduce", 50, 51, .communicator = 1});
    pj_script_collect(s, 1, (pj_script_collective){"MPI_Ibarrier", 100, 101, .communicator = 1});
    pj_script_solve(s);
    // rank 1 enters at 50 and 99; rank 0 computes 10 + 1 + 1 + 5, waits, 9, waits
    pj_script_expect(s, 0, 99, 26);
    pj_script_expect(s, 1, 99, 99);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_collective_not_completed), 2);
}

static void a_wait_for_a_message_completes_no_collective(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 0, "MPI_Irecv", 5, 6);
    pj_script_collect(s, 0, (pj_script_collective){"MPI_Ibarrier", 10, 11, .communicator = 1});
    pj_script_call(s, 0, "MPI_Wait", 20, 30);
    pj_script_call(s, 0, "MPI_Wait", 40, 90);
    pj_script_call(s, 1, "MPI_Send", 25, 26);
    pj_script_send(s, (pj_script_message){1, 0, 25, 5, 30, .size = small});
    pj_script_collect(s, 1, (pj_script_collective){"MPI_Ibarrier", 80, 81, .communicator = 1});
    pj_script_last(s, 0, 95);
    pj_script_solve(s);
    pj_script_expect(s, 0, 79 + 5, 5 + 4 + 9 + 10 + 5);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_collective_not_completed), 1);
}

static void init_is_a_barrier_and_finalize_is_none(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 0, "MPI_Init", 10, 50);
    pj_script_call(s, 1, "MPI_Init_thread", 40, 50);
    pj_script_call(s, 0, "MPI_Finalize", 60, 100);
    pj_script_call(s, 1, "MPI_Finalize", 90, 100);
    pj_script_solve(s);
    pj_script_expect(s, 0, 50, 20);
    pj_script_expect(s, 1, 80, 80);
}

static void questions_before_init_do_not_begin(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 0, "MPI_Initialized", 5, 6);
    pj_script_call(s, 0, "MPI_Init", 10, 50);
    pj_script_call(s, 1, "MPI_Init", 40, 50);
    pj_script_last(s, 0, 60);
    pj_script_solve(s);
    pj_script_expect(s, 0, 40 + 10, 5 + 4 + 10);
    pj_script_expect(s, 1, 40, 40);
}

static void who_never_initialises_is_not_awaited(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(3, 1);
    pj_script_call(s, 0, "MPI_Init", 10, 50);
    pj_script_call(s, 1, "MPI_Comm_rank", 60, 70);
    pj_script_last(s, 2, 80); // no MPI at all
    pj_script_solve(s);
    pj_script_expect(s, 0, 10, 10);
    pj_script_expect(s, 2, 80, 80);
}

// The network

static void messages_take_latency_and_bandwidth(void **state)
{
    (void)state;
    pj_network network = {.latency_ns = 1000, .bandwidth = 1e9, .eager_bytes = 50};
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 0, "MPI_Send", 100, 120); // eager: arrives at 100 + 1000 + 40
    pj_script_call(s, 0, "MPI_Send", 130, 140); // waits for the receive at 1140 + 10
    pj_script_call(s, 1, "MPI_Recv", 10, 130);
    pj_script_call(s, 1, "MPI_Recv", 140, 150);
    pj_script_send(s, (pj_script_message){0, 1, 100, 10, 130, .size = 40});
    pj_script_send(s, (pj_script_message){0, 1, 130, 140, 150, .size = 60});
    pj_script_last(s, 0, 145);
    pj_script_replay(s, (pj_replay_opts){.network = network}, 0);
    pj_script_expect(s, 0, 1150 + 5, 115);
    pj_script_expect(s, 1, 1150 + 1060, 20);
}

static void collectives_cost_a_tree(void **state)
{
    (void)state;
    pj_network network = {.latency_ns = 1000, .bandwidth = 1e9};
    static const double levels[] = {[2] = 1, [3] = 2, [4] = 2, [5] = 3, [8] = 3, [9] = 4};
    for (uint32_t ranks = 2; ranks <= 9; ranks++) {
        if (levels[ranks] == 0)
            continue;
        pj_auto_script s = pj_script_new(ranks, 1);
        for (uint32_t r = 0; r < ranks; r++)
            pj_script_collect(s, r,
                              (pj_script_collective){"MPI_Bcast", 10, 60, 1, .bytes = r ? 0 : 500});
        pj_script_replay(s, (pj_replay_opts){.network = network}, 0);
        assert_exactly(s->run->ideal.runtime_ns, 10 + levels[ranks] * 1500);
    }
}

static void everything_may_wait_for_its_receiver(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 0, "MPI_Send", 10, 60);
    pj_script_call(s, 1, "MPI_Recv", 50, 60);
    pj_script_send(s, (pj_script_message){0, 1, 10, 50, 60, .size = 0});
    pj_script_replay(s, (pj_replay_opts){.network = {.all_rendezvous = true}}, 0);
    pj_script_expect(s, 0, 50, 10);
}

// What cannot be replayed

static void unavailable(const pj_script *s, const char *why)
{
    assert_false(s->run->ideal.available);
    if (!strstr(s->run->ideal.reason, why))
        print_error("%s\n", s->run->ideal.reason);
    assert_non_null(strstr(s->run->ideal.reason, why));
    assert_int_equal(s->run->remarks.count, 1);
}

static void sends_that_wait_for_each_other_are_a_deadlock(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    for (uint32_t r = 0; r < 2; r++) {
        pj_script_call(s, r, "MPI_Send", 10, 20);
        pj_script_call(s, r, "MPI_Recv", 30, 40);
    }
    pj_script_send(s, (pj_script_message){0, 1, 10, 30, 40, .size = large});
    pj_script_send(s, (pj_script_message){1, 0, 10, 30, 40, .size = large});
    pj_script_replay(s, (pj_replay_opts){0}, 0);
    unavailable(s, "deadlock");
    unavailable(s, "40000 bytes until rank 1 receives");
    unavailable(s, "--eager");
}

static void a_collective_that_a_rank_never_enters_is_a_deadlock(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(3, 1);
    pj_script_collect(s, 0, (pj_script_collective){"MPI_Bcast", 10, 20, .communicator = 1});
    pj_script_collect(s, 2, (pj_script_collective){"MPI_Bcast", 10, 20, .communicator = 1});
    pj_script_replay(s, (pj_replay_opts){0}, 0);
    unavailable(s, "waits in MPI_Bcast for rank 1");
    unavailable(s, "2 of 3 locations");
}

static void memory_that_is_used_up_ends_the_replay(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 0, "MPI_Recv", 10, 20);
    for (uint64_t t = 30; t < 600000; t += 3)
        pj_script_call(s, 0, "MPI_Comm_rank", t, t + 1);
    pj_script_call(s, 1, "MPI_Send", 600000, 600001);
    pj_script_send(s, (pj_script_message){1, 0, 600000, 10, 20, small, .record = 9});
    pj_job job = {.memory_budget = 4 << 20};
    pj_script_replay(s, (pj_replay_opts){.job = &job}, 1000);
    unavailable(s, "memory");
}

static void calls_that_are_not_left_end_with_the_next(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(1, 1);
    pj_script_event(s, (pj_event){.time = 10, .a = 19, .kind = PJ_EV_MPI, .code = 3});
    pj_script_call(s, 0, "MPI_Comm_size", 30, 40);
    pj_script_event(s, (pj_event){.time = 50, .a = 19, .kind = PJ_EV_MPI, .code = 3});
    pj_script_last(s, 0, 90);
    pj_script_solve(s);
    pj_script_expect(s, 0, 20, 20);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_call_not_left), 2);
}

static void calls_within_calls(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1); // a collective that shows its messages
    for (uint32_t r = 0; r < 2; r++)
        pj_script_event(
            s, (pj_event){.time = 10, .a = 8, .location = r, .kind = PJ_EV_MPI, .code = 2});
    pj_script_call(s, 0, "MPI_Send", 40, 50);
    pj_script_call(s, 1, "MPI_Recv", 20, 60);
    pj_script_send(s, (pj_script_message){0, 1, 40, 20, 60, .size = small});
    for (uint32_t r = 0; r < 2; r++)
        pj_script_event(
            s, (pj_event){.time = 70, .a = 0, .location = r, .kind = PJ_EV_MPI, .code = 2});
    pj_script_last(s, 0, 80);
    pj_script_solve(s);
    pj_script_expect(s, 0, 20, 20);
    pj_script_expect(s, 1, 10, 10);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_call_not_left), 0);
}

static void applications_have_communicators_of_their_own(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(4, 1); // two applications, both with a communicator 1
    s->run->layout.applications = 2;
    s->run->layout.application_of[2] = s->run->layout.application_of[3] = 1;
    s->run->names.communicators[0].size = 2;
    pj_script_communicator(s, 1, (uint32_t[]){2, 3}, 2);
    s->run->names.communicators[1].application = 1;
    for (uint32_t r = 0; r < 4; r++) {
        pj_script_call(s, r, "MPI_Init", 10 + 10 * r, 50);
        pj_script_collect(
            s, r, (pj_script_collective){"MPI_Barrier", 60 + 10 * r, 100, .communicator = 1});
    }
    pj_script_solve(s);
    // init at 20 and 40; then 10 + 10 r more: 20 + 20 and 40 + 40
    pj_script_expect(s, 0, 40, 20);
    pj_script_expect(s, 1, 40, 40);
    pj_script_expect(s, 2, 80, 60);
    pj_script_expect(s, 3, 80, 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_before_and_after_calls_is_computation),
        cmocka_unit_test(file_access_counts_as_computation),
        cmocka_unit_test(a_call_of_unknown_name_takes_no_time),
        cmocka_unit_test(a_small_message_is_there_when_it_is_sent),
        cmocka_unit_test(a_small_message_does_not_hold_its_sender),
        cmocka_unit_test(a_large_message_holds_its_sender_until_the_receive),
        cmocka_unit_test(a_posted_receive_frees_the_sender_of_a_large_message),
        cmocka_unit_test(a_large_message_starts_when_its_receive_is_posted),
        cmocka_unit_test(each_kind_of_send),
        cmocka_unit_test(large_persistent_sends_wait_as_in_dimemas),
        cmocka_unit_test(a_run_without_events_has_no_ideal),
        cmocka_unit_test(more_than_was_measured_in_a_region_says_why),
        cmocka_unit_test(each_kind_of_wait),
        cmocka_unit_test(sendrecv_posts_sends_and_waits),
        cmocka_unit_test(persistent_requests_post_at_their_start),
        cmocka_unit_test(tests_that_find_nothing_wait_for_nothing),
        cmocka_unit_test(ends_of_calls_belong_to_them),
        cmocka_unit_test(equal_times_receive_before_they_send),
        cmocka_unit_test(a_message_that_nobody_receives_holds_nobody),
        cmocka_unit_test(a_message_that_nobody_sends_is_there),
        cmocka_unit_test(a_received_message_without_wait_is_posted_only),
        cmocka_unit_test(reversed_messages_keep_their_order),
        cmocka_unit_test(records_may_stand_early_or_late),
        cmocka_unit_test(receives_may_be_posted_long_before),
        cmocka_unit_test(receives_posted_while_waiting_count_from_their_replay),
        cmocka_unit_test(ranks_of_many_remember_a_receive_from_each_other),
        cmocka_unit_test(receives_that_are_forgotten_are_ready),
        cmocka_unit_test(every_blocking_collective_is_a_barrier),
        cmocka_unit_test(reduce_holds_its_root_only),
        cmocka_unit_test(the_kth_meets_the_kth_of_its_communicator),
        cmocka_unit_test(alone_in_a_communicator_nobody_waits),
        cmocka_unit_test(both_groups_of_an_intercommunicator_meet),
        cmocka_unit_test(collectives_without_partners_synchronise_nothing),
        cmocka_unit_test(different_collectives_that_meet_are_counted),
        cmocka_unit_test(waits_complete_nonblocking_collectives_in_order),
        cmocka_unit_test(a_wait_for_a_message_completes_no_collective),
        cmocka_unit_test(init_is_a_barrier_and_finalize_is_none),
        cmocka_unit_test(questions_before_init_do_not_begin),
        cmocka_unit_test(who_never_initialises_is_not_awaited),
        cmocka_unit_test(messages_take_latency_and_bandwidth),
        cmocka_unit_test(collectives_cost_a_tree),
        cmocka_unit_test(everything_may_wait_for_its_receiver),
        cmocka_unit_test(sends_that_wait_for_each_other_are_a_deadlock),
        cmocka_unit_test(a_collective_that_a_rank_never_enters_is_a_deadlock),
        cmocka_unit_test(memory_that_is_used_up_ends_the_replay),
        cmocka_unit_test(calls_that_are_not_left_end_with_the_next),
        cmocka_unit_test(calls_within_calls),
        cmocka_unit_test(applications_have_communicators_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
