// Messages whose ends are told by their own locations: the rules of the replay, with answers worked
// out by hand, and what happens where an end is missing or stands at an odd place.
#include "tests/support/folder.h"
#include "tests/support/trace/replay_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { SMALL = 100, LARGE = 40000 }; // bytes: below and above the eager limit

static pj_script_end send_to(uint32_t rank, uint32_t tag, uint64_t bytes)
{
    return (pj_script_end){PJ_PART_SEND, .other = rank, .tag = tag, .more = bytes};
}

static pj_script_end post_at(uint64_t time)
{
    return (pj_script_end){PJ_PART_POST, .more = time};
}

static pj_script_end receive_from(uint32_t rank, uint32_t tag)
{
    return (pj_script_end){PJ_PART_RECEIVE, .other = rank, .tag = tag};
}

static pj_script_end complete_from(uint32_t rank, uint32_t tag, uint64_t posted)
{
    return (pj_script_end){PJ_PART_COMPLETE, .other = rank, .tag = tag, .more = posted};
}

/// A call with one end.
static void add(pj_script *s, uint32_t location, const char *name, uint64_t begin, uint64_t end,
                pj_script_end what)
{
    pj_script_apart(s, location, (pj_script_ends){name, begin, end, &what, 1});
}

/// An end in no call.
static void add_stray(pj_script *s, uint32_t location, uint64_t time, pj_script_end what)
{
    pj_script_apart(s, location, (pj_script_ends){.begin = time, .ends = &what, .count = 1});
}

static void unavailable(const pj_script *s, const char *why)
{
    assert_false(s->run->ideal.available);
    if (!strstr(s->run->ideal.reason, why))
        fail_msg("%s", s->run->ideal.reason);
}

// Receives

static void a_receive_waits_for_what_is_sent(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    add(s, 0, "MPI_Send", 100, 120, send_to(1, 7, SMALL));
    add(s, 1, "MPI_Recv", 10, 130, receive_from(0, 7));
    pj_script_last(s, 0, 150);
    pj_script_last(s, 1, 150);
    pj_script_solve(s);
    pj_script_expect(s, 0, 130, 130);
    pj_script_expect(s, 1, 120, 30);
}

/// Some archives have a request in blocking receives, too.
static void a_receive_may_complete_what_it_has_requested(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_end ends[] = {post_at(101), complete_from(0, 0, 101)};
    add(s, 0, "MPI_Send", 10, 120, send_to(1, 0, LARGE));
    pj_script_apart(s, 1, (pj_script_ends){"MPI_Recv", 100, 120, ends, 2});
    pj_script_last(s, 0, 125);
    pj_script_solve(s);
    pj_script_expect(s, 0, 105, 15); // held until the receive
    pj_script_expect(s, 1, 100, 100);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_message_without_receive), 0);
}

static void a_receive_may_request_for_later(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(3, 1);
    pj_script_end ends[] = {post_at(101), post_at(102), complete_from(0, 0, 101)};
    add(s, 0, "MPI_Send", 10, 120, send_to(2, 0, LARGE));
    add(s, 1, "MPI_Send", 10, 120, send_to(2, 0, LARGE));
    pj_script_apart(s, 2, (pj_script_ends){"MPI_Recv", 100, 120, ends, 3});
    add(s, 2, "MPI_Wait", 150, 160, complete_from(1, 0, 102));
    pj_script_solve(s);
    pj_script_expect(s, 0, 100, 10);
    pj_script_expect(s, 1, 100, 10);
    pj_script_expect(s, 2, 130, 130);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_message_without_receive), 0);
}

static void a_request_frees_the_sender(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    add(s, 1, "MPI_Irecv", 5, 6, post_at(5));
    add(s, 0, "MPI_Send", 20, 30, send_to(1, 0, LARGE));
    add(s, 1, "MPI_Wait", 200, 210, complete_from(0, 0, 5));
    pj_script_solve(s);
    pj_script_expect(s, 0, 20, 20);
    pj_script_expect(s, 1, 199, 199);
}

