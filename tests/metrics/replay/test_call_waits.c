// What calls wait for, rule by rule, with answers worked out by hand (DEFINITIONS 9).
#include "metrics/run/aspect.h"
#include "metrics/run/waits/run_waits.h"
#include "tests/support/trace/replay_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const uint64_t small = 100, large = 100000; // bytes: below and above the eager limit

/// Waits of a pattern for a culprit, over all ranks.
static uint64_t waited(const pj_script *s, pj_wait_pattern pattern, uint32_t culprit)
{
    uint64_t ns = 0;
    for (uint32_t i = 0; i < s->run->waits->sum_count; i++)
        if (s->run->waits->sums[i].pattern == pattern && s->run->waits->sums[i].culprit == culprit)
            ns += s->run->waits->sums[i].wait_ns;
    return ns;
}

static uint64_t waited_in_all(const pj_script *s)
{
    uint64_t ns = 0;
    for (uint32_t i = 0; i < s->run->layout.ranks; i++)
        ns += s->run->waits->ranks[i].wait_ns;
    return ns;
}

/// All ranks last until `runtime`; what they do makes it up.
static void solve(pj_script *s, uint64_t runtime)
{
    s->run->runtime_ns = s->run->end_ns = runtime;
    pj_script_solve(s);
    for (uint32_t i = 0; i < s->run->layout.ranks; i++) {
        const pj_wait_rank *rank = &s->run->waits->ranks[i];
        assert_int_equal(rank->mpi_ns + rank->outside_ns + rank->end_ns, runtime);
        assert_true(rank->wait_ns <= rank->mpi_ns);
    }
}

// Messages

static void a_receive_waits_for_its_sender(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 0, "MPI_Send", 100, 110);
    pj_script_call(s, 1, "MPI_Recv", 40, 120);
    pj_script_send(s, (pj_script_message){0, 1, 100, 40, 120, .size = small});
    pj_script_last(s, 0, 200);
    pj_script_last(s, 1, 200);
    solve(s, 200);
    assert_int_equal(waited(s, PJ_WAIT_late_sender, 0), 60);
    assert_int_equal(waited_in_all(s), 60);
    const pj_wait_sum *sum = &s->run->waits->sums[0];
    assert_int_equal(sum->rank, 1);
    assert_int_equal(sum->instances, 1);
    assert_int_equal(sum->longest_at_ns, 40);
}

/// The losses of the same run: ideal runtime 190, both ranks lose what they do not compute.
static void losses_are_shared_over_their_causes(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 0, "MPI_Send", 100, 110);
    pj_script_call(s, 1, "MPI_Recv", 40, 120);
    pj_script_send(s, (pj_script_message){0, 1, 100, 40, 120, .size = small});
    pj_script_last(s, 0, 200);
    pj_script_last(s, 1, 200);
    solve(s, 200);
    assert_true(s->run->ideal.runtime_ns == 190);
    assert_true(pj_script_lost(s, "load_balance", "late_sender") == 60);
    assert_true(pj_script_lost(s, "load_balance", "end") == 10);
    assert_true(pj_script_lost(s, "serialisation_efficiency", NULL) == 0);
    assert_true(pj_script_lost(s, "transfer_efficiency", "MPI_Recv") == 20);
    assert_true(pj_script_lost(s, "transfer_efficiency", "MPI_Send") == 10);
    assert_true(pj_script_lost(s, "transfer_efficiency", "end") == -10);
    assert_true(pj_script_lost(s, "transfer_efficiency", NULL) == 2 * (200 - 190));
}

static void a_send_waits_for_its_receiver(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 0, "MPI_Send", 50, 160);
    pj_script_call(s, 1, "MPI_Recv", 120, 170);
    pj_script_send(s, (pj_script_message){0, 1, 50, 120, 170, .size = large});
    solve(s, 200);
    assert_int_equal(waited(s, PJ_WAIT_late_receiver, 1), 70);
    assert_int_equal(waited_in_all(s), 70);
}

static void a_send_that_left_before_its_receive_did_not_wait(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 0, "MPI_Send", 50, 60);
    pj_script_call(s, 1, "MPI_Recv", 120, 130);
    pj_script_send(s, (pj_script_message){0, 1, 50, 120, 130, .size = small});
    solve(s, 200);
    assert_int_equal(waited_in_all(s), 0);
}

static void a_wait_that_completes_a_send_waits_for_its_receiver(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 0, "MPI_Isend", 20, 22);
    pj_script_call(s, 0, "MPI_Wait", 60, 150);
    pj_script_call(s, 1, "MPI_Recv", 140, 160);
    pj_script_send(s, (pj_script_message){0, 1, 20, 140, 160, .sent = 150, .size = large});
    solve(s, 200);
    assert_int_equal(waited(s, PJ_WAIT_late_receiver, 1), 80);
}

