// Runs with MPI and OpenMP, in both formats of traces: what causes cost is what the rows of the
// metric sets lack, to the last digits, and the same in both.
#include "metrics/analyse/load.h"
#include "metrics/pop/metrics.h"
#include "metrics/run/aspect.h"
#include "metrics/run/study/study.h"
#include "metrics/run/waits/run_delays.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/run/waits/wait_causes.h"
#include "metrics/trace/roi.h"
#include "tests/support/trace/model_app.h"
#include "tests/support/trace/otf2_writer.h"
#include "tests/support/trace/random_archive.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define ANCHOR PJ_BINARY_DIR "/hybrid_causes.otf2"
#define TRACE PJ_BINARY_DIR "/hybrid_causes.prv"

#define APP                                                                                        \
    .iterations = 4, .work_ns = 8e6, .imbalance = 0.2, .shifting = 0.07, .halo_ns = 21000,         \
    .collective_ns = 8000, .fork_ns = 5000, .join_ns = 3000, .halo_bytes = 40960, .ipc = 1.4,      \
    .ghz = 2.1
#define TEAM .openmp = true, .serial_fraction = 0.07, .thread_imbalance = 0.1

static const pj_model_app apps[] = {
    {APP, .ranks = 3, .threads = 4, TEAM},
    {APP, .ranks = 5, .threads = 1, TEAM},
    {APP, .ranks = 4, .threads = 1},
    {APP, .ranks = 2, .threads = 3, TEAM},
};
enum { APPS = sizeof apps / sizeof *apps, PURE = 2 };

/// A part of the run; all of it for a request that is zero.
static pj_run *load_part(const char *path, unsigned workers, pj_roi_request roi)
{
    pj_err err = {0};
    pj_job job = {.workers = workers};
    pj_load_opts opts = {
        .roi = roi, .ignore_summary = true, .aspects = PJ_HISTORY | PJ_WANT(omp_waits)};
    pj_run *run = pj_load(path, opts, &job, &err);
    if (!run)
        fail_msg("%s: %s", path, err.text);
    return run;
}

static pj_run *load(const char *path, unsigned workers)
{
    return load_part(path, workers, (pj_roi_request){.kind = PJ_ROI_AUTO});
}

static void write_both(const pj_model_app *app)
{
    pj_auto_trace trace = pj_model_write(app);
    pj_err err = {0};
    assert_true(pj_trace_writer_save(trace, TRACE, &err));
    if (!pj_otf2_writer_save(trace, ANCHOR, (pj_otf2_style){0}, &err))
        fail_msg("%s", err.text);
}

static pj_metrics *metrics_of(pj_run *run, const char *set)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_study study = pj_study_new(&run, 1, (pj_study_opts){0}, &err);
    pj_metrics *metrics = pj_metrics_new(pj_metric_set_by_key(pj_str_of(set)), study,
                                         (pj_metrics_opts){.causes = true}, &err);
    assert_non_null(metrics);
    return metrics;
}

static double value_of(const pj_metrics *metrics, const char *row)
{
    pj_metric_value value =
        pj_metrics_at(metrics, 0, (size_t)pj_metric_row(metrics->set, pj_str_of(row)));
    assert_null(value.reason);
    return value.value;
}

static bool is_empty(const pj_metrics *metrics, const char *row)
{
    size_t at = (size_t)pj_metric_row(metrics->set, pj_str_of(row));
    bool empty = pj_metrics_at(metrics, 0, at).reason != NULL;
    for (size_t i = 0; empty && i < metrics->cause_count; i++)
        assert_true(metrics->causes[i].row != at || metrics->causes[i].values[0].reason);
    return empty;
}

static double sum_of(const pj_metrics *metrics, const char *row)
{
    double sum = 0;
    for (size_t i = 0; i < metrics->cause_count; i++)
        if (strcmp(metrics->set->rows[metrics->causes[i].row].key, row) == 0) {
            assert_null(metrics->causes[i].values[0].reason);
            sum += metrics->causes[i].values[0].value;
        }
    return sum;
}

/// What a row lacks, in points of the runtime: of a factor f, which stands beside others that make
/// up c, c (1 - f).
typedef struct expected {
    const char *set, *row;
    const char *others; // c, of the set; NULL = it is a part of the runtime
    bool inefficiency;
} expected;

