// Files of a figure: hover texts, descriptions and ids of SVG; sizes of pictures.
#include "tests/support/xml_check.h"
#include "widgets/figure/figure_file.h"
#include "widgets/figure/figure_hover.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static pj_figure *small_figure(const char *text)
{
    pj_figure *figure = pj_figure_new(200, 100, "A <title> & \"more\"");
    figure->summary = "What is <seen>.";
    pj_point points[] = {{10, 10}, {60, 40}, {110, 20}};
    pj_figure_add(figure, (pj_mark){.kind = PJ_MARK_RECT,
                                    .x = 10,
                                    .y = 10,
                                    .w = 30,
                                    .h = 20,
                                    .fill = 0xff0000ff,
                                    .stroke = 0x00000040,
                                    .hatch = true,
                                    .radius = 3,
                                    .hover = "first <&> \"line\"\nsecond"});
    pj_figure_add(figure, (pj_mark){.kind = PJ_MARK_PATH,
                                    .points = points,
                                    .point_count = 3,
                                    .stroke = 0x0000ffff,
                                    .stroke_width = 2,
                                    .hover = "path"});
    pj_figure_add(figure, (pj_mark){.kind = PJ_MARK_LINE,
                                    .x = 5,
                                    .y = 90,
                                    .w = 195,
                                    .h = 90,
                                    .stroke = 0x000000ff,
                                    .stroke_width = 1,
                                    .dash = 3,
                                    .hover = "line"});
    pj_figure_add(
        figure,
        (pj_mark){
            .kind = PJ_MARK_DISC, .x = 150, .y = 50, .w = 2, .fill = 0x00ff00ff, .hover = "disc"});
    pj_figure_add(figure, (pj_mark){.kind = PJ_MARK_TEXT,
                                    .x = 100,
                                    .y = 60,
                                    .text = text,
                                    .size = 12,
                                    .fill = 0x000000ff,
                                    .angle = 45,
                                    .anchor = PJ_ANCHOR_MIDDLE,
                                    .stroke = 0xffffffff,
                                    .stroke_width = 2});
    return figure;
}

static void svg_carries_hover_texts_and_a_description(void **state)
{
    (void)state;
    pj_auto_figure figure = small_figure("text \xff");
    pj_auto_buf svg = {0};
    assert_true(pj_figure_file(figure, PJ_S("svg"), NULL, &svg, NULL));
    pj_str text = pj_buf_str(&svg);
    assert_int_equal(pj_xml_count(text, "title", NULL), 5);
    assert_int_equal(pj_xml_count(text, "desc", NULL), 1);
    assert_true(pj_xml_says(text, NULL, "first <&> \"line\"\nsecond"));
    assert_true(pj_xml_says(text, NULL, "What is <seen>."));
    assert_true(pj_xml_says(text, "width", "200px"));
}

/// Several pictures may stand in one page.
static void pictures_have_no_ids(void **state)
{
    (void)state;
    pj_auto_figure figure = small_figure("one");
    pj_auto_buf svg = {0};
    assert_true(pj_figure_file(figure, PJ_S("svg"), NULL, &svg, NULL));
    assert_null(strstr(svg.at, " id=\""));
    assert_null(strstr(svg.at, "url("));
}

static size_t count_of(const pj_buf *in, const char *what)
{
    size_t count = 0;
    for (const char *at = in->at; (at = strstr(at, what)); at++)
        count++;
    return count;
}

/// The script once in a file, with the data behind it; files without data have none of it.
static void what_has_data_is_alive(void **state)
{
    (void)state;
    static const char *const formats[] = {"svg", "html"};
    for (size_t i = 0; i < 2; i++) {
        pj_auto_figure figure = small_figure("x");
        pj_auto_buf still = {0}, alive = {0};
        assert_true(pj_figure_file(figure, pj_str_of(formats[i]), NULL, &still, NULL));
        assert_int_equal(count_of(&still, "pjAlive"), 0);
        figure->alive = "{\"shape\":\"rows\"}";
        assert_true(pj_figure_file(figure, pj_str_of(formats[i]), NULL, &alive, NULL));
        assert_int_equal(count_of(&alive, "page.pjAlive = {"), 1);
        assert_int_equal(count_of(&alive, "{\"shape\":\"rows\"});"), 1);
        assert_int_equal(count_of(&alive, "]]>"), 1);
        assert_int_equal(count_of(&alive, "</script>"), count_of(&still, "</script>") + 1);
        assert_true(pj_xml_good(pj_buf_str(&alive)));
    }
}

/// Text can be selected and keeps its width in another font.
static void text_is_text(void **state)
{
    (void)state;
    pj_auto_figure figure = small_figure("Load <balance>");
    pj_auto_buf svg = {0};
    assert_true(pj_figure_file(figure, PJ_S("svg"), NULL, &svg, NULL));
    pj_str text = pj_buf_str(&svg);
    assert_true(pj_xml_says(text, NULL, "Load <balance>"));
    assert_int_equal(pj_xml_count(text, "text", NULL), 1);
    char width[32];
    const pj_draw *draw = pj_draw_open(NULL);
    snprintf(width, sizeof width, "%.2f", draw->measure("Load <balance>", 12, false).width);
    assert_true(pj_xml_says(text, "textLength", width));
    assert_true(pj_xml_says(text, "lengthAdjust", "spacingAndGlyphs")); // it has a halo
    assert_non_null(strstr(svg.at, "sans-serif"));
}