static void several_messages_wait_once_for_the_last(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(3, 1);
    pj_script_call(s, 0, "MPI_Irecv", 10, 12);
    pj_script_call(s, 0, "MPI_Irecv", 14, 16);
    pj_script_call(s, 0, "MPI_Waitall", 40, 120);
    pj_script_call(s, 1, "MPI_Send", 110, 112);
    pj_script_call(s, 2, "MPI_Send", 70, 72);
    pj_script_send(s, (pj_script_message){1, 0, 110, 10, 120, .size = small});
    pj_script_send(s, (pj_script_message){2, 0, 70, 14, 120, .size = small});
    solve(s, 200);
    assert_int_equal(waited(s, PJ_WAIT_late_sender, 1), 70);
    assert_int_equal(waited_in_all(s), 70);
}

static void looking_is_not_waiting(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 0, "MPI_Irecv", 10, 12);
    pj_script_call(s, 0, "MPI_Test", 40, 120);
    pj_script_call(s, 1, "MPI_Send", 110, 112);
    pj_script_send(s, (pj_script_message){1, 0, 110, 10, 120, .size = small});
    solve(s, 200);
    assert_int_equal(waited_in_all(s), 0);
}

static void messages_in_the_wrong_order(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(3, 1);
    pj_script_call(s, 2, "MPI_Recv", 20, 105);
    pj_script_call(s, 2, "MPI_Recv", 110, 115);
    pj_script_call(s, 0, "MPI_Send", 100, 102);
    pj_script_call(s, 1, "MPI_Send", 30, 32);
    pj_script_send(s, (pj_script_message){0, 2, 100, 20, 105, .size = small});
    pj_script_send(s, (pj_script_message){1, 2, 30, 110, 115, .size = small});
    solve(s, 150);
    assert_int_equal(waited(s, PJ_WAIT_late_sender_wrong_order, 0), 80);
    assert_int_equal(s->run->waits->worst_count, 1);
    assert_int_equal(s->run->waits->worst[0].pattern, PJ_WAIT_late_sender_wrong_order);
    assert_int_equal(s->run->waits->worst[0].begin, 20);
    assert_int_equal(waited_in_all(s), 80);
}

static void clocks_that_contradict_are_counted(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 0, "MPI_Send", 50, 52);
    pj_script_call(s, 1, "MPI_Recv", 20, 45);
    pj_script_send(s, (pj_script_message){0, 1, 50, 20, 45, .size = small});
    solve(s, 100);
    assert_int_equal(waited(s, PJ_WAIT_late_sender, 0), 25); // no longer than the call
    assert_int_equal(s->run->waits->contradictions, 1);
    assert_int_equal(s->run->waits->contradictions_of[PJ_WAIT_late_sender], 1);
    assert_int_equal(s->run->waits->contradiction_ns, 5);
    bool told = false;
    for (size_t i = 0; i < s->run->remarks.count; i++)
        told |= strcmp(s->run->remarks.items[i].key, "clocks") == 0;
    assert_true(told); // one of two
}

static void ends_that_are_told_apart(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    const pj_script_end send[] = {{PJ_PART_SEND, 1, 1, 0, small}};
    const pj_script_end receive[] = {{PJ_PART_RECEIVE, 0, 1, 0, 0}};
    pj_script_apart(s, 0, (pj_script_ends){"MPI_Send", 100, 110, send, 1});
    pj_script_apart(s, 1, (pj_script_ends){"MPI_Recv", 40, 120, receive, 1});
    solve(s, 200);
    assert_int_equal(waited(s, PJ_WAIT_late_sender, 0), 60);
}

/// Of ranks 0 and 1, where the wait of the first completes the send of its MPI_Isend and the other
/// receives from `post` on.
static void complete_apart(pj_script *s, uint64_t post)
{
    const pj_script_end send[] = {{PJ_PART_SEND, 1, 1, 0, large}};
    const pj_script_end sent[] = {{PJ_PART_SENT, .more = 0}};
    const pj_script_end receive[] = {{PJ_PART_RECEIVE, 0, 1, 0, 0}};
    pj_script_apart(s, 0, (pj_script_ends){"MPI_Isend", 20, 22, send, 1});
    pj_script_apart(s, 0, (pj_script_ends){"MPI_Wait", 60, 150, sent, 1});
    pj_script_apart(s, 1, (pj_script_ends){"MPI_Recv", post, 155, receive, 1});
    solve(s, 200);
}

