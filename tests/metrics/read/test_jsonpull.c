// JSON token by token: every kind of value, what is refused and where, what is cut off.
#include "metrics/read/json_look.h"
#include "metrics/read/jsonpull.h"

#include "metrics/base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/// The tokens of a text as letters, with "!" at an error and "." at the end.
static const char *tokens_of(pj_str text, pj_buf *out, pj_err *err)
{
    static const char letters[] = "!.{}[]ksntfz";
    pj_auto_jsonpull json = pj_jsonpull_of(text);
    pj_json_token token;
    out->len = 0;
    do {
        token = pj_jsonpull_next(json, err);
        pj_buf_add_char(out, letters[token]);
    } while (token > PJ_JSON_END);
    return out->at;
}

static void same_tokens(const char *text, const char *tokens)
{
    pj_auto_buf out = {.at = NULL};
    pj_err err = {0};
    assert_string_equal(tokens_of(pj_str_of(text), &out, &err), tokens);
    assert_int_equal(err.code != PJ_E_NONE, tokens[strlen(tokens) - 1] == '!');
}

static void values(void **state)
{
    (void)state;
    same_tokens(" {\"a\": [1, -2.5e3, \"x\", true, false, null], \"b\" : {}} ", "{k[nnstfz]k{}}.");
    same_tokens("\"alone\"", "s.");
    same_tokens("[1, 2, ]", "[nn].");
}

/// What Python writes where JSON has no number: only where that is wanted.
static void no_numbers(void **state)
{
    (void)state;
    static const char *const texts[] = {"[NaN]", "[Infinity]", "[-Infinity]", "[-1]", "[Nan]"};
    static const char *const tokens[] = {"[z].", "[z].", "[z].", "[n].", "[!"};
    static const char letters[] = "!.{}[]ksntfz";
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        pj_auto_jsonpull json = pj_jsonpull_of(pj_str_of(texts[i]));
        pj_err err = {0};
        pj_jsonpull_allow_nan(json);
        const char *wanted = tokens[i];
        do
            assert_int_equal(letters[pj_jsonpull_next(json, &err)], *wanted);
        while (*++wanted);
    }
}

static void errors(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "[1 2]", "{1: 2}", "{\"a\" 1}",  "{\"a\": 1,}", "[01]",         "[1.]",
        "[.5]",  "[nan]",  "[Infinity]", "[0x10]",      "[\"\\x\"]",    "[1] [2]",
        "[}",    "{]",     "[tru]",      "[--1]",       "[\"\\u12g4\"]"};
    pj_auto_buf out = {.at = NULL};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pj_err err = {0};
        const char *tokens = tokens_of(pj_str_of(bad[i]), &out, &err);
        if (tokens[strlen(tokens) - 1] != '!' || !err.code)
            fail_msg("%s gives %s", bad[i], tokens);
    }
}

/// An input that ends anywhere is no error of its own: what reads it decides.
static void truncations(void **state)
{
    (void)state;
    static const char text[] = "{\"key\\n\": [12.5e-1, true, null, \"a\\u00e4\", {\"b\": -3}]}";
    pj_auto_buf out = {.at = NULL};
    for (size_t n = 0; n < strlen(text); n++) {
        pj_err err = {0};
        const char *tokens = tokens_of((pj_str){text, n}, &out, &err);
        if (err.code || tokens[strlen(tokens) - 1] != '.')
            fail_msg("cut at %zu: %s, %s", n, tokens, err.text);
    }
}

static void texts(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_jsonpull json = pj_jsonpull_of(
        PJ_S("[\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\", \"\\u00e4\\ud83d\\ude00\\ud83dx\\u0000\"]"));
    assert_int_equal(pj_jsonpull_next(json, &err), PJ_JSON_ARRAY);
    assert_int_equal(pj_jsonpull_next(json, &err), PJ_JSON_STRING);
    assert_true(pj_str_equal(pj_jsonpull_text(json), PJ_S("a\"\\/\b\f\n\r\t")));
    assert_int_equal(pj_jsonpull_next(json, &err), PJ_JSON_STRING);
    assert_true(
        pj_str_equal(pj_jsonpull_text(json), PJ_S("\xc3\xa4\xf0\x9f\x98\x80\xef\xbf\xbdx\0")));
}