/// Everything grows, and is laid out for what it grows from.
static void pictures_come_in_any_size(void **state)
{
    (void)state;
    pj_auto_figure figure = small_figure("x");
    pj_auto_figure fitted = small_figure("x");
    pj_figure_zoom(figure, (pj_picture_size){.width = 300, .font_size = 18, .pixels = 1});
    assert_true(figure->width == 300 && figure->height == 150);
    assert_true(figure->marks[0].x == 15 && figure->marks[0].radius == 4.5);
    assert_true(figure->marks[1].points[2].x == 165 && figure->marks[4].size == 18);
    pj_figure_fit(fitted, (pj_picture_size){.width = 50, .font_size = 99, .pixels = 3});
    assert_true(fitted->width == 50 && fitted->height == 25);
    pj_auto_buf png = {0};
    assert_true(pj_figure_file(fitted, PJ_S("png"), NULL, &png, NULL));
    assert_int_equal((unsigned char)png.at[19], 150);
}

/// What was asked for is what comes: smaller as a whole where there is no room, in the middle of
/// what is too large.
static void width_and_height_are_obeyed(void **state)
{
    (void)state;
    pj_auto_figure small = small_figure("x");
    pj_auto_figure large = small_figure("x");
    pj_auto_figure both = small_figure("x");
    double factor = pj_figure_zoom(small, (pj_picture_size){.width = 100, .height = 25});
    assert_true(factor == 0.25 && small->width == 100 && small->height == 25);
    assert_true(small->marks[0].x == 25 + 10 * 0.25 && small->marks[4].size == 12 * 0.25);
    factor = pj_figure_zoom(large, (pj_picture_size){.width = 300, .height = 200});
    assert_true(factor == 1 && large->width == 300 && large->height == 200);
    for (size_t i = 0; i < large->mark_count; i++)
        if (large->marks[i].kind == PJ_MARK_LINE)
            assert_true(large->marks[i].w == 245 && large->marks[i].h == 140);
    pj_figure_fit(both, (pj_picture_size){.width = 800, .height = 150});
    assert_true(both->width == 800 && both->height == 150 && both->marks[4].size == 18);
}

static void hot_spots_have_a_least_size(void **state)
{
    (void)state;
    pj_auto_figure figure = small_figure("x");
    assert_int_equal(pj_hover_count(figure), 4);
    for (size_t i = 0; i < figure->mark_count; i++) {
        pj_hover_area spot;
        if (pj_hover_spot(&figure->marks[i], &spot))
            assert_true(spot.w >= 8 && spot.h >= 8);
    }
}

static void the_topmost_spot_lies_above_the_others(void **state)
{
    (void)state;
    pj_auto_figure figure = small_figure("x");
    pj_auto_buf html = {0};
    pj_buf_puts(&html, "<div>");
    pj_hover_html(figure, "id1", PJ_S("data:,"), &html);
    pj_buf_puts(&html, "</div>");
    assert_true(pj_xml_good(pj_buf_str(&html)));
    const char *disc = strstr(html.at, "title=\"disc\""), *path = strstr(html.at, "title=\"path\"");
    assert_true(disc && path && path < disc);
    assert_true(pj_xml_says(pj_buf_str(&html), "alt", "A <title> & \"more\". What is <seen>."));
}

static void pictures_larger_than_png_allows_are_scaled(void **state)
{
    (void)state;
    pj_auto_figure figure = pj_figure_new(30000, 10, "wide");
    pj_auto_buf png = {0};
    assert_true(pj_figure_file(figure, PJ_S("png"), NULL, &png, NULL));
    const unsigned char *head = (const unsigned char *)png.at;
    assert_in_range(head[16] << 24 | head[17] << 16 | head[18] << 8 | head[19], 1000, 16001);
}

/// Of no kind of file there is a part.
static void a_stop_ends_every_format(void **state)
{
    (void)state;
    pj_auto_figure figure = small_figure("x");
    atomic_bool stop = true;
    for (size_t i = 0; pj_figure_format_at(i); i++) {
        pj_auto_buf out = {0};
        pj_err err = {0};
        assert_false(pj_figure_file(figure, pj_str_of(pj_figure_format_at(i)), &stop, &out, &err));
        assert_int_equal(err.code, PJ_E_STOPPED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(svg_carries_hover_texts_and_a_description),
        cmocka_unit_test(pictures_have_no_ids),
        cmocka_unit_test(what_has_data_is_alive),
        cmocka_unit_test(text_is_text),
        cmocka_unit_test(pictures_come_in_any_size),
        cmocka_unit_test(width_and_height_are_obeyed),
        cmocka_unit_test(hot_spots_have_a_least_size),
        cmocka_unit_test(the_topmost_spot_lies_above_the_others),
        cmocka_unit_test(a_stop_ends_every_format),
        cmocka_unit_test(pictures_larger_than_png_allows_are_scaled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
