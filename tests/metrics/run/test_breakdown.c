// Where time goes: parts of threads made by hand.
#include "metrics/run/breakdown.h"
#include "metrics/stat/state_clock.h"
#include "tests/support/made_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static uint64_t sum_of(const uint64_t ns[PJ_TIME_PARTS])
{
    uint64_t sum = 0;
    for (size_t p = 0; p < PJ_TIME_PARTS; p++)
        sum += ns[p];
    return sum;
}

/// A rank with a master in regions for 600 of 1000 ns and two workers.
static pj_run *team(void)
{
    static const uint32_t threads[] = {3};
    pj_run *run = made_run("team.prv", threads, 1);
    run->has_openmp = true;
    run->totals[0] = (pj_totals){.useful_ns = 700, .openmp_ns = 600, .runtime_ns = 950};
    run->totals[0].spent_ns[PJ_SPENT_SYNC] = 100;
    run->totals[0].spent_ns[PJ_SPENT_FORK] = 50;
    run->totals[0].spent_ns[PJ_SPENT_P2P] = 60;
    run->totals[0].spent_ns[PJ_SPENT_COLLECTIVE] = 30;
    run->totals[0].spent_ns[PJ_SPENT_MPI] = 10;
    run->totals[1] = (pj_totals){.useful_ns = 500, .openmp_ns = 600, .runtime_ns = 600};
    run->totals[1].spent_ns[PJ_SPENT_SYNC] = 100;
    run->totals[2] = (pj_totals){.useful_ns = 300, .openmp_ns = 300, .runtime_ns = 300};
    run->runtime_ns = 1000;
    return run;
}

static void workers_idle_while_their_master_is_alone(void **state)
{
    (void)state;
    pj_auto_run run = team();
    uint64_t ns[PJ_TIME_PARTS];
    pj_breakdown_of(run, 0, ns);
    assert_int_equal(ns[PJ_TIME_openmp_wait], 100);
    assert_int_equal(ns[PJ_TIME_scheduling], 50);
    assert_int_equal(ns[PJ_TIME_mpi_p2p], 60);
    assert_int_equal(ns[PJ_TIME_mpi_collective], 30);
    assert_int_equal(ns[PJ_TIME_mpi_other], 10);
    assert_int_equal(ns[PJ_TIME_idle], 50); // a master is not idle because of itself
    assert_int_equal(sum_of(ns), 1000);
    pj_breakdown_of(run, 1, ns);
    assert_int_equal(ns[PJ_TIME_serial_idle], 400);
    assert_int_equal(ns[PJ_TIME_openmp_wait], 100);
    assert_int_equal(sum_of(ns), 1000);
}

/// A trace need not say that a worker waits in a region, or takes no part in it.
static void idle_beyond_that_is_in_regions(void **state)
{
    (void)state;
    pj_auto_run run = team();
    uint64_t ns[PJ_TIME_PARTS];
    pj_breakdown_of(run, 2, ns);
    assert_int_equal(ns[PJ_TIME_serial_idle], 400);
    assert_int_equal(ns[PJ_TIME_openmp_wait], 300);
    assert_int_equal(ns[PJ_TIME_idle], 0);
    assert_int_equal(sum_of(ns), 1000);
}

static void without_openmp_nothing_is_called_so(void **state)
{
    (void)state;
    pj_auto_run run = team();
    run->has_openmp = false;
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t ns[PJ_TIME_PARTS];
        pj_breakdown_of(run, i, ns);
        assert_int_equal(ns[PJ_TIME_openmp_wait] + ns[PJ_TIME_scheduling], 0);
        assert_int_equal(ns[PJ_TIME_serial_idle], 0);
        assert_int_equal(sum_of(ns), 1000);
    }
}

/// Values of a summary may be rounded up.
static void rounded_values_add_up(void **state)
{
    (void)state;
    pj_auto_run run = team();
    uint64_t ns[PJ_TIME_PARTS];
    run->totals[1].useful_ns = 950;
    pj_breakdown_of(run, 1, ns);
    assert_int_equal(sum_of(ns), 1000);
    assert_int_equal(ns[PJ_TIME_useful], 950);
}

