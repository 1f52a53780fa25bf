// What many spans cover: packed in the order in which they come, the same as of a plain list.
#include "metrics/ai/ai_cover.h"
#include "metrics/ai/ai_spans.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return *seed >> 33;
}

typedef struct both {
    pj_ai_cover cover;
    pj_ai_spans spans;
} both;

static void add(both *b, int64_t begin, int64_t end)
{
    pj_ai_cover_add(&b->cover, begin, end);
    pj_ai_spans_add(&b->spans, begin, end);
}

static void expect_same(both *b, int64_t from, int64_t to)
{
    uint64_t seed = 7;
    pj_ai_cover_finish(&b->cover);
    pj_ai_spans_unite(&b->spans);
    assert_int_equal(pj_ai_cover_within(&b->cover, from, to), pj_ai_spans_total(&b->spans));
    for (int i = 0; i < 10000; i++) {
        int64_t begin = from + (int64_t)(next_random(&seed) % (uint64_t)(to - from));
        int64_t end = begin + (int64_t)(next_random(&seed) % 100000);
        assert_int_equal(pj_ai_cover_within(&b->cover, begin, end),
                         pj_ai_spans_within(&b->spans, begin, end));
    }
}

static void forget(both *b)
{
    pj_ai_cover_free(&b->cover);
    pj_ai_spans_free(&b->spans);
}

static void spans_cover_what_a_list_covers(void **state)
{
    (void)state;
    enum { SPANS = 200000, LENGTH = 50 };
    both b = {.spans = {.items = NULL}};
    uint64_t seed = 1;
    for (int64_t i = 0; i < SPANS; i++) { // some out of order, some much too late
        int64_t begin = i * LENGTH - (int64_t)(next_random(&seed) % 3000);
        begin = i % 1000 == 999 ? begin / 2 : begin;
        add(&b, begin, begin + (int64_t)(next_random(&seed) % 60));
    }
    expect_same(&b, -3000, SPANS * LENGTH + 100);
    assert_true(pj_ai_cover_bytes(&b.cover) < b.spans.cap * sizeof(pj_ai_span));
    forget(&b);
}

/// Longer and further apart than 32 bits of ns.
static void long_spans_are_exact(void **state)
{
    (void)state;
    const int64_t far = INT64_C(1) << 33;
    both b = {.spans = {.items = NULL}};
    for (int64_t i = 0; i < 100; i++) {
        add(&b, i * 4 * far, i * 4 * far + (i % 3 ? 10 : far + i));
        add(&b, i * 4 * far + 5, i * 4 * far + (i % 2 ? 20 : 2 * far));
    }
    expect_same(&b, -1, 400 * far);
    forget(&b);
}

static void cleared_time_is_not_covered(void **state)
{
    (void)state;
    pj_ai_cover cover = {.blocks = NULL};
    for (int64_t i = 0; i < 1000; i++)
        pj_ai_cover_add(&cover, i * 10, i * 10 + 5);
    pj_ai_cover_finish(&cover);
    pj_ai_cover_shift(&cover, 100);
    pj_ai_cover_clear(&cover, 102, 10000);
    assert_int_equal(pj_ai_cover_within(&cover, 0, 100000), 2 + 10 * 5);
    assert_int_equal(pj_ai_cover_within(&cover, 102, 10000), 0);
    assert_int_equal(pj_ai_cover_within(&cover, 101, 103), 1);
    pj_ai_cover_free(&cover);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans_cover_what_a_list_covers),
        cmocka_unit_test(long_spans_are_exact),
        cmocka_unit_test(cleared_time_is_not_covered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
