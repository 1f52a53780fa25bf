// String views: searching, cutting, order, distance.
#include "metrics/base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect_text(pj_str got, const char *expected)
{
    if (!pj_str_equal(got, pj_str_of(expected)))
        fail_msg("\"" PJ_STR_FMT "\", expected \"%s\"", PJ_STR_ARG(got), expected);
}

static void test_views(void **state)
{
    (void)state;
    pj_str none = pj_str_of(NULL);
    assert_int_equal(none.len, 0);
    assert_true(pj_str_equal(none, PJ_S("")));
    assert_false(pj_str_equal(PJ_S("ab"), PJ_S("abc")));
    assert_true(pj_str_starts(PJ_S("trace.prv"), PJ_S("trace")));
    assert_true(pj_str_starts(PJ_S("x"), none));
    assert_false(pj_str_starts(PJ_S("tr"), PJ_S("trace")));
    assert_true(pj_str_ends(PJ_S("trace.prv"), PJ_S(".prv")));
    assert_false(pj_str_ends(PJ_S("prv"), PJ_S(".prv")));
    expect_text(pj_str_from(PJ_S("trace"), 2), "ace");
    expect_text(pj_str_from(PJ_S("trace"), 9), "");
    expect_text(pj_str_head(PJ_S("trace"), 2), "tr");
    expect_text(pj_str_head(PJ_S("trace"), 9), "trace");
}

static void test_search(void **state)
{
    (void)state;
    assert_int_equal(pj_str_find(PJ_S("a:b:c"), ':'), 1);
    assert_int_equal(pj_str_find_last(PJ_S("a:b:c"), ':'), 3);
    assert_int_equal(pj_str_find(PJ_S("abc"), ':'), 3);
    assert_int_equal(pj_str_find_last(PJ_S("abc"), ':'), 3);
    assert_int_equal(pj_str_find(PJ_S(""), ':'), 0);
    assert_true(pj_str_contains(PJ_S("MPI_Send"), PJ_S("_S")));
    assert_true(pj_str_contains(PJ_S(""), PJ_S("")));
    assert_false(pj_str_contains(PJ_S("MPI"), PJ_S("MPI_")));
}

static void test_spelling(void **state)
{
    (void)state;
    assert_true(pj_str_same_word(PJ_S("serialisation"), PJ_S("serialization")));
    assert_true(pj_str_same_word(PJ_S("serialisation"), PJ_S("serialisation")));
    assert_false(pj_str_same_word(PJ_S("serialization"), PJ_S("serialisation")));
    assert_false(pj_str_same_word(PJ_S("serialisation"), PJ_S("serialisatiom")));
    assert_false(pj_str_same_word(PJ_S("serialisation"), PJ_S("serial")));
    assert_true(pj_str_same_word(PJ_S("idealised_ns"), PJ_S("idealized_ns")));
    assert_false(pj_str_same_word(PJ_S("cycles"), PJ_S("cyclez")));
    assert_false(pj_str_same_word(PJ_S("serialisation"), PJ_S("zerialisation")));
}

static void test_trim_and_cut(void **state)
{
    (void)state;
    expect_text(pj_str_trim(PJ_S(" \t a b\r\n")), "a b");
    expect_text(pj_str_trim(PJ_S(" \n")), "");
    pj_str rest = PJ_S("1::2");
    expect_text(pj_str_cut(&rest, ':'), "1");
    expect_text(pj_str_cut(&rest, ':'), "");
    expect_text(pj_str_cut(&rest, ':'), "2");
    assert_int_equal(rest.len, 0);
    expect_text(pj_str_cut(&rest, ':'), "");
}

static int sign(int value)
{
    return (value > 0) - (value < 0);
}

static void test_order(void **state)
{
    (void)state;
    assert_true(pj_str_order(PJ_S("a"), PJ_S("b")) < 0);
    assert_true(pj_str_order(PJ_S("ab"), PJ_S("a")) > 0);
    assert_true(pj_str_order(PJ_S("run_10"), PJ_S("run_2")) < 0);
    static const struct {
        const char *a, *b;
        int order;
    } natural[] = {
        {"run_2", "run_10", -1}, {"run_2", "run_2", 0}, {"a", "b", -1},
        {"run", "run_1", -1},    {"1.10", "1.9", 1},    {"x18446744073709551617", "x2", 1},
        {"2a", "2b", -1},        {"", "a", -1},         {"a1b2", "a1b10", -1},
    };
    for (size_t i = 0; i < sizeof natural / sizeof *natural; i++) {
        pj_str a = pj_str_of(natural[i].a), b = pj_str_of(natural[i].b);
        assert_int_equal(sign(pj_str_order_natural(a, b)), natural[i].order);
        assert_int_equal(sign(pj_str_order_natural(b, a)), -natural[i].order);
    }
    // "01" and "1" have one order, whichever stands first.
    int order = pj_str_order_natural(PJ_S("01"), PJ_S("1"));
    assert_int_not_equal(order, 0);
    assert_int_equal(sign(pj_str_order_natural(PJ_S("1"), PJ_S("01"))), -sign(order));
}

static void test_distance(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        size_t distance;
    } cases[] = {
        {"metrics", "metrics", 0}, {"metric", "metrics", 1},
        {"mertics", "metrics", 1}, {"", "abc", 3},
        {"kitten", "sitting", 3},  {"ab", "ba", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pj_str a = pj_str_of(cases[i].a), b = pj_str_of(cases[i].b);
        assert_int_equal(pj_str_distance(a, b), cases[i].distance);
        assert_int_equal(pj_str_distance(b, a), cases[i].distance);
    }
    char longest[65];
    memset(longest, 'x', sizeof longest);
    assert_true(pj_str_distance((pj_str){longest, 64}, PJ_S("x")) == SIZE_MAX);
    assert_int_equal(pj_str_distance((pj_str){longest, 63}, PJ_S("x")), 62);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_views),    cmocka_unit_test(test_search),
        cmocka_unit_test(test_spelling), cmocka_unit_test(test_trim_and_cut),
        cmocka_unit_test(test_order),    cmocka_unit_test(test_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
