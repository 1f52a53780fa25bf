// Sets made at run time: formulas, callbacks, validation, life.
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset_define.h"
#include "tests/support/made_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static pj_study *two_runs(void)
{
    pj_run *runs[] = {made_run_simple("a", 2, 1, 1000, 1250), made_run_simple("b", 4, 1, 600, 800)};
    runs[1]->counters[PJ_COUNTER_CYCLES].present = false;
    pj_study *study = pj_study_new(runs, 2, (pj_study_opts){0}, NULL);
    pj_run_release(runs[0]);
    pj_run_release(runs[1]);
    return study;
}

static void expect(const pj_metrics *m, size_t run, size_t row, double expected)
{
    pj_metric_value got = pj_metrics_at(m, run, row);
    if (got.reason)
        fail_msg("%s is missing: %s", m->set->rows[row].key, got.reason);
    if (fabs(got.value - expected) > 1e-12)
        fail_msg("%s: %.17g, expected %.17g", m->set->rows[row].key, got.value, expected);
}

static void test_formulas(void **state)
{
    (void)state;
    static const pj_metric_spec good[] = {
        {.key = "whole", .formula = "useful_mean / runtime", .combine = PJ_COMBINE_PRODUCT},
        {.key = "load_balance", .parent = "whole", .formula = "mean(useful_ns) / max(useful_ns)"},
        {.key = "activity", .parent = "whole", .formula = "whole / load_balance"},
        {.key = "work",
         .formula = "sum(ref.useful_ns) / sum(useful_ns)",
         .kind = PJ_METRIC_SCALING},
        {.key = "ghz",
         .formula = "cycles / useful_sum",
         .kind = PJ_METRIC_PLAIN,
         .unit = PJ_UNIT_GHZ},
        {.key = "uneven", .formula = "max(useful_ns - outside_mpi_ns) + count(rank) + threads"},
    };
    const pj_metric_set_spec spec = {.key = "mine", .rows = good, .count = 6};
    const pj_metric_set *set = pj_metric_set_define(&spec, NULL);
    assert_non_null(set);
    assert_string_equal(set->rows[1].title, "Load balance");
    assert_string_equal(set->rows[6].key, "speedup");
    assert_string_equal(set->rows[7].key, "runtime_s");
    pj_auto_study study = two_runs();
    pj_auto_metrics m = pj_metrics_new(set, study, (pj_metrics_opts){0}, NULL);
    pj_metric_set_release(set); // the metrics hold it
    expect(m, 0, 0, 0.8);
    expect(m, 1, 0, 0.75);
    expect(m, 1, 1, 1);
    expect(m, 1, 2, 0.75);
    expect(m, 1, 3, 2000.0 / 2400);
    expect(m, 0, 4, 2);
    assert_string_equal(pj_metrics_at(m, 1, 4).reason,
                        "the trace has no cycle counter (PAPI_TOT_CYC)");
    expect(m, 1, 5, 8);
    expect(m, 1, 6, 1250.0 / 800);
    expect(m, 1, 7, 800e-9);
    assert_false(m->has_residual[0]);
    pj_auto_table table = pj_metrics_table(m);
    assert_true(pj_table_column(table, PJ_S("load_balance")) > 0);
}

/// Rows that are scalings or name the reference run are empty, and what is made of them.
static void test_one_run_has_no_reference(void **state)
{
    (void)state;
    static const pj_metric_spec rows[] = {
        {.key = "whole", .formula = "useful_mean / runtime"},
        {.key = "work", .formula = "useful_mean", .kind = PJ_METRIC_SCALING},
        {.key = "growth", .formula = "useful_sum / ref.useful_sum", .kind = PJ_METRIC_PLAIN},
        {.key = "twice", .formula = "2 * growth", .kind = PJ_METRIC_PLAIN},
    };
    const pj_metric_set_spec spec = {.key = "mine", .rows = rows, .count = 4};
    const pj_metric_set *set = pj_metric_set_define(&spec, NULL);
    pj_run *run = made_run_simple("a", 2, 1, 1000, 1250);
    pj_auto_study study = pj_study_new(&run, 1, (pj_study_opts){0}, NULL);
    pj_run_release(run);
    pj_auto_metrics m = pj_metrics_new(set, study, (pj_metrics_opts){0}, NULL);
    pj_metric_set_release(set);
    expect(m, 0, 0, 0.8);
    for (size_t row = 1; row <= 4; row++) // with the speedup
        assert_string_equal(pj_metrics_at(m, 0, row).reason,
                            "one run: computation cannot be compared");
    expect(m, 0, 5, 1250e-9);
}

/// A parent may be made of its children, which stand after it.
static void test_order_of_evaluation(void **state)
{
    (void)state;
    static const pj_metric_spec rows[] = {
        {.key = "whole", .formula = "part + other"},
        {.key = "part", .parent = "whole", .formula = "2 * other"},
        {.key = "other", .parent = "whole", .formula = "runtime / 1000"},
    };
    const pj_metric_set_spec spec = {.key = "mine", .rows = rows, .count = 3};
    const pj_metric_set *set = pj_metric_set_define(&spec, NULL);
    pj_auto_study study = two_runs();
    pj_auto_metrics m = pj_metrics_new(set, study, (pj_metrics_opts){0}, NULL);
    expect(m, 0, 0, 3.75);
    expect(m, 1, 2, 0.8);
    pj_metric_set_release(set);
}

/// Counts its calls, gives nothing for the second run, and half of the row before otherwise.
static bool half(void *context, const pj_metric_scope *scope, pj_metric_value *out, pj_err *err)
{
    (void)err;
    ++*(int *)context;
    if (scope->run->threads == 4) {
        out->reason = "four threads are too many";
        return true;
    }
    out->value = scope->earlier[scope->row - 1].value / 2;
    return true;
}

