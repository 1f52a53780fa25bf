// Evaluation over studies made by hand: values, reasons, remarks, notes, tables.
#include "metrics/pop/metrics.h"
#include "tests/support/made_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static pj_metrics *evaluate(pj_run **runs, size_t count, const char *set, pj_study_opts opts)
{
    pj_study *study = pj_study_new(runs, count, opts, NULL);
    const pj_metric_set *chosen =
        set ? pj_metric_set_by_key(pj_str_of(set)) : pj_metric_set_default(study);
    assert_non_null(chosen);
    pj_metrics *metrics = pj_metrics_new(chosen, study, (pj_metrics_opts){0}, NULL);
    pj_study_release(study);
    for (size_t i = 0; i < count; i++)
        pj_run_release(runs[i]);
    return metrics;
}

static pj_metric_value at(const pj_metrics *m, size_t run, const char *key)
{
    int row = pj_metric_row(m->set, pj_str_of(key));
    assert_true(row >= 0);
    return pj_metrics_at(m, run, (size_t)row);
}

static void expect(const pj_metrics *m, size_t run, const char *key, double expected)
{
    pj_metric_value got = at(m, run, key);
    if (got.reason)
        fail_msg("%s is missing: %s", key, got.reason);
    if (fabs(got.value - expected) > 1e-12)
        fail_msg("%s: %.17g, expected %.17g", key, got.value, expected);
}

static void expect_reason(const pj_metrics *m, size_t run, const char *key, const char *reason)
{
    pj_metric_value got = at(m, run, key);
    assert_non_null(got.reason);
    assert_string_equal(got.reason, reason);
}

/// How many remarks hold the text.
static size_t said(const pj_metrics *m, const char *text)
{
    size_t times = 0;
    for (size_t i = 0; i < m->remark_count; i++)
        times += strstr(m->remarks[i].text, text) != NULL;
    return times;
}

/// Ranks of 2 and 4 threads; the expected values are worked out below by hand.
static pj_run *varying_run(void)
{
    static const uint32_t threads[] = {2, 4};
    pj_run *run = made_run("varying.prv", threads, 2);
    const struct {
        uint64_t serial, openmp, openmp_useful;
    } t[] = {{400, 400, 360}, {0, 400, 300}, {200, 600, 600},
             {0, 600, 540},   {0, 600, 500}, {0, 600, 560}};
    for (uint32_t i = 0; i < 6; i++)
        run->totals[i] = (pj_totals){.useful_ns = t[i].serial + t[i].openmp_useful,
                                     .serial_useful_ns = t[i].serial,
                                     .openmp_ns = t[i].openmp,
                                     .openmp_useful_ns = t[i].openmp_useful,
                                     .runtime_ns = 1000};
    made_run_close(run);
    return run;
}

static void test_varying_threads(void **state)
{
    (void)state;
    pj_run *runs[] = {varying_run()};
    pj_auto_metrics m = evaluate(runs, 1, NULL, (pj_study_opts){0});
    assert_string_equal(m->set->key, "hybrid");
    // X = 800 and 800; O - mean OU = 400 - 330 = 70 and 600 - 550 = 50; SU (1 - 1/T) = 200 and 150.
    expect(m, 0, "process_level_efficiency", 0.8);
    expect(m, 0, "openmp_region_efficiency", 1 - 0.06);
    expect(m, 0, "serial_region_efficiency", 1 - 0.175);
    expect(m, 0, "thread_level_efficiency", 1 - 0.06 - 0.175);
    expect(m, 0, "parallel_efficiency", 0.8 - 0.06 - 0.175);
    // Weighted by threads: (760 + 300 + 800 + 540 + 500 + 560) / 6 = 576.67.
    assert_int_equal(said(m, "varying: threads per rank vary (2x2-4): ranks weigh equally"), 1);
    assert_int_equal(said(m, "parallel efficiency is 0.5767"), 1);
    pj_auto_table table = pj_metrics_table(m);
    pj_cell per_rank =
        *pj_table_cell(table, 0, (size_t)pj_table_column(table, PJ_S("threads_per_rank")));
    assert_int_equal(per_rank.kind, PJ_CELL_EMPTY);
    assert_non_null(per_rank.text);
}

