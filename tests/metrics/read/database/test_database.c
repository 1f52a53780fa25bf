// Databases of Nsight Systems and rocprofiler: one run made three ways has one account, and what is
// no such database is refused in words.
#include "metrics/analyse/load.h"
#include "metrics/run/ai_account.h"
#include "metrics/run/devices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define NSYS PJ_SOURCE_DIR "/tests/samples/database/nsys.sqlite"
#define ROCPD PJ_SOURCE_DIR "/tests/golden/rocpd/rank{0,1}_results.db"

static pj_run *load(const char *path, pj_err *err)
{
    pj_job job = {.workers = 1};
    return pj_load(path, (pj_load_opts){.tag = NULL}, &job, err);
}

/// Rank 0 computes 80 us and rank 1 40 us after a copy, then both exchange for 20 us (README of
/// the maker).
static void expect_made_run(const char *path)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_run run = load(path, &err);
    if (!run)
        fail_msg("%s: %s", path, err.text);
    assert_int_equal(run->runtime_ns, 112000);
    assert_int_equal(run->ai->count, 2);
    for (uint32_t d = 0; d < 2; d++) {
        const pj_ai_share *share = &run->ai->shares[d];
        assert_int_equal(share->useful, d ? 40000 : 80000);
        assert_int_equal(share->wait, d ? 40000 : 0);
        assert_int_equal(share->transfer, 20000);
        assert_int_equal(share->copies, 10000);
        assert_int_equal(share->idle[PJ_AI_IDLE_queued], 2000);
        assert_int_equal(pj_ai_share_idle(share), 2000);
        assert_int_equal(run->devices->items[d].to_device, 4096);
    }
    assert_int_equal(run->ai->pair_count, 1);
    assert_int_equal(run->ai->pairs[0].culprit, 0);
}

static void one_run_has_one_account(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_run first = load(NSYS, &err);
    if (!first && err.code == PJ_E_MISSING) {
        print_message("%s\n", err.text);
        skip();
    }
    expect_made_run(NSYS);
    expect_made_run(ROCPD);
}

static void zeros_are_refused(void **state)
{
    (void)state;
    char path[] = "/tmp/popinjay_database_XXXXXX";
    int fd = mkstemp(path);
    FILE *out = fdopen(fd, "wb");
    char bytes[4096] = "SQLite format 3";
    assert_int_equal(fwrite(bytes, 1, sizeof bytes, out), sizeof bytes);
    fclose(out);
    pj_err err = {.code = PJ_E_NONE};
    assert_null(load(path, &err));
    remove(path);
    assert_int_equal(err.code, PJ_E_FORMAT);
    assert_non_null(strstr(err.text, "database"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_run_has_one_account),
        cmocka_unit_test(zeros_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