static void a_send_that_is_completed_apart_waits_for_its_receiver(void **state)
{
    (void)state;
    pj_auto_script late = pj_script_new(2, 1);
    pj_auto_script early = pj_script_new(2, 1);
    complete_apart(late, 140);
    assert_int_equal(waited(late, PJ_WAIT_late_receiver, 1), 80);
    assert_int_equal(waited_in_all(late), 80);
    complete_apart(early, 10);
    assert_int_equal(waited(early, PJ_WAIT_late_receiver, 1), 0);
}

// Collectives

static void collect(pj_script *s, const char *name, const uint64_t (*times)[2], uint32_t ranks,
                    uint32_t root)
{
    for (uint32_t i = 0; i < ranks; i++)
        pj_script_collect(s, i,
                          (pj_script_collective){name, times[i][0], times[i][1], 1,
                                                 .root = i == root, .bytes = 8});
}

static void a_barrier_waits_for_the_last(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(3, 1);
    collect(s, "MPI_Barrier", (const uint64_t[][2]){{50, 110}, {80, 110}, {100, 112}}, 3, 9);
    solve(s, 132);
    assert_int_equal(waited(s, PJ_WAIT_barrier_wait, 2), 70);
    assert_int_equal(waited_in_all(s), 70);
    assert_int_equal(s->run->waits->completion_ns[PJ_WAIT_barrier_wait], 2); // of the one at 112
}

/// The first one leaves before the last one has come: clocks disagree, completion begins there.
static void completion_begins_when_all_have_come(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(3, 1);
    collect(s, "MPI_Allreduce", (const uint64_t[][2]){{50, 90}, {80, 110}, {100, 112}}, 3, 9);
    solve(s, 132);
    assert_int_equal(s->run->waits->completion_ns[PJ_WAIT_wait_at_nxn], 10 + 12);
}

static void completion_ends_at_the_border_of_a_region(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    s->run->roi = (pj_roi){.set = true, .from_ns = 0, .to_ns = 115};
    collect(s, "MPI_Barrier", (const uint64_t[][2]){{50, 110}, {100, 130}}, 2, 9);
    s->run->runtime_ns = s->run->end_ns = 200;
    pj_script_replay(s, (pj_replay_opts){.waits = true}, 0);
    assert_int_equal(s->run->waits->completion_ns[PJ_WAIT_barrier_wait], 5);
}

static void all_to_all_waits_for_the_last(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    collect(s, "MPI_Allreduce", (const uint64_t[][2]){{30, 75}, {70, 75}}, 2, 9);
    solve(s, 100);
    assert_int_equal(waited(s, PJ_WAIT_wait_at_nxn, 1), 40);
}

static void a_broadcast_waits_for_its_root(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(3, 1);
    collect(s, "MPI_Bcast", (const uint64_t[][2]){{100, 105}, {20, 110}, {60, 110}}, 3, 0);
    solve(s, 130);
    assert_int_equal(waited(s, PJ_WAIT_late_broadcast, 0), 80 + 40);
    assert_int_equal(waited_in_all(s), 120);
}

static void the_root_of_a_reduction_waits_for_the_others(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(3, 1);
    collect(s, "MPI_Reduce", (const uint64_t[][2]){{20, 95}, {50, 52}, {90, 92}}, 3, 0);
    solve(s, 130);
    assert_int_equal(waited(s, PJ_WAIT_early_reduce, 2), 70);
    assert_int_equal(waited_in_all(s), 70);
}

static void a_scan_waits_for_the_ranks_before(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(3, 1);
    collect(s, "MPI_Scan", (const uint64_t[][2]){{60, 65}, {20, 70}, {40, 75}}, 3, 9);
    solve(s, 100);
    assert_int_equal(waited(s, PJ_WAIT_early_scan, 0), 40 + 20);
}

static void a_non_blocking_one_waits_where_it_completes(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_collect(s, 0, (pj_script_collective){"MPI_Ibarrier", 10, 12, 1, .bytes = 0});
    pj_script_call(s, 0, "MPI_Wait", 30, 75);
    pj_script_collect(s, 1, (pj_script_collective){"MPI_Ibarrier", 70, 72, 1, .bytes = 0});
    pj_script_call(s, 1, "MPI_Wait", 74, 76);
    solve(s, 100);
    assert_int_equal(waited(s, PJ_WAIT_barrier_wait, 1), 40);
}

