// The vectors of RFC 4648, section 10.
#include "widgets/base64.h"

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
    }
    pj_auto_buf out = {0};
    pj_base64_add(&out, PJ_S("\xff\xfe\xfb"));
    assert_string_equal(out.at, "//77");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_vectors_of_the_standard_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