/// `bsc` gives every thread the same weight.
static void test_bsc_weighs_threads(void **state)
{
    (void)state;
    pj_run *runs[] = {varying_run()};
    pj_auto_metrics m = evaluate(runs, 1, "bsc", (pj_study_opts){0});
    expect(m, 0, "parallel_efficiency", 3460.0 / 6 / 1000);
    expect(m, 0, "load_balance", 3460.0 / 6 / 800);
    expect(m, 0, "communication_efficiency", 0.8);
    assert_int_equal(said(m, "threads weigh equally"), 1);
}

static void test_weak_scaling(void **state)
{
    (void)state;
    pj_run *runs[] = {made_run_simple("a", 2, 1, 1000, 1250),
                      made_run_simple("b", 8, 1, 1000, 1600)};
    pj_auto_metrics m = evaluate(runs, 2, "mpi", (pj_study_opts){0});
    assert_int_equal(m->study->scaling, PJ_SCALING_WEAK);
    expect(m, 1, "computation_scaling", 1);
    expect(m, 1, "instruction_scaling", 1);
    expect(m, 1, "ipc_scaling", 1);
    expect(m, 1, "speedup", 4 * 1250.0 / 1600);
    expect(m, 1, "global_efficiency", 1000.0 / 1600);
    assert_non_null(strstr(m->note, "weak scaling (detected"));
}

static void test_strong_scaling_and_reference(void **state)
{
    (void)state;
    pj_run *runs[] = {made_run_simple("a", 2, 1, 1000, 1250), made_run_simple("b", 8, 1, 300, 400)};
    pj_auto_metrics m = evaluate(runs, 2, "mpi", (pj_study_opts){.reference = 2});
    expect(m, 0, "computation_scaling", 2400.0 / 2000);
    expect(m, 0, "speedup", 400.0 / 1250);
    expect(m, 1, "speedup", 1);
    assert_non_null(strstr(m->note, "Reference run: b (8x1); strong scaling"));
    assert_non_null(strstr(m->note, "Additive convention"));
    assert_int_equal(said(m, "above 1 is better than the reference run: Computation scaling"), 1);
}

static void test_other_work_is_said(void **state)
{
    (void)state;
    pj_run *runs[] = {made_run_simple("a", 1, 1, 1000, 1250), made_run_simple("b", 4, 1, 80, 400)};
    pj_auto_metrics m = evaluate(runs, 2, "mpi", (pj_study_opts){.scaling = PJ_SCALING_STRONG});
    assert_int_equal(said(m, "b: fewer instructions than the work"), 1);
    pj_run *back[] = {made_run_simple("a", 1, 1, 1000, 1250), made_run_simple("b", 4, 1, 400, 500)};
    pj_auto_metrics smaller = evaluate(back, 2, "mpi", (pj_study_opts){.reference = 2});
    assert_int_equal(said(smaller, "other work are likely"), 0);
}

/// What a run made by hand of the times of threads does not have.
static bool is_told_by_few(const pj_metric *row)
{
    return row->needs &
           (PJ_NEEDS_TEAMS | PJ_NEEDS_NODES | PJ_NEEDS_WAITS | PJ_NEEDS_ACTIVITY | PJ_NEEDS_METERS);
}

/// In every built-in set, whatever compares with another run is empty and says why.
static void expect_alone(pj_run **runs, size_t count, const char *set, const char *reason)
{
    for (size_t i = 0; i < count; i++)
        pj_run_hold(runs[i]);
    pj_auto_metrics m = evaluate(runs, count, set, (pj_study_opts){0});
    for (size_t row = 0; row < m->set->count; row++) {
        const char *key = m->set->rows[row].key;
        bool compares = strstr(key, "scaling") || strstr(key, "global") || !strcmp(key, "speedup");
        for (size_t run = 0; run < count && compares; run++)
            expect_reason(m, run, key, reason);
        if (!compares && !is_told_by_few(&m->set->rows[row]))
            assert_null(at(m, 0, key).reason);
    }
    assert_int_equal(said(m, reason), 1);
    assert_null(strstr(m->note, "scaling ("));
    assert_null(strstr(m->note, "Reference run"));
}