/// The receive that was requested first is completed last; each has its own sender.
static void requests_are_known_by_their_times(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(3, 1);
    add(s, 2, "MPI_Irecv", 10, 20, post_at(11));
    add(s, 2, "MPI_Irecv", 60, 70, post_at(61));
    add(s, 0, "MPI_Send", 5, 100, send_to(2, 0, LARGE));
    add(s, 1, "MPI_Send", 5, 100, send_to(2, 0, LARGE));
    add(s, 2, "MPI_Wait", 80, 90, complete_from(1, 0, 61));
    add(s, 2, "MPI_Wait", 95, 99, complete_from(0, 0, 11));
    pj_script_solve(s);
    pj_script_expect(s, 0, 10, 5);
    pj_script_expect(s, 1, 50, 5); // 10 + 40
    pj_script_expect(s, 2, 10 + 40 + 10 + 5, 65);
}

static void sendrecv_posts_before_it_sends(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    for (uint32_t r = 0; r < 2; r++) {
        pj_script_end ends[] = {send_to(1 - r, 0, LARGE), receive_from(1 - r, 0)};
        pj_script_apart(s, r, (pj_script_ends){"MPI_Sendrecv", r ? 30 : 10, 40, ends, 2});
    }
    pj_script_last(s, 0, 50);
    pj_script_last(s, 1, 60);
    pj_script_solve(s);
    pj_script_expect(s, 0, 40, 20);
    pj_script_expect(s, 1, 50, 50);
}

static void a_wait_for_a_message_completes_no_collective(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    for (uint32_t r = 0; r < 2; r++)
        pj_script_collect(s, r, (pj_script_collective){"MPI_Ibarrier", 10, 20, .communicator = 1});
    add(s, 0, "MPI_Irecv", 30, 40, post_at(30));
    add(s, 1, "MPI_Isend", 70, 80, send_to(0, 0, SMALL));
    add(s, 0, "MPI_Wait", 50, 90, complete_from(1, 0, 30));
    pj_script_call(s, 0, "MPI_Wait", 95, 99);
    pj_script_solve(s);
    pj_script_expect(s, 0, 60 + 5, 10 + 10 + 10 + 5);
}

// Who belongs to whom

/// What is sent first is received last: rank 1 computes 30 in between.
static void check_crossing(pj_script_end first, pj_script_end second)
{
    pj_auto_script s = pj_script_new(2, 1);
    add(s, 0, "MPI_Isend", 10, 20, first);
    add(s, 0, "MPI_Isend", 110, 120, second);
    first.kind = second.kind = PJ_PART_RECEIVE;
    first.other = second.other = 0;
    add(s, 1, "MPI_Recv", 5, 130, second);
    add(s, 1, "MPI_Recv", 160, 170, first);
    pj_script_solve(s);
    pj_script_expect(s, 1, 100 + 30, 35);
}

static void tags_may_cross(void **state)
{
    (void)state;
    check_crossing(send_to(1, 1, SMALL), send_to(1, 2, SMALL));
}

static void communicators_may_cross(void **state)
{
    (void)state;
    pj_script_end first = send_to(1, 0, SMALL), second = first;
    second.communicator = 1;
    check_crossing(first, second);
}

/// The receiver's clock may run ahead or behind: its end stands before the other one, or after it.
static void ends_may_stand_early_or_late(void **state)
{
    (void)state;
    static const uint64_t begins[] = {10, 500, 5000};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        pj_auto_script s = pj_script_new(2, 1);
        add(s, 0, "MPI_Send", 500, 510, send_to(1, 0, LARGE));
        add(s, 1, "MPI_Recv", begins[i], begins[i] + 10, receive_from(0, 0));
        pj_script_last(s, 1, begins[i] + 30);
        pj_script_solve(s);
        double met = begins[i] > 500 ? (double)begins[i] : 500;
        pj_script_expect(s, 0, met, 500);
        pj_script_expect(s, 1, met + 20, (double)begins[i] + 20);
    }
}

