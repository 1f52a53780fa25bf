// A part of the time of an AI run: what lies in it counts as it does in the whole.
#include "metrics/analyse/load.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/run/ai_account.h"
#include "metrics/run/devices.h"
#include "metrics/run/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CASES PJ_SOURCE_DIR "/tests/golden/kineto/"

static pj_run *load(const char *path, pj_roi_request roi, pj_err *err)
{
    pj_job job = {.workers = 1};
    return pj_load(path, (pj_load_opts){.roi = roi}, &job, err);
}

static pj_roi_request range(double from_us, double to_us)
{
    return (pj_roi_request){.kind = PJ_ROI_RANGE, .from = from_us * 1000, .to = to_us * 1000};
}

/// Rank 0 exchanges 0-50 (from 30 on transfer) and 20-80 (from 60 on), computes 80-100; rank 1
/// computes 0-30, 50-60 and 80-100.
static void borders_cut_what_crosses_them(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_run run = load(CASES "e6/rank{0,1}.json", range(25, 85), &err);
    assert_non_null(run);
    assert_int_equal(run->runtime_ns, 60000);
    const pj_ai_share *shares = run->ai->shares;
    assert_int_equal(shares[0].useful, 5000);
    assert_int_equal(shares[0].transfer, 40000);
    assert_int_equal(shares[0].wait, 15000);
    assert_int_equal(shares[1].useful, 20000);
    assert_int_equal(shares[1].transfer, 40000);
    for (unsigned d = 0; d < 2; d++)
        assert_int_equal(pj_ai_share_time(&shares[d]), run->runtime_ns);
    assert_int_equal(run->ai->pair_count, 1);
    assert_int_equal(run->ai->pairs[0].wait_ns, 5000 + 35000); // 25-30 and 25-60
    assert_int_equal(run->ai->pairs[0].exposed_ns, 15000);
    assert_false(run->devices->items[0].bytes_known);
}

static void percents_are_of_the_run(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_roi_request roi = {
        .kind = PJ_ROI_RANGE, .from = 25, .to = 85, .from_percent = true, .to_percent = true};
    pj_auto_run run = load(CASES "e6/rank{0,1}.json", roi, &err);
    assert_non_null(run);
    assert_int_equal(run->runtime_ns, 60000);
    assert_int_equal(run->ai->shares[0].wait, 15000);
}

/// Rank 1 begins to compute at 62, launched 55-58 after data loading 14-50 behind a call until 14.
static void gaps_have_their_causes_in_it(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_run whole = load(CASES "e9/rank{0,1}.json", (pj_roi_request){.kind = PJ_ROI_OFF}, &err);
    assert_non_null(whole);
    pj_auto_run run = load(CASES "e9/rank{0,1}.json", range(20, 60), &err);
    assert_non_null(run);
    const pj_ai_share *share = &run->ai->shares[1];
    assert_int_equal(pj_ai_share_time(share), 40000);
    assert_int_equal(share->idle[PJ_AI_IDLE_data_loading], 30000);
    assert_int_equal(share->idle[PJ_AI_IDLE_host], 5000);
    assert_int_equal(share->idle[PJ_AI_IDLE_launch], 3000);
    assert_int_equal(share->idle[PJ_AI_IDLE_launch_latency], 2000);
}

static void nothing_there_is_an_error(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    assert_null(load(CASES "e6/rank{0,1}.json", range(500, 600), &err));
    assert_int_equal(err.code, PJ_E_MISSING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(borders_cut_what_crosses_them),
        cmocka_unit_test(percents_are_of_the_run),
        cmocka_unit_test(gaps_have_their_causes_in_it),
        cmocka_unit_test(nothing_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