static void test_one_size_compares_with_nothing(void **state)
{
    (void)state;
    pj_run *runs[] = {made_run_simple("a", 2, 1, 1000, 1250),
                      made_run_simple("b", 2, 1, 1100, 1250)};
    for (size_t i = 0; pj_metric_set_at(i); i++) {
        const char *set = pj_metric_set_at(i)->key;
        if (made_run_lacks(pj_metric_set_at(i)))
            continue;
        expect_alone(runs, 1, set, "one run: computation cannot be compared");
        expect_alone(runs, 2, set, "runs of one size: computation cannot be compared");
    }
    pj_run_release(runs[0]);
    pj_run_release(runs[1]);
}

/// A reference run or a kind of scaling that the user gives has the same run compared with itself.
static void test_one_run_compares_on_request(void **state)
{
    (void)state;
    static const pj_study_opts asked[] = {{.reference = 1}, {.scaling = PJ_SCALING_STRONG}};
    for (size_t i = 0; i < 2; i++) {
        pj_run *runs[] = {made_run_simple("a", 2, 1, 1000, 1250)};
        pj_auto_metrics m = evaluate(runs, 1, "mpi", asked[i]);
        expect(m, 0, "computation_scaling", 1);
        expect(m, 0, "speedup", 1);
        expect(m, 0, "global_efficiency", 0.8);
        assert_non_null(strstr(m->note, "Reference run: a (2x1)"));
    }
}

static void test_missing_counters(void **state)
{
    (void)state;
    pj_run *runs[] = {made_run_simple("a", 2, 1, 1000, 1250), made_run_simple("b", 4, 1, 500, 650),
                      made_run_simple("c", 8, 1, 250, 320)};
    runs[0]->counters[PJ_COUNTER_CYCLES].present = false;
    runs[2]->counters[PJ_COUNTER_INSTRUCTIONS].present = false;
    pj_auto_metrics m = evaluate(runs, 3, "mpi", (pj_study_opts){0});
    const char *no_cycles = "the trace has no cycle counter (PAPI_TOT_CYC)";
    expect_reason(m, 0, "ipc_scaling", no_cycles);
    expect(m, 0, "instruction_scaling", 1);
    expect_reason(m, 1, "frequency_scaling",
                  "in the reference run a, the trace has no cycle counter (PAPI_TOT_CYC)");
    expect(m, 1, "instruction_scaling", 1);
    expect_reason(m, 2, "instruction_scaling",
                  "the trace has no instruction counter (PAPI_TOT_INS)");
    expect(m, 2, "computation_scaling", 1);
    assert_int_equal(said(m, "a: values are missing: the trace has no cycle counter"), 1);
    size_t computation = (size_t)pj_metric_row(m->set, PJ_S("computation_scaling"));
    assert_non_null(pj_metrics_residual(m, 0, computation).reason);
}

static void test_missing_ideal(void **state)
{
    (void)state;
    pj_run *runs[] = {made_run_simple("a", 2, 1, 1000, 1250)};
    runs[0]->ideal.available = false;
    runs[0]->ideal.reason = "the replay found no partner for message 3";
    pj_auto_metrics m = evaluate(runs, 1, "mpi", (pj_study_opts){0});
    expect_reason(m, 0, "mpi_transfer_efficiency", "the replay found no partner for message 3");
    expect_reason(m, 0, "mpi_serialisation_efficiency",
                  "the replay found no partner for message 3");
    expect(m, 0, "mpi_communication_efficiency", 0.8);
    assert_int_equal(said(m, "a: values are missing: the replay found no partner"), 1);
    pj_auto_table table = pj_metrics_table(m);
    pj_cell cell =
        *pj_table_cell(table, 0, (size_t)pj_table_column(table, PJ_S("mpi_transfer_efficiency")));
    assert_int_equal(cell.kind, PJ_CELL_EMPTY);
    assert_string_equal(cell.text, "the replay found no partner for message 3");
}

/// A run's own remark need not be said again for its empty values.
static void test_reason_is_said_once(void **state)
{
    (void)state;
    pj_run *runs[] = {made_run_simple("a", 2, 1, 1000, 1250)};
    runs[0]->ideal.available = false;
    runs[0]->ideal.reason = "ranks wait for each other";
    pj_run_remark(runs[0], PJ_WARNING, "no_ideal", "No ideal network: ranks wait for each other");
    pj_auto_metrics m = evaluate(runs, 1, "mpi", (pj_study_opts){0});
    assert_int_equal(said(m, "ranks wait for each other"), 1);
}