static void begin_and_end_of_mpi(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 0, "MPI_Init", 10, 32);
    pj_script_call(s, 1, "MPI_Init", 30, 34);
    pj_script_call(s, 0, "MPI_Finalize", 150, 195);
    pj_script_call(s, 1, "MPI_Finalize", 190, 196);
    solve(s, 200);
    assert_int_equal(waited(s, PJ_WAIT_init_wait, 1), 20);
    assert_int_equal(waited(s, PJ_WAIT_finalize_wait, 1), 40);
    assert_int_equal(waited_in_all(s), 60);
}

static void fences_of_unknown_windows_are_those_of_all(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 0, "MPI_Win_fence", 20, 72);
    pj_script_call(s, 1, "MPI_Win_fence", 70, 72);
    pj_script_call(s, 0, "MPI_Win_fence", 80, 90); // the other one never comes to it
    solve(s, 100);
    assert_int_equal(waited(s, PJ_WAIT_wait_at_fence, 1), 50);
    assert_int_equal(waited_in_all(s), 50);
}

// As a whole

static void waits_end_at_the_borders_of_a_region(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    s->run->roi = (pj_roi){.set = true, .from_ns = 60, .to_ns = 90};
    pj_script_call(s, 0, "MPI_Send", 100, 110);
    pj_script_call(s, 1, "MPI_Recv", 40, 120);
    pj_script_send(s, (pj_script_message){0, 1, 100, 40, 120, .size = small});
    pj_script_last(s, 0, 200);
    pj_script_last(s, 1, 200);
    s->run->runtime_ns = 30;
    pj_script_solve(s);
    assert_int_equal(waited(s, PJ_WAIT_late_sender, 0), 30);
    assert_int_equal(s->run->waits->ranks[0].outside_ns, 30);
    assert_int_equal(s->run->waits->ranks[1].outside_ns, 0);
}

/// On the ideal network rank 0 comes to the border at 95, rank 1 at 100, where the region begins:
/// of the 25 that rank 0 waits for the barrier there 5 are no loss of the region.
static void ranks_come_to_a_region_at_different_times(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    s->run->roi = (pj_roi){.set = true, .from_ns = 100, .to_ns = 200};
    pj_script_call(s, 0, "MPI_Comm_size", 20, 25);
    collect(s, "MPI_Barrier", (const uint64_t[][2]){{150, 180}, {170, 180}}, 2, 9);
    pj_script_last(s, 0, 300);
    pj_script_last(s, 1, 300);
    s->run->end_ns = 300;
    s->run->runtime_ns = 100;
    pj_script_replay(s, (pj_replay_opts){.waits = true}, 0);
    assert_true(s->run->waits->has_ideal);
    assert_true(s->run->ideal.runtime_ns == 90);
    assert_true(s->run->ideal.ahead_ns[0] == 5 && s->run->ideal.ahead_ns[1] == 0);
    assert_true(pj_script_lost(s, "load_balance", "barrier_wait") == 20);
    assert_true(pj_script_lost(s, "load_balance", NULL) == 90 - 70);
    assert_true(pj_script_lost(s, "serialisation_efficiency", "barrier_wait") == 5);
    assert_true(pj_script_lost(s, "serialisation_efficiency", "begin") == -5);
    assert_true(pj_script_lost(s, "serialisation_efficiency", NULL) == 0);
    assert_true(pj_script_lost(s, "transfer_efficiency", "MPI_Barrier") == 15);
    assert_true(pj_script_lost(s, "transfer_efficiency", "begin") == 5);
    assert_true(pj_script_lost(s, "transfer_efficiency", NULL) == 2 * (100 - 90));
}

/// Both ranks are in a barrier all the time.
static void regions_without_ideal_time_have_no_causes(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    s->run->roi = (pj_roi){.set = true, .from_ns = 110, .to_ns = 120};
    collect(s, "MPI_Barrier", (const uint64_t[][2]){{50, 150}, {100, 150}}, 2, 9);
    pj_script_last(s, 0, 200);
    pj_script_last(s, 1, 200);
    s->run->end_ns = 200;
    s->run->runtime_ns = 10;
    pj_script_replay(s, (pj_replay_opts){.waits = true}, 0);
    assert_true(s->run->ideal.available);
    assert_false(s->run->waits->has_ideal);
    assert_non_null(strstr(s->run->waits->ideal_lacks, "no time is left"));
}

