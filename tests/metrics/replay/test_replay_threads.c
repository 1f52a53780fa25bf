// OpenMP and the region of interest in the replay, with answers worked out by hand.
#include "tests/support/trace/replay_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void region(pj_script *s, uint32_t master, uint64_t open, uint64_t close)
{
    pj_script_openmp(s, master, PJ_OMP_PARALLEL, 3, open);
    pj_script_openmp(s, master, PJ_OMP_PARALLEL, 0, close);
}

static void function(pj_script *s, uint32_t location, uint64_t begin, uint64_t end)
{
    pj_script_openmp(s, location, PJ_OMP_FUNCTION, 7, begin);
    pj_script_openmp(s, location, PJ_OMP_FUNCTION, 0, end);
}

static void workers_start_with_their_master(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(1, 2);
    region(s, 0, 100, 310);
    function(s, 0, 110, 200);
    function(s, 1, 105, 300); // 5 before the master's: starts at 110, ends at 305
    pj_script_last(s, 0, 312);
    pj_script_last(s, 1, 320); // 20 after its end: 325
    pj_script_replay(s, (pj_replay_opts){.job = NULL}, 0);
    pj_script_expect(s, 0, 325, 312);
}

static void masters_wait_for_their_workers(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(1, 3);
    region(s, 0, 100, 302);
    function(s, 0, 110, 200);
    function(s, 1, 105, 300); // ends at 305, 3 after the master closes
    function(s, 2, 120, 301); // ends at 291
    pj_script_last(s, 0, 350);
    pj_script_replay(s, (pj_replay_opts){.job = NULL}, 0);
    pj_script_expect(s, 0, 353, 350);
}

static void workers_stand_still_between_functions(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(1, 2);
    region(s, 0, 100, 200);
    function(s, 0, 100, 190);
    function(s, 1, 110, 190); // from 100 to 180
    pj_script_call(s, 0, "MPI_Comm_rank", 300, 400);
    region(s, 0, 500, 600); // from 400 on
    function(s, 0, 500, 590);
    function(s, 1, 510, 590);
    pj_script_last(s, 0, 700);
    pj_script_last(s, 1, 720); // 210 after its begin
    pj_script_replay(s, (pj_replay_opts){.job = NULL}, 0);
    pj_script_expect(s, 0, 610, 600);
}

static void a_worker_without_region_counts_all_its_time(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(1, 2);
    function(s, 1, 300, 590); // the region's begin was cut off
    pj_script_last(s, 0, 400);
    pj_script_replay(s, (pj_replay_opts){.job = NULL}, 0);
    pj_script_expect(s, 0, 590, 400);
}

static void a_region_whose_master_works_not_starts_at_its_end(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(1, 2);
    region(s, 0, 100, 300);
    function(s, 1, 110, 290); // starts when the master closes: 300 to 480
    pj_script_last(s, 0, 310);
    pj_script_replay(s, (pj_replay_opts){.job = NULL}, 0);
    pj_script_expect(s, 0, 490, 310);
}

static void barriers_hold_the_whole_team(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(1, 2);
    region(s, 0, 90, 254);
    function(s, 0, 100, 250);
    function(s, 1, 120, 260); // starts at 100
    pj_script_openmp(s, 0, PJ_OMP_BARRIER, 1, 190);
    pj_script_openmp(s, 1, PJ_OMP_BARRIER, 1, 150);
    pj_script_openmp(s, 0, PJ_OMP_BARRIER, 0, 200); // arrives at 200
    pj_script_openmp(s, 1, PJ_OMP_BARRIER, 0, 201); // arrives at 181, leaves at 200
    pj_script_replay(s, (pj_replay_opts){.job = NULL}, 0);
    pj_script_expect(s, 0, 259, 254); // the worker has 59 to go
}

static void barriers_that_a_thread_misses_end_with_the_region(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(1, 2);
    region(s, 0, 90, 260);
    function(s, 0, 100, 250);
    function(s, 1, 100, 250);
    pj_script_openmp(s, 0, PJ_OMP_BARRIER, 0, 200);
    pj_script_replay(s, (pj_replay_opts){.job = NULL}, 0);
    pj_script_expect(s, 0, 260, 260);
}

static void wait(pj_script *s, uint32_t location, uint16_t code, uint64_t begin, uint64_t end)
{
    pj_script_openmp(s, location, code, 1, begin);
    pj_script_openmp(s, location, code, 0, end);
}

/// Where forks are traced (archives): all have come at 190, who leaves late does not hold others.
static void who_leaves_a_barrier_late_holds_nobody(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(1, 2);
    s->run->told.forks_traced = true;
    region(s, 0, 100, 520);
    function(s, 0, 100, 220);
    wait(s, 0, PJ_OMP_BARRIER, 190, 200);
    function(s, 1, 110, 510);
    wait(s, 1, PJ_OMP_BARRIER, 150, 500);
    pj_script_last(s, 0, 530);
    pj_script_replay(s, (pj_replay_opts){.job = NULL}, 0);
    pj_script_expect(s, 0, 530, 530);
}

