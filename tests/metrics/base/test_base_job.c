// Errors and jobs: the first error wins; stop flag, budget, progress.
#include "metrics/base/job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void test_first_error_wins(void **state)
{
    (void)state;
    pj_err err = {0};
    assert_false(pj_fail(&err, PJ_E_IO, "a.prv", 0, "cannot be read: %s", "no such file"));
    assert_false(pj_fail(&err, PJ_E_FORMAT, "b.prv", 3, "later"));
    assert_int_equal(err.code, PJ_E_IO);
    char text[256];
    assert_string_equal(pj_err_message(&err, text, sizeof text),
                        "a.prv: cannot be read: no such file");
    assert_false(pj_fail(NULL, PJ_E_IO, "a.prv", 0, "nobody listens"));
}

static void test_messages(void **state)
{
    (void)state;
    char text[2048];
    pj_err line = {0}, bare = {0};
    pj_fail(&line, PJ_E_FORMAT, "a.prv", 12, "state ends before it begins");
    assert_string_equal(pj_err_message(&line, text, sizeof text),
                        "a.prv: line 12: state ends before it begins");
    pj_fail(&bare, PJ_E_USAGE, NULL, 0, "say what to load");
    assert_string_equal(pj_err_message(&bare, text, sizeof text), "say what to load");
}

/// Texts longer than their fields are cut, not overrun.
static void test_long_messages(void **state)
{
    (void)state;
    char huge[3000];
    memset(huge, 'x', sizeof huge - 1);
    huge[sizeof huge - 1] = 0;
    pj_err err = {0};
    pj_fail(&err, PJ_E_IO, huge, 0, "%s", huge);
    assert_int_equal(strlen(err.where), sizeof err.where - 1);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    char small[8];
    assert_string_equal(pj_err_message(&err, small, sizeof small), "xxxxxxx");
}

static void test_stop(void **state)
{
    (void)state;
    atomic_bool stop = false;
    pj_job job = {.stop = &stop}, free_running = {0};
    pj_err err = {0};
    assert_true(pj_job_check(&job, "a.prv", &err));
    assert_true(pj_job_check(&free_running, "a.prv", &err));
    stop = true;
    assert_true(pj_job_stopped(&job));
    assert_false(pj_job_check(&job, "a.prv", &err));
    assert_int_equal(err.code, PJ_E_STOPPED);
}

static void test_budget(void **state)
{
    (void)state;
    pj_job job = {.memory_budget = 1000};
    pj_err err = {0};
    job.memory_used = 1000;
    assert_true(pj_job_check(&job, "a.prv", &err));
    job.memory_used = 1001;
    assert_false(pj_job_check(&job, "a.prv", &err));
    assert_int_equal(err.code, PJ_E_MEMORY);
    assert_non_null(strstr(err.text, "--memory"));
    assert_true(pj_job_default_budget() > 1 << 20);
    assert_true(pj_job_workers(&job) >= 1);
    job.workers = 3;
    assert_int_equal(pj_job_workers(&job), 3);
}

typedef struct reports {
    unsigned count;
    uint64_t done, total;
} reports;

static void record(void *context, const char *what, uint64_t done, uint64_t total)
{
    reports *seen = context;
    assert_string_equal(what, "a.prv");
    *seen = (reports){seen->count + 1, done, total};
}

/// However often it is called, a report comes at most five times a second, and at the end.
static void test_progress(void **state)
{
    (void)state;
    reports seen = {0};
    pj_job job = {.progress = record, .progress_context = &seen};
    job.bytes_total = 100;
    for (uint64_t i = 0; i < 100; i++) {
        job.bytes_done = i;
        pj_job_report(&job, "a.prv", false);
    }
    assert_int_equal(seen.count, 1);
    job.bytes_done = 100;
    pj_job_report(&job, "a.prv", true);
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.done, 100);
    assert_int_equal(seen.total, 100);
    pj_job silent = {0};
    pj_job_report(&silent, "a.prv", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_error_wins), cmocka_unit_test(test_messages),
        cmocka_unit_test(test_long_messages),    cmocka_unit_test(test_stop),
        cmocka_unit_test(test_budget),           cmocka_unit_test(test_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
