// Text of any bytes: broken ones are found and replaced, code points are never cut.
#include "metrics/base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void test_valid(void **state)
{
    (void)state;
    assert_true(pj_utf8_valid(PJ_S("")));
    assert_true(pj_utf8_valid(PJ_S("gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\xA6\x9C")));
    assert_true(pj_utf8_valid(PJ_S("\xEF\xBF\xBD"))); // U+FFFD itself
    assert_false(pj_utf8_valid(PJ_S("ok\x80")));
    assert_false(pj_utf8_valid(PJ_S("\xC0\x80")));         // overlong
    assert_false(pj_utf8_valid(PJ_S("\xE0\x9F\xBF")));     // overlong
    assert_false(pj_utf8_valid(PJ_S("\xED\xA0\x80")));     // surrogate
    assert_false(pj_utf8_valid(PJ_S("\xF4\x90\x80\x80"))); // beyond Unicode
    assert_false(pj_utf8_valid(PJ_S("cut \xE2\x82")));
}

static void test_whole(void **state)
{
    (void)state;
    assert_int_equal(pj_utf8_whole(PJ_S("")), 0);
    assert_int_equal(pj_utf8_whole(PJ_S("abc")), 3);
    assert_int_equal(pj_utf8_whole(PJ_S("ab\xE2")), 2);
    assert_int_equal(pj_utf8_whole(PJ_S("ab\xE2\x82")), 2);
    assert_int_equal(pj_utf8_whole(PJ_S("ab\xE2\x82\xAC")), 5);
    assert_int_equal(pj_utf8_whole(PJ_S("\xF0\x9F\xA6")), 0);
    assert_int_equal(pj_utf8_whole(PJ_S("\xFF")), 1); // nothing can complete it
    assert_int_equal(pj_utf8_whole(PJ_S("\xE2\x28")), 2);
}

static void test_clean(void **state)
{
    (void)state;
    pj_auto_buf out = {0};
    pj_utf8_clean(&out, PJ_S("a\xFF\xE2\x82\xAC\xED\xA0\x80z"));
    assert_string_equal(out.at, "a\xEF\xBF\xBD\xE2\x82\xAC\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz");
}

static void test_show(void **state)
{
    (void)state;
    pj_auto_buf out = {0};
    pj_utf8_show(&out, PJ_S("a\xFF\r\n\xE2\x82\xAC\xEF\xBF\xBD\x7f"));
    assert_string_equal(out.at, "a\\xff\\x0d\\x0a\xE2\x82\xAC\xEF\xBF\xBD\\x7f");
}

static void assert_apart(const char *text, const char *wanted)
{
    pj_auto_buf out = {0};
    pj_buf_puts(&out, "");
    pj_utf8_apart(&out, pj_str_of(text));
    assert_string_equal(out.at, wanted);
}

/// A number behind an Arabic or Hebrew word would be shown before it.
static void test_apart(void **state)
{
    (void)state;
    assert_apart("", "");
    assert_apart("norm 20 %, \xE8\xA1\x8C 3", "norm 20 %, \xE8\xA1\x8C 3");
    assert_apart("\xD7\x97\xD7\x99.py:5", "\xD7\x97\xD7\x99.py:5"); // a word alone
    assert_apart("in \xD8\xAD_\xD8\xB3  20 %\n\xD7\x97",
                 "in \xE2\x81\xA6\xD8\xAD_\xD8\xB3\xE2\x81\xA9  20 %\n"
                 "\xE2\x81\xA6\xD7\x97\xE2\x81\xA9");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid), cmocka_unit_test(test_whole), cmocka_unit_test(test_clean),
        cmocka_unit_test(test_show),  cmocka_unit_test(test_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
