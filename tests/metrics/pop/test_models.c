// Models of the metrics of a study: tables, intervals, what is refused and what is warned of.
#include "metrics/pop/models.h"

#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"
#include "tests/support/made_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { RUNS_MAX = 32 };

/// Runs of 2, 4, 8, ... ranks, `repeated` of each size, in an order of their own where `turned`.
/// Their runtime is 1000 us / p, and a little more from repetition to repetition.
static pj_metrics *metrics_of(unsigned sizes, unsigned repeated, bool turned)
{
    pj_run *runs[RUNS_MAX] = {NULL};
    size_t count = 0;
    for (unsigned size = 0; size < sizes; size++)
        for (unsigned again = 0; again < repeated; again++) {
            char name[32];
            uint32_t ranks = 2u << size;
            uint64_t runtime = 1000000 / ranks + 100 * again;
            snprintf(name, sizeof name, "run_%u_%u.prv", ranks, again);
            runs[count++] = made_run_simple(name, ranks, 1, runtime - 10 * ranks, runtime);
        }
    for (size_t i = 0; turned && i < count / 2; i++) {
        pj_run *run = runs[i];
        runs[i] = runs[count - 1 - i];
        runs[count - 1 - i] = run;
    }
    pj_auto_study study =
        pj_study_new(runs, count, (pj_study_opts){.scaling = PJ_SCALING_STRONG}, NULL);
    assert_non_null(study);
    for (size_t i = 0; i < count; i++)
        pj_run_release(runs[i]);
    pj_metrics *metrics = pj_metrics_new(pj_metric_set_by_key(PJ_S("mpi-mult")), study,
                                         (pj_metrics_opts){.title = NULL}, NULL);
    assert_non_null(metrics);
    return metrics;
}

static pj_table *table_of(unsigned sizes, unsigned repeated, bool turned, pj_models_opts opts)
{
    pj_auto_metrics metrics = metrics_of(sizes, repeated, turned);
    pj_err err = {0};
    pj_table *table = pj_models_table(metrics, opts, &err);
    if (!table)
        fail_msg("%s", err.text);
    return table;
}

static const pj_cell *cell(const pj_table *table, const char *metric, const char *column)
{
    int at = pj_table_column(table, pj_str_of(column));
    assert_true(at >= 0);
    for (size_t row = 0; row < table->row_count; row++)
        if (strcmp(pj_table_cell(table, row, 0)->text, metric) == 0)
            return pj_table_cell(table, row, (size_t)at);
    fail_msg("no row %s", metric);
    return NULL;
}

static double number(const pj_table *table, const char *metric, const char *column)
{
    return pj_cell_number(*cell(table, metric, column));
}

static void assert_near(double got, double expected, double relative)
{
    if (!(fabs(got - expected) <= relative * fabs(expected)))
        fail_msg("%.17g, expected %.17g", got, expected);
}

static void runtimes_have_their_term(void **state)
{
    (void)state;
    pj_auto_table table = table_of(5, 1, false, (pj_models_opts){.metric = "runtime_s"});
    assert_int_equal(table->row_count, 1);
    assert_string_equal(cell(table, "runtime_s", "form")->text, "pmnf");
    assert_near(number(table, "runtime_s", "a"), -1, 0);
    assert_near(number(table, "runtime_s", "c1"), 1e-3, 1e-9);
    assert_int_equal(number(table, "runtime_s", "points"), 5);
    assert_false(pj_str_contains(pj_str_of(table->note), PJ_S("few")));
}

static void efficiencies_are_products_of_their_parts(void **state)
{
    (void)state;
    const double at[] = {64, 1000};
    pj_auto_table models = table_of(5, 1, false, (pj_models_opts){.metric = NULL});
    assert_string_equal(cell(models, "parallel_efficiency", "form")->text, "combined");
    assert_int_equal(cell(models, "parallel_efficiency", "c0")->kind, PJ_CELL_EMPTY);
    pj_auto_table table = table_of(5, 1, false, (pj_models_opts){.at = at, .at_count = 2});
    double parts = number(table, "mpi_load_balance", "predicted") *
                   number(table, "mpi_communication_efficiency", "predicted");
    assert_near(number(table, "parallel_efficiency", "predicted"), parts, 1e-15);
    assert_near(number(table, "global_efficiency", "predicted"),
                parts * number(table, "computation_scaling", "predicted"), 1e-15);
    assert_true(pj_str_contains(pj_str_of(table->note), PJ_S("1000 is outside the measured")));
    assert_false(pj_str_contains(pj_str_of(table->note), PJ_S("64 is outside the measured")));
}

