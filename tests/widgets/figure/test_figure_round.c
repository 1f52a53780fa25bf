// Rounding keeps the colours of surfaces to the bit and few others.
#include "widgets/figure/figure_round.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 64 };

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static size_t count_colours(const uint32_t *pixels)
{
    static uint32_t sorted[SIDE * SIDE];
    memcpy(sorted, pixels, sizeof sorted);
    qsort(sorted, SIDE * SIDE, sizeof *sorted, by_number);
    size_t count = 1;
    for (size_t i = 1; i < SIDE * SIDE; i++)
        count += sorted[i] != sorted[i - 1];
    return count;
}

/// Squares of 4 x 4 pixels of `flat` colours above, a colour for each pixel below.
static void paint(uint32_t *pixels, uint32_t flat)
{
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++) {
            uint32_t square = y / 4 * (SIDE / 4) + x / 4;
            pixels[y * SIDE + x] = 0xff000000u | (square < flat ? 0x6dc07d + square
                                                                : (y * SIDE + x) * 4001 % 0xffffff);
        }
}

static void surfaces_stay_exact(void **state)
{
    (void)state;
    static uint32_t pixels[SIDE * SIDE], before[SIDE * SIDE];
    paint(pixels, 100);
    memcpy(before, pixels, sizeof before);
    pj_figure_round(pixels, SIDE, SIDE, SIDE);
    assert_true(count_colours(before) > 2000);
    assert_int_equal(count_colours(pixels), 256);
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        if (i / SIDE / 4 * (SIDE / 4) + i % SIDE / 4 < 100)
            assert_int_equal(pixels[i], before[i]);
}

static void pictures_of_many_surfaces_stay(void **state)
{
    (void)state;
    static uint32_t pixels[SIDE * SIDE], before[SIDE * SIDE];
    paint(pixels, 220);
    memcpy(before, pixels, sizeof before);
    pj_figure_round(pixels, SIDE, SIDE, SIDE);
    assert_memory_equal(pixels, before, sizeof before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_stay_exact),
        cmocka_unit_test(pictures_of_many_surfaces_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
