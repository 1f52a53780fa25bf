// What a device does together, and why it is idle, with sums made by hand.
#include "metrics/stat/device_clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/// A piece of work whose end is known, at its begin.
static void piece(pj_device_clock *clock, pj_device_work work, uint64_t begin, uint64_t end)
{
    pj_device_clock_advance(clock, begin);
    pj_device_clock_piece(clock, work, end);
}

static uint64_t idle_of(const pj_device_sum *sum)
{
    uint64_t all = 0;
    for (unsigned cause = 0; cause < PJ_DEVICE_IDLE_CAUSES; cause++)
        all += sum->idle_ns[cause];
    return all;
}

/// Kernels 0-100 and 50-150, a copy 140-200, memory that is set 300-310, as in BSC's own test.
static void unions_of_streams(void **state)
{
    (void)state;
    pj_device_sum sum = {.key = "D0"};
    pj_device_clock clock;
    pj_device_clock_begin(&clock, &sum, 0, UINT64_MAX);
    piece(&clock, PJ_DEVICE_WORK_KERNEL, 0, 100);
    piece(&clock, PJ_DEVICE_WORK_KERNEL, 50, 150);
    piece(&clock, PJ_DEVICE_WORK_TRANSFER, 140, 200);
    piece(&clock, PJ_DEVICE_WORK_TRANSFER, 300, 310);
    pj_device_clock_end(&clock, 400);
    assert_int_equal(sum.useful_ns, 150);
    assert_int_equal(sum.transfer_ns, 60);
    assert_int_equal(sum.transfer_total_ns, 70);
    assert_int_equal(idle_of(&sum), 400 - 210);
    assert_int_equal(sum.idle_ns[PJ_DEVICE_IDLE_host], 100);
    assert_int_equal(sum.idle_ns[PJ_DEVICE_IDLE_ends], 90);
}

/// The same as pieces that are opened and closed.
static void pieces_without_a_known_end(void **state)
{
    (void)state;
    pj_device_sum sum = {.key = "D0"};
    pj_device_clock clock;
    pj_device_clock_begin(&clock, &sum, 0, UINT64_MAX);
    pj_device_clock_open(&clock, PJ_DEVICE_WORK_KERNEL);
    pj_device_clock_advance(&clock, 50);
    pj_device_clock_open(&clock, PJ_DEVICE_WORK_KERNEL);
    pj_device_clock_advance(&clock, 100);
    pj_device_clock_close(&clock, PJ_DEVICE_WORK_KERNEL);
    pj_device_clock_advance(&clock, 140);
    pj_device_clock_open(&clock, PJ_DEVICE_WORK_TRANSFER);
    pj_device_clock_advance(&clock, 150);
    pj_device_clock_close(&clock, PJ_DEVICE_WORK_KERNEL);
    pj_device_clock_advance(&clock, 200);
    pj_device_clock_close(&clock, PJ_DEVICE_WORK_TRANSFER);
    pj_device_clock_close(&clock, PJ_DEVICE_WORK_TRANSFER); // one too many
    pj_device_clock_end(&clock, 250);
    assert_int_equal(sum.useful_ns, 150);
    assert_int_equal(sum.transfer_ns, 50);
    assert_int_equal(sum.transfer_total_ns, 60);
    assert_int_equal(idle_of(&sum), 50);
}

/// Of 150-380: host code to 200, then a wait to 260, given work at 300, which begins at 380.
static void what_follows_a_request_is_launching(void **state)
{
    (void)state;
    pj_device_sum sum = {.key = "D0"};
    pj_device_clock clock;
    pj_device_clock_begin(&clock, &sum, 0, UINT64_MAX);
    piece(&clock, PJ_DEVICE_WORK_KERNEL, 100, 150);
    pj_device_clock_advance(&clock, 200);
    clock.cause = PJ_DEVICE_IDLE_synchronise;
    pj_device_clock_advance(&clock, 260);
    clock.cause = PJ_DEVICE_IDLE_mpi;
    pj_device_clock_advance(&clock, 300);
    pj_device_clock_ask(&clock);
    piece(&clock, PJ_DEVICE_WORK_KERNEL, 380, 400);
    pj_device_clock_end(&clock, 1000);
    assert_int_equal(sum.idle_ns[PJ_DEVICE_IDLE_host], 50);
    assert_int_equal(sum.idle_ns[PJ_DEVICE_IDLE_synchronise], 60);
    assert_int_equal(sum.idle_ns[PJ_DEVICE_IDLE_mpi], 40);
    assert_int_equal(sum.idle_ns[PJ_DEVICE_IDLE_launch], 80);
    assert_int_equal(sum.idle_ns[PJ_DEVICE_IDLE_ends], 100 + 600);
    assert_int_equal(idle_of(&sum) + sum.useful_ns, 1000);
}

/// What was asked for while the device worked is not what it waits for.
static void requests_of_a_busy_device_are_no_launching(void **state)
{
    (void)state;
    pj_device_sum sum = {.key = "D0"};
    pj_device_clock clock;
    pj_device_clock_begin(&clock, &sum, 0, UINT64_MAX);
    pj_device_clock_ask(&clock);
    piece(&clock, PJ_DEVICE_WORK_KERNEL, 10, 50);
    pj_device_clock_advance(&clock, 20);
    pj_device_clock_ask(&clock);
    piece(&clock, PJ_DEVICE_WORK_KERNEL, 70, 80);
    pj_device_clock_end(&clock, 80);
    assert_int_equal(sum.idle_ns[PJ_DEVICE_IDLE_host], 20);
    assert_int_equal(sum.idle_ns[PJ_DEVICE_IDLE_launch], 0);
    assert_int_equal(sum.idle_ns[PJ_DEVICE_IDLE_ends], 10);
}

static void a_window_clips(void **state)
{
    (void)state;
    pj_device_sum sum = {.key = "D0"};
    pj_device_clock clock;
    pj_device_clock_begin(&clock, &sum, 120, 180);
    piece(&clock, PJ_DEVICE_WORK_KERNEL, 100, 130);
    piece(&clock, PJ_DEVICE_WORK_TRANSFER, 150, 400);
    pj_device_clock_end(&clock, 500);
    assert_int_equal(sum.useful_ns, 10);
    assert_int_equal(sum.transfer_ns, 30);
    assert_int_equal(idle_of(&sum), 20);
}

static void a_device_that_does_nothing(void **state)
{
    (void)state;
    pj_device_sum sum = {.key = "D0"};
    pj_device_clock clock;
    pj_device_clock_begin(&clock, &sum, 0, UINT64_MAX);
    pj_device_clock_advance(&clock, 300);
    pj_device_clock_advance(&clock, 200); // too late
    pj_device_clock_end(&clock, 700);
    assert_int_equal(sum.idle_ns[PJ_DEVICE_IDLE_ends], 700);
    assert_int_equal(sum.useful_ns, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unions_of_streams),
        cmocka_unit_test(pieces_without_a_known_end),
        cmocka_unit_test(what_follows_a_request_is_launching),
        cmocka_unit_test(requests_of_a_busy_device_are_no_launching),
        cmocka_unit_test(a_window_clips),
        cmocka_unit_test(a_device_that_does_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
