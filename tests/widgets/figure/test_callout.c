// Texts beside points: they cover no line, no marker and no other text.
#include "widgets/figure/callout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static pj_extent measure(const char *text, double size, bool bold)
{
    (void)bold;
    return (pj_extent){.width = 0.6 * size * (double)strlen(text), .height = size};
}

static const pj_draw draw = {.measure = measure};
static const pj_style style = {.size = 10};

static pj_chart chart_of(pj_figure *figure)
{
    return (pj_chart){.figure = figure,
                      .draw = &draw,
                      .arena = figure->arena,
                      .left = 0,
                      .right = 400,
                      .top = 0,
                      .bottom = 300};
}

static const pj_mark *last_text(const pj_figure *figure)
{
    assert_true(figure->mark_count > 0);
    return &figure->marks[figure->mark_count - 1];
}

static void a_text_stands_below_or_above(void **state)
{
    (void)state;
    pj_auto_figure figure = pj_figure_new(400, 300, "");
    pj_chart chart = chart_of(figure);
    pj_callouts callouts = {.chart = &chart};
    assert_true(pj_callouts_put(&callouts, (pj_point){100, 100}, "0.861", style, false));
    assert_true(last_text(figure)->y > 105);
    assert_true(pj_callouts_put(&callouts, (pj_point){300, 100}, "0.861", style, true));
    assert_true(last_text(figure)->y < 100);
    pj_callouts_free(&callouts);
}

static void lines_markers_and_texts_are_avoided(void **state)
{
    (void)state;
    pj_auto_figure figure = pj_figure_new(400, 300, "");
    pj_chart chart = chart_of(figure);
    pj_callouts callouts = {.chart = &chart};
    pj_callouts_avoid_line(&callouts, (pj_point[]){{100, 100}, {100, 300}}, 2);
    assert_true(pj_callouts_put(&callouts, (pj_point){100, 100}, "first", style, false));
    assert_true(last_text(figure)->y < 100); // the line runs below
    pj_callouts_avoid_disc(&callouts, (pj_point){200, 112}, 4);
    assert_true(pj_callouts_put(&callouts, (pj_point){200, 100}, "second", style, false));
    assert_true(last_text(figure)->y < 100);
    assert_true(pj_callouts_put(&callouts, (pj_point){203, 100}, "third", style, false));
    assert_true(last_text(figure)->x > 203 || last_text(figure)->x < 170);
    pj_callouts_free(&callouts);
}

/// Hovering says what has no room.
static void without_room_nothing_is_written(void **state)
{
    (void)state;
    pj_auto_figure figure = pj_figure_new(400, 300, "");
    pj_chart chart = chart_of(figure);
    pj_callouts callouts = {.chart = &chart};
    for (double y = 0; y < 300; y += 8)
        pj_callouts_avoid_line(&callouts, (pj_point[]){{0, y}, {400, y}}, 2);
    assert_false(pj_callouts_put(&callouts, (pj_point){100, 100}, "0.861", style, false));
    assert_int_equal(figure->mark_count, 0);
    pj_callouts_free(&callouts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_stands_below_or_above),
        cmocka_unit_test(lines_markers_and_texts_are_avoided),
        cmocka_unit_test(without_room_nothing_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
