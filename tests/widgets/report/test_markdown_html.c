// Markdown becomes the HTML that it means, and never more.
#include "widgets/report/markdown_html.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void gives(const char *markdown, const char *html)
{
    pj_auto_buf out = {0};
    pj_markdown_html(&out, pj_str_of(markdown), NULL, NULL);
    assert_string_equal(out.at ? out.at : "", html);
}

static void lines_have_marks(void **state)
{
    (void)state;
    gives("a **b** _c_ `d<e`", "<p>a <strong>b</strong> <em>c</em> <code>d&lt;e</code></p>\n");
    gives("a\\_b &amp; c < d_e_f", "<p>a_b &amp; c &lt; d_e_f</p>\n");
    gives("2 * 3 * 4", "<p>2 * 3 * 4</p>\n");
    gives("~~a~~ $b_c * d_e$ http://f.g",
          "<p><del>a</del> $b_c * d_e$ <a href=\"http://f.g\">http://f.g</a></p>\n");
    gives("[x **y**](#fig:a)", "<p><a href=\"#fig:a\">x <strong>y</strong></a></p>\n");
    gives("![x](data:image/png;base64,AA)", "<p><img src=\"data:image/png;base64,AA\" "
                                            "alt=\"x\"></p>\n");
    gives("one  \ntwo\n\nthree", "<p>one<br>\ntwo</p>\n<p>three</p>\n");
}

static void blocks_are_told_apart(void **state)
{
    (void)state;
    gives("## A `b`\ntext", "<h2>A <code>b</code></h2>\n<p>text</p>\n");
    gives("- a\n- b\n  more\n\nend", "<ul>\n<li>a</li>\n<li>b\nmore</li>\n</ul>\n<p>end</p>\n");
    gives("1. a\n2. b", "<ol>\n<li>a</li>\n<li>b</li>\n</ol>\n");
    gives("| A | B |\n|:--|--:|\n| a \\| b | 3 |",
          "<table>\n<thead><tr><th>A</th><th class=\"number\">B</th></tr>\n</thead>\n<tbody>\n"
          "<tr><td>a | b</td><td class=\"number\">3</td></tr>\n</tbody></table>\n");
    gives("```lua\n<x>\n```\n", "<pre>&lt;x&gt;\n</pre>\n");
    gives("<!-- a prompt\nof two lines -->\nseen", "<p>seen</p>\n");
    gives("2019. was a year", "<ol start=\"2019\">\n<li>was a year</li>\n</ol>\n");
    gives("so\n2019. was a year", "<p>so\n2019. was a year</p>\n");
}

static void headings_are_numbered(void **state)
{
    (void)state;
    pj_auto_buf out = {0};
    unsigned headings = 4;
    pj_markdown_html(&out, PJ_S("# A\n\n### B"), "part", &headings);
    assert_string_equal(out.at, "<h1 id=\"part5\">A</h1>\n<h3 id=\"part6\">B</h3>\n");
    assert_int_equal(headings, 6);
}

static void add_heading(void *user, unsigned level, pj_str html)
{
    pj_buf_addf(user, "%u " PJ_STR_FMT ";", level, PJ_STR_ARG(html));
}

static void headings_are_found(void **state)
{
    (void)state;
    pj_auto_buf found = {0};
    pj_markdown_headings(PJ_S("# [A](#x) `b`\n\ntext\n\n```\n# none\n```\n\nB\n---"), add_heading,
                         &found);
    assert_string_equal(found.at, "1 A <code>b</code>;2 B;");
}

static void nothing_runs(void **state)
{
    (void)state;
    gives("<script>x</script>", "<p>&lt;script&gt;x&lt;/script&gt;</p>\n");
    gives("[a](javascript:x)", "<p>a</p>\n");
    gives("[a](data:text/html,x)", "<p>a</p>\n");
    gives("[a](javascript&colon;x)", "<p><a href=\"javascript&amp;colon;x\">a</a></p>\n");
    gives("![a *b*](javascript:x)", "<p><img src=\"\" alt=\"a b\"></p>\n");
    gives("a <b onclick=x> c <!-- d -->e", "<p>a &lt;b onclick=x&gt; c e</p>\n");
    gives("[a](\"onclick=x)", "<p><a href=\"&quot;onclick=x\">a</a></p>\n");
}

/// Marks that never end do not take long.
static void hostile_texts_end(void **state)
{
    (void)state;
    static const char *const marks[] = {"[", "![", "*a",   "_",  "`", "a`",
                                        "|", "- ", "  - ", "\\", "&"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        pj_auto_buf text = {0}, out = {0};
        while (text.len < 20000)
            pj_buf_puts(&text, marks[i]);
        pj_markdown_html(&out, pj_buf_str(&text), NULL, NULL);
        assert_in_range(out.len, 1, 100 * text.len);
        text.len = 0;
        while (text.len < 20000)
            pj_buf_addf(&text, "%*s%s\n", (int)(text.len % 97), "", marks[i]);
        pj_markdown_html(&out, pj_buf_str(&text), NULL, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_have_marks),      cmocka_unit_test(blocks_are_told_apart),
        cmocka_unit_test(headings_are_numbered), cmocka_unit_test(nothing_runs),
        cmocka_unit_test(headings_are_found),    cmocka_unit_test(hostile_texts_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
