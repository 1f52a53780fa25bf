// A trace whose records are too many for the memory budget gives the same run by way of the disk.
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/read/pass.h"
#include "metrics/read/read.h"
#include "metrics/run/ai_account.h"
#include "metrics/run/devices.h"
#include "metrics/run/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/// Steps of 400 kernels, an exchange in 40; every other step is written behind the next one.
static void add_step(pj_buf *out, int number)
{
    pj_buf_addf(out,
                "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%d\","
                "\"pid\":9,\"tid\":9,\"ts\":%d,\"dur\":3990},\n",
                number, 4000 * number + 50);
    for (int k = 0; k < 400; k++) {
        int id = 400 * number + k + 1, ts = 4000 * number + 100 + 9 * k, late = k * 7919 % 5;
        bool exchanges = k % 40 == 39;
        pj_buf_addf(out,
                    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","
                    "\"pid\":9,\"tid\":9,\"ts\":%d.250,\"dur\":1.5,\"args\":{\"correlation\":%d}},"
                    "\n{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%s\",\"pid\":0,\"tid\":%d,"
                    "\"ts\":%d,\"dur\":%d,\"args\":{\"device\":0,\"stream\":%d,"
                    "\"correlation\":%d}},\n",
                    ts - 3 - late, id, exchanges ? "ncclDevKernel_AllReduce" : "gemm",
                    exchanges ? 20 : 7, ts + late, 3 + k % 4, exchanges ? 20 : 7, id);
    }
}

static pj_run *run_of(pj_str text, uint64_t budget, pj_err *err)
{
    pj_job job = {.workers = 1, .memory_budget = budget};
    pj_auto_run run = pj_run_new("made.json");
    pj_pass pass = {.run = run, .job = &job};
    bool ok = pj_read_memory("made", text, &pass, err);
    assert_int_equal(job.memory_used, 0);
    return ok ? pj_run_hold(run) : NULL;
}

static void make(pj_buf *text)
{
    pj_buf_puts(text, "{\"schemaVersion\":1,\"deviceProperties\":[],\"traceEvents\":[\n");
    for (int step = 0; step < 150; step++)
        add_step(text, step ^ 1);
    pj_buf_puts(text, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":9,\"args\":{}}]}\n");
}

static void the_digits_are_the_same(void **state)
{
    (void)state;
    pj_auto_buf text = {.at = NULL};
    pj_err err = {.code = PJ_E_NONE};
    make(&text);
    pj_auto_run whole = run_of(pj_buf_str(&text), UINT64_C(1) << 40, &err);
    pj_auto_run spilled = run_of(pj_buf_str(&text), 5 << 20, &err);
    assert_non_null(whole);
    assert_non_null(spilled);
    assert_int_equal(whole->runtime_ns, spilled->runtime_ns);
    assert_int_equal(whole->events, spilled->events);
    assert_int_equal(whole->totals[0].useful_ns, spilled->totals[0].useful_ns);
    assert_memory_equal(&whole->ai->shares[0], &spilled->ai->shares[0], sizeof(pj_ai_share));
    assert_int_equal(whole->ai->step_count, 150);
    assert_int_equal(spilled->ai->step_count, 150);
    assert_memory_equal(whole->ai->steps, spilled->ai->steps, 150 * sizeof *whole->ai->steps);
    assert_int_equal(whole->remarks.count, spilled->remarks.count);
    for (size_t i = 0; i < whole->remarks.count; i++)
        assert_string_equal(whole->remarks.items[i].text, spilled->remarks.items[i].text);
}

static void what_does_not_fit_is_an_error(void **state)
{
    (void)state;
    pj_auto_buf text = {.at = NULL};
    pj_err err = {.code = PJ_E_NONE};
    char *own = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    make(&text);
    assert_null(run_of(pj_buf_str(&text), 100000, &err));
    assert_int_equal(err.code, PJ_E_MEMORY);
    err = (pj_err){.code = PJ_E_NONE};
    setenv("TMPDIR", "/no/such/folder", 1);
    assert_null(run_of(pj_buf_str(&text), 5 << 20, &err));
    if (own)
        setenv("TMPDIR", own, 1);
    else
        unsetenv("TMPDIR");
    free(own);
    assert_int_equal(err.code, PJ_E_IO);
    assert_string_equal(err.where, "/no/such/folder");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_digits_are_the_same),
        cmocka_unit_test(what_does_not_fit_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
