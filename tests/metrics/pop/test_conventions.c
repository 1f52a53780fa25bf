// What the sets of TALP, JSC and BSC's 2026 model make of runs whose losses are known by hand.
#include "metrics/analyse/load.h"
#include "metrics/pop/metrics.h"
#include "tests/support/trace/model_app.h"
#include "tests/support/trace/trace_writer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

static const char path[] = PJ_BINARY_DIR "/conventions.prv";

static pj_run *load(void)
{
    pj_err err = {0};
    pj_job job = {.workers = 1};
    pj_run *run = pj_load(path, (pj_load_opts){.aspects = PJ_WANT(openmp_regions)}, &job, &err);
    if (!run)
        fail_msg("%s", err.text);
    return run;
}

static pj_metrics *evaluate(pj_run *run, const char *set)
{
    pj_study *study = pj_study_new(&run, 1, (pj_study_opts){0}, NULL);
    pj_metrics *metrics =
        pj_metrics_new(pj_metric_set_by_key(pj_str_of(set)), study, (pj_metrics_opts){0}, NULL);
    pj_study_release(study);
    return metrics;
}

static pj_metric_value at(const pj_metrics *metrics, const char *key)
{
    int row = pj_metric_row(metrics->set, pj_str_of(key));
    if (row < 0)
        fail_msg("%s has no %s", metrics->set->key, key);
    return pj_metrics_at(metrics, 0, (size_t)row);
}

static void expect(const pj_metrics *metrics, const char *key, double want)
{
    pj_metric_value got = at(metrics, key);
    if (got.reason || fabs(got.value - want) > 1e-12)
        fail_msg("%s of %s: %.17g, wanted %.17g (%s)", key, metrics->set->key, got.value, want,
                 got.reason ? got.reason : "");
}

enum { RUNNING = 1, BLOCKED = 5, FORKING = 7, INPUT_OUTPUT = 12 };
enum { PARALLEL = 60000001, EXECUTED = 60000018 };

/// One process of four threads: 40 alone, a region of 66 in which they compute 60, 40, 30 and 50,
/// 2 of them to fork and 2 to join, then 20 alone.
static void write_team(void)
{
    static const uint64_t computes[] = {60, 40, 30, 50};
    pj_auto_trace out = pj_trace_writer_new((pj_trace_header){.ranks = 1, .threads_each = 4});
    const pj_place first = {0, 0};
    pj_trace_writer_state(out, first, 0, 40, RUNNING);
    pj_trace_writer_event(out, first, 40, PARALLEL, 1);
    pj_trace_writer_state(out, first, 40, 42, FORKING);
    for (uint32_t t = 0; t < 4; t++) {
        pj_trace_writer_state(out, (pj_place){0, t}, 42, 42 + computes[t], RUNNING);
        pj_trace_writer_state(out, (pj_place){0, t}, 42 + computes[t], 104, BLOCKED);
        pj_trace_writer_event(out, (pj_place){0, t}, 42, EXECUTED, 1);
        pj_trace_writer_event(out, (pj_place){0, t}, 104, EXECUTED, 0);
    }
    pj_trace_writer_state(out, first, 104, 106, FORKING);
    pj_trace_writer_event(out, first, 106, PARALLEL, 0);
    pj_trace_writer_state(out, first, 106, 126, RUNNING);
    pj_err err = {0};
    assert_true(pj_trace_writer_save(out, path, &err));
}

/// u 240, s 3 x 60, i 0 + 20 + 30 + 10, c 4 x 6: 504 in all.
static void a_team_of_talp(void **state)
{
    (void)state;
    write_team();
    pj_auto_run run = load();
    for (int version = 1; version <= 2; version++) {
        pj_auto_metrics m = evaluate(run, version == 1 ? "talp-v1" : "talp");
        expect(m, "parallel_efficiency", 240.0 / 504);
        expect(m, "openmp_parallel_efficiency", 240.0 / 504);
        expect(m, "openmp_serialisation_efficiency", 240.0 / 420);
        expect(m, "openmp_load_balance", 420.0 / 480);
        expect(m, "openmp_scheduling_efficiency", 480.0 / 504);
        expect(m, "mpi_parallel_efficiency", 1);
        expect(m, "mpi_load_balance_in", 1);
        assert_string_equal(at(m, "gpu_load_balance").reason, "no device activity in the trace");
        assert_true(m->absent[pj_metric_row(m->set, PJ_S("gpu_load_balance"))]);
    }
}

