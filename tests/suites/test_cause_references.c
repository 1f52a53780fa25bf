// Devices, TALP files and JSC's rows against the reference values of
// ../shared/data/reference/causes.
#include "metrics/analyse/faults/fault_cluster.h"
#include "metrics/analyse/load.h"
#include "metrics/base/arena.h"
#include "metrics/pop/metrics.h"
#include "metrics/run/aspect.h"
#include "metrics/run/devices.h"
#include "tests/support/csv.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DATA PJ_SOURCE_DIR "/../shared/data/"
#define CAUSES DATA "reference/causes/"

static pj_run *load(const char *path)
{
    pj_err err = {0};
    pj_job job = {.workers = 2};
    pj_load_opts opts = {.ignore_summary = true,
                         .aspects = PJ_WANT(openmp_regions) | PJ_WANT(waits)};
    pj_run *run = pj_load(path, opts, &job, &err);
    if (!run)
        fail_msg("%s: %s", path, err.text);
    return run;
}

static double metric_of(pj_run *run, const char *set_key, const char *key)
{
    pj_err err = {0};
    pj_auto_study study = pj_study_new(&run, 1, (pj_study_opts){0}, &err);
    const pj_metric_set *set = pj_metric_set_by_key(pj_str_of(set_key));
    pj_auto_metrics metrics = pj_metrics_new(set, study, (pj_metrics_opts){0}, &err);
    int row = pj_metric_row(set, pj_str_of(key));
    if (row < 0)
        fail_msg("%s has no row %s", set_key, key);
    pj_metric_value got = pj_metrics_at(metrics, 0, (size_t)row);
    return got.reason ? NAN : got.value;
}

static void expect(const char *what, const char *key, double got, double wanted)
{
    double allowed = 1e-8 * fmax(1, fabs(wanted)); // references have nine digits
    if (!(fabs(got - wanted) <= allowed))
        fail_msg("%s, %s: %.12g in place of %.12g", what, key, got, wanted);
}

// Devices

/// A value by its name in the references, "device_useful_ns[1]"; false when it is a metric.
static bool plain_value(const pj_run *run, const char *name, double *value)
{
    char *end;
    const char *bracket = strchr(name, '[');
    size_t i = bracket ? strtoul(bracket + 1, &end, 10) : 0;
    const pj_device_sum *device = &run->devices->items[i];
    const pj_totals *thread = &run->totals[i < run->layout.locations ? i : 0];
    const struct {
        const char *name;
        double value;
    } values[] = {
        {"devices", (double)run->devices->count},
        {"elapsed_ns", (double)run->runtime_ns},
        {"device_useful_ns[", (double)device->useful_ns},
        {"device_transfer_ns[", (double)device->transfer_ns},
        {"host_useful_ns[", (double)thread->useful_ns},
        {"host_gpu_runtime_ns[", (double)run->devices->runtime_ns[i % run->layout.locations]},
        {"host_mpi_ns[", (double)thread->mpi_ns},
    };
    for (size_t v = 0; v < sizeof values / sizeof *values; v++)
        if (bracket ? strncmp(name, values[v].name, strlen(values[v].name)) == 0
                    : strcmp(name, values[v].name) == 0) {
            *value = values[v].value;
            return true;
        }
    return false;
}

static double metric_named(pj_run *run, const char *name)
{
    static const struct {
        const char *name, *key;
    } units[] = {
        {"classic_parallel_efficiency", "units_parallel_efficiency"},
        {"classic_load_balance", "units_load_balance"},
        {"classic_communication_efficiency", "units_communication_efficiency"},
        {"gpu_parallel_contribution", "units_contribution"},
        {"gpu_load_balance_contribution", "units_load_balance_contribution"},
        {"gpu_communication_contribution", "units_communication_contribution"},
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(name, units[i].name) == 0)
            return metric_of(run, "bsc-2026", units[i].key);
    return metric_of(run, "gpu", name);
}

/// Whether the references have a row of its own for this trace.
static bool has_own(const csv *table, const char *trace, pj_str row)
{
    for (size_t i = 0; i < table->rows; i++)
        if (pj_str_equal(csv_cell(table, i, "trace"), pj_str_of(trace)) &&
            pj_str_equal(csv_cell(table, i, "row"), row))
            return true;
    return false;
}

static void check_devices(const csv *table, const char *trace, const char *of, const char *path)
{
    pj_auto_run run = load(path);
    size_t checked = 0;
    for (size_t i = 0; i < table->rows; i++) {
        char name[64];
        pj_str row = csv_cell(table, i, "row"), from = csv_cell(table, i, "trace");
        bool own = pj_str_equal(from, pj_str_of(trace));
        bool lent = pj_str_equal(from, pj_str_of(of)) && !has_own(table, trace, row);
        if ((!own && !lent) || pj_str_starts(row, PJ_S("bsc_")))
            continue;
        snprintf(name, sizeof name, PJ_STR_FMT, PJ_STR_ARG(row));
        double wanted = csv_number(table, i, "value"), got;
        bool plain = plain_value(run, name, &got);
        if (!plain)
            expect(trace, name, metric_named(run, name), wanted);
        else if (fabs(got - wanted) > (strstr(name, "runtime") ? 40 : 1)) // of ns by call
            fail_msg("%s, %s: %g in place of %g", trace, name, got, wanted);
        checked++;
    }
    assert_true(checked >= 8);
}

