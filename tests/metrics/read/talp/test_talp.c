// Files of TALP: what their regions say, by hand; what is refused, and in which words.
#include "metrics/analyse/load.h"
#include "metrics/base/file.h"
#include "metrics/pop/metrics.h"
#include "metrics/read/pass.h"
#include "metrics/read/read.h"
#include "metrics/run/run_parts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define SAMPLES PJ_SOURCE_DIR "/tests/samples/talp/"
#define CORPUS PJ_SOURCE_DIR "/tests/corpus/talp/"

static pj_run *load(const char *path, pj_load_opts opts, pj_err *err)
{
    pj_job job = {.workers = 1};
    return pj_load(path, opts, &job, err);
}

static pj_run *must_load(const char *path)
{
    pj_err err = {0};
    pj_run *run = load(path, (pj_load_opts){0}, &err);
    if (!run)
        fail_msg("%s", err.text);
    return run;
}

static pj_metrics *evaluate(pj_run *run, const char *set)
{
    pj_auto_study study = pj_study_new(&run, 1, (pj_study_opts){0}, NULL);
    return pj_metrics_new(set ? pj_metric_set_by_key(pj_str_of(set)) : pj_metric_set_default(study),
                          study, (pj_metrics_opts){0}, NULL);
}

static pj_metric_value at(const pj_metrics *m, const char *key)
{
    return pj_metrics_at(m, 0, (size_t)pj_metric_row(m->set, pj_str_of(key)));
}

static void expect(const pj_metrics *m, const char *key, double want)
{
    pj_metric_value got = at(m, key);
    if (got.reason || fabs(got.value - want) > 1e-12)
        fail_msg("%s: %.17g, wanted %.17g (%s)", key, got.value, want,
                 got.reason ? got.reason : "");
}

static void a_file_of_3_6(void **state)
{
    (void)state;
    pj_auto_run run = must_load(SAMPLES "two_regions.json");
    assert_string_equal(run->format, "talp");
    assert_string_equal(run->name, "two_regions");
    assert_int_equal(run->layout.ranks, 4);
    assert_int_equal(run->layout.locations, 8);
    assert_int_equal(run->parts.count, 2);
    assert_string_equal(run->origin->version, "3.6.1");
    assert_string_equal(run->origin->commit, "0123abc");
    pj_auto_metrics m = evaluate(run, NULL);
    assert_string_equal(m->set->key, "talp");
    expect(m, "parallel_efficiency", 5000.0 / 7600);
    expect(m, "mpi_parallel_efficiency", 0.8); // 1000 - 1600 / 8
    expect(m, "mpi_communication_efficiency", 0.9);
    expect(m, "mpi_load_balance", 8.0 / 9);
    expect(m, "mpi_load_balance_in", 850.0 / 900);
    expect(m, "mpi_load_balance_out", 800.0 / 850);
    expect(m, "openmp_parallel_efficiency", 6400.0 / 7600);
    expect(m, "openmp_serialisation_efficiency", 6400.0 / 7200);
    expect(m, "openmp_load_balance", 7200.0 / 7500);
    expect(m, "openmp_scheduling_efficiency", 7500.0 / 7600);
    expect(m, "device_offload_efficiency", 6200.0 / 6400);
    expect(m, "gpu_parallel_efficiency", 0.45);
    expect(m, "gpu_load_balance", 0.75);
    expect(m, "gpu_communication_efficiency", 0.75);
    expect(m, "gpu_orchestration_efficiency", 0.8);
    expect(m, "ipc", 1.5);
    expect(m, "runtime_s", 1e-6);
    pj_auto_metrics first = evaluate(run, "talp-v1");
    expect(first, "mpi_parallel_efficiency", 5000.0 / 6200);
    expect(first, "device_offload_efficiency", 1 - 200.0 / 7600);
    assert_non_null(at(first, "mpi_load_balance").reason); // the file has m + w together
}

/// The MPI rows of 3.5 relate to the process that computes most.
static void a_file_of_3_5(void **state)
{
    (void)state;
    pj_auto_run run = must_load(SAMPLES "busiest.json");
    pj_auto_metrics m = evaluate(run, "talp");
    expect(m, "mpi_load_balance", 8.0 / 9);
    expect(m, "mpi_communication_efficiency", 90.0 / 99);
    expect(m, "mpi_parallel_efficiency", 80.0 / 99);
    expect(m, "mpi_load_balance_in", 8.0 / 9);
    expect(m, "parallel_efficiency", 0.8);
    expect(m, "openmp_parallel_efficiency", 1);
    assert_true(m->absent[pj_metric_row(m->set, PJ_S("gpu_load_balance"))]);
    pj_auto_metrics mpi = evaluate(run, "mpi");
    expect(mpi, "parallel_efficiency", 0.8);
    assert_string_equal(at(mpi, "mpi_load_balance").reason,
                        "the file has sums over all CPUs, and not what this is made of");
    assert_string_equal(at(mpi, "mpi_transfer_efficiency").reason,
                        "a TALP file has no events to replay");
}

