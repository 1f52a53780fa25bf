// Every trace at hand: from its summary every metric set has the values of the trace, bit by bit.
#include "metrics/analyse/summarise.h"
#include "metrics/analyse/trace_files.h"
#include "metrics/pop/metrics.h"
#include "tests/support/trace/archives.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <glob.h>

static pj_metrics *evaluate(const pj_metric_set *set, pj_run *run)
{
    pj_err err = {0};
    pj_auto_study study = pj_study_new(&run, 1, (pj_study_opts){0}, &err);
    assert_non_null(study);
    pj_metrics *metrics = pj_metrics_new(set, study, (pj_metrics_opts){.causes = true}, &err);
    assert_non_null(metrics);
    return metrics;
}

static void same_values(const pj_metrics *a, const pj_metrics *b)
{
    for (size_t row = 0; row < a->set->count; row++) {
        pj_metric_value x = pj_metrics_at(a, 0, row), y = pj_metrics_at(b, 0, row);
        assert_int_equal(!x.reason, !y.reason);
        if (x.reason)
            assert_string_equal(x.reason, y.reason);
        else
            assert_memory_equal(&x.value, &y.value, sizeof x.value);
    }
    assert_int_equal(a->cause_count, b->cause_count);
    for (size_t i = 0; i < a->cause_count; i++) {
        assert_string_equal(a->causes[i].key, b->causes[i].key);
        assert_true(fabs(a->causes[i].values[0].value - b->causes[i].values[0].value) < 1e-9);
    }
    assert_string_equal(a->note, b->note);
    assert_int_equal(a->remark_count, b->remark_count);
    for (size_t i = 0; i < a->remark_count; i++)
        assert_string_equal(a->remarks[i].text, b->remarks[i].text);
}

static void check(const char *path)
{
    pj_err err = {0};
    pj_job job = {.workers = 2};
    pj_auto_run trace = NULL;
    struct stat info;
    pj_auto_arena arena = pj_arena_new(NULL);
    char folder[] = "/tmp/pj_summariesXXXXXX";
    assert_non_null(mkdtemp(folder));
    const char *at = pj_trace_files_summary(path, folder, arena); // so that both runs have one name
    if (!pj_summarise(path, at, (pj_load_opts){0}, &job, &trace, &err))
        fail_msg("%s: %s", path, err.text);
    assert_true(stat(at, &info) == 0 && info.st_size < 100000);
    pj_load_opts all = {.ignore_summary = true,
                        .aspects = PJ_WANT(openmp_regions) | PJ_WANT(omp_waits),
                        .few_waits = true};
    pj_auto_run whole = pj_load(path, all, &job, &err);
    pj_auto_run summary = pj_load(at, (pj_load_opts){0}, &job, &err);
    assert_non_null(whole);
    assert_non_null(summary);
    assert_non_null(summary->provenance);
    unlink(at);
    rmdir(folder);
    for (size_t i = 0; pj_metric_set_at(i); i++) {
        pj_auto_metrics a = evaluate(pj_metric_set_at(i), whole);
        pj_auto_metrics b = evaluate(pj_metric_set_at(i), summary);
        same_values(a, b);
    }
}

/// How many traces match.
static size_t check_all(const char *pattern)
{
    glob_t found;
    if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
        return 0;
    for (size_t i = 0; i < found.gl_pathc; i++)
        check(found.gl_pathv[i]);
    size_t count = found.gl_pathc;
    globfree(&found);
    return count;
}

static void example_runs(void **state)
{
    (void)state;
    assert_true(check_all(PJ_SOURCE_DIR "/notebooks/traces/*.prv.gz") >= 15);
}

static void real_traces(void **state)
{
    (void)state;
    if (!check_all(PJ_SOURCE_DIR "/../shared/data/paraver/*/*.prv*")) {
        print_message("no Paraver traces beside the checkout\n");
        skip();
    }
}

static void real_archives(void **state)
{
    (void)state;
    size_t found = 0;
    for (size_t i = 0; archives_real(i); i++) {
        char path[512];
        snprintf(path, sizeof path, PJ_SOURCE_DIR "/../shared/data/otf2/%s", archives_real(i));
        if (access(path, R_OK) != 0)
            continue;
        check(path);
        found++;
    }
    if (!found) {
        print_message("no archives beside the checkout\n");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_runs),
        cmocka_unit_test(real_traces),
        cmocka_unit_test(real_archives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