static void devices_agree(void **state)
{
    (void)state;
    csv table;
    csv_of_real_tools(CAUSES "gpu.csv", &table);
    static const char *const extrae = "made_extrae_2x1";
    check_devices(&table, extrae, extrae, DATA "gpu/made/made_extrae_2x1.prv");
    check_devices(&table, "made_nsys_2x1", extrae, DATA "gpu/made/made_nsys_2x1.prv");
    check_devices(&table, "made_otf2_2x1", extrae, DATA "gpu/made/made_otf2_2x1/traces.otf2");
    check_devices(&table, "fastotf2-mi300", "fastotf2-mi300",
                  DATA "otf2/fastotf2-mi300/traces.otf2");
    csv_free(&table);
}

// TALP

static const char *talp_row(pj_str key)
{
    static const struct {
        const char *file, *row;
    } names[] = {
        {"parallelEfficiency", "parallel_efficiency"},
        {"mpiParallelEfficiency", "mpi_parallel_efficiency"},
        {"mpiCommunicationEfficiency", "mpi_communication_efficiency"},
        {"mpiLoadBalance", "mpi_load_balance"},
        {"ompParallelEfficiency", "openmp_parallel_efficiency"},
        {"ompLoadBalance", "openmp_load_balance"},
        {"ompSchedulingEfficiency", "openmp_scheduling_efficiency"},
        {"ompSerializationEfficiency", "openmp_serialisation_efficiency"},
        {"deviceOffloadEfficiency", "device_offload_efficiency"},
        {"gpuParallelEfficiency", "gpu_parallel_efficiency"},
        {"gpuLoadBalance", "gpu_load_balance"},
        {"gpuCommunicationEfficiency", "gpu_communication_efficiency"},
        {"gpuOrchestrationEfficiency", "gpu_orchestration_efficiency"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (pj_str_equal(key, pj_str_of(names[i].file)))
            return names[i].row;
    return NULL;
}

static pj_run *region_of(pj_run *run, pj_str name)
{
    for (size_t i = 0; i < run->parts.count; i++)
        if (pj_str_equal(pj_str_of(run->parts.items[i]->part.name), name))
            return run->parts.items[i];
    return run;
}

/// A value is that of the times, or, where these do not suffice, the two decimals of the file.
static void talp_files_agree(void **state)
{
    (void)state;
    csv table;
    csv_of_real_tools(CAUSES "talp.csv", &table);
    char path[4096] = "";
    pj_run *run = NULL;
    size_t exact = 0;
    for (size_t i = 0; i < table.rows; i++) {
        char at[sizeof path];
        pj_str region = csv_cell(&table, i, "region"), key = csv_cell(&table, i, "key");
        if (pj_str_contains(csv_cell(&table, i, "file"), PJ_S("wrong_dlb_version")))
            continue; // is refused
        snprintf(at, sizeof at, "%sgpu/talp/" PJ_STR_FMT, DATA,
                 PJ_STR_ARG(csv_cell(&table, i, "file")));
        if (strcmp(at, path) != 0) {
            pj_run_release(run);
            run = load(at);
            memcpy(path, at, sizeof path);
        }
        double got = metric_of(region_of(run, region), "talp", talp_row(key));
        if (isnan(got))
            continue;
        expect(path, talp_row(key), got, csv_number(&table, i, "formula"));
        exact++;
    }
    pj_run_release(run);
    csv_free(&table);
    print_message("%zu values\n", exact);
    assert_true(exact > 1000);
}

// JSC

static void jsc_rows_agree(void **state)
{
    (void)state;
    static const char *const rows[] = {"parallel_efficiency", "load_balance",
                                       "communication_efficiency", "serialisation_efficiency",
                                       "transfer_efficiency"};
    csv table;
    csv_of_real_tools(CAUSES "jsc_epoch.csv", &table);
    for (size_t i = 0; i < table.rows; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%sparaver/epoch/" PJ_STR_FMT ".prv.gz", DATA,
                 PJ_STR_ARG(csv_cell(&table, i, "trace")));
        pj_auto_run run = load(path);
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            expect(path, rows[r], metric_of(run, "jsc", rows[r]), csv_number(&table, i, rows[r]));
    }
    csv_free(&table);
}

/// The start-up of EPOCH on 16 ranks: without it IPC scales.
static void the_cluster_of_the_ipc_loss_agrees(void **state)
{
    (void)state;
    static const char *const paths[] = {DATA "paraver/epoch/epoch_1proc.prv.gz",
                                        DATA "paraver/epoch/epoch_16proc.prv.gz"};
    csv table; // only whether the data are there
    csv_of_real_tools(CAUSES "clusters.csv", &table);
    csv_free(&table);
    pj_sums sums[2];
    pj_run *runs[2];
    for (size_t i = 0; i < 2; i++) {
        pj_err err = {0};
        pj_job job = {.workers = 2};
        pj_load_opts opts = {.ignore_summary = true, .aspects = PJ_WANT(bursts)};
        runs[i] = pj_load(paths[i], opts, &job, &err);
        assert_non_null(runs[i]);
        sums[i] = pj_sums_of(runs[i]);
    }
    double ipc = sums[0].instructions / sums[0].cycles;
    pj_fault_cluster found =
        pj_fault_cluster_of(runs[1], &sums[1], sums[1].instructions / sums[1].cycles / ipc);
    pj_auto_arena arena = pj_arena_new(NULL);
    assert_string_equal(pj_fault_cluster_said(found, arena),
                        "cluster 2 of bursts = start-up, 35 % of useful time at IPC 0.34: IPC "
                        "scaling is 0.8226 over all bursts and 1.0068 without it, so that cluster "
                        "is the whole IPC loss");
    for (size_t i = 0; i < 2; i++)
        pj_run_release(runs[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_agree),
        cmocka_unit_test(talp_files_agree),
        cmocka_unit_test(jsc_rows_agree),
        cmocka_unit_test(the_cluster_of_the_ipc_loss_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
