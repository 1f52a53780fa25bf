// Arenas and growing buffers.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_arena_blocks(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    unsigned char *blocks[200];
    for (size_t i = 0; i < 200; i++) {
        size_t size = 1 + i * 97;
        blocks[i] = pj_arena_alloc(arena, size);
        assert_int_equal((uintptr_t)blocks[i] % _Alignof(max_align_t), 0);
        for (size_t k = 0; k < size; k++)
            assert_int_equal(blocks[i][k], 0);
        memset(blocks[i], (int)i, size);
    }
    for (size_t i = 0; i < 200; i++) { // none overlaps another
        assert_int_equal(blocks[i][0], i);
        assert_int_equal(blocks[i][i * 97], i);
    }
    assert_non_null(pj_arena_alloc(arena, 0));
    assert_non_null(pj_arena_alloc(arena, 8 << 20)); // larger than any chunk
    assert_true(pj_arena_size(arena) >= (8u << 20) + 200u * 97 * 100);
}

static void test_arena_account(void **state)
{
    (void)state;
    _Atomic uint64_t used = 7;
    pj_arena *arena = pj_arena_new(&used);
    pj_new_n(arena, double, 100000);
    assert_true(used >= 7 + 800000);
    assert_int_equal(used, 7 + pj_arena_size(arena));
    pj_arena_free(arena);
    assert_int_equal(used, 7);
    pj_arena_free(NULL);
}

static void test_arena_texts(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    char text[] = "abcdef";
    const char *copy = pj_arena_text(arena, (pj_str){text, 3});
    text[0] = 'x';
    assert_string_equal(copy, "abc");
    assert_string_equal(pj_arena_text(arena, (pj_str){0}), "");
    assert_string_equal(pj_arena_format(arena, "%d-%s", 12, "a"), "12-a");
    const char *wide = pj_arena_format(arena, "%5000d", 1);
    assert_int_equal(strlen(wide), 5000);
}

static void test_buf(void **state)
{
    (void)state;
    pj_auto_buf buf = {0};
    assert_null(buf.at);
    pj_buf_add(&buf, (pj_str){0});
    assert_string_equal(buf.at, "");
    pj_buf_puts(&buf, "one");
    pj_buf_add_char(&buf, ',');
    pj_buf_addf(&buf, "%03d", 7);
    assert_string_equal(buf.at, "one,007");
    for (size_t i = 0; i < 10000; i++)
        pj_buf_add_char(&buf, 'x');
    assert_int_equal(buf.len, 10007);
    assert_int_equal(buf.at[10006], 'x');
    assert_int_equal(buf.at[10007], 0);
    char *room = pj_buf_room(&buf, 3);
    memset(room, 'e', 3);
    buf.len += 3;
    assert_true(pj_str_ends(pj_buf_str(&buf), PJ_S("xeee")));
    pj_buf_free(&buf);
    assert_null(buf.at);
    assert_int_equal(buf.len, 0);
}

static void test_growing_array(void **state)
{
    (void)state;
    int *items = NULL;
    size_t cap = 0;
    for (size_t i = 0; i < 1000; i++) {
        pj_grow(items, &cap, i + 1);
        items[i] = (int)i;
    }
    assert_true(cap >= 1000 && cap <= 2000);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(items[i], i);
    int *same = items;
    pj_grow(items, &cap, 10);
    assert_ptr_equal(items, same); // never shrinks
    free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena_blocks),  cmocka_unit_test(test_arena_account),
        cmocka_unit_test(test_arena_texts),   cmocka_unit_test(test_buf),
        cmocka_unit_test(test_growing_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
