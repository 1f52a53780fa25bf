// Who made ranks wait, and the critical path, with answers worked out by hand (DEFINITIONS 9).
#include "metrics/run/aspect.h"
#include "metrics/run/waits/delays_table.h"
#include "metrics/run/waits/run_delays.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/run/waits/wait_causes.h"
#include "metrics/trace/event.h"
#include "tests/support/trace/replay_script.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { A = 1, B, C }; // functions

static void in_function(pj_script *s, uint32_t location, uint64_t function, uint64_t begin,
                        uint64_t end)
{
    pj_event event = {.time = begin,
                      .a = function,
                      .location = location,
                      .kind = PJ_EV_OTHER,
                      .code = PJ_FUNCTION};
    pj_script_event(s, event);
    event.time = end;
    event.a = 0;
    pj_script_event(s, event);
    pj_script_last(s, location, end);
}

static const pj_delays *solve(pj_script *s, uint64_t runtime)
{
    double waits = 0, costs = 0;
    uint64_t along = 0;
    s->run->runtime_ns = s->run->end_ns = runtime;
    pj_script_replay(s, (pj_replay_opts){.waits = true, .history = PJ_HISTORY}, 0);
    const pj_delays *d = s->run->waits->delays;
    assert_non_null(d);
    for (uint32_t i = 0; i < s->run->layout.ranks; i++)
        waits += (double)s->run->waits->ranks[i].wait_ns;
    for (uint32_t i = 0; i < d->delay_count; i++)
        costs += d->delays[i].short_ns + d->delays[i].long_ns;
    for (uint32_t i = 0; i < d->paths[PJ_PATH_MEASURED].count; i++)
        along += d->paths[PJ_PATH_MEASURED].parts[i].ns;
    assert_true(fabs(waits - costs - d->unattributed_ns) < 1e-6);
    assert_int_equal(along, s->run->totals[d->paths[PJ_PATH_MEASURED].last_rank].last_event_ns);
    return d;
}

static uint32_t region_of(const pj_delays *d, const char *name)
{
    for (uint32_t i = 0; i < d->region_count; i++)
        if (strcmp(d->regions[i].name, name) == 0)
            return i;
    fail_msg("no region %s", name);
    return 0;
}

static pj_delay delay_of(const pj_delays *d, uint32_t culprit, const char *region)
{
    for (uint32_t i = 0; i < d->delay_count; i++)
        if (d->delays[i].culprit == culprit && d->delays[i].region == region_of(d, region))
            return d->delays[i];
    return (pj_delay){.culprit = culprit};
}

static uint64_t path_at(const pj_delays *d, pj_path_clock clock, const char *region, uint32_t rank)
{
    const pj_critical_path *path = &d->paths[clock];
    for (uint32_t i = 0; i < path->count; i++)
        if (path->parts[i].rank == rank && path->parts[i].region == region_of(d, region))
            return path->parts[i].ns;
    return 0;
}

static uint64_t path_of(const pj_delays *d, const char *region, uint32_t rank)
{
    return path_at(d, PJ_PATH_MEASURED, region, rank);
}

static uint64_t ideal_path_of(const pj_delays *d, const char *region, uint32_t rank)
{
    return path_at(d, PJ_PATH_IDEAL, region, rank);
}

/// ns of the ideal path, which must be as long as the run is there.
static uint64_t ideal_length(const pj_script *s, const pj_delays *d)
{
    const pj_critical_path *path = &d->paths[PJ_PATH_IDEAL];
    uint64_t along = 0;
    assert_null(path->lacks);
    for (uint32_t i = 0; i < path->count; i++)
        along += path->parts[i].ns;
    assert_int_equal(along, path->length_ns);
    assert_int_equal(along, s->run->ideal.runtime_ns);
    return along;
}

