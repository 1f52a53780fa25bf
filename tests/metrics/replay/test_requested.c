// Non-blocking collectives whose completions tell what they were, with answers worked out by hand.
#include "tests/support/trace/replay_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/// The location requests its `number`-th collective; calls last 1 ns.
static void request(pj_script *s, uint32_t location, const char *name, uint64_t time)
{
    pj_script_request(s, location, (pj_script_part){name, time, time + 1, .requests = true});
}

static void complete(pj_script *s, uint32_t location, uint64_t begin, uint64_t end,
                     pj_script_completion done)
{
    pj_script_request(
        s, location,
        (pj_script_part){.name = "MPI_Test", begin, end, .completes = &done, .count = 1});
}

static void completions_wait_for_the_last_request(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(3, 1);
    const uint64_t times[] = {10, 50, 30};
    for (uint32_t r = 0; r < 3; r++) {
        request(s, r, "MPI_Ibarrier", times[r]);
        complete(s, r, 60 + r, 80, (pj_script_completion){0, .communicator = 1});
        pj_script_last(s, r, 100);
    }
    pj_script_solve(s);
    // The last request is at 50; the calls of the others cost nothing.
    pj_script_expect(s, 0, 10 + 49 + 20, 10 + 49 + 20);
    pj_script_expect(s, 1, 50 + 10 + 20, 50 + 10 + 20);
    pj_script_expect(s, 2, 30 + 31 + 20, 30 + 31 + 20);
}

static void who_completes_early_waits(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    request(s, 0, "MPI_Ibarrier", 10);
    complete(s, 0, 15, 80, (pj_script_completion){0, .communicator = 1});
    request(s, 1, "MPI_Ibarrier", 50);
    complete(s, 1, 60, 80, (pj_script_completion){0, .communicator = 1});
    pj_script_solve(s);
    pj_script_expect(s, 0, 50, 10 + 4); // waits from 14 on
    pj_script_expect(s, 1, 59, 59);
}

static void one_wait_completes_messages_and_collectives(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 0, "MPI_Irecv", 5, 6);
    request(s, 0, "MPI_Iallreduce", 10);
    request(s, 0, "MPI_Ibarrier", 12);
    const pj_script_completion both[] = {{1, .communicator = 1}, {0, .communicator = 1}};
    pj_script_request(
        s, 0, (pj_script_part){.name = "MPI_Waitall", 20, 200, .completes = both, .count = 2});
    request(s, 1, "MPI_Iallreduce", 40);
    request(s, 1, "MPI_Ibarrier", 90);
    pj_script_call(s, 1, "MPI_Send", 120, 121);
    complete(s, 1, 130, 131, (pj_script_completion){0, .communicator = 1});
    complete(s, 1, 140, 141, (pj_script_completion){1, .communicator = 1});
    pj_script_send(s, (pj_script_message){1, 0, 120, 5, 200, .size = 100});
    pj_script_solve(s);
    pj_script_expect(s, 0, 118,
                     5 + 4 + 1 + 7); // the message comes last: three calls cost nothing before
    pj_script_expect(s, 1, 118 - 1 + 9 + 9 + 1, 40 + 49 + 29 + 9 + 9);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_collective_not_completed), 0);
}

static void requests_match_in_their_order(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    request(s, 0, "MPI_Ibarrier", 10);
    request(s, 0, "MPI_Ibarrier", 20);
    complete(s, 0, 30, 100, (pj_script_completion){1, .communicator = 1});
    complete(s, 0, 110, 111, (pj_script_completion){0, .communicator = 1});
    request(s, 1, "MPI_Ibarrier", 50);
    request(s, 1, "MPI_Ibarrier", 90);
    complete(s, 1, 95, 96, (pj_script_completion){0, .communicator = 1});
    complete(s, 1, 99, 100, (pj_script_completion){1, .communicator = 1});
    pj_script_solve(s);
    pj_script_expect(s, 0, 89 + 10,
                     10 + 9 + 9 + 10); // waits for the second request of rank 1, at 89
    pj_script_expect(s, 1, 89 + 4 + 3, 96);
}