static void depth_is_limited(void **state)
{
    (void)state;
    pj_auto_buf text = {.at = NULL}, out = {.at = NULL};
    pj_err deep = {0}, deeper = {0};
    for (unsigned i = 0; i < PJ_JSON_DEPTH_MAX; i++)
        pj_buf_add_char(&text, '[');
    tokens_of(pj_buf_str(&text), &out, &deep);
    assert_int_equal(deep.code, PJ_E_NONE);
    pj_buf_add_char(&text, '[');
    tokens_of(pj_buf_str(&text), &out, &deeper);
    assert_true(pj_str_contains(pj_str_of(deeper.text), PJ_S("nested more than 8400 deep")));
    while (text.len < 1000000)
        pj_buf_add_char(&text, '[');
    while (text.len < 2000000)
        pj_buf_add_char(&text, ']');
    pj_buf_add_char(&text, '1');
    pj_err none = {0};
    pj_auto_jsonpull json = pj_jsonpull_of(pj_buf_str(&text));
    assert_int_equal(pj_jsonpull_next(json, &none), PJ_JSON_ARRAY);
    assert_true(pj_jsonpull_skip(json, &none)); // of what is left out, much deeper
    assert_int_equal(pj_jsonpull_offset(json), 2000000);
}

/// Tokens meet the end of the buffer wherever that lies.
static void long_inputs(void **state)
{
    (void)state;
    pj_auto_buf text = {.at = NULL}, name = {.at = NULL};
    for (unsigned i = 0; i < 3000000; i++)
        pj_buf_add_char(&name, (char)('a' + i % 26));
    pj_buf_puts(&text, "[");
    for (unsigned i = 0; i < 200000; i++)
        pj_buf_addf(&text, "%s{\"key %u\" :%u}", i ? ",\n" : "", i, i);
    pj_buf_puts(&text, ",\"");
    pj_buf_add(&text, pj_buf_str(&name));
    pj_buf_puts(&text, "\"]");
    pj_err err = {0};
    pj_job job = {.workers = 1};
    pj_source *source = pj_source_memory("long", pj_buf_str(&text), &job, &err);
    assert_non_null(source);
    pj_auto_jsonpull json = pj_jsonpull_new(source);
    pj_jsonpull_want_whole(json);
    assert_true(pj_jsonpull_expect(json, PJ_JSON_ARRAY, &err));
    for (unsigned i = 0; i < 200000; i++) {
        pj_str key;
        double number = -1;
        assert_true(pj_jsonpull_expect(json, PJ_JSON_OBJECT, &err));
        assert_true(pj_jsonpull_key(json, &key, &err));
        assert_true(pj_str_starts(key, PJ_S("key ")));
        assert_true(pj_jsonpull_want_number(json, &number, &err));
        assert_true(number == i);
        assert_false(pj_jsonpull_key(json, &key, &err));
    }
    assert_true(pj_jsonpull_expect(json, PJ_JSON_STRING, &err));
    assert_true(pj_str_equal(pj_jsonpull_text(json), pj_buf_str(&name)));
    assert_true(pj_jsonpull_expect(json, PJ_JSON_ARRAY_END, &err));
    assert_true(pj_jsonpull_expect(json, PJ_JSON_END, &err));
    pj_source_close(source);
}

static void looks_at_keys(void **state)
{
    (void)state;
    pj_str head = PJ_S(" {\"a\": [1, {\"x\": 2}], \"shared\": {\"frames\": [{\"na");
    assert_true(pj_json_look_key(head, PJ_S("shared"), PJ_S("frames")));
    assert_false(pj_json_look_key(head, PJ_S("x"), PJ_S("")));
    assert_false(pj_json_look_item(head, PJ_S("a")));
    assert_true(pj_json_look_item(PJ_S("[{\"name\": 1, \"ph\": \"X"), PJ_S("ph")));
    assert_true(pj_json_look_text(PJ_S("{\"$schema\": \"a speedscope\""), PJ_S("$schema"),
                                  PJ_S("speedscope")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),      cmocka_unit_test(no_numbers),
        cmocka_unit_test(errors),      cmocka_unit_test(truncations),
        cmocka_unit_test(texts),       cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(long_inputs), cmocka_unit_test(looks_at_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
