// Figures as characters: where areas, lines and texts come to stand, with colours and without.
#include "widgets/figure/figure_terminal.h"

#include "metrics/base/utf8.h"
#include "widgets/figure/terminal_sheet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const pj_colour red = 0xc8342bff, blue = 0x4e90d0ff, ink = 0x1c2027ff;

/// A sheet of 12 x 5 cells.
static pj_figure *small(void)
{
    pj_figure *figure = pj_figure_new(12.0 * PJ_CELL_WIDTH, 5.0 * PJ_CELL_HEIGHT, "small");
    figure->background = 0xffffffff;
    return figure;
}

/// A rectangle in cells.
static void add_rect(pj_figure *figure, double x, double y, double w, double h, pj_colour fill)
{
    pj_figure_add(figure, (pj_mark){.kind = PJ_MARK_RECT,
                                    .x = x * PJ_CELL_WIDTH,
                                    .y = y * PJ_CELL_HEIGHT,
                                    .w = w * PJ_CELL_WIDTH,
                                    .h = h * PJ_CELL_HEIGHT,
                                    .fill = fill});
}

static void add_text(pj_figure *figure, double x, double row, pj_anchor anchor, const char *text)
{
    pj_figure_add(figure, (pj_mark){.kind = PJ_MARK_TEXT,
                                    .x = x * PJ_CELL_WIDTH,
                                    .y = (row + 0.8) * PJ_CELL_HEIGHT,
                                    .size = 12,
                                    .fill = ink,
                                    .anchor = anchor,
                                    .text = text});
}

static void expect(const pj_figure *figure, bool colour, const char *text)
{
    pj_auto_buf out = {.at = NULL};
    pj_figure_terminal(figure, (pj_terminal_opts){.colour = colour}, &out);
    assert_string_equal(out.at, text);
}

static void areas_are_blocks(void **state)
{
    (void)state;
    pj_auto_figure figure = small();
    add_rect(figure, 1, 1, 3, 1.5, blue);
    add_rect(figure, 6.5, 1, 2, 1, blue);
    expect(figure, false, " \u2588\u2588\u2588  \u2590\u2588\u258c\n \u2580\u2580\u2580\n");
}

static void areas_of_several_colours_are_shades(void **state)
{
    (void)state;
    pj_auto_figure figure = small();
    add_rect(figure, 0, 0, 2, 1, blue);
    add_rect(figure, 2, 0, 2, 1, red);
    add_rect(figure, 4, 0, 2, 1, 0xffffffff); // the paper
    add_rect(figure, 6, 0, 1, 1, 0xf0a93aff);
    expect(figure, false, "\u2593\u2593\u2588\u2588  \u2591\n");
    expect(
        figure, true,
        "\033[0;38;5;68m\u2588\u2588\033[0;38;5;166m\u2588\u2588  \033[0;38;5;215m\u2588\033[0m\n");
}

static void texts_stand_where_they_are_anchored(void **state)
{
    (void)state;
    pj_auto_figure figure = small();
    add_text(figure, 0, 0, PJ_ANCHOR_START, "ab");
    add_text(figure, 6, 1, PJ_ANCHOR_MIDDLE, "cdef");
    add_text(figure, 12, 2, PJ_ANCHOR_END, "gh");
    add_text(figure, 11, 3, PJ_ANCHOR_START, "ijk"); // too far to the right
    expect(figure, false, "ab\n    cdef\n          gh\n         ijk\n");
}

static void texts_give_way(void **state)
{
    (void)state;
    pj_auto_figure figure = small();
    add_text(figure, 2, 1, PJ_ANCHOR_START, "first");
    add_text(figure, 6, 1, PJ_ANCHOR_START, "2nd");
    add_text(figure, 0, 4, PJ_ANCHOR_START, "a line in all");
    expect(figure, false, "  first 2nd\n");
}