static const expected rows[] = {
    {"hybrid", "mpi_load_balance", NULL, false},
    {"hybrid", "mpi_serialisation_efficiency", NULL, false},
    {"hybrid", "mpi_transfer_efficiency", NULL, false},
    {"hybrid", "openmp_region_efficiency", NULL, false},
    {"hybrid", "serial_region_efficiency", NULL, false},
    {"hybrid-ineff", "mpi_load_imbalance", NULL, true},
    {"hybrid-ineff", "mpi_serialisation_inefficiency", NULL, true},
    {"hybrid-ineff", "mpi_transfer_inefficiency", NULL, true},
    {"hybrid-ineff", "openmp_region_inefficiency", NULL, true},
    {"hybrid-ineff", "serial_region_inefficiency", NULL, true},
    {"hybrid-mult", "mpi_load_balance", "mpi_communication_efficiency", false},
    {"hybrid-mult", "mpi_serialisation_efficiency", "mpi_transfer_efficiency", false},
    {"hybrid-mult", "mpi_transfer_efficiency", NULL, false},
    {"hybrid-bsc", "mpi_load_balance", "mpi_communication_efficiency", false},
    {"hybrid-bsc", "mpi_communication_efficiency", NULL, false},
    {"mpi", "mpi_load_balance", NULL, false},
    {"mpi", "mpi_serialisation_efficiency", NULL, false},
    {"mpi", "mpi_transfer_efficiency", NULL, false},
    {"mpi-mult", "mpi_serialisation_efficiency", "mpi_transfer_efficiency", false},
    {"mpi-mult", "mpi_transfer_efficiency", NULL, false},
    {"bsc", "load_balance", "communication_efficiency", false},
    {"bsc", "serialisation_efficiency", "transfer_efficiency", false},
    {"bsc", "transfer_efficiency", NULL, false},
    {"bsc-2026", "load_balance", "communication_efficiency", false},
    {"bsc-2026", "serialisation_efficiency", "transfer_efficiency", false},
    {"bsc-2026", "mpi_load_balance", "mpi_communication_efficiency", false},
    {"bsc-2026", "mpi_serialisation_efficiency", "mpi_transfer_efficiency", false},
    {"bsc-2026", "mpi_transfer_efficiency", NULL, false},
    {"openmp", "openmp_region_efficiency", NULL, false},
    {"openmp", "serial_region_efficiency", NULL, false},
};

static void add_up(pj_run *run)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const expected *want = &rows[i];
        bool threads = strstr(want->row, "region_") != NULL;
        if (threads && !run->has_openmp)
            continue;
        pj_auto_metrics metrics = metrics_of(run, want->set);
        if (is_empty(metrics, want->row) || (want->others && is_empty(metrics, want->others)))
            continue; // as where the replay takes longer than the run
        double value = value_of(metrics, want->row);
        double lost = want->inefficiency ? value : 1 - value;
        lost *= want->others ? value_of(metrics, want->others) : 1;
        if (fabs(sum_of(metrics, want->row) - lost) > 1e-12)
            fail_msg("%ux%u, %s, %s: causes of %.15g, it lacks %.15g", run->layout.ranks,
                     run->layout.locations / run->layout.ranks, want->set, want->row,
                     sum_of(metrics, want->row), lost);
    }
}

static void same_causes(pj_run *a, pj_run *b, const char *set)
{
    pj_auto_metrics x = metrics_of(a, set);
    pj_auto_metrics y = metrics_of(b, set);
    assert_int_equal(x->cause_count, y->cause_count);
    for (size_t i = 0; i < x->cause_count; i++) {
        assert_string_equal(x->causes[i].key, y->causes[i].key);
        assert_true(x->causes[i].values[0].value == y->causes[i].values[0].value);
    }
}

static uint64_t length_of(const pj_run *run)
{
    return run->waits->delays->paths[PJ_PATH_IDEAL].length_ns;
}

/// It leads through no MPI.
static uint64_t sum_along(const pj_run *run)
{
    const pj_critical_path *path = &run->waits->delays->paths[PJ_PATH_IDEAL];
    uint64_t sum = 0;
    assert_null(path->lacks);
    for (uint32_t i = 0; i < path->count; i++) {
        const char *name = run->waits->delays->regions[path->parts[i].region].name;
        assert_false(strncmp(name, "MPI_", 4) == 0);
        sum += path->parts[i].ns;
    }
    return sum;
}

/// It is as long as the run on the ideal network.
static void path_is_whole(const pj_run *run)
{
    assert_int_equal(sum_along(run), (uint64_t)run->ideal.runtime_ns);
    assert_int_equal(length_of(run), sum_along(run));
}

