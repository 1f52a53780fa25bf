// Escaping: what is special in a format never reaches it bare.
#include "metrics/base/utf8.h"
#include "widgets/figure/escape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void check(void (*escape)(pj_buf *out, pj_str text), const char *text, const char *wanted)
{
    pj_auto_buf out = {0};
    pj_buf_puts(&out, "");
    escape(&out, pj_str_of(text));
    assert_string_equal(out.at, wanted);
}

static void html_keeps_text_out_of_markup(void **state)
{
    (void)state;
    check(pj_escape_html, "a < b & \"c\" 'd'\n", "a &lt; b &amp; &quot;c&quot; &#39;d&#39;&#10;");
    check(pj_escape_html, "bell\a\x1b end", "bell end");
}

static void sentences_keep_their_order(void **state)
{
    (void)state;
    check(pj_escape_sentence, "a < \xD7\x97 20", "a &lt; \xE2\x81\xA6\xD7\x97\xE2\x81\xA9 20");
    check(pj_escape_sentence, "\xD7\x97", "\xD7\x97"); // can be copied as it is
}

static void latex_specials_become_commands(void **state)
{
    (void)state;
    check(pj_escape_tex, "50 % of a_b & {c}", "50 \\% of a\\_b \\& \\{c\\}");
    check(pj_escape_tex, "\\", "\\textbackslash{}");
    check(pj_escape_tex, "a--b [x]", "a{-}{-}b {[}x{]}"); // no dashes, no optional arguments
    check(pj_escape_tex, "two\nlines", "two lines");
}

static void markdown_cells_stay_cells(void **state)
{
    (void)state;
    check(pj_escape_md, "a|b", "a\\|b");
    check(pj_escape_md, "stats --devices, 2026-11-28", "stats \\-\\-devices, 2026-11-28");
    check(pj_escape_md, "<i>x</i>\ny", "&lt;i&gt;x&lt;/i&gt; y");
}

static void csv_fields_are_quoted_when_they_must(void **state)
{
    (void)state;
    check(pj_escape_csv, "plain text", "plain text");
    check(pj_escape_csv, "a,b", "\"a,b\"");
    check(pj_escape_csv, "say \"hi\"", "\"say \"\"hi\"\"\"");
    check(pj_escape_csv, "two\nlines", "\"two\nlines\"");
    check(pj_escape_csv, "", "");
    check(pj_escape_csv, "=1+2", "'=1+2"); // a name in a trace is nothing to be computed
    check(pj_escape_csv, "@SUM(a,b)", "\"'@SUM(a,b)\"");
    check(pj_escape_csv, "-x", "'-x");
    check(pj_escape_csv, "a=b", "a=b");
}

static void broken_bytes_are_replaced_everywhere(void **state)
{
    (void)state;
    void (*const escapes[])(pj_buf *, pj_str) = {pj_escape_html, pj_escape_tex, pj_escape_md,
                                                 pj_escape_csv};
    for (size_t i = 0; i < 4; i++) {
        pj_auto_buf out = {0};
        escapes[i](&out, PJ_S("a\xff\xc3 b"));
        assert_true(pj_utf8_valid(pj_buf_str(&out)));
    }
}

static void no_output_has_what_a_terminal_obeys(void **state)
{
    (void)state;
    void (*const escapes[])(pj_buf *, pj_str) = {pj_escape_html, pj_escape_tex, pj_escape_md,
                                                 pj_escape_csv};
    for (size_t i = 0; i < 4; i++)
        check(escapes[i],
              "a\x1b(0b\a\r\x7f\xc2\x9b"
              "31mc\x1b",
              "a(0b31mc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(html_keeps_text_out_of_markup),
        cmocka_unit_test(sentences_keep_their_order),
        cmocka_unit_test(latex_specials_become_commands),
        cmocka_unit_test(markdown_cells_stay_cells),
        cmocka_unit_test(csv_fields_are_quoted_when_they_must),
        cmocka_unit_test(no_output_has_what_a_terminal_obeys),
        cmocka_unit_test(broken_bytes_are_replaced_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