/// a 240, s 3 x 60, i 60, c 4 in the state of forks and joins.
static void a_team_of_bsc(void **state)
{
    (void)state;
    write_team();
    pj_auto_run run = load();
    pj_auto_metrics m = evaluate(run, "bsc-2026");
    expect(m, "parallel_efficiency", 240.0 / 504);
    expect(m, "load_balance", 60.0 / 120);
    expect(m, "communication_efficiency", 120.0 / 126);
    expect(m, "mpi_parallel_efficiency", 1);
    expect(m, "openmp_parallel_efficiency", 240.0 / 504);
    expect(m, "openmp_isolated_serial_efficiency", 240.0 / 420);
    expect(m, "openmp_isolated_load_balance", 420.0 / 480);
    expect(m, "openmp_isolated_scheduling_efficiency", 480.0 / 484);
    expect(m, "openmp_isolated_efficiency", 240.0 / 484);
    assert_string_equal(at(m, "mpi_io_load_balance").reason, "no MPI-I/O is known of the run");
}

/// k 60, 40, 30, 50; with waits 62 each; with forks and joins 66 on the first thread.
static void a_team_of_jsc(void **state)
{
    (void)state;
    write_team();
    pj_auto_run run = load();
    pj_auto_metrics m = evaluate(run, "jsc");
    expect(m, "openmp_load_balance", 45.0 / 60);
    expect(m, "openmp_serialisation_efficiency", 60.0 / 62);
    expect(m, "openmp_management_efficiency", 62.0 / 66);
    expect(m, "openmp_efficiency", 45.0 / 66);
    expect(m, "openmp_efficiency_min", 45.0 / 66);
    expect(m, "openmp_efficiency_max", 45.0 / 66);
    expect(m, "parallel_efficiency", 1);
    expect(m, "transfer_efficiency", 1);
}

/// Two nodes of two ranks: 100 long; in MPI 10, 20, 30, 50, of which 15 on rank 2 in MPI-I/O;
/// ranks 0 and 3 write 4 and 12 by themselves.
static void ranks_and_nodes(void **state)
{
    (void)state;
    static const uint64_t computes[] = {86, 80, 70, 38}, writes[] = {4, 0, 0, 12};
    pj_auto_trace out = pj_trace_writer_new((pj_trace_header){.ranks = 4, .ranks_per_node = 2});
    for (uint32_t r = 0; r < 4; r++) {
        const pj_place rank = {r, 0};
        uint64_t end = computes[r] + writes[r];
        pj_trace_writer_state(out, rank, 0, computes[r], RUNNING);
        if (writes[r])
            pj_trace_writer_state(out, rank, computes[r], end, INPUT_OUTPUT);
        if (r == 2) {
            pj_trace_writer_state(out, rank, end, end + 15, INPUT_OUTPUT);
            pj_trace_writer_event(out, rank, end, 50000005, 1);
            pj_trace_writer_event(out, rank, end + 15, 50000005, 0);
            end += 15;
        }
        pj_trace_writer_state(out, rank, end, 100, BLOCKED);
        pj_trace_writer_event(out, rank, end, 50000002, 8);
        pj_trace_writer_event(out, rank, 100, 50000002, 0);
    }
    pj_err err = {0};
    assert_true(pj_trace_writer_save(out, path, &err));
    pj_auto_run run = load();
    pj_auto_metrics talp = evaluate(run, "talp");
    expect(talp, "parallel_efficiency", 274.0 / 384); // 16 of 400 are neither u nor m
    expect(talp, "mpi_parallel_efficiency", (100 - 110.0 / 4) / 100);
    expect(talp, "mpi_communication_efficiency", 0.9);
    expect(talp, "mpi_load_balance", (100 - 110.0 / 4) / 90);
    expect(talp, "mpi_load_balance_in", 85.0 / 90);
    expect(talp, "mpi_load_balance_out", (100 - 110.0 / 4) / 85);
    pj_auto_metrics first = evaluate(run, "talp-v1");
    expect(first, "mpi_parallel_efficiency", 274.0 / 384);
    pj_auto_metrics jsc = evaluate(run, "jsc");
    expect(jsc, "load_balance", 72.5 / 90);
    expect(jsc, "communication_efficiency", 0.9);
    assert_string_equal(at(jsc, "openmp_efficiency").reason, "the run has no OpenMP");
    pj_auto_metrics bsc = evaluate(run, "bsc-2026");
    expect(bsc, "mpi_parallel_efficiency", 72.5 / 100);
    expect(bsc, "mpi_load_balance", 72.5 / 90);
    expect(bsc, "io_efficiency", 274.0 / (274 + 15 + 16));
    expect(bsc, "mpi_io_efficiency", 1 - 15.0 / 400);
    expect(bsc, "mpi_io_load_balance", 15.0 / 4 / 15);
    expect(bsc, "posix_io_efficiency", 1 - 16.0 / 400);
    expect(bsc, "posix_io_load_balance", 16.0 / 4 / 12);
}

