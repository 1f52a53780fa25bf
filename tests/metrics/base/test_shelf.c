// What is taken is what a search through all things in their order would find.
#include "metrics/base/shelf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 4000, STEPS = 200000 };

typedef struct thing {
    uint64_t key;
    uint32_t number;
} thing;

typedef struct plain { // the same, one after the other
    thing things[MOST];
    size_t count;
} plain;

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

static bool take_plain(plain *p, size_t at, thing *out)
{
    if (at >= p->count)
        return false;
    *out = p->things[at];
    p->count--;
    memmove(p->things + at, p->things + at + 1, (p->count - at) * sizeof *p->things);
    return true;
}

static bool take_key(plain *p, uint64_t key, pj_shelf_end end, thing *out)
{
    for (size_t i = 0; i < p->count; i++) {
        size_t at = end == PJ_OLDEST ? i : p->count - 1 - i;
        if (p->things[at].key == key)
            return take_plain(p, at, out);
    }
    return false;
}

static void expect_the_same(const pj_shelf *shelf, const plain *p)
{
    assert_int_equal(shelf->count, p->count);
    const thing *t;
    size_t n = 0, m = p->count;
    for (size_t at = 0; (t = pj_shelf_next(shelf, PJ_OLDEST, &at));)
        assert_int_equal(t->number, p->things[n++].number);
    assert_int_equal(n, p->count);
    for (size_t at = 0; (t = pj_shelf_next(shelf, PJ_NEWEST, &at));)
        assert_int_equal(t->number, p->things[--m].number);
    assert_int_equal(m, 0);
}

/// One step in which things come `coming` times of 8 and are asked for by one of `keys`.
static void step(pj_shelf *shelf, plain *p, uint64_t *seed, unsigned coming, unsigned keys)
{
    uint64_t key = next_random(seed) % keys;
    thing got = {0}, due = {0};
    if (next_random(seed) % 8 < coming) {
        if (p->count == MOST)
            return;
        due = (thing){key, (uint32_t)next_random(seed)};
        p->things[p->count++] = due;
        pj_shelf_put(shelf, key, &due);
        return;
    }
    bool any = next_random(seed) % 16 == 0;
    pj_shelf_end end = next_random(seed) % 3 ? PJ_OLDEST : PJ_NEWEST;
    bool is_due = any ? take_plain(p, 0, &due) : take_key(p, key, end, &due);
    assert_int_equal(any ? pj_shelf_take_first(shelf, &got) : pj_shelf_take(shelf, key, end, &got),
                     is_due);
    assert_int_equal(got.number, due.number);
}

static void the_right_one_is_taken(void **state)
{
    (void)state;
    static const unsigned keys[] = {1, 7, 500, 100000};
    static plain p;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        pj_shelf shelf = {.item_size = sizeof(thing)};
        uint64_t seed = 12 + k;
        p.count = 0;
        for (unsigned i = 0; i < STEPS; i++) {
            step(&shelf, &p, &seed, i / 20000 % 2 ? 3 : 6, keys[k]);
            if (i % 5000 == 0)
                expect_the_same(&shelf, &p);
        }
        pj_shelf_free(&shelf);
        assert_int_equal(pj_shelf_bytes(&shelf), 0);
    }
}

static void keys_that_are_gone_take_no_memory(void **state)
{
    (void)state;
    pj_shelf shelf = {.item_size = sizeof(uint32_t)};
    uint32_t n = 0, got;
    for (; n < 1000; n++)
        pj_shelf_put(&shelf, n, &n);
    for (; n < 300000; n++) {
        pj_shelf_put(&shelf, n, &n);
        assert_true(pj_shelf_take(&shelf, n - 40, PJ_NEWEST, &got));
        assert_int_equal(got, n - 40);
    }
    assert_true(pj_shelf_bytes(&shelf) < shelf.count * 250);
    pj_shelf_free(&shelf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_right_one_is_taken),
        cmocka_unit_test(keys_that_are_gone_take_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