/// Down a chain of ranks, the last one of which sends first.
static void write_chain(pj_script *s, uint32_t ranks, uint64_t rounds)
{
    for (uint64_t k = 0; k < rounds; k++)
        for (uint32_t i = 0; i < ranks; i++) {
            uint64_t sends = 1000 * k + 100 + 50 * (ranks - 1 - i);
            if (i + 1 < ranks) {
                pj_script_call(s, i, "MPI_Recv", 1000 * k, sends - 30);
                pj_script_send(s, (pj_script_message){i + 1, i, sends - 50, 1000 * k, sends - 30,
                                                      .size = small});
            }
            if (i > 0)
                pj_script_call(s, i, "MPI_Send", sends, sends + 10);
        }
}

static void locks_that_nobody_names_are_told_of(void **state)
{
    (void)state;
    for (unsigned named = 0; named < 2; named++) {
        pj_auto_script s = pj_script_new(2, 1);
        pj_script_call(s, 0, "MPI_Win_lock", 20, 30);
        pj_script_call(s, 1, "MPI_Win_lock", 40, 112);
        s->run->told.windows = named;
        solve(s, 200);
        assert_int_equal(s->run->waits->locks_unknown, !named);
        assert_int_equal(waited_in_all(s), 0);
    }
}

/// Both send first: the replay does not come to what they receive, which is in MPI all the same.
static void calls_behind_a_deadlock_are_in_mpi(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    for (uint32_t r = 0; r < 2; r++) {
        pj_script_call(s, r, "MPI_Send", 10, 20);
        pj_script_call(s, r, "MPI_Recv", 30, 45);
        pj_script_last(s, r, 100);
        s->run->totals[r].outside_mpi_ns = 75;
    }
    pj_script_send(s, (pj_script_message){0, 1, 10, 30, 40, .size = large});
    pj_script_send(s, (pj_script_message){1, 0, 10, 30, 40, .size = large});
    s->run->has_mpi = true;
    s->run->runtime_ns = s->run->end_ns = 100;
    pj_script_replay(s, (pj_replay_opts){.waits = true, .history = PJ_HISTORY}, 0);
    assert_false(s->run->ideal.available);
    assert_true(s->run->waits->cut);
    assert_int_equal(s->run->waits->ranks[0].mpi_ns, 25);
    assert_int_equal(s->run->waits->ranks[0].outside_ns, 75);
    assert_non_null(strstr(s->run->waits->ideal_lacks, "deadlock"));
}

static void batches_change_nothing(void **state)
{
    (void)state;
    for (size_t batch = 0; batch <= 7; batch += 7) {
        pj_auto_script s = pj_script_new(8, 1);
        write_chain(s, 8, 20);
        s->run->runtime_ns = s->run->end_ns = 20000;
        pj_script_replay(s, (pj_replay_opts){.waits = true}, batch);
        assert_int_equal(waited_in_all(s), 20 * (100 + 150 + 200 + 250 + 300 + 350 + 400));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_receive_waits_for_its_sender),
        cmocka_unit_test(losses_are_shared_over_their_causes),
        cmocka_unit_test(a_send_waits_for_its_receiver),
        cmocka_unit_test(a_send_that_left_before_its_receive_did_not_wait),
        cmocka_unit_test(a_wait_that_completes_a_send_waits_for_its_receiver),
        cmocka_unit_test(several_messages_wait_once_for_the_last),
        cmocka_unit_test(looking_is_not_waiting),
        cmocka_unit_test(messages_in_the_wrong_order),
        cmocka_unit_test(clocks_that_contradict_are_counted),
        cmocka_unit_test(ends_that_are_told_apart),
        cmocka_unit_test(a_send_that_is_completed_apart_waits_for_its_receiver),
        cmocka_unit_test(a_barrier_waits_for_the_last),
        cmocka_unit_test(completion_begins_when_all_have_come),
        cmocka_unit_test(completion_ends_at_the_border_of_a_region),
        cmocka_unit_test(all_to_all_waits_for_the_last),
        cmocka_unit_test(a_broadcast_waits_for_its_root),
        cmocka_unit_test(the_root_of_a_reduction_waits_for_the_others),
        cmocka_unit_test(a_scan_waits_for_the_ranks_before),
        cmocka_unit_test(a_non_blocking_one_waits_where_it_completes),
        cmocka_unit_test(begin_and_end_of_mpi),
        cmocka_unit_test(fences_of_unknown_windows_are_those_of_all),
        cmocka_unit_test(waits_end_at_the_borders_of_a_region),
        cmocka_unit_test(ranks_come_to_a_region_at_different_times),
        cmocka_unit_test(regions_without_ideal_time_have_no_causes),
        cmocka_unit_test(locks_that_nobody_names_are_told_of),
        cmocka_unit_test(calls_behind_a_deadlock_are_in_mpi),
        cmocka_unit_test(batches_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
