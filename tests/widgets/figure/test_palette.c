// Colours: thresholds are seen, text is readable on every fill.
#include "widgets/figure/palette.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const pj_palette palettes[] = {
    {PJ_SCHEME_RED_GREEN, 0, 0},
    {PJ_SCHEME_BLUE_ORANGE, 0, 0},
    {PJ_SCHEME_RED_GREEN, 0.9, 0.6},
    {PJ_SCHEME_BLUE_ORANGE, 0.3, 0.1},
};
enum { PALETTES = sizeof palettes / sizeof *palettes };

static void text_is_readable_on_every_fill(void **state)
{
    (void)state;
    for (size_t p = 0; p < PALETTES; p++)
        for (int i = 0; i <= 1200; i++)
            for (int mirrored = 0; mirrored < 2; mirrored++) {
                pj_colour fill = pj_palette_fill(palettes[p], i / 1000.0, mirrored);
                assert_true(pj_palette_contrast(fill, pj_palette_ink(fill)) >= 4.5);
            }
    for (pj_colour grey = 0; grey < 256; grey++) {
        pj_colour fill = grey << 24 | grey << 16 | grey << 8 | 0xff;
        assert_true(pj_palette_contrast(fill, pj_palette_ink(fill)) >= 4.5);
    }
    assert_true(pj_palette_contrast(PJ_MUTED, PJ_PAPER) >= 4.5);
    assert_true(pj_palette_contrast(PJ_MUTED, PJ_EMPTY) >= 4.5);
}

static int green_less_red(pj_colour colour)
{
    return (int)(colour >> 16 & 0xff) - (int)(colour >> 24);
}

static void good_and_bad_differ_at_the_threshold(void **state)
{
    (void)state;
    pj_palette palette = {0};
    assert_true(green_less_red(pj_palette_fill(palette, 0.801, false)) > 0);
    assert_true(green_less_red(pj_palette_fill(palette, 0.799, false)) < 0);
    palette.good = 0.9;
    assert_true(green_less_red(pj_palette_fill(palette, 0.899, false)) < 0);
}

static void inefficiencies_are_mirrored_exactly(void **state)
{
    (void)state;
    for (int i = 0; i <= 100; i++)
        assert_int_equal(pj_palette_fill((pj_palette){0}, i / 100.0, true),
                         pj_palette_fill((pj_palette){0}, 1 - i / 100.0, false));
}

static void values_outside_are_clamped(void **state)
{
    (void)state;
    pj_palette palette = {0};
    assert_int_equal(pj_palette_fill(palette, 7, false), pj_palette_fill(palette, 1, false));
    assert_int_equal(pj_palette_fill(palette, -7, false), pj_palette_fill(palette, 0, false));
}

static void contrast_of_black_on_white_is_21(void **state)
{
    (void)state;
    assert_true(pj_palette_contrast(0x000000ff, 0xffffffff) > 20.99);
    assert_true(pj_palette_contrast(0x808080ff, 0x808080ff) < 1.01);
}

static void terminal_steps_change_at_the_thresholds(void **state)
{
    (void)state;
    for (size_t p = 0; p < PALETTES; p++) {
        pj_palette palette = pj_palette_resolve(palettes[p]);
        const double edges[] = {palette.bad, palette.good};
        for (size_t i = 0; i < 2; i++)
            assert_int_not_equal(pj_palette_terminal(palette, edges[i] - 1e-6, false).fill,
                                 pj_palette_terminal(palette, edges[i] + 1e-6, false).fill);
        assert_int_equal(pj_palette_terminal(palette, 0.25, true).fill,
                         pj_palette_terminal(palette, 0.75, false).fill);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_readable_on_every_fill),
        cmocka_unit_test(good_and_bad_differ_at_the_threshold),
        cmocka_unit_test(inefficiencies_are_mirrored_exactly),
        cmocka_unit_test(values_outside_are_clamped),
        cmocka_unit_test(contrast_of_black_on_white_is_21),
        cmocka_unit_test(terminal_steps_change_at_the_thresholds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
