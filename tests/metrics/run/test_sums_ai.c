// Sums of AI runs: how long steps take, and what a pipeline loses.
#include "metrics/run/ai_account.h"
#include "metrics/run/run.h"
#include "metrics/run/sums.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/// Two stages, each step 100 ns on the longer one, the last 140.
static pj_ai_account made(pj_ai_step_row *steps, pj_ai_operation *operations, pj_ai_share *shares)
{
    static const uint64_t lengths[][2] = {{90, 100}, {100, 80}, {120, 140}};
    for (uint32_t i = 0; i < 6; i++)
        steps[i] = (pj_ai_step_row){
            .number = i / 2, .device = i % 2, .length_ns = lengths[i / 2][i % 2], .idle = 10};
    for (uint32_t d = 0; d < 2; d++) {
        shares[d] = (pj_ai_share){.wait = 20};
        shares[d].idle[PJ_AI_IDLE_not_started] = 1000;
        shares[d].idle[PJ_AI_IDLE_queued] = 7;
    }
    operations[0] = (pj_ai_operation){.group = "0", .operation = "allreduce"};
    operations[1] = (pj_ai_operation){.group = "1", .operation = "send"};
    operations[2] = (pj_ai_operation){.group = "2", .operation = "recv"};
    return (pj_ai_account){.shares = shares,
                           .count = 2,
                           .operations = operations,
                           .operation_count = 3,
                           .steps = steps,
                           .step_count = 6};
}

static void steps_and_bubbles(void **state)
{
    (void)state;
    pj_ai_step_row steps[6];
    pj_ai_operation operations[3];
    pj_ai_share shares[2];
    pj_ai_account account = made(steps, operations, shares);
    pj_auto_run run = pj_run_new("made");
    pj_run_allocate(run); // for no threads
    run->ai = &account;
    pj_sums sums = pj_sums_of(run);
    assert_true(sums.device_step == 100);
    assert_true(sums.device_bubble == 2 * 20 + 6 * 10);

    account.step_count = 0; // then what lies between the records
    sums = pj_sums_of(run);
    assert_true(isnan(sums.device_step));
    assert_true(sums.device_bubble == 2 * 20 + 2 * 7);

    operations[2].group = "1"; // one group is no pipeline of several stages
    assert_true(isnan(pj_sums_of(run).device_bubble));
    run->ai = NULL;
    assert_true(isnan(pj_sums_of(run).device_bubble));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_and_bubbles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
