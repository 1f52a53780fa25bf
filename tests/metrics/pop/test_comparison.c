// Comparisons: what is worse, by how much, and what cannot be said.
#include "metrics/pop/comparison.h"

#include "tests/support/made_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/// Compares 2 x 1 threads that were useful 900 of 1000 ns with ones that are so `useful` of 1000.
static pj_comparison compare(const char *set, uint64_t useful, pj_comparison_opts opts,
                             bool counters)
{
    pj_err err = {0};
    pj_auto_run before = made_run_simple("before.prv", 2, 1, 900, 1000);
    pj_auto_run after = made_run_simple("after.prv", 2, 1, useful, 1000);
    after->counters[0].present = after->counters[1].present = counters;
    pj_run *const runs[] = {before, after};
    // "after" comes first in study order
    pj_auto_study study = pj_study_new(runs, 2, (pj_study_opts){.reference = 2}, &err);
    assert_non_null(study);
    assert_ptr_equal(study->cases[1].run, before);
    pj_auto_metrics metrics =
        pj_metrics_new(pj_metric_set_by_key(pj_str_of(set)), study, (pj_metrics_opts){0}, &err);
    assert_non_null(metrics);
    pj_comparison out;
    if (!pj_comparison_make(metrics, 1, 0, opts, &out, &err))
        fail_msg("%s", err.text);
    return out;
}

static const pj_cell *cell(const pj_comparison *c, const char *metric, const char *column)
{
    int at = pj_table_column(c->table, pj_str_of(column));
    assert_true(at >= 0);
    for (size_t row = 0; row < c->table->row_count; row++)
        if (strcmp(pj_table_cell(c->table, row, 0)->text, metric) == 0)
            return pj_table_cell(c->table, row, (size_t)at);
    fail_msg("no row %s", metric);
    return NULL;
}

static bool near(const pj_cell *cell, double value)
{
    return cell->kind == PJ_CELL_REAL && fabs(cell->real - value) < 1e-12;
}

static void changes_are_the_second_less_the_first(void **state)
{
    (void)state;
    pj_comparison c = compare("mpi", 720, (pj_comparison_opts){0}, true);
    assert_true(near(cell(&c, "parallel_efficiency", "baseline"), 0.9));
    assert_true(near(cell(&c, "parallel_efficiency", "new"), 0.72));
    assert_true(near(cell(&c, "parallel_efficiency", "change"), -0.18));
    assert_true(near(cell(&c, "parallel_efficiency", "relative_change"), -0.2));
    assert_true(near(cell(&c, "runtime_s", "change"), 0));
    assert_int_equal(pj_table_column(c.table, PJ_S("verdict")), -1);
    pj_table_release(c.table);
}

static void more_than_is_allowed_regresses(void **state)
{
    (void)state;
    pj_comparison_opts opts = {.judge = true, .max_drop = 0.05};
    pj_comparison c = compare("mpi", 720, opts, true);
    assert_true(c.regressed > 0);
    assert_string_equal(cell(&c, "parallel_efficiency", "verdict")->text, "regressed");
    assert_string_equal(cell(&c, "mpi_load_balance", "verdict")->text, "kept");
    assert_int_equal(cell(&c, "runtime_s", "verdict")->kind, PJ_CELL_EMPTY);
    assert_int_equal(strncmp(c.table->note, "regressed", 9), 0);
    pj_table_release(c.table);
    c = compare("mpi", 850, opts, true); // exactly what is allowed
    assert_string_equal(cell(&c, "parallel_efficiency", "verdict")->text, "kept");
    pj_table_release(c.table);
    c = compare("mpi", 1000, opts, true);
    assert_string_equal(cell(&c, "parallel_efficiency", "verdict")->text, "better");
    pj_table_release(c.table);
}

static void losses_are_worse_when_they_grow(void **state)
{
    (void)state;
    pj_comparison_opts opts = {.judge = true, .max_drop = 0.05};
    pj_comparison c = compare("hybrid-ineff", 720, opts, true);
    assert_string_equal(cell(&c, "parallel_inefficiency", "verdict")->text, "regressed");
    pj_table_release(c.table);
}

static void one_metric_decides(void **state)
{
    (void)state;
    pj_comparison_opts opts = {.judge = true, .max_drop = 0.05, .metric = "mpi_load_balance"};
    pj_comparison c = compare("mpi", 720, opts, true);
    assert_int_equal(c.regressed, 0);
    assert_int_equal(cell(&c, "parallel_efficiency", "verdict")->kind, PJ_CELL_EMPTY);
    pj_table_release(c.table);
}

static void what_is_missing_is_no_verdict(void **state)
{
    (void)state;
    pj_comparison_opts opts = {.judge = true, .max_drop = 0.05};
    pj_comparison c = compare("mpi", 900, opts, false);
    assert_non_null(c.lack);
    assert_int_equal(cell(&c, "ipc_scaling", "change")->kind, PJ_CELL_EMPTY);
    pj_table_release(c.table);
    opts.metric = "mpi_load_balance";
    c = compare("mpi", 900, opts, false);
    assert_null(c.lack);
    pj_table_release(c.table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_are_the_second_less_the_first),
        cmocka_unit_test(more_than_is_allowed_regresses),
        cmocka_unit_test(losses_are_worse_when_they_grow),
        cmocka_unit_test(one_metric_decides),
        cmocka_unit_test(what_is_missing_is_no_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
