// Repetitions: order statistics and tests of ranks with answers worked out by hand.
#include "metrics/pop/repetitions.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-4;
}

static void an_odd_run_moves_the_median_little(void **state)
{
    (void)state;
    static const double values[] = {10.2, 10.0, 10.1, 10.4, 13.0};
    pj_repeated r = pj_repetitions_of(values, 5);
    assert_true(near(r.median, 10.2));
    assert_true(near(r.mad, 0.2));
    assert_true(near(r.spread, 3.0 / 10.2));
    assert_int_equal(r.outliers, 1);
    assert_true(near(r.low, 10.0) && near(r.high, 13.0));
    assert_true(near(r.coverage, 0.9375));
}

static void equal_runs_have_no_spread(void **state)
{
    (void)state;
    static const double values[] = {7, 7, 7, 7, 7};
    pj_repeated r = pj_repetitions_of(values, 5);
    assert_true(r.spread == 0 && r.mad == 0 && r.outliers == 0 && r.median == 7);
    r = pj_repetitions_of(values, 1);
    assert_true(r.low == 7 && r.high == 7 && r.coverage == 0);
}

static void intervals_cover_as_the_binomial_says(void **state)
{
    (void)state;
    static const struct {
        size_t count;
        double low, high, coverage;
    } known[] = {{3, 1, 3, 0.75},    {4, 1, 4, 0.875},   {5, 1, 5, 0.9375},
                 {6, 1, 6, 0.96875}, {8, 2, 7, 0.92969}, {10, 2, 9, 0.97852}};
    static const double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        pj_repeated r = pj_repetitions_of(values, known[i].count);
        assert_true(r.low == known[i].low && r.high == known[i].high);
        assert_true(near(r.coverage, known[i].coverage));
    }
}

static void groups_differ_as_their_ranks_say(void **state)
{
    (void)state;
    static const double a[] = {1, 2, 3, 4}, b[] = {11, 12, 13, 14}, c[] = {1.5, 2.5, 3.5, 4.5};
    assert_true(near(pj_repetitions_shift(a, 4, b, 4), 10));
    assert_true(near(pj_repetitions_chance(a, 4, b, 4), 1.0 / 70));
    assert_true(near(pj_repetitions_chance(b, 4, a, 4), 1));
    assert_true(near(pj_repetitions_chance(a, 3, b, 3), 1.0 / 20));
    assert_true(near(pj_repetitions_chance(a, 1, b, 1), 0.5));
    assert_true(near(pj_repetitions_chance(a, 2, c, 2), 0.3333)); // 3 of 4 pairs: 2 of 6 orders
    assert_true(pj_repetitions_chance(a, 4, a, 4) > 0.4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_odd_run_moves_the_median_little),
        cmocka_unit_test(equal_runs_have_no_spread),
        cmocka_unit_test(intervals_cover_as_the_binomial_says),
        cmocka_unit_test(groups_differ_as_their_ranks_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