/// Counters that counted nothing are missing, too.
static void test_counters_of_zero(void **state)
{
    (void)state;
    pj_run *runs[] = {made_run_simple("a", 2, 1, 1000, 1250)};
    made_run_count(runs[0], 0, 0, 5);
    made_run_count(runs[0], 1, 0, 5);
    pj_auto_metrics m = evaluate(runs, 1, "bsc", (pj_study_opts){0});
    expect_reason(m, 0, "ipc", "no instruction was counted in useful time");
    expect_reason(m, 0, "instruction_scaling", "no instruction was counted in useful time");
    expect(m, 0, "frequency_ghz", 0.005);
}

/// Nothing divides by zero, whatever is missing.
static void test_empty_run(void **state)
{
    (void)state;
    const pj_metric_set *set;
    for (size_t i = 0; (set = pj_metric_set_at(i)); i++) {
        if (made_run_lacks(set))
            continue;
        pj_run *runs[] = {made_run_even("empty", 2, 2), made_run_simple("full", 4, 2, 80, 100)};
        runs[0]->has_mpi = false;
        pj_auto_metrics m = evaluate(runs, 2, set->key, (pj_study_opts){0});
        for (size_t v = 0; v < 2 * set->count; v++)
            assert_true(m->values[v].reason || isfinite(m->values[v].value));
        expect(m, 0, "runtime_s", 0);
        expect_reason(m, 1, "computation_scaling", "the reference run has no runtime");
        expect_reason(m, 1, "speedup", "the reference run has no runtime");
        expect_reason(m, 0, "computation_scaling", "the run has no runtime");
    }
}

static void test_remarks(void **state)
{
    (void)state;
    pj_run *runs[] = {made_run_simple("a", 2, 1, 1000, 1250), made_run_simple("b", 4, 1, 500, 650),
                      made_run_simple("c", 1, 1, 1999, 2400)};
    for (size_t i = 0; i < 3; i++)
        pj_run_remark(runs[i], PJ_NOTE, "roi_unmarked", "the whole trace is used");
    pj_run_remark(runs[0], PJ_LOSS, "cut", "the trace is cut");
    pj_import_add(&runs[1]->import, PJ_IMPORT_unknown_record, 33);
    for (unsigned i = 0; i < 5; i++)
        pj_import_add(&runs[2]->import, PJ_IMPORT_unknown_record, 7 + i);
    runs[1]->ideal.runtime_ns = 400;
    pj_auto_metrics m = evaluate(runs, 3, "mpi", (pj_study_opts){0});
    assert_string_equal(m->remarks[0].text, "a: the trace is cut"); // severest first
    assert_int_equal(said(m, "all runs: the whole trace is used"), 1);
    assert_int_equal(said(m, "the whole trace is used"), 1);
    assert_int_equal(said(m, "b: lines that are no Paraver record were skipped (line 33)"), 1);
    assert_int_equal(said(m, "were skipped (5 times, first in line 7)"), 1);
    assert_int_equal(said(m, "b: the ideal runtime (400 ns) is below"), 1);
    assert_int_equal(said(m, "MPI serialisation efficiency"), 1); // 1 - (400 - 500) / 650
    assert_int_equal(said(m, "c: the trace has no MPI"), 1);
}

static void test_short_ideal_of_a_region(void **state)
{
    (void)state;
    pj_run *runs[] = {made_run_simple("a", 4, 1, 500, 650)};
    runs[0]->ideal.runtime_ns = 400;
    runs[0]->roi = (pj_roi){.set = true, .from_ns = 100, .to_ns = 750};
    pj_auto_metrics m = evaluate(runs, 1, "mpi", (pj_study_opts){0});
    assert_int_equal(said(m, "does not fit"), 0);
    assert_int_equal(said(m, "cross the borders of the region of interest at other times"), 1);
}

