// JSON that jansson refuses is mended and read; what is no JSON stays an error.
#include "kernel/command/jsontext.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_reads(pj_str text, const char *expected)
{
    pj_err err = {0};
    json_t *value = pj_jsontext_read(text, "test", NULL, &err);
    assert_non_null(value);
    char *dump = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS);
    assert_string_equal(dump, expected);
    free(dump);
    json_decref(value);
}

static void assert_refused(pj_str text)
{
    pj_err err = {0};
    assert_null(pj_jsontext_read(text, "content", NULL, &err));
    assert_int_equal(err.code, PJ_E_FORMAT);
    assert_string_equal(err.where, "content");
}

static void test_odd_but_readable(void **state)
{
    (void)state;
    assert_reads(PJ_S("{\"a\":1}"), "{\"a\":1}");
    assert_reads(PJ_S("{\"a\":\"\\ud83d\"}"), "{\"a\":\"\xEF\xBF\xBD\"}");
    assert_reads(PJ_S("[\"\\udc00x\",\"\\ud83e\\udd9c\"]"),
                 "[\"\xEF\xBF\xBDx\",\"\xF0\x9F\xA6\x9C\"]");
    assert_reads(PJ_S("[\"\xFF\"]"), "[\"\xEF\xBF\xBD\"]");
    assert_reads(PJ_S("[NaN, -Infinity, Infinity, \"NaN\"]"), "[null,null,null,\"NaN\"]");
    assert_reads(PJ_S("[123456789012345678901234567890]"), "[1.2345678901234568e29]");
    assert_reads(PJ_S("[\"\\u0000\"]"), "[\"\\u0000\"]");
    assert_reads(PJ_S("\"text\""), "\"text\"");
}

static void test_not_json(void **state)
{
    (void)state;
    assert_refused(PJ_S(""));
    assert_refused(PJ_S("{"));
    assert_refused(PJ_S("{\"a\":}"));
    assert_refused(PJ_S("[1] 2"));
    assert_refused(PJ_S("\"\\"));
    assert_refused(PJ_S("[\"\\u12\"]"));
    pj_auto_buf deep = {0};
    for (int i = 0; i < 200000; i++)
        pj_buf_add_char(&deep, '[');
    assert_refused(pj_buf_str(&deep));
}

static void test_mended_text_is_handed_out(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_buf mended = {0};
    json_decref(pj_jsontext_read(PJ_S("{\"a\":\"\\udfff\"}"), "header", &mended, &err));
    assert_string_equal(mended.at, "{\"a\":\"\\ufffd\"}");
}

static void test_members(void **state)
{
    (void)state;
    json_t *object =
        json_pack("{s:s, s:b, s:i, s:f}", "text", "ab", "flag", 1, "int", 7, "real", 8.0);
    assert_true(pj_str_equal(pj_jsontext_str(object, "text"), PJ_S("ab")));
    assert_int_equal(pj_jsontext_str(object, "flag").len, 0);
    assert_true(pj_jsontext_flag(object, "flag", false));
    assert_true(pj_jsontext_flag(object, "text", true));
    assert_int_equal(pj_jsontext_int(object, "int", 0), 7);
    assert_int_equal(pj_jsontext_int(object, "real", 0), 8);
    assert_int_equal(pj_jsontext_int(object, "none", 5), 5);
    assert_int_equal(pj_jsontext_int(NULL, "none", 5), 5);
    json_decref(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_odd_but_readable),
        cmocka_unit_test(test_not_json),
        cmocka_unit_test(test_mended_text_is_handed_out),
        cmocka_unit_test(test_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