static void causes_are_what_rows_lack(void **state)
{
    (void)state;
    for (size_t a = 0; a < APPS; a++) {
        write_both(&apps[a]);
        pj_auto_run prv = load(TRACE, 1);
        pj_auto_run otf2 = load(ANCHOR, 1);
        pj_auto_run workers = load(TRACE, 4);
        pj_auto_run shared = load(ANCHOR, 4);
        add_up(prv);
        add_up(otf2);
        path_is_whole(prv);
        path_is_whole(otf2);
        same_causes(prv, workers, "hybrid");
        same_causes(otf2, shared, "hybrid");
    }
}

/// Costs, both paths, waits on both clocks: what they have in parts of the run.
static void add_part(const pj_run *run, double sums[5])
{
    const pj_waits *waits = run->waits;
    for (uint32_t i = 0; i < waits->delays->delay_count; i++)
        sums[0] += waits->delays->delays[i].short_ns + waits->delays->delays[i].long_ns;
    for (unsigned clock = 0; clock < PJ_PATHS; clock++)
        for (uint32_t i = 0; i < waits->delays->paths[clock].count; i++)
            sums[1 + clock] += (double)waits->delays->paths[clock].parts[i].ns;
    for (uint32_t i = 0; i < waits->sum_count; i++) {
        sums[3] += (double)waits->sums[i].wait_ns;
        sums[4] += (double)waits->sums[i].ideal_ns;
    }
}

static void parts_add_up(const char *path)
{
    static const double borders[] = {0, 13, 41, 77, 100}; // percent
    double whole[5] = {0}, parts[5] = {0};
    pj_auto_run run = load(path, 1);
    add_part(run, whole);
    for (size_t i = 0; i + 1 < sizeof borders / sizeof *borders; i++) {
        pj_auto_run part = load_part(path, 1 + (unsigned)i % 2,
                                     (pj_roi_request){.kind = PJ_ROI_RANGE,
                                                      .from = borders[i],
                                                      .to = borders[i + 1],
                                                      .from_percent = true,
                                                      .to_percent = true});
        assert_true(part->roi.set && part->waits->has_ideal);
        add_up(part);
        add_part(part, parts);
    }
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (fabs(whole[i] - parts[i]) > 1e-9 * whole[i])
            fail_msg("%s, %zu: parts have %.15g of %.15g", path, i, parts[i], whole[i]);
}

static void regions_of_interest_add_up(void **state)
{
    (void)state;
    for (size_t a = 0; a < APPS; a++) {
        write_both(&apps[a]);
        parts_add_up(TRACE);
        parts_add_up(ANCHOR);
    }
}

/// Threads that call MPI, calls that do not end, clocks that jump: as long as there is an ideal
/// network, all adds up.
static void wild_programs_add_up(void **state)
{
    (void)state;
    enum { SEEDS = 200, LEAST = 40 };
    unsigned looked_at = 0, others = 0;
    char folder[] = "/tmp/pj_hybridXXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/run.otf2", folder);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        assert_true(pj_random_archive_save(seed, folder));
        pj_err err = {0};
        pj_job job = {.workers = 1};
        pj_load_opts opts = {.ignore_summary = true, .aspects = PJ_HISTORY | PJ_WANT(omp_waits)};
        pj_auto_run run = pj_load(path, opts, &job, &err);
        pj_otf2_writer_remove(path);
        if (!run || !run->waits || !run->waits->has_ideal)
            continue;
        add_up(run);
        looked_at++;
        // Paths are those of first threads: whoever waits for another one may not know what it did.
        others += pj_wait_others_call(run);
        assert_true(pj_wait_others_call(run) || sum_along(run) == length_of(run));
    }
    rmdir(folder);
    assert_true(looked_at >= LEAST && others > 0);
}

static void one_thread_a_rank_is_mpi_alone(void **state)
{
    (void)state;
    write_both(&apps[PURE]);
    pj_auto_run run = load(TRACE, 1);
    pj_auto_metrics hybrid = metrics_of(run, "hybrid");
    pj_auto_metrics mpi = metrics_of(run, "mpi");
    assert_true(hybrid->cause_count > 0);
    assert_int_equal(hybrid->cause_count, mpi->cause_count);
    for (size_t i = 0; i < mpi->cause_count; i++) {
        assert_string_equal(hybrid->causes[i].key, mpi->causes[i].key);
        assert_true(hybrid->causes[i].values[0].value == mpi->causes[i].values[0].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(causes_are_what_rows_lack),
        cmocka_unit_test(regions_of_interest_add_up),
        cmocka_unit_test(wild_programs_add_up),
        cmocka_unit_test(one_thread_a_rank_is_mpi_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
