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
                assert_true(pj_palette_least_contrast(fill, pj_palette_ink(fill)) >= 4.5);
            }
    for (pj_colour i = 0; i < 4096; i++) {
        pj_colour fill = (i & 0xf00) * 0x110000 | (i & 0xf0) * 0x11000 | (i & 0xf) * 0x1100 | 0xff;
        assert_true(pj_palette_contrast(fill, pj_palette_ink(fill)) >= 4.5);
    }
    assert_true(pj_palette_least_contrast(PJ_MUTED, PJ_PAPER) >= 4.5);
    assert_true(pj_palette_least_contrast(PJ_MUTED, PJ_EMPTY) >= 4.5); // n/a
}

static void texts_on_any_fill_are_read_in_light_and_dark(void **state)
{
    (void)state;
    for (pj_colour i = 0; i < 4096; i++) {
        pj_colour fill = (i & 0xf00) * 0x110000 | (i & 0xf0) * 0x11000 | (i & 0xf) * 0x1100 | 0xff;
        pj_colour legible = pj_palette_legible(fill), ink = pj_palette_ink(legible);
        assert_true(pj_palette_least_contrast(legible, ink) >= 4.5);
        assert_int_equal(pj_palette_legible(legible), legible);
        pj_colour faded = pj_palette_faded(ink, legible, 0.2);
        assert_true(pj_palette_least_contrast(legible, faded) >= 4.5);
    }
    assert_int_equal(pj_palette_legible(PJ_PAPER), PJ_PAPER);
}

/// As Chromium shows them, whose canvas has the same filter.
static void dark_colours_are_those_of_the_filter(void **state)
{
    (void)state;
    assert_string_equal(PJ_DARK_FILTER, "invert(.91) hue-rotate(180deg)");
    static const pj_colour shown[][2] = {
        {0x000000ff, 0xe8e8e8ff}, {0xffffffff, 0x161616ff}, {PJ_INK, 0xcccfd3ff},
        {0x8c1d1dff, 0xffa9a9ff}, {0xcd433bff, 0xf3817bff}, {0xea9d93ff, 0x8c4d45ff},
        {0x7cc98aff, 0x266532ff}, {0x7ab6e6ff, 0x306289ff}, {0x00ff00ff, 0x008e00ff},
    };
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        for (unsigned shift = 8; shift < 32; shift += 8)
            assert_in_range((pj_palette_dark(shown[i][0]) >> shift & 0xff) + 1,
                            shown[i][1] >> shift & 0xff, (shown[i][1] >> shift & 0xff) + 2);
    assert_int_equal(pj_palette_dark(0x12345678) & 0xff, 0x78);
}

/// Positive where red is the strongest.
static int warmth(pj_colour colour)
{
    int green = colour >> 16 & 0xff, blue = colour >> 8 & 0xff;
    return (int)(colour >> 24) - (green > blue ? green : blue);
}

/// In dark as in light: red or orange is worse than green or blue, and the steps at the thresholds
/// are seen.
static void dark_tells_the_same_story(void **state)
{
    (void)state;
    for (size_t p = 0; p < PALETTES; p++) {
        pj_palette palette = pj_palette_resolve(palettes[p]);
        for (int i = 0; i <= 1000; i++) {
            double v = i / 1000.0;
            pj_colour dark = pj_palette_dark(pj_palette_fill(palette, v, false));
            assert_true((warmth(dark) > 0) == (v < palette.good));
        }
        pj_colour bad = pj_palette_fill(palette, palette.bad - 1e-9, false);
        assert_true(pj_palette_least_contrast(bad, pj_palette_fill(palette, palette.bad, false)) >
                    1.5);
    }
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
        cmocka_unit_test(texts_on_any_fill_are_read_in_light_and_dark),
        cmocka_unit_test(dark_colours_are_those_of_the_filter),
        cmocka_unit_test(dark_tells_the_same_story),
        cmocka_unit_test(terminal_steps_change_at_the_thresholds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