static void a_rank_may_send_to_itself(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(1, 1);
    add(s, 0, "MPI_Irecv", 10, 20, post_at(10));
    add(s, 0, "MPI_Send", 30, 40, send_to(0, 0, LARGE));
    add(s, 0, "MPI_Wait", 50, 60, complete_from(0, 0, 10));
    pj_script_solve(s);
    pj_script_expect(s, 0, 30, 30);
}

/// Messages are between ranks, whichever thread tells its end.
static void threads_send_for_their_rank(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 2);
    add(s, 1, "MPI_Send", 50, 60, send_to(1, 0, SMALL));
    add(s, 3, "MPI_Recv", 10, 70, receive_from(0, 0));
    pj_script_last(s, 3, 90);
    pj_script_solve(s);
    assert_true(s->run->ideal.finish_ns[0] == 50);
    assert_true(s->run->ideal.finish_ns[1] == 50 + 20);
}

/// Who has both ends needs no records.
static void records_count_for_nothing(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    add(s, 0, "MPI_Send", 10, 20, send_to(1, 0, LARGE));
    add(s, 1, "MPI_Recv", 30, 40, receive_from(0, 0));
    pj_script_call(s, 1, "MPI_Recv", 50, 100);
    pj_script_send(s, (pj_script_message){0, 1, 90, 50, 100, .size = LARGE});
    pj_script_solve(s);
    pj_script_expect(s, 0, 30, 10);
    pj_script_expect(s, 1, 40, 40);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_message_without_send), 0);
}

// What is missing

static void a_completion_without_request_is_ready_always(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    add(s, 0, "MPI_Send", 50, 60, send_to(1, 0, LARGE));
    add(s, 1, "MPI_Wait", 70, 80, complete_from(0, 0, 33));
    add(s, 0, "MPI_Send", 100, 110, send_to(1, 0, SMALL));
    add(s, 1, "MPI_Wait", 85, 120, complete_from(0, 0, 34));
    pj_script_solve(s);
    pj_script_expect(s, 0, 90, 90);
    pj_script_expect(s, 1, 90, 75); // the second one waits for its message all the same
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_message_without_receive), 2);
}

static void requests_that_are_forgotten_are_ready(void **state)
{
    (void)state;
    enum { POSTS = 32768 / 2 + 1 }; // one more than two ranks may have
    pj_auto_script s = pj_script_new(2, 1);
    for (uint64_t i = 0; i < POSTS; i++)
        add(s, 1, "MPI_Irecv", 10 + 2 * i, 11 + 2 * i, post_at(10 + 2 * i));
    const uint64_t end = 10 + 2 * POSTS;
    add(s, 0, "MPI_Send", 5, 9, send_to(1, 0, LARGE));
    add(s, 0, "MPI_Send", 15, 19, send_to(1, 0, LARGE));
    add(s, 1, "MPI_Wait", end, end + 1, complete_from(0, 0, 10));
    add(s, 1, "MPI_Wait", end + 1, end + 2, complete_from(0, 0, 12));
    pj_script_solve(s);
    pj_script_expect(s, 0, 5 + 6, 11); // the second one was posted at 11
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_receive_forgotten), 1);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_message_without_receive), 0);
}

/// As for a message that ends the program.
static void a_request_outlasts_any_number_of_others(void **state)
{
    (void)state;
    enum { OTHERS = 20000, EACH = 10 };
    pj_auto_script s = pj_script_new(2, 1);
    add(s, 1, "MPI_Irecv", 5, 6, post_at(5));
    for (uint64_t i = 1; i <= OTHERS; i++) {
        add(s, 0, "MPI_Isend", EACH * i, EACH * i + 1, send_to(1, 0, LARGE));
        add(s, 1, "MPI_Irecv", EACH * i + 2, EACH * i + 3, post_at(EACH * i + 2));
        add(s, 1, "MPI_Wait", EACH * i + 4, EACH * i + 5, complete_from(0, 0, EACH * i + 2));
    }
    const uint64_t end = EACH * (OTHERS + 1);
    add(s, 0, "MPI_Send", end, end + 5, send_to(1, 1, LARGE));
    add(s, 1, "MPI_Wait", end + 1, end + 5, complete_from(0, 1, 5));
    pj_script_solve(s);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_receive_forgotten), 0);
}

