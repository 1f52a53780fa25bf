// Walks the registry of metric sets: no set and no row can be forgotten.
#include "metrics/pop/metrics.h"
#include "tests/support/made_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char mpi_keys[] =
    "global_efficiency parallel_efficiency mpi_load_balance mpi_communication_efficiency "
    "mpi_transfer_efficiency mpi_serialisation_efficiency computation_scaling "
    "instruction_scaling ipc_scaling frequency_scaling speedup runtime_s";
static const char hybrid_keys[] =
    "global_efficiency parallel_efficiency process_level_efficiency mpi_load_balance "
    "mpi_communication_efficiency mpi_transfer_efficiency mpi_serialisation_efficiency "
    "thread_level_efficiency openmp_region_efficiency serial_region_efficiency "
    "computation_scaling instruction_scaling ipc_scaling frequency_scaling speedup runtime_s";

static const char talp_keys[] =
    "global_efficiency parallel_efficiency mpi_parallel_efficiency mpi_communication_efficiency "
    "mpi_load_balance mpi_load_balance_in mpi_load_balance_out openmp_parallel_efficiency "
    "openmp_serialisation_efficiency openmp_load_balance openmp_scheduling_efficiency "
    "device_offload_efficiency gpu_parallel_efficiency gpu_load_balance "
    "gpu_communication_efficiency gpu_orchestration_efficiency computation_scaling "
    "instruction_scaling ipc_scaling frequency_scaling ipc frequency_ghz speedup runtime_s";

/// The sets and keys that users rely on.
static const struct {
    const char *set, *title, *keys;
} promised[] = {
    {"mpi", "MPI (additive)", mpi_keys},
    {"mpi-mult", "MPI (multiplicative)", mpi_keys},
    {"hybrid", "MPI+OpenMP (additive)", hybrid_keys},
    {"hybrid-mult", "MPI+OpenMP (multiplicative)", hybrid_keys},
    {"hybrid-ineff", "MPI+OpenMP (inefficiencies)",
     "global_inefficiency parallel_inefficiency process_level_inefficiency mpi_load_imbalance "
     "mpi_communication_inefficiency mpi_transfer_inefficiency mpi_serialisation_inefficiency "
     "thread_level_inefficiency openmp_region_inefficiency serial_region_inefficiency "
     "computation_scaling instruction_scaling ipc_scaling frequency_scaling speedup runtime_s"},
    {"openmp", "OpenMP",
     "global_efficiency parallel_efficiency openmp_region_efficiency serial_region_efficiency "
     "computation_scaling instruction_scaling ipc_scaling frequency_scaling speedup runtime_s"},
    {"hybrid-bsc", "MPI+OpenMP (hybrid, Judit)",
     "global_efficiency hybrid_parallel_efficiency mpi_parallel_efficiency mpi_load_balance "
     "mpi_communication_efficiency openmp_parallel_efficiency openmp_communication_efficiency "
     "openmp_load_balance hybrid_communication_efficiency hybrid_load_balance "
     "computation_scaling instruction_scaling ipc_scaling frequency_scaling speedup runtime_s"},
    {"bsc", "BSC model factors",
     "parallel_efficiency load_balance communication_efficiency serialisation_efficiency "
     "transfer_efficiency computation_scaling global_efficiency ipc_scaling instruction_scaling "
     "frequency_scaling ipc frequency_ghz speedup runtime_s"},
    {"bsc-2026", "BSC model factors 2026",
     "global_efficiency parallel_efficiency load_balance communication_efficiency "
     "serialisation_efficiency transfer_efficiency mpi_parallel_efficiency mpi_load_balance "
     "mpi_communication_efficiency mpi_serialisation_efficiency mpi_transfer_efficiency "
     "openmp_parallel_efficiency openmp_load_balance openmp_communication_efficiency "
     "openmp_isolated_efficiency openmp_isolated_serial_efficiency openmp_isolated_load_balance "
     "openmp_isolated_scheduling_efficiency io_efficiency mpi_io_efficiency mpi_io_load_balance "
     "posix_io_efficiency posix_io_load_balance device_offload_efficiency "
     "device_parallel_efficiency device_load_balance device_communication_efficiency "
     "device_orchestration_efficiency units_parallel_efficiency units_load_balance "
     "units_communication_efficiency units_contribution units_load_balance_contribution "
     "units_communication_contribution computation_scaling instruction_scaling "
     "ipc_scaling frequency_scaling ipc frequency_ghz speedup runtime_s"},
    {"jsc", "JSC (Cube advisor)",
     "global_efficiency parallel_efficiency load_balance communication_efficiency "
     "serialisation_efficiency transfer_efficiency openmp_efficiency openmp_efficiency_min "
     "openmp_efficiency_max openmp_load_balance openmp_serialisation_efficiency "
     "openmp_management_efficiency computation_scaling instruction_scaling ipc_scaling "
     "frequency_scaling speedup runtime_s"},
    {"talp", "TALP (hybrid v2)", talp_keys},
    {"talp-v1", "TALP (hybrid v1)", talp_keys},
    {"gpu", "Host and devices (GPU)",
     "host_global_efficiency host_parallel_efficiency mpi_parallel_efficiency mpi_load_balance "
     "mpi_communication_efficiency mpi_serialisation_efficiency mpi_transfer_efficiency "
     "device_offload_efficiency device_global_efficiency device_parallel_efficiency "
     "device_load_balance device_communication_efficiency device_serialisation_efficiency "
     "device_transfer_efficiency device_orchestration_efficiency "
     "host_computation_scaling device_computation_scaling devices step_ns pipeline_bubble "
     "speedup runtime_s"},
    {"ai-add", "AI runs (additive)",
     "device_parallel_efficiency device_load_balance device_communication_efficiency "
     "device_serialisation_efficiency device_transfer_efficiency "
     "device_orchestration_efficiency devices speedup runtime_s"},
    {"energy", "Energy",
     "energy_j mean_power_w energy_useful_j energy_transfer_j energy_wait_j energy_idle_j "
     "energy_useful_share energy_per_step_j edp_js energy_scaling speedup runtime_s"},
};

