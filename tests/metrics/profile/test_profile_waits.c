// Work and waiting of ranks: as the source has measured it, else by the names of functions.
#include "metrics/profile/profile_waits.h"

#include "metrics/base/err.h"
#include "metrics/profile/profile.h"
#include "metrics/table/table.h"
#include "tests/support/profile/read_profile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static pj_table *waits_of(const char *text)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_profile p = read_profile_bytes("a.csv", pj_str_of(text), &err);
    assert_non_null(p);
    pj_table *table = pj_profile_waits(p, &err);
    assert_non_null(table);
    return table;
}

static bool holds(const pj_table *table, size_t row, const char *key, double wanted)
{
    int column = pj_table_column(table, pj_str_of(key));
    assert_true(column >= 0);
    return fabs(pj_cell_number(*pj_table_cell(table, row, (size_t)column)) - wanted) < 1e-12;
}

/// VTune tells spin time and, of it, that in MPI; overhead is neither work nor waiting.
static void measured_times_count(void **state)
{
    (void)state;
    pj_auto_table table = waits_of("Process,CPU Time,CPU Time:Effective Time,CPU Time:Spin Time,"
                                   "CPU Time:Spin Time:MPI Busy Wait Time,CPU Time:Overhead Time\n"
                                   "a (rank 0),20,16,3,2,1\na (rank 1),10,10,0,0,0\n");
    assert_int_equal(table->row_count, 2);
    assert_true(holds(table, 0, "time_s", 20) && holds(table, 0, "work_s", 16));
    assert_true(holds(table, 0, "mpi_s", 2) && holds(table, 0, "waiting_s", 1));
    assert_true(holds(table, 0, "mpi_percent", 10) && holds(table, 1, "work_percent", 100));
    assert_non_null(strstr(table->note, "overhead 3.3 %"));
}

static void names_tell_what_is_not_measured(void **state)
{
    (void)state;
    pj_auto_table table = waits_of("Function,CPU Time,Module\nwork,3,a\nMPI_Wait,1,m\n");
    assert_true(holds(table, 0, "work_s", 3) && holds(table, 0, "mpi_s", 1));
    assert_int_equal(pj_table_cell(table, 0, 6)->tone, PJ_TONE_WAIT);
}

/// One number of decimals for all times, so that they can be compared.
static void times_are_equally_precise(void **state)
{
    (void)state;
    pj_auto_table table = waits_of("Function,CPU Time,Module\nwork,3,a\nMPI_Wait,0.000317,m\n");
    for (size_t i = 1; i <= 4; i++)
        assert_int_equal(table->decimals[i], 1 + 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_times_count),
        cmocka_unit_test(names_tell_what_is_not_measured),
        cmocka_unit_test(times_are_equally_precise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