/// A late message from rank 0 makes rank 1 late for a barrier, and so ranks 0 and 2 wait.
static pj_script *propagation(void)
{
    pj_script *s = pj_script_new(3, 1);
    in_function(s, 0, A, 0, 120);
    in_function(s, 0, B, 124, 144);
    in_function(s, 1, A, 0, 60);
    in_function(s, 1, B, 126, 204);
    in_function(s, 2, A, 0, 60);
    in_function(s, 2, B, 60, 140);
    pj_script_call(s, 0, "MPI_Send", 120, 124);
    pj_script_call(s, 1, "MPI_Recv", 60, 126);
    pj_script_send(s, (pj_script_message){0, 1, 120, 60, 126, .size = 100});
    static const uint64_t enter[] = {144, 204, 140};
    for (uint32_t i = 0; i < 3; i++) {
        pj_script_collect(s, i, (pj_script_collective){"MPI_Barrier", enter[i], 206, 1, false, 0});
        in_function(s, i, C, 206, 260);
    }
    return s;
}

static void waits_hand_on_what_they_come_of(void **state)
{
    (void)state;
    pj_auto_script s = propagation();
    const pj_delays *d = solve(s, 260);
    assert_true(fabs(delay_of(d, 0, "function 1").short_ns - 60) < 1e-9);
    assert_true(fabs(delay_of(d, 0, "function 1").long_ns - 60 * 64.0 / 66) < 1e-9);
    assert_true(fabs(delay_of(d, 1, "function 2").short_ns - 58) < 1e-9);
    assert_true(fabs(delay_of(d, 1, "MPI_Recv").short_ns - 6 * 64.0 / 66) < 1e-9);
    assert_true(fabs(d->unattributed_ns - 2) < 1e-9);
    assert_int_equal(d->far, 0);
}

static void the_path_goes_from_rank_to_rank(void **state)
{
    (void)state;
    pj_auto_script s = propagation();
    const pj_delays *d = solve(s, 260);
    assert_int_equal(d->paths[PJ_PATH_MEASURED].last_rank, 0);
    assert_int_equal(path_of(d, "function 1", 0), 120);
    assert_int_equal(path_of(d, "MPI_Recv", 1), 6);
    assert_int_equal(path_of(d, "function 2", 1), 78);
    assert_int_equal(path_of(d, "MPI_Barrier", 0), 2);
    assert_int_equal(path_of(d, "function 3", 0), 54);
}

static void waits_belong_to_the_function_that_calls(void **state)
{
    (void)state;
    pj_auto_script s = propagation();
    in_function(s, 0, 7, 144, 206);
    const pj_delays *d = solve(s, 260);
    const pj_region_waits *inside =
        &d->regions[region_of(d, "function 7")].waits[PJ_WAIT_barrier_wait];
    assert_int_equal(inside->instances, 1);
    assert_int_equal(inside->wait_ns, 60);
    assert_int_equal(inside->longest_ns, 60);
    assert_int_equal(inside->longest_at_ns, 144);
}

/// A wait is known only after its rank has gone on: its receive is posted late.
static void a_wait_that_becomes_known_late_changes_the_path(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 0, "MPI_Isend", 20, 22);
    pj_script_call(s, 0, "MPI_Wait", 60, 150);
    pj_script_call(s, 0, "MPI_Comm_rank", 152, 154);
    pj_script_call(s, 1, "MPI_Recv", 140, 155);
    pj_script_send(s, (pj_script_message){0, 1, 20, 140, 155, .sent = 150, .size = 100000});
    pj_script_last(s, 0, 200);
    pj_script_last(s, 1, 200);
    const pj_delays *d = solve(s, 200);
    assert_int_equal(path_of(d, "outside any function", 1), 140);
    assert_int_equal(path_of(d, "MPI_Wait", 0), 10);
    assert_int_equal(path_of(d, "MPI_Comm_rank", 0), 2);
    assert_int_equal(path_of(d, "outside any function", 0), 48);
}

