// Periods in signals whose truth is known, and none in noise.
#include "metrics/base/arena.h"
#include "metrics/run/parts/useful_signal.h"

#include <math.h>
#include <stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { BINS = 4096 };

static double bins[BINS];

static double draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / 9007199254740992.0;
}

/// Two phases an iteration, the lengths of which vary by a tenth, from 500 to 3500, in noise.
static void iterations_of_uneven_length_are_followed(void **state)
{
    static const uint32_t lengths[] = {8, 40, 300};
    (void)state;
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        uint64_t seed = 7 + k;
        uint32_t begun = 0;
        for (uint32_t i = 0; i < BINS; i++)
            bins[i] = 0.5 + 0.1 * (draw(&seed) - 0.5);
        for (double at = 500; at + 1.1 * lengths[k] < 3500; begun++) {
            double length = lengths[k] * (0.95 + 0.1 * draw(&seed));
            for (uint32_t i = 0; i < length; i++)
                bins[(uint32_t)at + i] += i < length / 2 ? 0.4 : -0.4;
            at += length;
        }
        pj_auto_arena arena = pj_arena_new(NULL);
        pj_useful_signal found = pj_useful_signal_find(bins, BINS, arena);
        assert_in_range(found.period, lengths[k] * 0.9, lengths[k] * 1.1);
        assert_in_range(found.count, begun * 9 / 10 - 1, begun + 1);
        assert_in_range(found.starts[0], 500 - lengths[k], 500 + 2 * lengths[k]);
        for (uint32_t i = 0; i + 1 < found.count; i++)
            assert_in_range(found.starts[i + 1] - found.starts[i], lengths[k] * 0.8,
                            lengths[k] * 1.25);
    }
}

/// Noise of any colour: each bin for itself, phases of random lengths, a walk.
static void noise_has_none(void **state)
{
    enum { TRIES = 40 };
    static const double stays[] = {0, 0.9, 0.99, 0.998};
    (void)state;
    for (uint32_t t = 0; t < TRIES; t++)
        for (size_t k = 0; k <= sizeof stays / sizeof *stays; k++) {
            uint64_t seed = 1000 * t + k;
            double level = 0.5;
            for (uint32_t i = 0; i < BINS; i++) {
                if (k == sizeof stays / sizeof *stays)
                    level += 0.01 * (draw(&seed) - 0.5);
                else if (draw(&seed) >= stays[k])
                    level = draw(&seed);
                bins[i] = level;
            }
            pj_auto_arena arena = pj_arena_new(NULL);
            pj_useful_signal found = pj_useful_signal_find(bins, BINS, arena);
            if (found.count)
                print_error("try %u, kind %zu: period %u, %u times, %.2f\n", t, k, found.period,
                            found.count, found.correlation);
            assert_int_equal(found.count, 0);
        }
}

/// Few odd phases, a slope, nothing at all.
static void single_events_are_no_period(void **state)
{
    static const uint32_t at[][3] = {{100, 900, 900}, {0, 2048, 4000}, {300, 700, 3000}};
    pj_auto_arena arena = pj_arena_new(NULL);
    (void)state;
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        for (uint32_t i = 0; i < BINS; i++)
            bins[i] = 1;
        for (size_t n = 0; n < 3; n++)
            for (uint32_t i = 0; i < 50; i++)
                bins[at[k][n] + i] = 0;
        assert_int_equal(pj_useful_signal_find(bins, BINS, arena).count, 0);
    }
    for (uint32_t i = 0; i < BINS; i++)
        bins[i] = (double)i / BINS;
    assert_int_equal(pj_useful_signal_find(bins, BINS, arena).count, 0);
    for (uint32_t i = 0; i < BINS; i++)
        bins[i] = 1;
    assert_int_equal(pj_useful_signal_find(bins, BINS, arena).count, 0);
    assert_int_equal(pj_useful_signal_find(bins, 0, arena).count, 0);
    assert_int_equal(pj_useful_signal_find(bins, 3, arena).count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterations_of_uneven_length_are_followed),
        cmocka_unit_test(noise_has_none),
        cmocka_unit_test(single_events_are_no_period),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
