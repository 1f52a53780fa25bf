// Clocks go forward, and deadlines are times that threads can wait for.
#include "metrics/base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void it_never_goes_back(void **state)
{
    (void)state;
    uint64_t before = pj_clock_ns();
    for (int i = 0; i < 1000; i++) {
        uint64_t now = pj_clock_ns();
        assert_true(now >= before);
        before = now;
    }
    assert_true(pj_clock_ms() >= before / 1000000);
}

static void the_time_of_day_is_after_2020(void **state)
{
    (void)state;
    assert_true(pj_clock_of_day() > UINT64_C(1577836800) * 1000000000);
}

static void deadlines_carry_whole_seconds(void **state)
{
    (void)state;
    const uint64_t most = 2999999999;
    uint64_t before = pj_clock_ns();
    struct timespec until = pj_clock_until(CLOCK_MONOTONIC, most);
    uint64_t after = pj_clock_ns(),
             then = (uint64_t)until.tv_sec * 1000000000u + (uint64_t)until.tv_nsec;
    assert_in_range(until.tv_nsec, 0, 999999999);
    assert_in_range(then, before + most, after + most);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_never_goes_back),
        cmocka_unit_test(the_time_of_day_is_after_2020),
        cmocka_unit_test(deadlines_carry_whole_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
