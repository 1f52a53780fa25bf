// Axes: ticks people would choose, and positions.
#include "widgets/figure/axis.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static pj_axis axis_of(pj_arena *arena, pj_axis_kind kind, double lo, double hi, bool zero)
{
    pj_axis axis = pj_axis_new(kind, lo, hi, zero);
    axis.start = 400;
    axis.end = 0;
    pj_axis_ticks(&axis, arena, 50);
    return axis;
}

static void values_lie_between_the_ends(void **state)
{
    (void)state;
    static const double ranges[][2] = {{0, 1}, {0.98, 1.02}, {-3, 17}, {1e-9, 2e-9}, {3, 3},
                                       {0, 0}, {1e12, 9e12}, {-5, -5}, {0, 16},      {1, 1e6}};
    pj_auto_arena arena = pj_arena_new(NULL);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        for (int kind = PJ_AXIS_LINEAR; kind <= PJ_AXIS_LOG; kind++) {
            double lo = ranges[i][0], hi = ranges[i][1];
            if (kind == PJ_AXIS_LOG && lo <= 0)
                continue;
            pj_axis axis = axis_of(arena, (pj_axis_kind)kind, lo, hi, false);
            assert_true(axis.from <= lo && hi <= axis.to && axis.from < axis.to);
            assert_true(pj_axis_at(&axis, lo) <= 400.001 && pj_axis_at(&axis, hi) >= -0.001);
            assert_in_range(axis.tick_count, 2, 14);
            for (size_t t = 0; t < axis.tick_count; t++) {
                assert_true(*axis.ticks[t].label);
                if (t > 0) {
                    assert_true(axis.ticks[t].value > axis.ticks[t - 1].value);
                    assert_string_not_equal(axis.ticks[t].label, axis.ticks[t - 1].label);
                }
            }
        }
}

static void assert_labels(const pj_axis *axis, const char *const *labels, size_t count)
{
    assert_int_equal(axis->tick_count, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(axis->ticks[i].label, labels[i]);
}

static void labels_are_short_and_round(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_axis ratio = axis_of(arena, PJ_AXIS_LINEAR, 0.2, 1, true);
    assert_labels(&ratio, (const char *[]){"0", "0.2", "0.4", "0.6", "0.8", "1.0"}, 6);
    pj_axis counts = axis_of(arena, PJ_AXIS_LINEAR, 0, 3e9, true);
    assert_labels(&counts, (const char *[]){"0", "0.5G", "1.0G", "1.5G", "2.0G", "2.5G", "3.0G"},
                  7);
    pj_axis decades = axis_of(arena, PJ_AXIS_LOG, 1, 1e6, false);
    assert_labels(&decades, (const char *[]){"1", "10", "100", "1000", "10k", "100k", "1M"}, 7);
    pj_axis doubling = axis_of(arena, PJ_AXIS_LOG, 1, 16, false);
    assert_labels(&doubling, (const char *[]){"1", "2", "5", "10"}, 4);
    pj_axis two = axis_of(arena, PJ_AXIS_LOG, 0.03, 3, false);
    assert_labels(&two, (const char *[]){"0.05", "0.1", "0.2", "0.5", "1", "2"}, 6);
    pj_axis ranks = {.kind = PJ_AXIS_LINEAR, .to = 9, .end = 200, .whole = true};
    pj_axis_ticks(&ranks, arena, 50);
    assert_labels(&ranks, (const char *[]){"0", "5", "10"}, 3);
}

static void logarithmic_positions_are_even_per_factor(void **state)
{
    (void)state;
    pj_axis axis = {.kind = PJ_AXIS_LOG, .from = 1, .to = 16, .start = 0, .end = 400};
    assert_true(fabs(pj_axis_at(&axis, 2) - 100) < 1e-9);
    assert_true(fabs(pj_axis_at(&axis, 8) - 300) < 1e-9);
}

static void categories_stand_in_the_middle_of_their_slots(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_axis axis = pj_axis_categories(arena, (const char *[]){"a", "b"}, 2);
    axis.start = 0;
    axis.end = 100;
    pj_axis_ticks(&axis, arena, 50);
    assert_labels(&axis, (const char *[]){"a", "b"}, 2);
    assert_true(fabs(pj_axis_at(&axis, 0) - 25) < 1e-9);
    assert_true(fabs(pj_axis_at(&axis, 1) - 75) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_lie_between_the_ends),
        cmocka_unit_test(labels_are_short_and_round),
        cmocka_unit_test(logarithmic_positions_are_even_per_factor),
        cmocka_unit_test(categories_stand_in_the_middle_of_their_slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
