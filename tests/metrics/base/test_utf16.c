// UTF-16 in pieces of any size, of either byte order, whole and broken.
#include "metrics/base/utf16.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/// Decodes `coded` behind its mark in pieces of `step` bytes.
static void decode(pj_str coded, size_t step, pj_buf *out)
{
    pj_utf16 text;
    assert_true(pj_utf16_begin(coded, &text));
    for (pj_str rest = pj_str_from(coded, 2); rest.len; rest = pj_str_from(rest, step))
        pj_utf16_add(&text, pj_str_head(rest, step), out);
    pj_utf16_end(&text, out);
}

static void expect(pj_str coded, const char *text)
{
    for (size_t step = 1; step <= coded.len; step++) {
        pj_auto_buf out = {.at = NULL};
        decode(coded, step, &out);
        assert_string_equal(out.at ? out.at : "", text);
    }
}

static void both_orders_are_read(void **state)
{
    (void)state;
    expect(PJ_S("\xff\xfe"), "");
    expect(PJ_S("\xff\xfe"
                "a\0\n\0"
                "\xe9\x00"
                "\xac\x20"),
           "a\n\u00e9\u20ac");
    expect(PJ_S("\xfe\xff"
                "\0a\0\n"
                "\x00\xe9"
                "\x20\xac"),
           "a\n\u00e9\u20ac");
    expect(PJ_S("\xff\xfe"
                "\x3d\xd8\x00\xde"),
           "\xf0\x9f\x98\x80");
}

static void broken_text_shows(void **state)
{
    (void)state;
    expect(PJ_S("\xff\xfe"
                "a\0b"),
           "a\ufffd");
    expect(PJ_S("\xff\xfe"
                "\x3d\xd8"
                "a\0"),
           "\ufffda");
    expect(PJ_S("\xff\xfe"
                "\x00\xde"
                "a\0"),
           "\ufffda");
    expect(PJ_S("\xff\xfe"
                "\x3d\xd8\x3d\xd8\x00\xde"),
           "\ufffd\xf0\x9f\x98\x80");
    expect(PJ_S("\xff\xfe"
                "\x3d\xd8"),
           "\ufffd");
}

static void other_text_has_no_mark(void **state)
{
    (void)state;
    pj_utf16 text;
    assert_false(pj_utf16_begin(PJ_S(""), &text));
    assert_false(pj_utf16_begin(PJ_S("\xff"), &text));
    assert_false(pj_utf16_begin(PJ_S("a\0b\0"), &text));
    assert_false(pj_utf16_begin(PJ_S("\xef\xbb\xbf"), &text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_orders_are_read),
        cmocka_unit_test(broken_text_shows),
        cmocka_unit_test(other_text_has_no_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
