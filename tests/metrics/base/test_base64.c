// The vectors of RFC 4648, section 10.
#include "metrics/base/base64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void the_vectors_of_the_standard_hold(void **state)
{
    (void)state;
    static const char *const vectors[][2] = {{"", ""},
                                             {"f", "Zg=="},
                                             {"fo", "Zm8="},
                                             {"foo", "Zm9v"},
                                             {"foob", "Zm9vYg=="},
                                             {"fooba", "Zm9vYmE="},
                                             {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        pj_auto_buf out = {0};
        pj_base64_add(&out, pj_str_of(vectors[i][0]));
        assert_string_equal(out.at, vectors[i][1]);
        pj_auto_buf back = {0};
        assert_true(pj_base64_decode(&back, pj_buf_str(&out)));
        assert_true(pj_str_equal(pj_buf_str(&back), pj_str_of(vectors[i][0])));
    }
    pj_auto_buf out = {0};
    pj_base64_add(&out, PJ_S("\xff\xfe\xfb"));
    assert_string_equal(out.at, "//77");
}

static void broken_lines_are_read_and_other_text_is_not(void **state)
{
    (void)state;
    pj_auto_buf out = {0}, none = {0};
    assert_true(pj_base64_decode(&out, PJ_S("//\n77\nZm9v\n")));
    assert_true(pj_str_equal(pj_buf_str(&out), PJ_S("\xff\xfe\xfb"
                                                    "foo")));
    assert_false(pj_base64_decode(&none, PJ_S("Zm9v!")));
    assert_false(pj_base64_decode(&none, PJ_S("Zm9vY")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vectors_of_the_standard_hold),
        cmocka_unit_test(broken_lines_are_read_and_other_text_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
