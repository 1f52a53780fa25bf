// Blocks of ranks: heights, groups of neighbours, what is absent.
#include "metrics/base/buf.h"
#include "metrics/table/spread.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void says(const double *values, size_t count, const char *text)
{
    pj_auto_buf out = {0};
    pj_spread_text(pj_spread_of(values, count), &out);
    assert_string_equal(out.at ? out.at : "", text);
}

static void a_block_is_as_high_as_its_part_of_the_most(void **state)
{
    (void)state;
    says((const double[]){1, 2, 4, 8}, 4, "\u2581\u2582\u2584\u2588");
    says((const double[]){1e-12, 1}, 2, "\u2581\u2588"); // there is something
    says((const double[]){5}, 1, "\u2588");
}

static void what_is_not_there_has_none(void **state)
{
    (void)state;
    says((const double[]){NAN, 0, -3, 2}, 4, "\u00a0\u00a0\u00a0\u2588");
    says((const double[]){0, NAN}, 2, "\u00a0\u00a0");
    says(NULL, 0, "");
}

/// Many ranks: the largest of a group stands for it, so that one that is late is seen.
static void one_of_many_is_seen(void **state)
{
    (void)state;
    enum { RANKS = 1000, LATE = 500 };
    double values[RANKS];
    for (size_t i = 0; i < RANKS; i++)
        values[i] = i == LATE ? 8 : 1;
    pj_spread spread = pj_spread_of(values, RANKS);
    assert_int_equal(spread.count, PJ_SPREAD_MOST);
    for (size_t k = 0; k < spread.count; k++)
        assert_int_equal(spread.level[k], k == LATE * PJ_SPREAD_MOST / RANKS ? 8 : 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_is_as_high_as_its_part_of_the_most),
        cmocka_unit_test(what_is_not_there_has_none),
        cmocka_unit_test(one_of_many_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
