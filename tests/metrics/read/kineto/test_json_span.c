// Where values of JSON end, at the borders of vectors, and what times they tell.
#include "metrics/read/kineto/json_span.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void times_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ns;
    } times[] = {
        {"1712195495519689.047", 1712195495519689047},
        {"0.0005", 1},
        {"0.00049", 0},
        {"68.0", 68000},
        {"-1.25", -1250},
        {"1e3", 1000000},
        {"7", 7000},
    };
    int64_t ns;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        assert_true(pj_json_nanoseconds(pj_str_of(times[i].text), &ns));
        assert_true(ns == times[i].ns);
    }
    assert_false(pj_json_nanoseconds(PJ_S("abc"), &ns));
    assert_false(pj_json_nanoseconds(PJ_S(""), &ns));
}

/// At every distance from the borders of 64 bytes, with quotes, escapes and brackets in strings.
static void containers_end_where_they_end(void **state)
{
    (void)state;
    static const char inner[] = "{\"a\\\\\": \"}]\\\"{\", \"b\": [[1, {}], \"\\\\\\\\\"]}";
    for (size_t before = 0; before < 130; before++) {
        char text[512] = {0};
        memset(text, ' ', before);
        text[0] = '[';
        memcpy(text + before + 1, inner, sizeof inner);
        size_t len = before + sizeof inner;
        text[len++] = ']';
        memcpy(text + len, "],}{\"", 6);
        pj_json_broken broken = false;
        assert_ptr_equal(pj_json_container(text, text + len + 5, &broken), text + len);
        assert_false(broken);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_exact),
        cmocka_unit_test(containers_end_where_they_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