static void a_task_in_a_barrier_is_work_before_it(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(1, 2);
    s->run->told.forks_traced = true;
    region(s, 0, 100, 230);
    function(s, 0, 100, 220);
    wait(s, 0, PJ_OMP_BARRIER, 150, 195); // for 35, then 10
    function(s, 1, 110, 215);
    pj_script_openmp(s, 1, PJ_OMP_BARRIER, 1, 140);
    wait(s, 1, PJ_OMP_TASK, 160, 185);
    pj_script_openmp(s, 1, PJ_OMP_BARRIER, 0, 200);
    pj_script_last(s, 0, 250);
    pj_script_replay(s, (pj_replay_opts){.job = NULL}, 0);
    pj_script_expect(s, 0, 250, 215);
}

/// Thread 1 is slow to leave the first barrier and takes a task that thread 0 has made since.
static void a_task_made_after_a_barrier_is_not_work_before_it(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(1, 2);
    s->run->told.forks_traced = true;
    region(s, 0, 100, 400);
    function(s, 0, 100, 390);
    wait(s, 0, PJ_OMP_BARRIER, 150, 160);
    wait(s, 0, PJ_OMP_BARRIER, 290, 310); // for 15, then 5
    function(s, 1, 110, 380);
    pj_script_openmp(s, 1, PJ_OMP_BARRIER, 1, 140);
    wait(s, 1, PJ_OMP_TASK, 200, 240);
    wait(s, 1, PJ_OMP_TASK, 250, 280);
    pj_script_openmp(s, 1, PJ_OMP_BARRIER, 0, 300);
    wait(s, 1, PJ_OMP_BARRIER, 305, 310);
    pj_script_last(s, 0, 420);
    pj_script_replay(s, (pj_replay_opts){.job = NULL}, 0);
    pj_script_expect(s, 0, 420, 420 - 15);
}

static void waiting_for_tasks_is_not_computing(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(1, 2);
    s->run->told.forks_traced = true;
    region(s, 0, 100, 230);
    function(s, 0, 100, 220);
    wait(s, 0, PJ_OMP_TASKWAIT, 130, 185); // for 50, then 5
    function(s, 1, 110, 200);
    wait(s, 1, PJ_OMP_TASK, 120, 180);
    pj_script_last(s, 0, 250);
    pj_script_replay(s, (pj_replay_opts){.job = NULL}, 0);
    pj_script_expect(s, 0, 250, 200);
}

static void waits_for_tasks(void **state)
{
    (void)state;
    static const struct {
        uint16_t code;
        double finish;
    } rows[] = {{PJ_OMP_TASKWAIT, 353}, {PJ_OMP_TASKGROUP, 353}, {PJ_OMP_TASK_MADE, 350}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pj_auto_script s = pj_script_new(1, 2);
        region(s, 0, 100, 340);
        function(s, 0, 110, 335);
        function(s, 1, 105, 310);
        pj_script_openmp(s, 1, PJ_OMP_TASK, 9, 200);
        pj_script_openmp(s, 1, PJ_OMP_TASK, 0, 300); // ends at 305
        pj_script_openmp(s, 0, rows[i].code, 2, 202);
        pj_script_openmp(s, 0, rows[i].code, 0, 302); // 3 before the task's end
        pj_script_last(s, 0, 350);
        pj_script_replay(s, (pj_replay_opts){.job = NULL}, 0);
        pj_script_expect(s, 0, rows[i].finish, 350);
    }
}

static void later_waits_include_earlier_tasks(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(1, 3);
    region(s, 0, 100, 340);
    function(s, 0, 110, 335);
    function(s, 1, 105, 330);
    function(s, 2, 110, 330);
    pj_script_openmp(s, 1, PJ_OMP_TASK, 0, 300);     // ends at 305
    pj_script_openmp(s, 2, PJ_OMP_TASKWAIT, 0, 301); // waits until 305
    pj_script_openmp(s, 0, PJ_OMP_TASKWAIT, 0, 302); // so does the master
    pj_script_last(s, 0, 350);
    pj_script_replay(s, (pj_replay_opts){.job = NULL}, 0);
    pj_script_expect(s, 0, 353, 350);
}

static void hybrid_runs_join_both(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 2);
    for (uint32_t r = 0; r < 2; r++) {
        uint32_t master = 2 * r;
        pj_script_collect(s, master,
                          (pj_script_collective){"MPI_Barrier", r ? 50 : 90, 100, 1, false, 0});
        region(s, master, 110, 200);
        function(s, master, 110, 180);
        function(s, master + 1, 112, r ? 198 : 150);
        pj_script_last(s, master, 220);
    }
    pj_script_replay(s, (pj_replay_opts){.job = NULL}, 0);
    pj_script_expect(s, 0, 90 + 120, 210); // both leave the barrier at 90
    pj_script_expect(s, 1, 90 + 120, 170);
}