static void a_send_in_no_call_is_there(void **state)
{
    (void)state;
    static const uint64_t begins[] = {10, 90}; // before the send is told, and after it
    for (size_t i = 0; i < 2; i++) {
        pj_auto_script s = pj_script_new(2, 1);
        add_stray(s, 0, 80, send_to(1, 0, SMALL));
        pj_script_call(s, 0, "MPI_Send", 150, 160); // not this one
        add(s, 1, "MPI_Recv", begins[i], 100, receive_from(0, 0));
        pj_script_replay(s, (pj_replay_opts){.network = {.latency_ns = 1000}}, 0);
        pj_script_expect(s, 1, (double)begins[i], (double)begins[i]);
        assert_int_equal(pj_script_counted(s, PJ_IMPORT_message_without_send), 1);
    }
}

static void a_receive_in_no_call_holds_nobody(void **state)
{
    (void)state;
    static const uint64_t begins[] = {10, 90}; // of the send
    for (size_t i = 0; i < 2; i++) {
        pj_auto_script s = pj_script_new(2, 1);
        add(s, 0, "MPI_Send", begins[i], 100, send_to(1, 0, LARGE));
        add_stray(s, 1, 80, receive_from(0, 0));
        pj_script_solve(s);
        pj_script_expect(s, 0, (double)begins[i], (double)begins[i]);
        pj_script_expect(s, 1, 80, 80);
        assert_int_equal(pj_script_counted(s, PJ_IMPORT_message_without_receive), 1);
    }
}

static void a_request_in_no_call_is_ready(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    add_stray(s, 1, 80, post_at(80));
    add(s, 0, "MPI_Send", 10, 100, send_to(1, 0, LARGE));
    add(s, 1, "MPI_Wait", 90, 100, complete_from(0, 0, 80));
    pj_script_solve(s);
    pj_script_expect(s, 0, 10, 10);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_message_without_receive), 1);
}

/// The call of another kind neither sends nor receives.
static void ends_in_other_calls_bind_nobody(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    add(s, 0, "MPI_Comm_size", 10, 20, send_to(1, 0, LARGE));
    add(s, 0, "MPI_Comm_size", 30, 40, receive_from(1, 0));
    add(s, 1, "MPI_Recv", 5, 50, receive_from(0, 0));
    add(s, 1, "MPI_Send", 55, 60, send_to(0, 0, LARGE));
    pj_script_solve(s);
    pj_script_expect(s, 0, 20, 20);
    pj_script_expect(s, 1, 10, 10);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_message_without_send), 1);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_message_without_receive), 1);
}

static void a_call_that_is_not_left_receives(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_event(s, (pj_event){.time = 10, .a = 2, .location = 1, .kind = PJ_EV_MPI, .code = 1});
    add_stray(s, 1, 10, receive_from(0, 0));
    add(s, 0, "MPI_Send", 5, 90, send_to(1, 0, LARGE));
    pj_script_last(s, 1, 100);
    pj_script_solve(s);
    pj_script_expect(s, 0, 10, 5);
    pj_script_expect(s, 1, 10, 10);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_call_not_left), 1);
}

static void a_receive_without_send_waits_for_ever(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(3, 1);
    add(s, 1, "MPI_Recv", 40, 50, receive_from(2, 0));
    pj_script_replay(s, (pj_replay_opts){.job = NULL}, 0);
    unavailable(s, "1 of 3 locations wait; rank 1, at ");
    unavailable(s, "waits for a message of rank 2");
}

