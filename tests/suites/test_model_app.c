// The modelled application: what the program finds in its traces is what the model says, from the
// totals of each thread to the last metric.
#include "metrics/analyse/load.h"
#include "metrics/pop/metrics.h"
#include "metrics/run/breakdown.h"
#include "metrics/run/devices.h"
#include "tests/support/trace/model_app.h"
#include "tests/support/trace/model_gpu.h"

#include <math.h>
#include <stdlib.h>
#include <zlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void traces_are_the_same_bytes_again(void **state)
{
    (void)state;
    const char *name = NULL;
    for (size_t i = 0; pj_model_example(i, &name); i++) {
        pj_auto_trace one = pj_model_write(pj_model_example(i, &name));
        pj_auto_trace two = pj_model_write(pj_model_example(i, &name));
        pj_auto_buf a = {0}, b = {0};
        pj_trace_writer_prv(one, &a);
        pj_trace_writer_prv(two, &b);
        assert_int_equal(a.len, b.len);
        assert_memory_equal(a.at, b.at, a.len);
    }
}

static void times_and_parts_fit(void **state)
{
    (void)state;
    const char *name = NULL;
    const pj_model_app *app = NULL;
    for (size_t i = 0; (app = pj_model_example(i, &name)); i++) {
        pj_auto_expected run = pj_model_expect(app);
        assert_true(run.ideal <= run.runtime);
        for (uint32_t k = 0; k < run.ranks * run.threads; k++) {
            const pj_model_totals *t = &run.totals[k];
            assert_int_equal(t->useful, t->serial_useful + t->openmp_useful);
            assert_true(t->useful <= t->outside_mpi && t->outside_mpi <= t->runtime);
            assert_true(t->runtime <= run.runtime && t->openmp_useful <= t->openmp);
        }
    }
}

/// A scaling study by the examples' parameters; `vary` sets ranks and threads from 1, 2, 4, ...
typedef struct study_case {
    pj_model_app app;
    bool vary_threads;
} study_case;

#define APP                                                                                        \
    .iterations = 5, .work_ns = 8e6, .imbalance = 0.2, .shifting = 0.07, .halo_ns = 21000,         \
    .collective_ns = 8000, .fork_ns = 5000, .join_ns = 3000, .halo_bytes = 4096, .ipc = 1.4,       \
    .ghz = 2.1, .extra_instructions = 0.02, .ipc_loss = 0.03, .ghz_loss = 0.01
#define TEAM .openmp = true, .serial_fraction = 0.07, .thread_imbalance = 0.1

static const study_case cases[] = {
    {{APP, .threads = 1}, false},
    {{APP, .threads = 1, .weak = true}, false},
    {{APP, .threads = 3, TEAM}, false},
    {{APP, .threads = 3, TEAM, .weak = true}, false},
    {{APP, .ranks = 1, .no_mpi = true, TEAM}, true},
    {{APP, .ranks = 3, TEAM}, true},
    {{APP, .threads = 1, .roi_from = 1, .roi_to = 4}, false},
    {{APP, .threads = 2, .roi_from = 2, .roi_to = 5, TEAM}, false},
};
enum { case_count = sizeof cases / sizeof cases[0], run_count = 4 };

static pj_model_app app_of(const study_case *from, uint32_t run)
{
    pj_model_app app = from->app;
    *(from->vary_threads ? &app.threads : &app.ranks) = 1U << run;
    return app;
}

/// What the totals of threads do not tell; test_conventions has it.
static bool is_beyond_totals(const pj_metric *row)
{
    return row->needs &
           (PJ_NEEDS_TEAMS | PJ_NEEDS_NODES | PJ_NEEDS_WAITS | PJ_NEEDS_ACTIVITY | PJ_NEEDS_METERS);
}

static void check_set(const pj_metric_set *set, const study_case *from, pj_study *study)
{
    bool weak = from->app.weak;
    pj_err err = {0};
    pj_auto_metrics metrics = pj_metrics_new(set, study, (pj_metrics_opts){0}, &err);
    pj_model_app first = app_of(from, 0);
    pj_auto_expected reference = pj_model_expect(&first);
    for (uint32_t i = 0; i < run_count; i++) {
        pj_model_app app = app_of(from, i);
        pj_auto_expected run = pj_model_expect(&app);
        for (size_t row = 0; row < set->count; row++) {
            double want = 0;
            if (is_beyond_totals(&set->rows[row]))
                continue;
            if (!pj_model_metric(set->key, set->rows[row].key, &run, &reference, weak, &want))
                fail_msg("the model knows no %s of %s", set->rows[row].key, set->key);
            pj_metric_value got = pj_metrics_at(metrics, i, row);
            if (got.reason || !(fabs(got.value - want) <= 1e-12 * fmax(1, fabs(want))))
                fail_msg("%s of %s in run %u: %.17g, the model says %.17g (%s)", set->rows[row].key,
                         set->key, i, got.value, want, got.reason ? got.reason : "");
        }
    }
}