static void workers_may_call_mpi_in_their_functions(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 2);
    region(s, 0, 100, 200);
    function(s, 0, 100, 180);
    function(s, 1, 100, 190);
    pj_script_call(s, 1, "MPI_Send", 150, 160);
    pj_script_call(s, 2, "MPI_Recv", 10, 160);
    pj_script_send(s, (pj_script_message){1, 2, 150, 10, 160, 100, .record = 0});
    pj_script_last(s, 2, 165);
    pj_script_replay(s, (pj_replay_opts){.job = NULL}, 0);
    pj_script_expect(s, 1, 155, 15);
    assert_int_equal(s->run->import.count[PJ_IMPORT_mpi_outside_function], 0);
}

static void threads_that_call_mpi_on_their_own_count_all_their_time(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(2, 2);
    pj_script_call(s, 1, "MPI_Send", 150, 160);
    pj_script_call(s, 2, "MPI_Recv", 10, 160);
    pj_script_send(s, (pj_script_message){1, 2, 150, 10, 160, 100, .record = 0});
    pj_script_last(s, 1, 400);
    pj_script_replay(s, (pj_replay_opts){.job = NULL}, 0);
    pj_script_expect(s, 1, 150, 10);
    pj_script_expect(s, 0, 390, 0);
    assert_int_equal(s->run->import.count[PJ_IMPORT_mpi_outside_function], 1);
}

// The region of interest

static pj_script *two_ranks_with_a_barrier(void)
{
    pj_script *s = pj_script_new(2, 1);
    for (uint32_t r = 0; r < 2; r++) {
        pj_script_collect(s, r,
                          (pj_script_collective){"MPI_Barrier", r ? 180 : 100, 200, 1, false, 0});
        pj_script_last(s, r, 300);
    }
    return s;
}

static void regions_of_interest_take_the_difference_of_clocks(void **state)
{
    (void)state;
    static const struct {
        uint64_t from, to;
        double runtime, compute[2];
    } rows[] = {
        {50, 250, 180, {100, 180}}, // to: 180 + 50
        {150, 250, 50, {50, 80}},   // rank 0 passes 150 in the barrier, at 180
        {0, 100, 100, {100, 100}},  // the begin of the barrier
        {0, 1000, 280, {200, 280}}, // beyond the end
        {290, 290, 0, {0, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pj_auto_script s = two_ranks_with_a_barrier();
        s->run->roi = (pj_roi){.set = true, .from_ns = rows[i].from, .to_ns = rows[i].to};
        pj_script_replay(s, (pj_replay_opts){.job = NULL}, 0);
        for (uint32_t r = 0; r < 2; r++)
            if (s->run->ideal.compute_ns[r] != rows[i].compute[r])
                fail_msg("row %zu rank %u: %g", i, r, s->run->ideal.compute_ns[r]);
        if (s->run->ideal.runtime_ns != rows[i].runtime)
            fail_msg("row %zu: %g", i, s->run->ideal.runtime_ns);
    }
}

/// The worker is at 325 when all is over; before, nobody knows where it would be.
static void a_region_to_the_end_takes_what_workers_take(void **state)
{
    (void)state;
    for (uint64_t to = 311; to <= 320; to += 9) {
        pj_auto_script s = pj_script_new(1, 2);
        region(s, 0, 100, 310);
        function(s, 0, 110, 200);
        function(s, 1, 105, 300);
        pj_script_last(s, 0, 312);
        pj_script_last(s, 1, 320);
        s->run->end_ns = 320;
        s->run->roi = (pj_roi){.set = true, .from_ns = 0, .to_ns = to};
        pj_script_replay(s, (pj_replay_opts){.job = NULL}, 0);
        assert_true(s->run->ideal.runtime_ns == (to == 320 ? 325 : 311));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_start_with_their_master),
        cmocka_unit_test(masters_wait_for_their_workers),
        cmocka_unit_test(workers_stand_still_between_functions),
        cmocka_unit_test(a_worker_without_region_counts_all_its_time),
        cmocka_unit_test(a_region_whose_master_works_not_starts_at_its_end),
        cmocka_unit_test(barriers_hold_the_whole_team),
        cmocka_unit_test(barriers_that_a_thread_misses_end_with_the_region),
        cmocka_unit_test(who_leaves_a_barrier_late_holds_nobody),
        cmocka_unit_test(a_task_in_a_barrier_is_work_before_it),
        cmocka_unit_test(a_task_made_after_a_barrier_is_not_work_before_it),
        cmocka_unit_test(waiting_for_tasks_is_not_computing),
        cmocka_unit_test(waits_for_tasks),
        cmocka_unit_test(later_waits_include_earlier_tasks),
        cmocka_unit_test(hybrid_runs_join_both),
        cmocka_unit_test(workers_may_call_mpi_in_their_functions),
        cmocka_unit_test(threads_that_call_mpi_on_their_own_count_all_their_time),
        cmocka_unit_test(a_region_to_the_end_takes_what_workers_take),
        cmocka_unit_test(regions_of_interest_take_the_difference_of_clocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