/// The same, and another rank waits for what came of it: the ten of the call that are no wait, what
/// rank 0 computes longer, and the 80 that rank 1 is late.
static void a_wait_that_becomes_known_late_is_handed_on(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(3, 1);
    pj_script_call(s, 0, "MPI_Isend", 20, 22);
    pj_script_call(s, 0, "MPI_Wait", 60, 150);
    pj_script_call(s, 0, "MPI_Comm_rank", 152, 154);
    pj_script_call(s, 0, "MPI_Send", 170, 171);
    pj_script_call(s, 1, "MPI_Recv", 140, 155);
    pj_script_call(s, 2, "MPI_Recv", 10, 172);
    pj_script_send(s, (pj_script_message){0, 1, 20, 140, 155, .sent = 150, .size = 100000});
    pj_script_send(s, (pj_script_message){0, 2, 170, 10, 172, .size = 100});
    for (uint32_t rank = 0; rank < 3; rank++)
        pj_script_last(s, rank, 200);
    const pj_delays *d = solve(s, 200);
    assert_true(fabs(delay_of(d, 0, "outside any function").short_ns - 66) < 1e-9);
    assert_true(fabs(delay_of(d, 0, "MPI_Wait").short_ns - 10) < 1e-9);
    assert_true(fabs(delay_of(d, 1, "outside any function").short_ns - 80) < 1e-9);
    assert_true(fabs(delay_of(d, 1, "outside any function").long_ns - 80) < 1e-9);
    assert_true(d->unattributed_ns == 0);
}

/// Two of four ranks exchange messages so often that the first barrier of all is forgotten.
static void ranks_that_met_too_long_ago_are_counted(void **state)
{
    (void)state;
    enum { ROUNDS = 400, EACH = 100 };
    pj_auto_script s = pj_script_new(4, 1);
    for (uint32_t i = 0; i < 4; i++)
        pj_script_collect(s, i, (pj_script_collective){"MPI_Barrier", 10, 12, 1, false, 0});
    for (uint64_t n = 0; n < ROUNDS; n++)
        for (uint32_t pair = 0; pair < 2; pair++) {
            uint64_t at = 20 + n * EACH, sent = at + 50 + (n + pair) % 3;
            pj_script_call(s, 2 * pair, "MPI_Send", sent, sent + 5);
            pj_script_call(s, 2 * pair + 1, "MPI_Recv", at, sent + 10);
            pj_script_send(
                s, (pj_script_message){2 * pair, 2 * pair + 1, sent, at, sent + 10, .size = 100});
        }
    uint64_t end = 20 + ROUNDS * EACH;
    for (uint32_t i = 0; i < 4; i++)
        pj_script_collect(s, i,
                          (pj_script_collective){"MPI_Barrier", end + i, end + 10, 1, false, 0});
    for (uint32_t i = 0; i < 4; i++)
        pj_script_last(s, i, end + 20);
    const pj_delays *d = solve(s, end + 20);
    assert_int_equal(d->far, 2); // of ranks 0 and 1 for rank 3
}

/// The barrier waits for rank 1, which has computed 78 since the message of rank 0 came at 120.
static void the_ideal_path_has_no_mpi(void **state)
{
    (void)state;
    pj_auto_script s = propagation();
    const pj_delays *d = solve(s, 260);
    assert_int_equal(ideal_length(s, d), 252);
    assert_int_equal(d->paths[PJ_PATH_IDEAL].last_rank, 0);
    assert_int_equal(ideal_path_of(d, "function 1", 0), 120);
    assert_int_equal(ideal_path_of(d, "function 2", 1), 78);
    assert_int_equal(ideal_path_of(d, "function 3", 0), 54);
    assert_int_equal(d->paths[PJ_PATH_IDEAL].count, 3);
}

/// One call waits twice: for rank 0 until 70, then for rank 1 until 110.
static void a_call_with_two_waits_goes_over_twice(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(3, 1);
    in_function(s, 0, A, 0, 70);
    in_function(s, 1, B, 0, 110);
    in_function(s, 2, C, 120, 160);
    pj_script_call(s, 0, "MPI_Send", 70, 72);
    pj_script_call(s, 1, "MPI_Send", 110, 112);
    pj_script_call(s, 2, "MPI_Irecv", 0, 0);
    pj_script_call(s, 2, "MPI_Irecv", 0, 0);
    pj_script_call(s, 2, "MPI_Waitall", 40, 120);
    pj_script_send(s, (pj_script_message){0, 2, 70, 0, 120, .size = 100});
    pj_script_send(s, (pj_script_message){1, 2, 110, 0, 120, .size = 100});
    for (uint32_t i = 0; i < 3; i++)
        pj_script_last(s, i, 160);
    const pj_delays *d = solve(s, 160);
    assert_int_equal(ideal_length(s, d), 158); // rank 0 has 88 behind its call of 2
    assert_int_equal(ideal_path_of(d, "function 1", 0), 70);
    assert_int_equal(ideal_path_of(d, "outside any function", 0), 88);
}

