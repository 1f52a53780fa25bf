// Ends of messages come out in order, however they come in.
#include "metrics/trace/ends.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

static int by_place(const void *a, const void *b)
{
    const pj_end *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void ends_come_out_in_order(void **state)
{
    (void)state;
    for (uint64_t seed = 1, spread = 1; spread <= 1000000; spread *= 10) {
        pj_ends ends = {.count = 0};
        pj_end all[2000];
        size_t count = 0, taken = 0;
        for (uint64_t now = 0; now < 2000; now++) {
            uint64_t time = now + next_random(&seed) % spread;
            uint64_t order = pj_end_order(PJ_END_SEND, now);
            all[count++] = (pj_end){time, order, (uint32_t)now};
            pj_ends_add(&ends, time, order, (uint32_t)now);
        }
        qsort(all, count, sizeof *all, by_place);
        for (pj_end end; pj_ends_pop(&ends, UINT64_MAX, &end);) {
            assert_int_equal(end.time, all[taken].time);
            assert_int_equal(end.message, all[taken].message);
            taken++;
            if (taken < count && all[taken].time > 0)
                assert_false(pj_ends_pop(&ends, all[taken].time - 1, &end));
        }
        assert_int_equal(taken, count);
        pj_ends_free(&ends);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_come_out_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