static void a_large_send_without_receive_waits_for_ever(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(3, 1);
    add(s, 0, "MPI_Send", 10, 20, send_to(1, 0, SMALL)); // goes at once
    add(s, 0, "MPI_Isend", 30, 40, send_to(1, 0, LARGE));
    add(s, 0, "MPI_Send", 50, 60, send_to(2, 0, LARGE));
    pj_script_replay(s, (pj_replay_opts){.job = NULL}, 0);
    unavailable(s,
                "rank 0, at 50 ns in the trace, waits to send 40000 bytes until rank 2 receives");
}

static void memory_that_is_used_up_ends_the_replay(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    for (uint64_t t = 0; t < 60000; t += 3)
        add(s, 0, "MPI_Send", t, t + 1, send_to(1, 0, SMALL));
    pj_job job = {.memory_budget = 4 << 20};
    pj_script_replay(s, (pj_replay_opts){.job = &job}, 1000);
    unavailable(s, "memory");
}

// The idealised trace

static void idealised_messages_have_size_tag_and_clocks(void **state)
{
    (void)state;
    const char *path = folder_file("ideal.prv");
    pj_auto_script s = pj_script_new(2, 1);
    add(s, 1, "MPI_Irecv", 30, 40, post_at(30));
    add(s, 0, "MPI_Send", 20, 60, send_to(1, 77, LARGE));
    add(s, 1, "MPI_Wait", 50, 80, complete_from(0, 77, 30));
    add(s, 1, "MPI_Send", 100, 110, send_to(0, 5, SMALL));
    add(s, 0, "MPI_Recv", 70, 120, receive_from(1, 5));
    pj_network network = {.latency_ns = 1000, .bandwidth = 1e9};
    pj_script_replay(s, (pj_replay_opts){.network = network, .ideal_path = path}, 0);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char line[256], messages[512] = "";
    while (fgets(line, sizeof line, file))
        if (line[0] == '3')
            strncat(messages, line, sizeof messages - strlen(messages) - 1);
    fclose(file);
    // sent at 20, starts when posted, and takes 41000; then 20 more are computed
    assert_string_equal(messages, "3:0:1:1:1:20:30:0:1:2:1:30:41030:40000:77\n"
                                  "3:0:1:2:1:41050:41050:0:1:1:1:40:42150:100:5\n");
    unlink(path);
    unlink(folder_file("ideal.pcf"));
    unlink(folder_file("ideal.row"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_receive_waits_for_what_is_sent),
        cmocka_unit_test(a_receive_may_complete_what_it_has_requested),
        cmocka_unit_test(a_receive_may_request_for_later),
        cmocka_unit_test(a_request_frees_the_sender),
        cmocka_unit_test(requests_are_known_by_their_times),
        cmocka_unit_test(sendrecv_posts_before_it_sends),
        cmocka_unit_test(a_wait_for_a_message_completes_no_collective),
        cmocka_unit_test(tags_may_cross),
        cmocka_unit_test(communicators_may_cross),
        cmocka_unit_test(ends_may_stand_early_or_late),
        cmocka_unit_test(a_rank_may_send_to_itself),
        cmocka_unit_test(threads_send_for_their_rank),
        cmocka_unit_test(records_count_for_nothing),
        cmocka_unit_test(a_completion_without_request_is_ready_always),
        cmocka_unit_test(requests_that_are_forgotten_are_ready),
        cmocka_unit_test(a_request_outlasts_any_number_of_others),
        cmocka_unit_test(a_send_in_no_call_is_there),
        cmocka_unit_test(a_receive_in_no_call_holds_nobody),
        cmocka_unit_test(a_request_in_no_call_is_ready),
        cmocka_unit_test(ends_in_other_calls_bind_nobody),
        cmocka_unit_test(a_call_that_is_not_left_receives),
        cmocka_unit_test(a_receive_without_send_waits_for_ever),
        cmocka_unit_test(a_large_send_without_receive_waits_for_ever),
        cmocka_unit_test(memory_that_is_used_up_ends_the_replay),
        cmocka_unit_test(idealised_messages_have_size_tag_and_clocks),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