/// A rank goes on for a thousand calls before another one, held by a third, takes its message.
static void ranks_that_have_gone_on_too_far_are_told_of(void **state)
{
    (void)state;
    enum { CALLS = 1000, LATE = 5000 };
    pj_auto_script s = pj_script_new(2, 1);
    pj_script_call(s, 0, "MPI_Send", 50, 51);
    for (uint64_t n = 0; n < CALLS; n++)
        pj_script_call(s, 0, "MPI_Comm_rank", 60 + 2 * n, 61 + 2 * n);
    pj_script_call(s, 1, "MPI_Recv", 10, LATE);
    pj_script_send(s, (pj_script_message){0, 1, 50, 10, LATE, .size = 100, .record = LATE});
    for (uint32_t i = 0; i < 2; i++)
        pj_script_last(s, i, LATE + LATE * (uint64_t)i);
    s->run->runtime_ns = s->run->end_ns = 2 * LATE;
    pj_script_replay(s, (pj_replay_opts){.waits = true, .history = PJ_HISTORY}, 0);
    for (unsigned clock = 0; clock < PJ_PATHS; clock++) {
        pj_err err = {.code = PJ_E_NONE};
        pj_auto_table table = pj_delays_table(s->run, PJ_DELAYS_PATH, (pj_path_clock)clock, &err);
        assert_non_null(table);
        size_t last = table->row_count - 1;
        assert_string_equal(pj_table_cell(table, last, 0)->text, "not known");
        assert_int_equal(pj_table_cell(table, last, 1)->kind, PJ_CELL_EMPTY);
        assert_int_equal(pj_table_cell(table, last, 2)->integer, 40); // what rank 1 waits
    }
}

/// Rank 0 computes 120 of function 1, ranks 1 and 2 do 60 of it: their waits are put down to what
/// the path does longer than they.
static void regions_cost_what_the_path_does_longer(void **state)
{
    (void)state;
    pj_auto_script s = propagation();
    const pj_delays *d = solve(s, 260);
    const pj_path_impact *a = &d->regions[region_of(d, "function 1")].impact[PJ_PATH_IDEAL];
    const pj_path_impact *b = &d->regions[region_of(d, "function 2")].impact[PJ_PATH_IDEAL];
    assert_int_equal(a->on_path_ns, 120 + 60 + 60);
    assert_int_equal(a->off_path_ns, 0);
    assert_int_equal(b->on_path_ns, 20 + 78 + 78);
    assert_int_equal(b->off_path_ns, 2); // rank 2 does 80
    // Rank 0 lacks 58 of B and waits 58, rank 1 lacks 60 of A and waits 60, rank 2 lacks 60 of A,
    // does 2 more of B and waits 58.
    assert_true(fabs(a->imbalance_ns - (60 + 58)) < 1e-9);
    assert_true(fabs(b->imbalance_ns - 58) < 1e-9);
}

