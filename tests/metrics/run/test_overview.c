// The absolute figures of a run made by hand, against their definitions.
#include "metrics/run/mpi_use.h"
#include "metrics/run/overview.h"
#include "tests/support/made_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static pj_cell cell(const pj_table *table, const char *figure, const char *column)
{
    int at = pj_table_column(table, pj_str_of(column));
    assert_true(at >= 0);
    for (size_t row = 0; row < table->row_count; row++)
        if (strcmp(pj_table_cell(table, row, 0)->text, figure) == 0)
            return *pj_table_cell(table, row, (size_t)at);
    fail_msg("no %s", figure);
    return (pj_cell){0};
}

static void expect(const pj_table *table, const char *figure, const char *column, double expected)
{
    double got = pj_cell_number(cell(table, figure, column));
    if (!(fabs(got - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%s of %s: %.17g, expected %.17g", column, figure, got, expected);
}

/// 2 ranks of 2 threads, 1000 ns, of which each computes 800.
static pj_run *new_run(void)
{
    pj_run *run = made_run_simple("made.prv", 2, 2, 800, 1000);
    pj_mpi_use *use = pj_new(run->arena, pj_mpi_use);
    *use = (pj_mpi_use){
        .sums = pj_new_n(run->arena, pj_mpi_sum, 3), .count = 3, .messages = 5, .bytes = 5000};
    use->sums[0] = (pj_mpi_sum){"MPI_Recv", PJ_MPI_P2P, 4, 100, 0, 90, 1};
    use->sums[1] = (pj_mpi_sum){"MPI_Wait", PJ_MPI_P2P, 4, 150, 0, 80, 0};
    use->sums[2] = (pj_mpi_sum){"MPI_Barrier", PJ_MPI_COLLECTIVE, 2, 50, 0, 25, 0};
    run->mpi_use = use;
    run->has_mpi = true;
    return run;
}

static void figures_follow_their_definitions(void **state)
{
    (void)state;
    pj_auto_run run = new_run();
    pj_auto_table table = pj_overview_table(run);
    double instructions = 0, cycles = 0;
    for (uint32_t i = 0; i < 4; i++) {
        instructions += (double)run->counters[PJ_COUNTER_INSTRUCTIONS].useful[i];
        cycles += (double)run->counters[PJ_COUNTER_CYCLES].useful[i];
    }
    expect(table, "runtime_ns", "value", 1000);
    expect(table, "core_time_ns", "value", 4000);
    expect(table, "useful_ns", "share", 0.8);
    expect(table, "instructions", "value", instructions);
    expect(table, "ipc", "value", instructions / cycles);
    expect(table, "frequency_ghz", "value", cycles / 3200);
    expect(table, "mpi_ns", "value", 300);
    expect(table, "mpi_p2p_ns", "share", 250.0 / 4000);
    expect(table, "mpi_p2p_ns", "count", 8);
    expect(table, "MPI_Wait", "longest_ns", 80);
    expect(table, "MPI_Wait", "rank", 0);
    expect(table, "MPI_Wait", "per_second", 4 / 1000e-9);
    expect(table, "rest_ns", "value", 4000 - 3200 - 300);
    expect(table, "messages", "per_second", 5 / 1000e-9);
    expect(table, "message_bytes", "per_second", 5000 / 1000e-9);
    expect(table, "message_size", "value", 1000);
    assert_string_equal(cell(table, "message_bytes", "unit").text, "B");
}

/// The shares of useful computation, MPI and the rest are the whole; those of the parts are MPI's.
static void shares_add_up(void **state)
{
    (void)state;
    pj_auto_run run = new_run();
    pj_auto_table table = pj_overview_table(run);
    static const char *const whole[] = {"useful_ns", "mpi_ns", "rest_ns"};
    double sum = 0;
    for (size_t i = 0; i < 3; i++)
        sum += pj_cell_number(cell(table, whole[i], "share"));
    assert_true(fabs(sum - 1) < 1e-12);
    double parts = pj_cell_number(cell(table, "mpi_p2p_ns", "value")) +
                   pj_cell_number(cell(table, "mpi_collective_ns", "value"));
    assert_true(parts == pj_cell_number(cell(table, "mpi_ns", "value")));
}

/// Two ranks of two threads, 800 of 1000 ns useful each; workers are idle while nobody is in a
/// region.
static void what_openmp_costs_has_rows(void **state)
{
    (void)state;
    pj_auto_run run = new_run();
    run->has_mpi = false;
    run->has_openmp = true;
    for (uint32_t i = 0; i < run->layout.locations; i++) {
        run->totals[i].openmp_ns = 900;
        run->totals[i].spent_ns[PJ_SPENT_SYNC] = 30;
        run->totals[i].spent_ns[PJ_SPENT_FORK] = 20;
    }
    pj_auto_table table = pj_overview_table(run);
    expect(table, "rest_ns", "value", 800);
    expect(table, "openmp_wait_ns", "value", 4 * 30 + 2 * 50);
    expect(table, "scheduling_ns", "value", 4 * 20);
    expect(table, "serial_idle_ns", "value", 2 * 100);
    expect(table, "serial_idle_ns", "share", 200 / 4000.0);
}

/// Of runs without MPI too.
static void calls_of_devices_have_a_row(void **state)
{
    (void)state;
    pj_auto_run run = new_run();
    run->has_mpi = run->has_openmp = false;
    for (uint32_t i = 0; i < run->layout.locations; i++)
        run->totals[i].spent_ns[PJ_SPENT_DEVICE] = run->totals[i].device_calls_ns = 150;
    pj_auto_table table = pj_overview_table(run);
    expect(table, "rest_ns", "value", 800);
    expect(table, "device_runtime_ns", "value", 600);
    expect(table, "idle_ns", "value", 200);
}

static void functions_of_a_class_stand_by_time(void **state)
{
    (void)state;
    pj_auto_run run = new_run();
    pj_auto_table table = pj_overview_table(run);
    static const char *const order[] = {"mpi_ns",   "mpi_p2p_ns",        "MPI_Wait",
                                        "MPI_Recv", "mpi_collective_ns", "MPI_Barrier"};
    size_t first = 0;
    while (strcmp(pj_table_cell(table, first, 0)->text, order[0]) != 0)
        first++;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        assert_string_equal(pj_table_cell(table, first + i, 0)->text, order[i]);
}

static void what_is_missing_has_a_reason(void **state)
{
    (void)state;
    pj_auto_run run = new_run();
    run->counters[PJ_COUNTER_CYCLES].present = false;
    run->mpi_use = NULL;
    pj_auto_table table = pj_overview_table(run);
    assert_non_null(strstr(cell(table, "ipc", "value").text, "no cycle counter"));
    assert_non_null(strstr(cell(table, "frequency_ghz", "value").text, "no cycle counter"));
    assert_non_null(strstr(cell(table, "mpi_ns", "value").text, "older summary"));
    run->has_mpi = run->has_openmp = false;
    pj_auto_table without = pj_overview_table(run);
    assert_string_equal(pj_table_cell(without, without->row_count - 1, 0)->text, "frequency_ghz");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_follow_their_definitions),
        cmocka_unit_test(shares_add_up),
        cmocka_unit_test(what_openmp_costs_has_rows),
        cmocka_unit_test(calls_of_devices_have_a_row),
        cmocka_unit_test(functions_of_a_class_stand_by_time),
        cmocka_unit_test(what_is_missing_has_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
