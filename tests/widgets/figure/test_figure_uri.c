// SVG as an address inside of HTML: what goes in comes out, and nothing of HTML is met on the way.
#include "tests/support/xml_check.h"
#include "widgets/figure/figure_svg.h"
#include "widgets/figure/figure_uri.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static pj_str in_page(pj_str uri, pj_buf *page)
{
    pj_buf_puts(page, "<div><img alt=\"x\" src=\"");
    pj_buf_add(page, uri);
    pj_buf_puts(page, "\"/></div>");
    return pj_buf_str(page);
}

static void a_picture_survives(void **state)
{
    (void)state;
    static const char hard[] = "5 % of \"a\" & 'b' <c> #1 %3C \xc3\xa4\n+&amp;";
    pj_auto_figure figure = pj_figure_new(100, 50, "odd");
    pj_figure_add(figure, (pj_mark){.kind = PJ_MARK_TEXT, .text = hard, .size = 12, .fill = 0xff});
    pj_auto_buf svg = {0}, uri = {0}, page = {0}, back = {0};
    pj_figure_svg(figure, pj_draw_open(NULL), &svg);
    pj_figure_uri(pj_buf_str(&svg), &uri);
    assert_true(uri.len < svg.len * 5 / 4);
    pj_str html = in_page(pj_buf_str(&uri), &page);
    assert_true(pj_xml_good(html)); // no quote, no tag, no entity of the picture is the page's
    assert_true(pj_figure_uri_read(html, &back));
    assert_true(pj_xml_good(pj_buf_str(&back)));
    pj_str rest = pj_buf_str(&svg);
    rest = pj_str_from(rest, pj_str_find(rest, '\n')); // the declaration
    size_t at = 0;
    for (size_t i = 0; i < rest.len; i++) {
        char c = rest.at[i];
        if (c != '\n')
            assert_int_equal(back.at[at++], c == '"' ? '\'' : c == '\'' ? '"' : c);
    }
    assert_int_equal(at, back.len);
}

static void others_are_read(void **state)
{
    (void)state;
    static const char *const found[][2] = {
        {"<img src=\"data:image/svg+xml;base64,PHN2Zy8+\">", "<svg/>"},
        {"<img src=\"data:image/svg+xml,%3Csvg/>\">", "<svg/>"},
        {"<img src=\"data:image/svg+xml,%3csvg/>%\">", "<svg/>%"},
        {"<img src=\"data:image/svg+xml,%3Csvg/>%3", "<svg/>%3"},
    };
    static const char *const lost[] = {"",
                                       "<img>",
                                       "<img src=\"data:image/png;base64,AA==\">",
                                       "<img src=\"data:image/svg+xml",
                                       "<img src=\"data:image/svg+xml;base64\">",
                                       "<img src=\"data:image/svg+xml;base64,!\">"};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        pj_auto_buf out = {0};
        assert_true(pj_figure_uri_read(pj_str_of(found[i][0]), &out));
        assert_true(pj_str_equal(pj_buf_str(&out), pj_str_of(found[i][1])));
    }
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
        pj_auto_buf out = {0};
        assert_false(pj_figure_uri_read(pj_str_of(lost[i]), &out));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_survives),
        cmocka_unit_test(others_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