static void test_default_set(void **state)
{
    (void)state;
    static const struct {
        uint32_t ranks, threads;
        bool mpi;
        const char *set;
    } cases[] = {{4, 1, true, "mpi"},
                 {4, 2, true, "hybrid"},
                 {1, 8, false, "openmp"},
                 {1, 1, false, "openmp"},
                 {1, 2, true, "hybrid"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pj_run *runs[] = {made_run_simple("a", cases[i].ranks, cases[i].threads, 10, 12)};
        runs[0]->has_mpi = cases[i].mpi;
        pj_auto_metrics m = evaluate(runs, 1, NULL, (pj_study_opts){0});
        assert_string_equal(m->set->key, cases[i].set);
    }
}

static void test_table(void **state)
{
    (void)state;
    pj_run *runs[] = {made_run_simple("d/b.prv", 4, 2, 500, 650),
                      made_run_simple("a.prv", 2, 1, 500, 620)};
    runs[0]->tag = "new";
    runs[1]->has_openmp = true; // a program of one build
    pj_auto_metrics m = evaluate(runs, 2, "mpi", (pj_study_opts){0});
    pj_auto_table table = pj_metrics_table(m);
    static const char *const first[] = {"trace",  "ranks", "threads_per_rank", "threads",
                                        "layout", "tag",   "global_efficiency"};
    for (size_t i = 0; i < 7; i++)
        assert_string_equal(table->columns[i].key, first[i]);
    assert_int_equal(table->column_count, 6 + m->set->count);
    assert_int_equal(table->row_count, 2);
    assert_string_equal(pj_table_cell(table, 0, 0)->text, "a");
    assert_string_equal(pj_table_cell(table, 1, 0)->text, "b");
    assert_int_equal(pj_table_cell(table, 1, 1)->integer, 4);
    assert_int_equal(pj_table_cell(table, 1, 2)->integer, 2);
    assert_int_equal(pj_table_cell(table, 1, 3)->integer, 8);
    assert_string_equal(pj_table_cell(table, 1, 4)->text, "4x2");
    assert_string_equal(pj_table_cell(table, 1, 5)->text, "new");
    assert_string_equal(table->columns[table->column_count - 1].key, "runtime_s");
    assert_true(pj_table_cell(table, 1, table->column_count - 1)->real == 650e-9);
    assert_string_equal(table->note, m->note);
    assert_int_equal(pj_table_column(table, PJ_S("mpi_serialization_efficiency")),
                     pj_table_column(table, PJ_S("mpi_serialisation_efficiency")));
}

/// Parts are evaluated as runs are; scalings compare the same part of both runs.
static void test_parts(void **state)
{
    (void)state;
    pj_run *runs[] = {made_run_simple("two", 2, 1, 500, 550),
                      made_run_simple("four", 4, 1, 250, 300)};
    for (size_t i = 0; i < 2; i++) {
        pj_run *part = pj_run_add_part(runs[i], PJ_S("solve"));
        for (uint32_t t = 0; t < part->layout.locations; t++)
            part->totals[t] = (pj_totals){.useful_ns = i ? 90 : 200, .runtime_ns = i ? 120 : 220};
        made_run_close(part);
    }
    pj_run *alone = pj_run_add_part(runs[1], PJ_S("output"));
    alone->totals[0] = (pj_totals){.useful_ns = 10, .runtime_ns = 40};
    made_run_close(alone);
    pj_metrics *m = evaluate(runs, 2, "mpi", (pj_study_opts){.parts = true});
    assert_int_equal(m->study->count, 5);
    expect(m, 1, "parallel_efficiency", 200.0 / 220);
    expect(m, 3, "parallel_efficiency", 90.0 / 120);
    expect(m, 3, "computation_scaling", 400.0 / 360);
    expect(m, 4, "parallel_efficiency", 10.0 / 4 / 40);
    expect_reason(m, 4, "computation_scaling", "the reference run has no part of this name");
    pj_metrics_release(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_varying_threads),
        cmocka_unit_test(test_bsc_weighs_threads),
        cmocka_unit_test(test_weak_scaling),
        cmocka_unit_test(test_strong_scaling_and_reference),
        cmocka_unit_test(test_other_work_is_said),
        cmocka_unit_test(test_one_size_compares_with_nothing),
        cmocka_unit_test(test_one_run_compares_on_request),
        cmocka_unit_test(test_missing_counters),
        cmocka_unit_test(test_missing_ideal),
        cmocka_unit_test(test_reason_is_said_once),
        cmocka_unit_test(test_counters_of_zero),
        cmocka_unit_test(test_empty_run),
        cmocka_unit_test(test_remarks),
        cmocka_unit_test(test_short_ideal_of_a_region),
        cmocka_unit_test(test_default_set),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