static bool broken(void *context, const pj_metric_scope *scope, pj_metric_value *out, pj_err *err)
{
    (void)context;
    (void)scope;
    (void)out;
    return pj_fail(err, PJ_E_SCRIPT, "cell 3", 2, "attempt to call a nil value");
}

static bool not_a_number(void *context, const pj_metric_scope *scope, pj_metric_value *out,
                         pj_err *err)
{
    (void)context;
    (void)scope;
    (void)err;
    out->value = NAN;
    return true;
}

static void count_release(void *context)
{
    ++*(int *)context;
}

static void test_callbacks(void **state)
{
    (void)state;
    int calls = 0, released = 0;
    const pj_metric_spec rows[] = {
        {.key = "one", .formula = "1"},
        {.key = "half", .call = half, .context = &calls},
        {.key = "odd", .call = not_a_number},
    };
    const pj_metric_set_spec spec = {
        .key = "mine", .rows = rows, .count = 3, .released = count_release, .context = &released};
    const pj_metric_set *set = pj_metric_set_define(&spec, NULL);
    pj_study *study = two_runs();
    pj_metrics *m = pj_metrics_new(set, study, (pj_metrics_opts){0}, NULL);
    expect(m, 0, 1, 0.5);
    assert_non_null(pj_metrics_at(m, 1, 1).reason);
    assert_string_equal(pj_metrics_at(m, 1, 2).reason, "the result is not a finite number");
    assert_int_equal(calls, 2);
    pj_metric_set_release(set);
    assert_int_equal(released, 0);
    pj_metrics_release(m);
    assert_int_equal(released, 1);
    pj_study_release(study);
}

static void test_failing_callback(void **state)
{
    (void)state;
    const pj_metric_spec rows[] = {{.key = "bad", .call = broken}};
    const pj_metric_set_spec spec = {.key = "mine", .rows = rows, .count = 1};
    const pj_metric_set *set = pj_metric_set_define(&spec, NULL);
    pj_auto_study study = two_runs();
    pj_err err = {0};
    assert_null(pj_metrics_new(set, study, (pj_metrics_opts){0}, &err));
    assert_string_equal(err.text, "attempt to call a nil value");
    pj_metric_set_release(set);
}

static void test_validation(void **state)
{
    (void)state;
    static const struct {
        pj_metric_spec row;
        const char *complaint;
    } cases[] = {
        {{.key = "Bad key", .formula = "1"}, "lower case letters"},
        {{.key = "", .formula = "1"}, "lower case letters"},
        {{.key = NULL, .formula = "1"}, "lower case letters"},
        {{.key = "first", .formula = "1"}, "same key"},
        {{.key = "speedup", .formula = "1"}, "every set has this column"},
        {{.key = "ranks", .formula = "1"}, "every set has this column"},
        {{.key = "x", .parent = "none", .formula = "1"}, "no row \"none\" before it"},
        {{.key = "x", .parent = "x", .formula = "1"}, "no row \"x\" before it"},
        {{.key = "x"}, "either a formula or a function"},
        {{.key = "x", .formula = "1", .call = half}, "either a formula or a function"},
        {{.key = "x", .formula = "useful_men / 2"}, "did you mean useful_mean"},
        {{.key = "x", .formula = "useful_ns / 2"}, "say sum(useful_ns)"},
        {{.key = "x", .formula = "sum(useful_ns - ref.useful_ns)"}, "cannot mix"},
        {{.key = "x", .formula = "'text'"}, "gives text"},
        {{.key = "x", .formula = "first + x"}, "leads back to itself"},
        {{.key = "x", .formula = "1 +"}, "ends where a value is expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const pj_metric_spec rows[] = {{.key = "first", .formula = "1"}, cases[i].row};
        const pj_metric_set_spec spec = {.key = "mine", .rows = rows, .count = 2};
        pj_err err = {0};
        assert_null(pj_metric_set_define(&spec, &err));
        assert_int_equal(err.code, PJ_E_SCRIPT);
        if (!strstr(err.text, cases[i].complaint) || !strstr(err.text, "set \"mine\""))
            fail_msg("\"%s\" does not say \"%s\"", err.text, cases[i].complaint);
    }
}

/// Every measure is a name of formulas and has the value of its field.
static void test_measures_are_names(void **state)
{
    (void)state;
    pj_run *run = made_run_simple("a", 2, 1, 1000, 1250);
    made_run_devices(run, 0);
    pj_auto_study study = pj_study_new(&run, 1, (pj_study_opts){0}, NULL);
    pj_run_release(run);
    pj_measures measures = pj_measures_of(&study->cases[0], false);
    const pj_measures_row *measure;
    for (size_t i = 0; (measure = pj_measures_row_at(i)); i++) {
        if (pj_measures_lack(&measures, measure->needs))
            continue;
        const pj_metric_spec rows[] = {{.key = "x", .formula = measure->name}};
        const pj_metric_set_spec spec = {.key = "mine", .rows = rows, .count = 1};
        const pj_metric_set *set = pj_metric_set_define(&spec, NULL);
        pj_auto_metrics m = pj_metrics_new(set, study, (pj_metrics_opts){0}, NULL);
        expect(m, 0, 0, pj_measures_value(measure, &measures).real);
        pj_metric_set_release(set);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_one_run_has_no_reference),
        cmocka_unit_test(test_order_of_evaluation),
        cmocka_unit_test(test_callbacks),
        cmocka_unit_test(test_failing_callback),
        cmocka_unit_test(test_validation),
        cmocka_unit_test(test_measures_are_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
