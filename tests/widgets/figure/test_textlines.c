// Lines for a terminal.
#include "metrics/base/utf8.h"
#include "widgets/figure/textlines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void long_text_is_cut_with_an_ellipsis(void **state)
{
    (void)state;
    pj_auto_buf out = {0};
    pj_textlines_elide(&out, PJ_S("deposit_current"), 8);
    assert_string_equal(out.at, "deposit\u2026");
    out.len = 0;
    pj_textlines_elide(&out, PJ_S("fits"), 4);
    assert_string_equal(out.at, "fits");
    out.len = 0;
    pj_textlines_elide(&out, PJ_S("\u65e5\u672c\u8a9e"), 5); // two columns each
    assert_string_equal(out.at, "\u65e5\u672c\u2026");
}

static void wrapped_lines_fit_and_are_indented(void **state)
{
    (void)state;
    pj_auto_buf out = {0};
    pj_textlines_wrap(&out, "! ", PJ_S("one two three four five six"), 12);
    assert_string_equal(out.at, "! one two\n  three four\n  five six\n");
    out.len = 0;
    pj_textlines_wrap(&out, "", PJ_S("averyveryverylongword b"), 10);
    assert_string_equal(out.at, "averyveryverylongword\nb\n");
}

static void reasons_are_kept_once(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_reasons reasons = {.arena = arena};
    pj_reasons_add(&reasons, "b");
    pj_reasons_add(&reasons, NULL);
    pj_reasons_add(&reasons, "a");
    pj_reasons_add(&reasons, "b");
    assert_int_equal(reasons.count, 2);
    assert_string_equal(reasons.items[0], "b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_text_is_cut_with_an_ellipsis),
        cmocka_unit_test(wrapped_lines_fit_and_are_indented),
        cmocka_unit_test(reasons_are_kept_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