/// On the ideal network the second thread of rank 0 begins with the first one, at 10, and is waited
/// for until 49 in place of 40. What the first one does until its send takes so much longer.
static void ranks_wait_for_their_threads(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 2);
    in_function(s, 0, A, 0, 40);
    pj_script_openmp(s, 0, PJ_OMP_PARALLEL, 1, 0);
    pj_script_openmp(s, 0, PJ_OMP_FUNCTION, 1, 10);
    pj_script_openmp(s, 0, PJ_OMP_FUNCTION, 0, 38);
    pj_script_openmp(s, 0, PJ_OMP_PARALLEL, 0, 40);
    pj_script_openmp(s, 1, PJ_OMP_FUNCTION, 1, 0);
    pj_script_openmp(s, 1, PJ_OMP_FUNCTION, 0, 39);
    pj_script_call(s, 0, "MPI_Send", 45, 47);
    pj_script_call(s, 2, "MPI_Recv", 20, 50);
    pj_script_send(s, (pj_script_message){0, 2, 45, 20, 50, .size = 100});
    pj_script_last(s, 0, 60);
    pj_script_last(s, 2, 60);
    const pj_delays *d = solve(s, 60);
    assert_true(s->run->ideal.runtime_ns == 67);
    assert_int_equal(d->paths[PJ_PATH_IDEAL].length_ns, 67);
    assert_int_equal(ideal_path_of(d, "function 1", 0), 48); // 40 of 45 that take 54
    assert_int_equal(ideal_path_of(d, "outside any function", 0), 6 + 13);
    assert_int_equal(s->run->waits->sums[0].ideal_ns, 54 - 20);
    assert_true(pj_script_lost(s, "load_balance", "late_sender") == 34);
    assert_true(pj_script_lost(s, "load_balance", "end") == 3);
    assert_true(pj_script_lost(s, "serialisation_efficiency", NULL) == 0);
    assert_true(pj_script_lost(s, "transfer_efficiency", "outside_mpi") == -9);
    assert_true(pj_script_lost(s, "transfer_efficiency", NULL) == 2 * (60 - 67));
}

/// Rank 0 calls MPI in OpenMP: counted as computation, that takes longer than the ideal runtime.
static void nothing_is_serialised_where_openmp_is_longer(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 2);
    pj_script_openmp(s, 0, PJ_OMP_PARALLEL, 1, 0);
    pj_script_call(s, 0, "MPI_Send", 10, 70);
    pj_script_openmp(s, 0, PJ_OMP_PARALLEL, 0, 75);
    pj_script_call(s, 2, "MPI_Recv", 8, 71);
    pj_script_send(s, (pj_script_message){0, 2, 10, 8, 71, .size = 100});
    pj_script_last(s, 0, 80);
    pj_script_last(s, 2, 80);
    s->run->totals[0].openmp_ns = 75;
    s->run->totals[2].serial_useful_ns = 17;
    solve(s, 80);
    assert_true(s->run->ideal.runtime_ns == 20); // 10, 5 and 5; rank 1 waits from 8 to 10
    pj_auto_arena arena = pj_arena_new(NULL);
    uint32_t count;
    double balance = 0, serial = 0;
    const pj_wait_cause *causes =
        pj_wait_causes(s->run, PJ_WORK_COMPUTING, PJ_WORK_COMPUTING, arena, &count);
    for (uint32_t i = 0; i < count; i++) {
        bool sender = strcmp(causes[i].cause, "late_sender") == 0;
        balance += strcmp(causes[i].metric, "load_balance") == 0 ? causes[i].loss_ns : 0;
        serial += strcmp(causes[i].metric, "serialisation_efficiency") == 0 ? causes[i].loss_ns : 0;
        assert_true(!sender || causes[i].loss_ns == 2);
    }
    assert_true(balance == 75 - 17);
    assert_true(serial == 2 * (20 - 75));
}

static pj_script *propagation_in(uint64_t from, uint64_t to)
{
    pj_script *s = propagation();
    s->run->roi = (pj_roi){.set = true, .from_ns = from, .to_ns = to};
    s->run->runtime_ns = to - from;
    s->run->end_ns = 260;
    pj_script_replay(s, (pj_replay_opts){.waits = true, .history = PJ_HISTORY}, 0);
    assert_non_null(s->run->waits->delays);
    return s;
}

/// Its waits are those that lie in it.
static void regions_of_interest_tell_the_functions_that_wait(void **state)
{
    (void)state;
    pj_auto_script s = propagation_in(100, 250);
    uint64_t waits = 0, told = 0;
    for (uint32_t i = 0; i < s->run->waits->sum_count; i++)
        waits += s->run->waits->sums[i].wait_ns;
    const pj_delays *d = s->run->waits->delays;
    for (uint32_t r = 0; r < d->region_count; r++)
        for (unsigned p = 0; p < PJ_WAIT_PATTERNS; p++)
            told += d->regions[r].waits[p].wait_ns;
    assert_true(waits > 0);
    assert_int_equal(told, waits);
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_table table = pj_delays_table(s->run, PJ_DELAYS_REGION, PJ_PATH_MEASURED, &err);
    assert_non_null(table);
}