static void labels_have_rows_of_their_own(void **state)
{
    (void)state;
    pj_auto_figure figure = small();
    add_text(figure, 3, 0, PJ_ANCHOR_END, "a");
    add_text(figure, 3, 0.5, PJ_ANCHOR_END, "b");
    add_text(figure, 3, 1, PJ_ANCHOR_END, "c");
    expect(figure, false, "  a\n  b c\n");
    pj_figure_terminal_stretch(figure);
    assert_true(figure->height >= 10 * PJ_CELL_HEIGHT);
    expect(figure, false, "  a\n  b\n  c\n");
}

static void lines_are_dots_and_rules(void **state)
{
    (void)state;
    pj_auto_figure figure = small();
    pj_mark axis = {.kind = PJ_MARK_LINE, .y = 20, .w = 42, .h = 20, .stroke = ink};
    pj_point ends[] = {{0, 0}, {41, 41}};
    pj_figure_add(figure, axis);
    expect(figure, false, "\u2500\u2500\u2500\u2500\u2500\u2500\n");
    pj_figure_add(figure,
                  (pj_mark){.kind = PJ_MARK_PATH, .points = ends, .point_count = 2, .stroke = red});
    pj_figure_add(figure, (pj_mark){.kind = PJ_MARK_DISC, .x = 40, .y = 38, .w = 3, .fill = red});
    expect(figure, false, "\u2811\u2884\n\u2500\u2500\u2811\u2884\u2500\u2500\n    \u2811\u25cf\n");
}

static void images_are_sampled(void **state)
{
    (void)state;
    static const pj_colour pixels[] = {blue, 0, 0, blue};
    pj_auto_figure figure = small();
    pj_figure_add(figure, (pj_mark){.kind = PJ_MARK_IMAGE,
                                    .w = 4 * PJ_CELL_WIDTH,
                                    .h = 2 * PJ_CELL_HEIGHT,
                                    .pixels = pixels,
                                    .pixel_columns = 2,
                                    .pixel_rows = 2});
    expect(figure, false, "\u2588\u2588\n  \u2588\u2588\n");
}

static void marks_outside_do_no_harm(void **state)
{
    (void)state;
    pj_auto_figure figure = small();
    add_rect(figure, -5, -5, 100, 100, blue);
    pj_point ends[] = {{-1e9, 5}, {1e9, 1e9}};
    pj_figure_add(figure,
                  (pj_mark){.kind = PJ_MARK_PATH, .points = ends, .point_count = 2, .stroke = red});
    pj_figure_add(figure, (pj_mark){.kind = PJ_MARK_DISC, .x = -40, .y = 1e12, .fill = red});
    add_text(figure, -9, -9, PJ_ANCHOR_END, "away");
    pj_auto_buf out = {.at = NULL};
    pj_figure_terminal(figure, (pj_terminal_opts){.colour = true}, &out);
    assert_true(pj_utf8_valid(pj_buf_str(&out)));
}

static void widths_have_bounds(void **state)
{
    (void)state;
    assert_int_equal(pj_figure_terminal_columns((pj_terminal_opts){.columns = 20}), 80);
    assert_int_equal(pj_figure_terminal_columns((pj_terminal_opts){.columns = 0}), 100);
    assert_int_equal(pj_figure_terminal_columns((pj_terminal_opts){.columns = 140}), 140);
    assert_int_equal(pj_figure_terminal_columns((pj_terminal_opts){.columns = 900}), 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(areas_are_blocks),
        cmocka_unit_test(areas_of_several_colours_are_shades),
        cmocka_unit_test(texts_stand_where_they_are_anchored),
        cmocka_unit_test(texts_give_way),
        cmocka_unit_test(labels_have_rows_of_their_own),
        cmocka_unit_test(lines_are_dots_and_rules),
        cmocka_unit_test(images_are_sampled),
        cmocka_unit_test(marks_outside_do_no_harm),
        cmocka_unit_test(widths_have_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
