// What programs write becomes UTF-8 and is never cut inside a code point.
#include "kernel/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_clean(pj_str text, const char *expected)
{
    pj_auto_buf out = {0};
    pj_utf8_add_clean(&out, text);
    assert_string_equal(out.at ? out.at : "", expected);
}

static void test_points(void **state)
{
    (void)state;
    assert_int_equal(pj_utf8_point(PJ_S("a")), 1);
    assert_int_equal(pj_utf8_point(PJ_S("\xC3\xA9")), 2);
    assert_int_equal(pj_utf8_point(PJ_S("\xE2\x82\xAC!")), 3);
    assert_int_equal(pj_utf8_point(PJ_S("\xF0\x9F\xA6\x9C")), 4);
    assert_int_equal(pj_utf8_point(PJ_S("")), 0);
    assert_int_equal(pj_utf8_point(PJ_S("\xC0\x80")), 0);         // overlong
    assert_int_equal(pj_utf8_point(PJ_S("\xE0\x9F\xBF")), 0);     // overlong
    assert_int_equal(pj_utf8_point(PJ_S("\xED\xA0\x80")), 0);     // surrogate
    assert_int_equal(pj_utf8_point(PJ_S("\xF4\x90\x80\x80")), 0); // beyond Unicode
    assert_int_equal(pj_utf8_point(PJ_S("\x80")), 0);
}

static void test_whole(void **state)
{
    (void)state;
    assert_int_equal(pj_utf8_whole(PJ_S("abc")), 3);
    assert_int_equal(pj_utf8_whole(PJ_S("ab\xE2")), 2);
    assert_int_equal(pj_utf8_whole(PJ_S("ab\xE2\x82")), 2);
    assert_int_equal(pj_utf8_whole(PJ_S("ab\xE2\x82\xAC")), 5);
    assert_int_equal(pj_utf8_whole(PJ_S("\xF0\x9F\xA6")), 0);
    assert_int_equal(pj_utf8_whole(PJ_S("\xFF")), 1); // nothing can complete it
    assert_int_equal(pj_utf8_whole(PJ_S("\xE2\x28")), 2);
    assert_int_equal(pj_utf8_whole(PJ_S("")), 0);
}

static void test_clean(void **state)
{
    (void)state;
    assert_clean(PJ_S("plain text that is longer than a word"),
                 "plain text that is longer than a word");
    assert_clean(PJ_S("a\xFF"
                      "b"),
                 "a\xEF\xBF\xBD"
                 "b");
    assert_clean(PJ_S("\xE2\x82"
                      "x"),
                 "\xEF\xBF\xBDx");
    assert_clean(PJ_S("\xE2\x82\xAC"), "\xE2\x82\xAC");
    assert_clean(PJ_S("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    assert_false(pj_utf8_valid(PJ_S("ok\x80")));
    assert_true(pj_utf8_valid(PJ_S("gr\xC3\xBC\xC3\x9F")));
}

static void test_add_point(void **state)
{
    (void)state;
    pj_auto_buf out = {0};
    pj_utf8_add_point(&out, 'a');
    pj_utf8_add_point(&out, 0xE9);
    pj_utf8_add_point(&out, 0x20AC);
    pj_utf8_add_point(&out, 0x1F99C);
    pj_utf8_add_point(&out, 0xD800);
    assert_string_equal(out.at, "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\xA6\x9C\xEF\xBF\xBD");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_clean),
        cmocka_unit_test(test_add_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
