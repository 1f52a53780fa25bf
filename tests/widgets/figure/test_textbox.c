// Text that must fit: widths come from the drawing module itself.
#include "widgets/figure/textbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const pj_draw *draw;

static int open_draw(void **state)
{
    (void)state;
    draw = pj_draw_open(NULL);
    return draw ? 0 : -1;
}

static const char long_text[] =
    "particle_push_\u65e5\u672c\u8a9e_na\u00efve_with_a_long_name_to_cut";

static void cut_text_fits_and_keeps_its_ends(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_style style = {.size = 12};
    for (double width = 30; width < 400; width += 17) {
        const char *elided = pj_textbox_elide(draw, arena, long_text, style, width);
        const char *squeezed = pj_textbox_squeeze(draw, arena, long_text, style, width);
        assert_true(pj_textbox_width(draw, elided, style) <= width);
        assert_true(pj_textbox_width(draw, squeezed, style) <= width);
        assert_true(pj_str_starts(pj_str_of(elided), PJ_S("pa")));
        if (width > 80)
            assert_true(pj_str_ends(pj_str_of(squeezed), PJ_S("cut")));
    }
    assert_ptr_equal(pj_textbox_elide(draw, arena, "short", style, 400), "short");
}

static void wrapped_lines_fit(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    const char **lines;
    const char *text = "Additive convention: a parent is 1 less the sum of what its children lose.";
    size_t count = pj_textbox_wrap(draw, arena, text, pj_textbox_note, 150, &lines);
    assert_in_range(count, 2, 6);
    pj_auto_buf joined = {0};
    for (size_t i = 0; i < count; i++) {
        assert_true(pj_textbox_width(draw, lines[i], (pj_style){.size = PJ_TEXTBOX_SMALL}) <= 150);
        pj_buf_addf(&joined, "%s%s", i ? " " : "", lines[i]);
    }
    assert_string_equal(joined.at, text);
}

/// The text marks of a figure, joined by blanks.
static void join_texts(const pj_figure *figure, pj_buf *joined, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < figure->mark_count; i++)
        if (figure->marks[i].kind == PJ_MARK_TEXT)
            pj_buf_addf(joined, "%s%s", (*count)++ ? " " : "", figure->marks[i].text);
}

static void long_headings_are_wrapped_and_then_cut(void **state)
{
    (void)state;
    const pj_style style = {.size = 15, .bold = true};
    const char *two = "Speedup of the solver on both partitions", *path = "/a/path/of/one/word";
    pj_auto_buf many = {0};
    for (int i = 0; i < 40; i++)
        pj_buf_addf(&many, "%sword%d", i ? " " : "", i);
    const char *const texts[] = {"Speedup", two, many.at, path};
    const size_t lines[] = {1, 2, 3, 1};
    const bool whole[] = {true, true, false, true};
    for (size_t i = 0; i < 4; i++) {
        pj_auto_figure figure = pj_figure_new(300, 100, NULL);
        pj_auto_buf joined = {0};
        size_t count;
        double next = pj_textbox_heading(figure, draw, (pj_point){10, 20}, 200, texts[i], style);
        join_texts(figure, &joined, &count);
        assert_int_equal(count, lines[i]);
        assert_true(next == 20 + (double)count * (15 + PJ_TEXTBOX_LEADING));
        assert_int_equal(strcmp(joined.at, texts[i]) == 0, whole[i]);
        assert_int_equal(figure->mark_count > count, !whole[i]);
        for (size_t m = 0; m < figure->mark_count; m++) {
            if (figure->marks[m].kind == PJ_MARK_TEXT)
                assert_true(pj_textbox_width(draw, figure->marks[m].text, style) <= 200);
            else
                assert_string_equal(figure->marks[m].hover, texts[i]);
        }
    }
}

static void widths_grow_with_size_and_weight(void **state)
{
    (void)state;
    double plain = pj_textbox_width(draw, "Efficiency", (pj_style){.size = 12});
    assert_true(pj_textbox_width(draw, "Efficiency", (pj_style){.size = 24}) > 1.9 * plain);
    assert_true(pj_textbox_width(draw, "Efficiency", (pj_style){.size = 12, .bold = true}) > plain);
    double digits = pj_textbox_width(draw, "0.111", (pj_style){0});
    assert_true(digits == pj_textbox_width(draw, "0.888", (pj_style){0})); // columns align
}

static void broken_text_is_measured_all_the_same(void **state)
{
    (void)state;
    assert_true(pj_textbox_width(draw, "a\xff\xc3", (pj_style){0}) > 0);
    assert_true(pj_textbox_width(draw, "", (pj_style){0}) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_text_fits_and_keeps_its_ends),
        cmocka_unit_test(wrapped_lines_fit),
        cmocka_unit_test(long_headings_are_wrapped_and_then_cut),
        cmocka_unit_test(widths_grow_with_size_and_weight),
        cmocka_unit_test(broken_text_is_measured_all_the_same),
    };
    return cmocka_run_group_tests(tests, open_draw, NULL);
}
