// What is open, against a list that is searched.
#include "metrics/stat/nesting.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { MOST = 200, KINDS = 5, STEPS = 20000 };

typedef struct list {
    pj_open items[MOST];
    size_t count;
} list;

static bool take(list *l, uint64_t kind, pj_open *out)
{
    for (size_t i = l->count; i-- > 0;) {
        if (l->items[i].kind != kind)
            continue;
        *out = l->items[i];
        for (l->count--; i < l->count; i++)
            l->items[i] = l->items[i + 1];
        return true;
    }
    return false;
}

static const pj_open *name(const list *l)
{
    for (size_t i = l->count; i-- > 0;)
        if (l->items[i].named)
            return &l->items[i];
    return NULL;
}

static void it_is_what_a_search_finds(void **state)
{
    (void)state;
    static list plain;
    pj_nesting nesting = {.count = 0};
    uint32_t seed = 1;
    for (uint32_t i = 0; i < STEPS; i++) {
        seed = seed * 1664525u + 1013904223u;
        uint64_t kind = (seed >> 8) % KINDS;
        pj_open open = {.kind = kind, .begin = i, .named = kind < 2}, other;
        if ((seed >> 16) % 2 && plain.count < MOST) {
            plain.items[plain.count++] = open;
            pj_nesting_push(&nesting, open);
        } else {
            bool any = take(&plain, kind, &open);
            assert_int_equal(pj_nesting_pop(&nesting, kind, &other), any);
            if (any)
                assert_int_equal(other.begin, open.begin);
        }
        const pj_open *a = name(&plain), *b = pj_nesting_name(&nesting);
        assert_int_equal(a != NULL, b != NULL);
        if (a)
            assert_int_equal(a->begin, b->begin);
        assert_int_equal(nesting.count, plain.count);
        assert_true(nesting.used <= MOST); // places are used again
    }
    pj_nesting_free(&nesting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_is_what_a_search_finds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