/// A form that is asked for is that of every metric, parents included.
static void forms_are_taken_as_given(void **state)
{
    (void)state;
    pj_auto_table table = table_of(5, 1, false, (pj_models_opts){.form = PJ_MODELS_PIPE});
    assert_string_equal(cell(table, "parallel_efficiency", "form")->text, "pipe");
    assert_string_equal(cell(table, "runtime_s", "form")->text, "pipe");
}

static void intervals_hold_what_is_predicted(void **state)
{
    (void)state;
    const double at[] = {64};
    for (unsigned repeated = 1; repeated <= 3; repeated += 2) {
        pj_models_opts opts = {.at = at, .at_count = 1};
        pj_auto_table table = table_of(5, repeated, false, opts);
        for (size_t row = 0; row < table->row_count; row++) {
            const pj_cell *cells = pj_table_cell(table, row, 3);
            if (cells[0].kind == PJ_CELL_EMPTY)
                continue;
            assert_true(cells[1].real <= cells[0].real + 1e-9);
            assert_true(cells[2].real >= cells[0].real - 1e-9);
        }
    }
}

static void the_order_of_runs_changes_nothing(void **state)
{
    (void)state;
    const double at[] = {64, 128};
    pj_models_opts opts = {.at = at, .at_count = 2};
    pj_auto_table first = table_of(4, 3, false, opts);
    pj_auto_table second = table_of(4, 3, true, opts);
    assert_int_equal(first->row_count, second->row_count);
    for (size_t row = 0; row < first->row_count; row++)
        for (size_t column = 2; column < first->column_count; column++) {
            const pj_cell *one = pj_table_cell(first, row, column);
            const pj_cell *other = pj_table_cell(second, row, column);
            assert_int_equal(one->kind, other->kind);
            assert_true(one->kind != PJ_CELL_REAL || one->real == other->real);
        }
}

static void few_sizes_are_warned_of_or_refused(void **state)
{
    (void)state;
    const double at[] = {64};
    pj_auto_table table = table_of(3, 1, false, (pj_models_opts){.at = at, .at_count = 1});
    assert_true(pj_str_contains(pj_str_of(table->note), PJ_S("3 sizes are few")));
    assert_int_equal(cell(table, "runtime_s", "low")->kind, PJ_CELL_EMPTY);
    assert_non_null(cell(table, "runtime_s", "low")->text);
    pj_auto_metrics two = metrics_of(2, 3, false);
    pj_err err = {0};
    assert_null(pj_models_table(two, (pj_models_opts){.metric = NULL}, &err));
    assert_int_equal(err.code, PJ_E_USAGE);
    assert_true(pj_str_contains(pj_str_of(err.text), PJ_S("there are 2")));
    err = (pj_err){0};
    pj_auto_metrics five = metrics_of(5, 1, false);
    assert_null(pj_models_table(five, (pj_models_opts){.metric = "runtim"}, &err));
    assert_int_equal(err.code, PJ_E_USAGE);
}

/// Runtimes of 1000 us / p and a little more: the three curves part beyond them.
static void speedups_that_differ_are_said(void **state)
{
    (void)state;
    static const double far[] = {4096};
    pj_auto_table apart = table_of(5, 3, false, (pj_models_opts){.at = far, .at_count = 1});
    pj_auto_table one =
        table_of(5, 3, false, (pj_models_opts){"speedup", .at = far, .at_count = 1});
    static const double near[] = {32};
    pj_auto_table measured = table_of(5, 3, false, (pj_models_opts){.at = near, .at_count = 1});
    assert_non_null(strstr(apart->note, "at 4096 threads the speedup is"));
    assert_non_null(strstr(apart->note, "by its own model ("));
    assert_non_null(strstr(apart->note, "believe the smallest"));
    pj_auto_table few = table_of(3, 1, false, (pj_models_opts){.at = far, .at_count = 1});
    assert_non_null(strstr(few->note, "too few to tell whom to believe"));
    assert_null(strstr(one->note, "the speedup is"));
    assert_null(strstr(measured->note, "the speedup is"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speedups_that_differ_are_said),
        cmocka_unit_test(runtimes_have_their_term),
        cmocka_unit_test(efficiencies_are_products_of_their_parts),
        cmocka_unit_test(forms_are_taken_as_given),
        cmocka_unit_test(intervals_hold_what_is_predicted),
        cmocka_unit_test(the_order_of_runs_changes_nothing),
        cmocka_unit_test(few_sizes_are_warned_of_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