static void check_study(const study_case *from, pj_run *const *runs)
{
    pj_err err = {0};
    pj_study *study = pj_study_new(runs, run_count, (pj_study_opts){0}, &err);
    assert_non_null(study);
    assert_int_equal(study->scaling, from->app.weak ? PJ_SCALING_WEAK : PJ_SCALING_STRONG);
    for (size_t s = 0; pj_metric_set_at(s); s++)
        check_set(pj_metric_set_at(s), from, study);
    pj_study_release(study);
}

static void every_set_gives_what_the_model_says(void **state)
{
    (void)state;
    for (uint32_t c = 0; c < case_count; c++) {
        pj_run *runs[run_count];
        for (uint32_t i = 0; i < run_count; i++) {
            pj_model_app app = app_of(&cases[c], i);
            runs[i] = pj_model_run(&app, "model.prv");
        }
        check_study(&cases[c], runs);
        for (uint32_t i = 0; i < run_count; i++)
            pj_run_release(runs[i]);
    }
}

/// The parts add up to the runtime, and none holds what belongs to another.
static void check_breakdown(const pj_run *run, uint32_t location, const pj_model_totals *want)
{
    uint64_t ns[PJ_TIME_PARTS], sum = 0;
    uint32_t first = run->layout.first_location[run->layout.rank_of[location]];
    pj_breakdown_of(run, location, ns);
    for (size_t p = 0; p < PJ_TIME_PARTS; p++)
        sum += ns[p];
    assert_int_equal(sum, run->runtime_ns);
    assert_int_equal(ns[PJ_TIME_useful], want->useful);
    uint64_t mpi = ns[PJ_TIME_mpi_p2p] + ns[PJ_TIME_mpi_collective] + ns[PJ_TIME_mpi_other];
    if (!run->roi.set)
        assert_int_equal(mpi, want->runtime - want->outside_mpi);
    assert_true(location == first || ns[PJ_TIME_idle] == 0 || !run->has_openmp);
    assert_true(ns[PJ_TIME_serial_idle] <= run->runtime_ns - run->totals[first].openmp_ns);
}

static void check_totals(const pj_run *run, const pj_model_expected *expected)
{
    assert_int_equal(run->layout.ranks, expected->ranks);
    assert_int_equal(run->layout.locations, expected->ranks * expected->threads);
    assert_int_equal(run->runtime_ns, expected->runtime);
    for (uint32_t i = 0; i < run->layout.locations; i++) {
        const pj_totals *got = &run->totals[i];
        const pj_model_totals *want = &expected->totals[i];
        assert_int_equal(got->useful_ns, want->useful);
        assert_int_equal(got->serial_useful_ns, want->serial_useful);
        assert_int_equal(got->openmp_useful_ns, want->openmp_useful);
        assert_int_equal(got->openmp_ns, want->openmp);
        assert_int_equal(got->outside_mpi_ns, want->outside_mpi);
        assert_int_equal(got->runtime_ns, want->runtime);
        check_breakdown(run, i, want);
        assert_int_equal(run->counters[PJ_COUNTER_INSTRUCTIONS].useful[i], want->instructions);
        assert_int_equal(run->counters[PJ_COUNTER_CYCLES].useful[i], want->cycles);
    }
}