static void only_the_root_waits_for_an_ireduce(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    request(s, 0, "MPI_Ireduce", 10);
    complete(s, 0, 20, 30, (pj_script_completion){0, .communicator = 1});
    request(s, 1, "MPI_Ireduce", 5);
    complete(s, 1, 8, 30, (pj_script_completion){0, .communicator = 1, .root = true});
    pj_script_solve(s);
    pj_script_expect(s, 0, 19, 19);
    pj_script_expect(s, 1, 10, 7);
}

static void completions_cost_what_the_network_says(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(4, 1);
    for (uint32_t r = 0; r < 4; r++) {
        request(s, r, "MPI_Iallreduce", 10 + r);
        complete(s, r, 15, 16, (pj_script_completion){0, .communicator = 1, .bytes = 1000});
    }
    pj_network network = {.latency_ns = 100, .bandwidth = 1e9};
    pj_script_replay(s, (pj_replay_opts){.network = network}, 0);
    // After the last request, at 13: two levels of 100 + 1000 ns.
    pj_script_expect(s, 0, 13 + 2 * 1100, 14);
    pj_script_expect(s, 3, 13 + 2 * 1100, 14);
}

static void who_never_requests_is_not_awaited(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(3, 1);
    for (uint32_t r = 0; r < 2; r++) {
        request(s, r, "MPI_Ibarrier", 10 + 10 * r);
        complete(s, r, 30, 40, (pj_script_completion){0, .communicator = 1});
    }
    pj_script_call(s, 2, "MPI_Comm_rank", 90, 91);
    pj_script_solve(s);
    pj_script_expect(s, 0, 29, 29);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_collective_absent), 1);
}

/// In turns one rank requests 40 ns after the other, which waits for it.
static void a_lost_completion_is_made_up_for(void **state)
{
    (void)state;
    enum { ROUNDS = 600, LOST = 6 };
    pj_auto_script s = pj_script_new(2, 1);
    for (uint32_t r = 0; r < 2; r++)
        for (uint32_t i = 0; i < ROUNDS; i++) {
            bool late = (i + r) % 2 == 0;
            uint64_t at = UINT64_C(100) * i, begin = at + (late ? 60 : 12);
            request(s, r, "MPI_Iallreduce", at + (late ? 50 : 10));
            if (r == 1 && i == LOST)
                pj_script_call(s, r, "MPI_Wait", begin, at + 80);
            else
                complete(s, r, begin, at + 80, (pj_script_completion){i, .communicator = 1});
        }
    pj_script_solve(s);
    // A round takes 70; the one whose wait is lost lets rank 1 go on 30 earlier.
    const double rounds = 50 + 70.0 * (ROUNDS - 1) - 30, compute = 0.5 * ROUNDS * (31 + 79) - 20;
    pj_script_expect(s, 0, rounds, compute);
    pj_script_expect(s, 1, rounds + 9, compute);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_collective_not_completed), 1);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_collective_absent), 0);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_collective_mismatch), 0);
}

static void odd_requests_are_counted(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    request(s, 0, "MPI_Ibarrier", 10);
    complete(s, 0, 20, 30, (pj_script_completion){0, .communicator = 1});
    request(s, 1, "MPI_Ibcast", 25);
    complete(s, 1, 26, 30, (pj_script_completion){0, .communicator = 1});
    request(s, 1, "MPI_Ibcast", 40);
    complete(s, 1, 50, 51, (pj_script_completion){1, .communicator = 9});
    request(s, 1, "MPI_Ibarrier", 60);
    complete(s, 1, 70, 71, (pj_script_completion){7, .communicator = 1}); // no such request
    pj_script_solve(s);
    pj_script_expect(s, 0, 25, 19);
    pj_script_expect(s, 1, 25 + 10 + 9 + 9 + 9, 25 + 10 + 9 + 9 + 9);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_collective_mismatch), 1);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_unknown_communicator), 1);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_collective_not_completed), 1);
    assert_int_equal(pj_script_counted(s, PJ_IMPORT_collective_without_fields), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(completions_wait_for_the_last_request),
        cmocka_unit_test(who_completes_early_waits),
        cmocka_unit_test(one_wait_completes_messages_and_collectives),
        cmocka_unit_test(requests_match_in_their_order),
        cmocka_unit_test(only_the_root_waits_for_an_ireduce),
        cmocka_unit_test(completions_cost_what_the_network_says),
        cmocka_unit_test(who_never_requests_is_not_awaited),
        cmocka_unit_test(a_lost_completion_is_made_up_for),
        cmocka_unit_test(odd_requests_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