static void test_promised_keys(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof promised / sizeof *promised; i++) {
        const pj_metric_set *set = pj_metric_set_at(i);
        assert_non_null(set);
        assert_string_equal(set->key, promised[i].set);
        assert_string_equal(set->title, promised[i].title);
        pj_str rest = pj_str_of(promised[i].keys);
        for (size_t row = 0; row < set->count; row++) {
            pj_str key = pj_str_cut(&rest, ' ');
            assert_true(pj_str_equal(key, pj_str_of(set->rows[row].key)));
        }
        assert_int_equal(rest.len, 0);
    }
    assert_null(pj_metric_set_at(sizeof promised / sizeof *promised));
}

static void check_row(const pj_metric_set *set, size_t row)
{
    const pj_metric *metric = &set->rows[row];
    assert_true(strlen(metric->title) > 2);
    assert_true(strlen(metric->formula_text) > 0);
    pj_str text = pj_str_of(metric->explanation);
    assert_true(text.len > 80); // two sentences at least
    assert_true(pj_str_ends(text, PJ_S(".")));
    assert_true(pj_str_find(text, '.') + 1 < text.len);
    assert_int_equal(pj_metric_row(set, pj_str_of(metric->key)), row); // keys are unique
    int parent = pj_metric_parent(set, row);
    assert_int_equal(parent >= 0, metric->parent != NULL);
    assert_true(parent < (int)row);
    if (parent >= 0)
        assert_int_equal(pj_metric_depth(set, row), pj_metric_depth(set, (size_t)parent) + 1);
}

static void test_rows(void **state)
{
    (void)state;
    const pj_metric_set *set;
    for (size_t i = 0; (set = pj_metric_set_at(i)); i++) {
        assert_true(strlen(set->convention) > 10);
        assert_ptr_equal(pj_metric_set_by_key(pj_str_of(set->key)), set);
        for (size_t row = 0; row < set->count; row++)
            check_row(set, row);
        assert_string_equal(set->rows[set->count - 2].key, "speedup");
        assert_string_equal(set->rows[set->count - 1].key, "runtime_s");
    }
}

/// A study with uneven ranks and threads, in which every measure differs from the others.
static pj_study *uneven_study(void)
{
    pj_run *runs[2];
    for (uint32_t n = 0; n < 2; n++) {
        pj_run *run = made_run_simple(n ? "large" : "small", 2u << n, 3, 900, 1000);
        for (uint32_t i = 0; i < run->layout.locations; i++) {
            pj_totals *t = &run->totals[i];
            bool master = i % 3 == 0;
            t->serial_useful_ns = master ? 300 - 7 * i : 0;
            t->openmp_ns = 500 - 3 * i;
            t->openmp_useful_ns = 400 - 11 * i;
            t->useful_ns = t->serial_useful_ns + t->openmp_useful_ns;
            t->outside_mpi_ns = 850 - i;
            made_run_count(run, i, 1000 + i + n, 800 + 2 * i + n);
        }
        made_run_devices(run, n);
        runs[n] = run;
    }
    pj_study *study = pj_study_new(runs, 2, (pj_study_opts){0}, NULL);
    pj_run_release(runs[0]);
    pj_run_release(runs[1]);
    return study;
}