static void regions_are_parts(void **state)
{
    (void)state;
    pj_auto_run run = must_load(SAMPLES "two_regions.json");
    pj_err err = {0};
    pj_run *part = pj_run_parts_named(run, "solve \xc3\xa9", &err);
    assert_non_null(part);
    assert_ptr_equal(pj_run_parts_named(run, "Global", &err), run);
    pj_auto_metrics m = evaluate(part, NULL);
    expect(m, "parallel_efficiency", 3000.0 / 4000);
    expect(m, "mpi_parallel_efficiency", 0.9);
    assert_true(at(m, "gpu_load_balance").reason != NULL); // 0 / 0
    assert_non_null(at(m, "ipc").reason);                  // cycles overflowed
    pj_auto_metrics idle = evaluate(pj_run_parts_named(run, "never entered", &err), NULL);
    assert_string_equal(at(idle, "parallel_efficiency").reason, "the run has no runtime");
    assert_null(pj_run_parts_named(run, "solv", &err));
    assert_int_equal(err.code, PJ_E_MISSING);
    assert_non_null(strstr(err.text, "has no region \"solv\""));
}

static void what_it_does_not_hold_is_said(void **state)
{
    (void)state;
    const pj_timeline_opts timeline = {0};
    const pj_load_opts asked[] = {{.no_replay = true},
                                  {.timeline = &timeline},
                                  {.ideal_path = "x.prv"},
                                  {.roi = {.kind = PJ_ROI_RANGE, .to = 5}}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        pj_err err = {0};
        assert_null(load(SAMPLES "busiest.json", asked[i], &err));
        assert_int_equal(err.code, PJ_E_MISSING);
        assert_non_null(strstr(err.text, i < 2 ? "single threads" : "no events"));
    }
}

static void other_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *file, *says;
        pj_err_code code;
    } bad[] = {
        {"version_3.4.json", "DLB 3.4, which is too old", PJ_E_FORMAT},
        {"version_4.0.json", "DLB 4.0.1-beta, which is newer", PJ_E_FORMAT},
        {"version_odd.json", "unknown version of DLB, \"git-main\"", PJ_E_FORMAT},
        {"version_number.json", "\"dlbVersion\" is the number 3.5 and no text", PJ_E_FORMAT},
        {"no_regions.json", "DLB 3.6 without a region", PJ_E_FORMAT},
        {"text_for_number.json", "DLB 3.5a lacks usefulTime", PJ_E_FORMAT},
        {"negative.json", "has a negative mpiTime", PJ_E_FORMAT},
        {"absurd_cpus.json", "has an absurd numCpus", PJ_E_FORMAT},
        {"zero.json", "has no CPU by its numCpus", PJ_E_FORMAT},
        {"twice.json", "a member stands twice", PJ_E_FORMAT},
        {"regions_twice.json", "a region stands twice", PJ_E_FORMAT},
        {"huge_numbers.json", "lacks elapsedTime", PJ_E_FORMAT},
        {"nan.json", "byte", PJ_E_FORMAT},
        {"cut_short.json", "ends", PJ_E_FORMAT},
        {"behind.json", "byte", PJ_E_FORMAT},
        {"deep.json", "ends", PJ_E_FORMAT},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char path[512];
        pj_err err = {0};
        snprintf(path, sizeof path, CORPUS "%s", bad[i].file);
        pj_auto_run run = load(path, (pj_load_opts){0}, &err);
        if (run || err.code != bad[i].code || !strstr(err.text, bad[i].says))
            fail_msg("%s: %s", bad[i].file, run ? "is read" : err.text);
    }
}

/// Every beginning of a file ends early, and says so.
static void every_cut_is_refused(void **state)
{
    (void)state;
    pj_auto_buf text = {0};
    pj_err err = {0};
    assert_true(pj_file_read(SAMPLES "two_regions.json", &text, &err));
    size_t last = text.len;
    while (text.at[last - 1] != '}')
        last--;
    for (size_t len = 30; len < last; len++) {
        pj_job job = {.workers = 1};
        pj_err problem = {0};
        pj_auto_run run = pj_run_new("cut.json");
        pj_pass pass = {.run = run, .job = &job};
        pj_str cut = {text.at, len};
        if (pj_read_memory("cut.json", cut, &pass, &problem))
            fail_msg("%zu of %zu bytes are read", len, text.len);
        assert_true(problem.text[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_3_6),           cmocka_unit_test(a_file_of_3_5),
        cmocka_unit_test(regions_are_parts),       cmocka_unit_test(what_it_does_not_hold_is_said),
        cmocka_unit_test(other_files_are_refused), cmocka_unit_test(every_cut_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
