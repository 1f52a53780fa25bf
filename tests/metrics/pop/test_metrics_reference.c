// Every cell of the reference tables, from the reference statistics.
#include "metrics/base/buf.h"
#include "metrics/base/file.h"
#include "metrics/base/num.h"
#include "metrics/pop/metrics.h"
#include "tests/support/made_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define REFERENCE PJ_SOURCE_DIR "/../shared/data/reference/"

static const struct {
    const char *set, *table;
} tables[] = {
    {"mpi", "MPI_Metrics"},
    {"mpi-mult", "MPI_Multiplicative_Metrics"},
    {"hybrid", "MPI_OpenMP_Metrics"},
    {"hybrid-mult", "MPI_OpenMP_Multiplicative_Metrics"},
    {"hybrid-ineff", "MPI_OpenMP_Ineff_Metrics"},
    {"openmp", "OpenMP_Metrics"},
    {"hybrid-bsc", "Judit_Hybrid_Metrics"},
};

static pj_study *load_study(const char *const *names, size_t count)
{
    pj_run *runs[8] = {NULL};
    for (size_t i = 0; i < count; i++) {
        char path[512];
        snprintf(path, sizeof path, REFERENCE "stats_%s.csv", names[i]);
        runs[i] = made_run_from_stats(path);
        if (!runs[i]) {
            print_message("skipped: %s is not there\n", path);
            skip();
        }
    }
    pj_err err = {0};
    pj_study *study = pj_study_new(runs, count, (pj_study_opts){0}, &err);
    for (size_t i = 0; i < count; i++)
        pj_run_release(runs[i]);
    assert_non_null(study);
    return study;
}

static void compare_cell(const pj_metrics *m, size_t run, size_t row, double expected, bool loose)
{
    const char *key = m->set->rows[row].key;
    pj_metric_value got = pj_metrics_at(m, run, row);
    assert_null(got.reason);
    bool replayed = pj_str_contains(pj_str_of(key), PJ_S("transfer")) ||
                    pj_str_contains(pj_str_of(key), PJ_S("serialisation"));
    double limit = loose && replayed ? 1e-8 : 1e-12 * fmax(1, fabs(expected));
    if (fabs(got.value - expected) > limit)
        fail_msg("%s %s of %s: %.17g, expected %.17g", m->set->key, key, m->study->cases[run].name,
                 got.value, expected);
}

/// Columns 0 to 5 describe the run, then the metrics stand in the order of the set.
static void compare_line(const pj_metrics *m, size_t run, pj_str line, bool loose)
{
    assert_true(pj_str_equal(pj_str_cut(&line, ','), pj_str_of(m->study->cases[run].name)));
    for (unsigned i = 1; i < 6; i++)
        pj_str_cut(&line, ',');
    for (size_t row = 0; row < m->set->count; row++) {
        double expected;
        assert_true(pj_parse_double(pj_str_trim(pj_str_cut(&line, ',')), &expected));
        bool runtime = row + 1 == m->set->count; // in ns there, in s here
        compare_cell(m, run, row, runtime ? expected / 1e9 : expected, loose);
    }
    assert_int_equal(line.len, 0);
}

static void compare_table(pj_study *study, const char *study_name, size_t index, bool loose)
{
    pj_auto_buf text = {0};
    pj_auto_buf path = {0};
    pj_buf_addf(&path, REFERENCE "metrics_%s_%s.csv", study_name, tables[index].table);
    assert_true(pj_file_read(path.at, &text, NULL));
    const pj_metric_set *set = pj_metric_set_by_key(pj_str_of(tables[index].set));
    assert_non_null(set);
    pj_auto_metrics m = pj_metrics_new(set, study, (pj_metrics_opts){0}, NULL);
    pj_str rest = pj_buf_str(&text);
    pj_str_cut(&rest, '\n');
    for (size_t run = 0; run < study->count; run++)
        compare_line(m, run, pj_str_cut(&rest, '\n'), loose);
    assert_int_equal(pj_str_trim(rest).len, 0);
}

static void test_epoch(void **state)
{
    (void)state;
    static const char *const names[] = {"epoch_16proc", "epoch_2proc", "epoch_1proc",
                                        "epoch_4proc"};
    pj_auto_study study = load_study(names, 4);
    assert_int_equal(study->scaling, PJ_SCALING_STRONG);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        compare_table(study, "epoch", i, false);
}

static void test_imagemagick(void **state)
{
    (void)state;
    static const char *const names[] = {"omp1", "omp2", "omp4", "omp8"};
    pj_auto_study study = load_study(names, 4);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        compare_table(study, "imagemagick", i, true);
}

static void assert_near(double got, double expected, double limit)
{
    if (fabs(got - expected) > limit)
        fail_msg("%.17g, expected %.17g", got, expected);
}

static double value(const pj_metrics *m, size_t run, const char *key)
{
    int row = pj_metric_row(m->set, pj_str_of(key));
    assert_true(row >= 0);
    return pj_metrics_at(m, run, (size_t)row).value;
}

/// Printed digits of PyPOP's notebook on ImageMagick, from the statistics of four runs.
static void test_golden_values(void **state)
{
    (void)state;
    static const char *const names[] = {"omp1", "omp2", "omp4", "omp8"};
    static const double expected[][4] = {
        {.998414, .998448, .995565, .957615},
        {1, .728963, .498454, .373220},
        {.995348, .723112, .488539, .325171},
    };
    pj_auto_study study = load_study(names, 4);
    pj_auto_metrics m =
        pj_metrics_new(pj_metric_set_default(study), study, (pj_metrics_opts){0}, NULL);
    assert_string_equal(m->set->key, "openmp");
    for (size_t run = 0; run < 4; run++) {
        assert_near(value(m, run, "openmp_region_efficiency"), expected[0][run], 5e-7);
        assert_near(value(m, run, "serial_region_efficiency"), expected[1][run], 5e-7);
        assert_near(value(m, run, "parallel_efficiency"), expected[2][run], 5e-7);
    }
}

/// BSC's factors of the 16 ranks: products by hand from the statistics.
static void test_bsc(void **state)
{
    (void)state;
    static const char *const names[] = {"epoch_1proc", "epoch_16proc"};
    pj_auto_study study = load_study(names, 2);
    pj_auto_metrics m =
        pj_metrics_new(pj_metric_set_by_key(PJ_S("bsc")), study, (pj_metrics_opts){0}, NULL);
    double le = value(m, 1, "load_balance"), ce = value(m, 1, "communication_efficiency");
    assert_near(le, 0.99248259318837873, 1e-12);
    assert_near(ce, 0.95871891974879986, 1e-12);
    assert_near(value(m, 1, "serialisation_efficiency"), 0.97084630328682364, 1e-12);
    assert_near(value(m, 1, "transfer_efficiency"), 0.9875084413496078, 1e-12);
    assert_near(value(m, 1, "parallel_efficiency"), le * ce, 1e-12);
    assert_near(value(m, 0, "ipc"), 1.8719931699824599, 1e-12);
    assert_near(value(m, 0, "frequency_ghz"), 2.0699054424630869, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_epoch),
        cmocka_unit_test(test_imagemagick),
        cmocka_unit_test(test_golden_values),
        cmocka_unit_test(test_bsc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