/// Children and residual together give the parent.
static void check_identity(const pj_metrics *m, size_t run, size_t row)
{
    const pj_metric *parent = &m->set->rows[row];
    pj_metric_value left = pj_metrics_residual(m, run, row);
    if (left.reason)
        return;
    bool loss = parent->kind == PJ_METRIC_INEFFICIENCY;
    double sum = loss ? left.value : 1 - left.value, product = left.value;
    for (size_t child = 0; child < m->set->count; child++)
        if (pj_metric_parent(m->set, child) == (int)row) {
            double value = pj_metrics_at(m, run, child).value;
            sum += loss ? value : 1 - value;
            product *= value;
        }
    double together = parent->combine == PJ_COMBINE_PRODUCT ? product : loss ? sum : 1 - sum;
    assert_true(fabs(together - pj_metrics_at(m, run, row).value) < 1e-12);
}

/// What a run made by hand of the times of threads does not have.
static bool is_told_by_few(const pj_metric *row)
{
    return row->needs &
           (PJ_NEEDS_TEAMS | PJ_NEEDS_NODES | PJ_NEEDS_WAITS | PJ_NEEDS_ACTIVITY | PJ_NEEDS_METERS);
}

static bool has_untold_part(const pj_metric_set *set, size_t row)
{
    bool untold = is_told_by_few(&set->rows[row]);
    for (size_t child = row + 1; child < set->count; child++)
        if (pj_metric_parent(set, child) == (int)row)
            untold = untold || is_told_by_few(&set->rows[child]);
    return untold;
}

static void test_values_and_identities(void **state)
{
    (void)state;
    pj_auto_study study = uneven_study();
    const pj_metric_set *set;
    for (size_t i = 0; (set = pj_metric_set_at(i)); i++) {
        pj_auto_metrics m = pj_metrics_new(set, study, (pj_metrics_opts){0}, NULL);
        for (size_t run = 0; run < study->count; run++)
            for (size_t row = 0; row < set->count; row++) {
                if (!is_told_by_few(&set->rows[row])) {
                    assert_null(pj_metrics_at(m, run, row).reason);
                    assert_true(isfinite(pj_metrics_at(m, run, row).value));
                }
                if (!has_untold_part(set, row))
                    check_identity(m, run, row);
            }
    }
}

/// Which rows leave a residual when the first threads do more than compute and wait in MPI: only
/// those whose formulas take different times for parent and children.
static void test_residuals(void **state)
{
    (void)state;
    static const struct {
        const char *set, *row;
    } leaving[] = {{"mpi", "parallel_efficiency"},
                   {"mpi-mult", "parallel_efficiency"},
                   {"openmp", "parallel_efficiency"}};
    pj_auto_study study = uneven_study();
    const pj_metric_set *set;
    for (size_t i = 0; (set = pj_metric_set_at(i)); i++) {
        pj_auto_metrics m = pj_metrics_new(set, study, (pj_metrics_opts){0}, NULL);
        for (size_t row = 0; row < set->count; row++) {
            bool expected = false;
            for (size_t k = 0; k < sizeof leaving / sizeof *leaving; k++)
                expected = expected || (strcmp(leaving[k].set, set->key) == 0 &&
                                        strcmp(leaving[k].row, set->rows[row].key) == 0);
            if (m->has_residual[row] != expected)
                fail_msg("%s: residual of %s is unexpected", set->key, set->rows[row].key);
        }
    }
}

static void test_both_spellings(void **state)
{
    (void)state;
    const pj_metric_set *mpi = pj_metric_set_by_key(PJ_S("mpi"));
    int row = pj_metric_row(mpi, PJ_S("mpi_serialisation_efficiency"));
    assert_true(row > 0);
    assert_int_equal(pj_metric_row(mpi, PJ_S("mpi_serialization_efficiency")), row);
    assert_int_equal(pj_metric_row(mpi, PJ_S("mpi_serialisation")), -1);
    assert_null(pj_metric_set_by_key(PJ_S("mpx")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_promised_keys),         cmocka_unit_test(test_rows),
        cmocka_unit_test(test_values_and_identities), cmocka_unit_test(test_residuals),
        cmocka_unit_test(test_both_spellings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