/// In the modelled application threads do little that no row has, and nothing counts twice.
static void accounts_close(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        pj_model_app app = {.ranks = 3, .threads = threads, .iterations = 4, PJ_MODEL_COSTS};
        app.openmp = threads > 1;
        pj_auto_trace out = pj_model_write(&app);
        pj_err err = {0};
        assert_true(pj_trace_writer_save(out, path, &err));
        pj_auto_run run = load();
        pj_sums s = pj_sums_of(run);
        double all = 0, told = s.useful_sum + s.mpi_sum + s.mpi_worker_idle_sum +
                               s.omp_imbalance_sum + s.omp_scheduling_sum + s.omp_serial_sum;
        for (uint32_t r = 0; r < run->layout.ranks; r++)
            all += (double)run->totals[run->layout.first_location[r]].runtime_ns +
                   (threads - 1) * s.runtime;
        assert_true(told <= all && told > 0.95 * all); // ranks are created one after another
        assert_true((s.mpi_worker_idle_sum > 0) == (threads > 1));
    }
}

/// The Cube advisor's account of real traces; skipped where they are not there.
static void processes_of_epoch(void **state)
{
    (void)state;
    static const struct {
        const char *run;
        double balance, communication, serialisation, transfer;
    } want[] = {
        {"epoch_1proc", 1, 0.999365250269, 1, 0.999365250269},
        {"epoch_2proc", 0.997650653504, 0.996370033399, 0.998322117164, 0.998044635362},
        {"epoch_4proc", 0.986935996242, 0.986931008232, 0.991395766042, 0.995496492962},
        {"epoch_16proc", 0.987917341808, 0.967338253623, 0.977324843151, 0.989781709124},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        char file[512];
        pj_err err = {0};
        pj_job job = {.workers = 2};
        snprintf(file, sizeof file, PJ_SOURCE_DIR "/../shared/data/paraver/epoch/%s.prv.gz",
                 want[i].run);
        const pj_metric_set *set = pj_metric_set_by_key(PJ_S("jsc"));
        if (access(file, R_OK) != 0) {
            print_message("skipped: %s is not there\n", file);
            skip();
        }
        pj_auto_run run =
            pj_load(file, (pj_load_opts){.aspects = pj_metric_set_aspects(set)}, &job, &err);
        if (!run)
            fail_msg("%s", err.text);
        pj_auto_metrics m = evaluate(run, "jsc");
        expect(m, "load_balance", want[i].balance);
        expect(m, "communication_efficiency", want[i].communication);
        expect(m, "serialisation_efficiency", want[i].serialisation);
        expect(m, "transfer_efficiency", want[i].transfer);
    }
}

/// A run that was read without a look at its regions says so, and no set asks in vain.
static void what_is_not_known_is_said(void **state)
{
    (void)state;
    write_team();
    pj_err err = {0};
    pj_job job = {.workers = 1};
    pj_auto_run run = pj_load(path, (pj_load_opts){0}, &job, &err);
    pj_auto_metrics m = evaluate(run, "talp");
    assert_string_equal(at(m, "openmp_load_balance").reason,
                        "what threads lose in OpenMP regions is not known of this run");
    assert_int_equal(pj_metric_set_aspects(m->set), PJ_WANT(openmp_regions));
    assert_int_equal(pj_metric_set_aspects(pj_metric_set_by_key(PJ_S("hybrid"))), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_team_of_talp),     cmocka_unit_test(a_team_of_bsc),
        cmocka_unit_test(a_team_of_jsc),      cmocka_unit_test(ranks_and_nodes),
        cmocka_unit_test(accounts_close),     cmocka_unit_test(what_is_not_known_is_said),
        cmocka_unit_test(processes_of_epoch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