/// Model -> trace -> run, with one worker and with three.
static pj_run *load_written(const pj_model_app *app, const char *path)
{
    pj_auto_trace trace = pj_model_write(app);
    pj_err err = {0};
    assert_true(pj_trace_writer_save(trace, path, &err));
    pj_auto_expected expected = pj_model_expect(app);
    pj_run *last = NULL;
    for (unsigned workers = 1; workers <= 3; workers += 2) {
        pj_job job = {.workers = workers};
        pj_run_release(last);
        last = pj_load(path, (pj_load_opts){0}, &job, &err);
        if (!last)
            fail_msg("%s: %s", path, err.text);
        check_totals(last, &expected);
        assert_true(last->ideal.available);
        assert_int_equal(last->roi.set, app->roi_to != 0);
        if (last->ideal.runtime_ns != (double)expected.ideal)
            fail_msg("ideal runtime %.17g, the model says %llu (%ux%u)", last->ideal.runtime_ns,
                     (unsigned long long)expected.ideal, expected.ranks, expected.threads);
    }
    return last;
}

static void traces_give_what_the_model_says(void **state)
{
    (void)state;
    for (uint32_t c = 0; c < case_count; c++) {
        pj_run *runs[run_count];
        for (uint32_t i = 0; i < run_count; i++) {
            pj_model_app app = app_of(&cases[c], i);
            runs[i] = load_written(&app, i % 2 ? PJ_BINARY_DIR "/model_app.prv"
                                               : PJ_BINARY_DIR "/model_app.prv.gz");
        }
        check_study(&cases[c], runs);
        for (uint32_t i = 0; i < run_count; i++)
            pj_run_release(runs[i]);
    }
}

static void check_text(const char *path, pj_trace_writer *trace)
{
    pj_auto_buf text = {0};
    pj_trace_writer_prv(trace, &text);
    gzFile file = gzopen(path, "rb");
    char *bundled = pj_take_memory(text.len + 1);
    assert_int_equal(gzfread(bundled, 1, text.len + 1, file), text.len);
    assert_memory_equal(bundled, text.at, text.len);
    gzclose(file);
    free(bundled);
}

/// The bundled runs are what make_examples writes today.
static void bundled_runs_are_the_examples(void **state)
{
    (void)state;
    const char *name = NULL;
    const pj_model_app *app = NULL;
    for (size_t i = 0; (app = pj_model_example(i, &name)); i++) {
        pj_auto_buf path = {0};
        pj_buf_addf(&path, PJ_SOURCE_DIR "/notebooks/traces/%s.prv.gz", name);
        pj_job job = {0};
        pj_err err = {0};
        pj_auto_run run = pj_load(path.at, (pj_load_opts){0}, &job, &err);
        if (!run)
            fail_msg("%s: %s", path.at, err.text);
        pj_auto_expected expected = pj_model_expect(app);
        check_totals(run, &expected);
        pj_auto_trace trace = pj_model_write(app);
        check_text(path.at, trace);
    }
}

/// Devices compute as long as the model says, and every rank drives one.
static void bundled_runs_with_devices_are_the_examples(void **state)
{
    (void)state;
    const char *name = NULL;
    const pj_model_gpu *model = NULL;
    for (size_t i = 0; (model = pj_model_gpu_example(i, &name)); i++) {
        pj_auto_buf path = {0};
        pj_buf_addf(&path, PJ_SOURCE_DIR "/notebooks/traces/%s.prv.gz", name);
        pj_job job = {0};
        pj_err err = {0};
        pj_auto_run run = pj_load(path.at, (pj_load_opts){0}, &job, &err);
        if (!run)
            fail_msg("%s: %s", path.at, err.text);
        pj_auto_trace trace = pj_model_gpu_write(model);
        check_text(path.at, trace);
        assert_int_equal(run->layout.locations, model->ranks);
        assert_int_equal(run->devices->count, model->ranks);
        for (uint32_t r = 0; r < model->ranks; r++) {
            const pj_device_sum *device = &run->devices->items[r];
            assert_int_equal(device->useful_ns, pj_model_gpu_useful(model, r));
            assert_int_equal(device->kernels, 2 * model->iterations);
            assert_int_equal(device->transfer_total_ns, 2 * model->iterations * model->copy_ns);
            uint64_t idle = 0;
            for (unsigned c = 0; c < PJ_DEVICE_IDLE_CAUSES; c++)
                idle += device->idle_ns[c];
            assert_int_equal(idle + pj_device_active_ns(device), run->runtime_ns);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces_are_the_same_bytes_again),
        cmocka_unit_test(times_and_parts_fit),
        cmocka_unit_test(every_set_gives_what_the_model_says),
        cmocka_unit_test(traces_give_what_the_model_says),
        cmocka_unit_test(bundled_runs_are_the_examples),
        cmocka_unit_test(bundled_runs_with_devices_are_the_examples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
