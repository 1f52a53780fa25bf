// Rows with what losses come from: those of a row add up to what it lacks.
#include "metrics/base/arena.h"
#include "metrics/pop/metrics.h"
#include "metrics/run/study/study.h"
#include "tests/support/trace/replay_script.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { RUNTIME = 200 };

/// The first rank sends late, and both do something useless for 5 ns.
static pj_script *late_sender(void)
{
    pj_script *s = pj_script_new(2, 1);
    pj_script_call(s, 0, "MPI_Send", 100, 110);
    pj_script_call(s, 1, "MPI_Recv", 40, 120);
    pj_script_send(s, (pj_script_message){0, 1, 100, 40, 120, .size = 100});
    for (uint32_t i = 0; i < 2; i++) {
        pj_script_last(s, i, RUNTIME);
        pj_totals *totals = &s->run->totals[i];
        totals->useful_ns = totals->serial_useful_ns = i == 0 ? 185 : 115;
        totals->runtime_ns = RUNTIME;
        totals->mpi_ns = totals->mpi_serial_ns = i == 0 ? 10 : 80;
        totals->outside_mpi_ns = RUNTIME - totals->mpi_ns;
    }
    s->run->runtime_ns = s->run->end_ns = RUNTIME;
    pj_script_solve(s);
    return s;
}

static pj_metrics *metrics_of(pj_run *run, const char *set)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_study *study = pj_study_new(&run, 1, (pj_study_opts){0}, &err);
    pj_metrics *metrics = pj_metrics_new(pj_metric_set_by_key(pj_str_of(set)), study,
                                         (pj_metrics_opts){.causes = true}, &err);
    pj_study_release(study);
    assert_non_null(metrics);
    return metrics;
}

static double sum_of(const pj_metrics *metrics, const char *row, const char *cause)
{
    double sum = 0;
    for (size_t i = 0; i < metrics->cause_count; i++)
        if (strcmp(metrics->set->rows[metrics->causes[i].row].key, row) == 0 &&
            (!cause || strcmp(metrics->causes[i].key, cause) == 0))
            sum += metrics->causes[i].values[0].value;
    return sum;
}

static void causes_add_up_to_the_loss(void **state)
{
    (void)state;
    pj_auto_script s = late_sender();
    pj_auto_metrics metrics = metrics_of(s->run, "mpi");
    static const char *const rows[] = {"mpi_load_balance", "mpi_serialisation_efficiency",
                                       "mpi_transfer_efficiency"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t row = (size_t)pj_metric_row(metrics->set, pj_str_of(rows[i]));
        pj_metric_value value = pj_metrics_at(metrics, 0, row);
        assert_null(value.reason);
        assert_true(fabs(1 - value.value - sum_of(metrics, rows[i], NULL)) < 1e-12);
    }
    // idle of rank 1 is 190 - 115, of which it waits 60: 70 of them for want of work
    double all = 2.0 * RUNTIME;
    assert_true(fabs(sum_of(metrics, rows[0], "late_sender") - 60.0 * 70 / 75 / all) < 1e-12);
    assert_true(sum_of(metrics, rows[0], "outside_mpi_not_useful") > 0);
    assert_true(fabs(sum_of(metrics, rows[2], "MPI_Recv") - 20 / all) < 1e-12);
}

static void a_run_without_waits_says_why(void **state)
{
    (void)state;
    pj_auto_script s = late_sender();
    s->run->waits = NULL;
    pj_auto_metrics metrics = metrics_of(s->run, "mpi");
    assert_int_equal(metrics->cause_count, 0);
    assert_non_null(strstr(metrics->note, "No causes: it is not known what"));
}

static void a_set_without_these_rows_says_so(void **state)
{
    (void)state;
    pj_auto_script s = late_sender();
    pj_auto_metrics metrics = metrics_of(s->run, "jsc");
    assert_int_equal(metrics->cause_count, 0);
    assert_non_null(strstr(metrics->note, "this set does not have"));
    pj_auto_metrics threads = metrics_of(s->run, "openmp");
    assert_int_equal(threads->cause_count, 0);
    assert_non_null(strstr(threads->note, "No causes: the run has no OpenMP"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(causes_add_up_to_the_loss),
        cmocka_unit_test(a_run_without_waits_says_why),
        cmocka_unit_test(a_set_without_these_rows_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