/// Of the wait for the message 20 of 60 lie behind 100: what has led to it counts with a third.
static void delays_count_as_far_as_their_waits_are_in_the_region(void **state)
{
    (void)state;
    pj_auto_script s = propagation_in(100, 250);
    const pj_delays *d = s->run->waits->delays;
    assert_true(fabs(delay_of(d, 0, "function 1").short_ns - 20) < 1e-9);
    assert_true(fabs(delay_of(d, 0, "function 1").long_ns - 60 * 64.0 / 66) < 1e-9);
    assert_true(fabs(delay_of(d, 1, "function 2").short_ns - 58) < 1e-9);
    assert_true(fabs(delay_of(d, 1, "MPI_Recv").short_ns - 6 * 64.0 / 66) < 1e-9);
    assert_true(fabs(d->unattributed_ns - 2) < 1e-9);
    pj_auto_script before = propagation_in(0, 100);
    d = before->run->waits->delays;
    assert_int_equal(d->delay_count, 1);
    assert_true(fabs(delay_of(d, 0, "function 1").short_ns - 40) < 1e-9);
    assert_true(d->unattributed_ns == 0);
}

static void regions_of_interest_have_their_part_of_the_path(void **state)
{
    (void)state;
    pj_auto_script s = propagation_in(100, 250);
    const pj_delays *d = s->run->waits->delays;
    assert_int_equal(d->paths[PJ_PATH_MEASURED].last_rank, 0);
    assert_int_equal(d->paths[PJ_PATH_MEASURED].length_ns, 150);
    assert_int_equal(path_of(d, "function 1", 0), 20);
    assert_int_equal(path_of(d, "MPI_Recv", 1), 6);
    assert_int_equal(path_of(d, "function 2", 1), 78);
    assert_int_equal(path_of(d, "MPI_Barrier", 0), 2);
    assert_int_equal(path_of(d, "function 3", 0), 44);
    assert_int_equal(d->paths[PJ_PATH_IDEAL].length_ns, 20 + 78 + 44);
    assert_int_equal(ideal_path_of(d, "function 1", 0), 20);
    assert_int_equal(ideal_path_of(d, "function 2", 1), 78);
    assert_int_equal(ideal_path_of(d, "function 3", 0), 44);
    const pj_delay_region *b = &d->regions[region_of(d, "function 2")];
    assert_int_equal(b->time_ns[PJ_PATH_MEASURED], 20 + 78 + 40); // of rank 2 from 100 on
    assert_int_equal(b->impact[PJ_PATH_MEASURED].on_path_ns, 20 + 78 + 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_hand_on_what_they_come_of),
        cmocka_unit_test(the_path_goes_from_rank_to_rank),
        cmocka_unit_test(waits_belong_to_the_function_that_calls),
        cmocka_unit_test(a_wait_that_becomes_known_late_changes_the_path),
        cmocka_unit_test(a_wait_that_becomes_known_late_is_handed_on),
        cmocka_unit_test(ranks_that_met_too_long_ago_are_counted),
        cmocka_unit_test(the_ideal_path_has_no_mpi),
        cmocka_unit_test(a_call_with_two_waits_goes_over_twice),
        cmocka_unit_test(ranks_that_have_gone_on_too_far_are_told_of),
        cmocka_unit_test(regions_cost_what_the_path_does_longer),
        cmocka_unit_test(ranks_wait_for_their_threads),
        cmocka_unit_test(nothing_is_serialised_where_openmp_is_longer),
        cmocka_unit_test(regions_of_interest_tell_the_functions_that_wait),
        cmocka_unit_test(delays_count_as_far_as_their_waits_are_in_the_region),
        cmocka_unit_test(regions_of_interest_have_their_part_of_the_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
