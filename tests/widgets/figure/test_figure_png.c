// PNG files: every pixel comes back as it was.
#include "widgets/figure/figure_png.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <zlib.h>

static uint32_t number_at(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/// The data of the first chunk of a type.
static pj_str chunk(pj_str png, const char *type)
{
    for (pj_str rest = pj_str_from(png, 8); rest.len >= 12;) {
        size_t len = number_at(rest.at);
        if (memcmp(rest.at + 4, type, 4) == 0)
            return (pj_str){rest.at + 8, len};
        rest = pj_str_from(rest, 12 + len);
    }
    return (pj_str){0};
}

static void check(const uint32_t *pixels, uint32_t width, uint32_t height, bool alpha,
                  unsigned colour_type)
{
    enum { ROOM = 1 << 16 };
    static unsigned char raw[ROOM];
    pj_auto_buf png = {0};
    const pj_pixels picture = {pixels, width, height, width, alpha};
    assert_true(pj_figure_png(&picture, NULL, &png));
    pj_str text = pj_buf_str(&png), head = chunk(text, "IHDR"), colours = chunk(text, "PLTE");
    pj_str data = chunk(text, "IDAT");
    assert_int_equal(number_at(head.at), width);
    assert_int_equal(head.at[9], colour_type);
    uLongf size = ROOM;
    assert_int_equal(uncompress(raw, &size, (const Bytef *)data.at, data.len), Z_OK);
    unsigned depth = colour_type == 3 ? 1 : colour_type == 6 ? 4 : 3;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            const unsigned char *at = raw + y * (1 + width * depth) + 1 + x * depth;
            const unsigned char *rgb =
                depth == 1 ? (const unsigned char *)colours.at + 3 * at[0] : at;
            uint32_t colour = (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
            assert_int_equal(colour, pixels[y * width + x] & 0xffffff);
        }
}

static void many_colours_are_exact(void **state)
{
    enum { SIDE = 40 };
    uint32_t pixels[SIDE * SIDE];
    (void)state;
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        pixels[i] = 0xe4f4de - i; // near each other
    check(pixels, SIDE, SIDE, false, 2);
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        pixels[i] |= i % 2 ? 0xff000000u : 0;
    check(pixels, SIDE, SIDE, true, 6);
}

static void few_colours_are_a_palette(void **state)
{
    enum { SIDE = 16 };
    uint32_t pixels[SIDE * SIDE];
    (void)state;
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        pixels[i] = 0xff123400u + i;
    check(pixels, SIDE, SIDE, false, 3);
    pixels[7] = 0;
    check(pixels, SIDE, SIDE, true, 3);
    pj_auto_buf png = {0};
    assert_true(pj_figure_png(&(pj_pixels){pixels, SIDE, SIDE, SIDE, true}, NULL, &png));
    assert_int_equal(chunk(pj_buf_str(&png), "tRNS").at[7], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_colours_are_exact),
        cmocka_unit_test(few_colours_are_a_palette),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