static void the_table_has_every_thread(void **state)
{
    (void)state;
    pj_auto_run run = team();
    pj_auto_table table = pj_breakdown_table(run);
    assert_int_equal(table->row_count, 3);
    assert_int_equal(table->column_count, PJ_TIME_PARTS + 2); // nobody calls devices
    assert_string_equal(table->columns[2].key, "useful_ns");
    assert_int_equal(pj_table_cell(table, 2, 1)->integer, 2);
    assert_int_equal(pj_table_cell(table, 2, PJ_TIME_PARTS + 1)->integer, 1000);
    run->spent_unknown = true;
    pj_auto_table empty = pj_breakdown_table(run);
    assert_int_equal(empty->row_count, 0);
    assert_non_null(strstr(empty->note, "earlier popinjay"));
}

static void calls_of_devices_have_a_part(void **state)
{
    (void)state;
    pj_auto_run run = team();
    run->totals[1].spent_ns[PJ_SPENT_DEVICE] = run->totals[1].device_calls_ns = 80;
    uint64_t ns[PJ_TIME_PARTS];
    pj_breakdown_of(run, 1, ns);
    assert_int_equal(ns[PJ_TIME_device_runtime], 80);
    assert_int_equal(ns[PJ_TIME_other], 0);
    assert_int_equal(sum_of(ns), 1000);
    pj_auto_table table = pj_breakdown_table(run);
    assert_int_equal(table->column_count, PJ_TIME_PARTS + 3);
    int column = pj_table_column(table, PJ_S("device_runtime_ns"));
    assert_int_equal(pj_table_cell(table, 1, (size_t)column)->integer, 80);
    assert_int_equal(pj_table_cell(table, 1, PJ_TIME_PARTS + 2)->integer, 1000);
}

// Calls and states

static uint64_t spent(unsigned class_, unsigned state, unsigned kind)
{
    pj_window window = {0, UINT64_MAX, false};
    pj_state_clock timeline;
    pj_state_clock_begin(&timeline, &window, NULL);
    if (class_)
        pj_state_clock_mpi(&timeline, 10, class_, true);
    pj_state_clock_state(&timeline, 10, 30, state);
    if (class_)
        pj_state_clock_mpi(&timeline, 30, class_, false);
    pj_state_clock_state(&timeline, 30, 40, PJ_STATE_RUNNING);
    pj_state_clock_end(&timeline, 40);
    uint64_t ns = timeline.spent[kind];
    pj_state_clock_free(&timeline);
    return ns;
}

static void calls_decide_before_states(void **state)
{
    enum { SYNC = 5, TEST = 6, FORK = 7, WAIT = 8, IO = 12, GROUP = 13 };
    (void)state;
    assert_int_equal(spent(0, SYNC, PJ_SPENT_SYNC), 20);
    assert_int_equal(spent(0, FORK, PJ_SPENT_FORK), 20);
    assert_int_equal(spent(0, WAIT, PJ_SPENT_P2P), 20);
    assert_int_equal(spent(0, IO, PJ_SPENT_IO), 20);
    assert_int_equal(spent(0, 99, PJ_SPENT_OTHER), 20);
    assert_int_equal(spent(PJ_MPI_P2P, PJ_STATE_OTHERS, PJ_SPENT_P2P), 20);
    assert_int_equal(spent(PJ_MPI_COLLECTIVE, SYNC, PJ_SPENT_COLLECTIVE), 20);
    assert_int_equal(spent(PJ_MPI_ONE_SIDED, GROUP, PJ_SPENT_MPI), 20);
    assert_int_equal(spent(PJ_MPI_OTHER, PJ_STATE_OTHERS, PJ_SPENT_MPI), 20);
    assert_int_equal(spent(PJ_MPI_OTHER, TEST, PJ_SPENT_P2P), 20);
    assert_int_equal(spent(PJ_MPI_IO, PJ_STATE_OTHERS, PJ_SPENT_MPI_IO), 20);
    for (unsigned kind = 0; kind < PJ_SPENT_KINDS; kind++) {
        assert_int_equal(spent(PJ_MPI_P2P, PJ_STATE_RUNNING, kind), 0);
        assert_int_equal(spent(PJ_MPI_P2P, PJ_STATE_IDLE, kind), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_idle_while_their_master_is_alone),
        cmocka_unit_test(idle_beyond_that_is_in_regions),
        cmocka_unit_test(without_openmp_nothing_is_called_so),
        cmocka_unit_test(rounded_values_add_up),
        cmocka_unit_test(the_table_has_every_thread),
        cmocka_unit_test(calls_of_devices_have_a_part),
        cmocka_unit_test(calls_decide_before_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
