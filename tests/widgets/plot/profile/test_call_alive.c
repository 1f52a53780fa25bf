// The data of pictures that are alive: a box behind the one that it lies in, inside of it, and
// names that end no script.
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "tests/support/profile/made_profile.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/plot.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { DATA_MOST = 600000, DEPTH_MOST = 300 };

static json_t *data_of(const char *kind, made_profile_opts made, pj_plot_opts opts)
{
    pj_auto_profile profile = made_profile(made);
    pj_err err = {0};
    const pj_plot *plot = pj_plot_of_profile(pj_str_of(kind));
    pj_auto_figure figure =
        plot->make((pj_plot_data){.profile = profile}, opts, pj_draw_open(NULL), &err);
    assert_non_null(figure);
    assert_non_null(figure->alive);
    assert_true(strlen(figure->alive) < DATA_MOST);
    assert_null(strpbrk(figure->alive, "<>&"));
    json_t *data = json_loads(figure->alive, 0, NULL);
    assert_non_null(data);
    return data;
}

static double number(const json_t *data, const char *column, size_t index)
{
    const json_t *boxes = json_object_get(data, "boxes");
    return json_number_value(json_array_get(json_object_get(boxes, column), index));
}

static size_t count_of(const json_t *data)
{
    return json_array_size(json_object_get(json_object_get(data, "boxes"), "depth"));
}

/// Lays the boxes out as the script does; returns how many there are.
static size_t check_boxes(const json_t *data)
{
    double start[DEPTH_MOST], end[DEPTH_MOST], next[DEPTH_MOST];
    size_t count = count_of(data), last = 0;
    double functions = (double)json_array_size(json_object_get(data, "functions"));
    for (size_t i = 0; i < count; i++) {
        size_t depth = (size_t)number(data, "depth", i);
        assert_true(depth < DEPTH_MOST && (i == 0 ? depth == 0 : depth > 0 && depth <= last + 1));
        start[depth] = depth ? next[depth - 1] + number(data, "gap", i) : 0;
        end[depth] = start[depth] + number(data, "size", i);
        assert_true(!depth || end[depth] <= end[depth - 1] + 2 * (double)count);
        next[depth] = start[depth];
        if (depth)
            next[depth - 1] = end[depth];
        assert_true(number(data, "of", i) >= -1 && number(data, "of", i) < functions);
        assert_true(number(data, "value", i) >= 0);
        last = depth;
    }
    assert_true(fabs(end[0] - json_number_value(json_object_get(data, "scale"))) < 2);
    return count;
}

static void boxes_lie_within_their_callers(void **state)
{
    (void)state;
    static const made_profile_opts made[] = {
        {MADE_GRAPH, 5, 1, false, false, false},   {MADE_GRAPH, 40, 3, true, true, false},
        {MADE_GRAPH, 400, 32, false, true, false}, {MADE_TREE, 1, 1, false, false, false},
        {MADE_TREE, 60, 4, true, false, false},    {MADE_TREE, 400, 64, false, false, true},
    };
    static const char *const kinds[] = {"flame", "icicle", "sunburst"};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        for (size_t k = 0; k < 3; k++) {
            json_t *data = data_of(kinds[k], made[i], (pj_plot_opts){0});
            assert_true(check_boxes(data) > 0);
            json_decref(data);
        }
}

/// More than is drawn, so that zooming shows something, and no more than a page can bear.
static void large_profiles_are_held_as_far_as_a_page_goes(void **state)
{
    (void)state;
    json_t *data = data_of("flame", (made_profile_opts){MADE_TREE, 50000, 4, false, false, false},
                           (pj_plot_opts){0});
    assert_true(check_boxes(data) > 2000);
    assert_non_null(strstr(json_string_value(json_object_get(data, "left")), "largest boxes"));
    json_decref(data);
}

/// A function of the root's, as the kernel is asked for it: its region is the last column.
static uint32_t region_of(const json_t *data, size_t box)
{
    size_t function = (size_t)number(data, "of", box);
    const json_t *of = json_array_get(json_object_get(data, "functions"), function);
    return (uint32_t)json_integer_value(json_array_get(of, 7));
}

/// What is looked at has the size of the whole, below those that lead to it.
static void a_zoom_is_drawn_as_the_whole(void **state)
{
    (void)state;
    static const char *const kinds[] = {"flame", "sunburst"};
    made_profile_opts made = {MADE_GRAPH, 400, 3, false, true, false};
    for (size_t k = 0; k < 2; k++) {
        json_t *all = data_of(kinds[k], made, (pj_plot_opts){0});
        uint32_t path[] = {region_of(all, 0), region_of(all, 1)};
        pj_plot_opts opts = {.profile = {.zoom = path, .zoom_count = 2, .asks = "id"}};
        json_t *data = data_of(kinds[k], made, opts);
        size_t first = (size_t)json_integer_value(json_object_get(data, "first"));
        assert_true(first == 1 && number(data, "depth", first) == 1);
        assert_true(fabs(number(data, "size", first) - 1e9) < 2);
        assert_int_equal(region_of(data, first), path[1]);
        for (size_t i = 2; i < count_of(data); i++)
            assert_true(number(data, "depth", i) > 1);
        assert_true(count_of(data) > 10);
        json_decref(all);
        json_decref(data);
    }
}

static void ranks_are_told_as_strips(void **state)
{
    (void)state;
    json_t *data = data_of("flame", (made_profile_opts){MADE_TREE, 60, 4, true, false, false},
                           (pj_plot_opts){0});
    const json_t *first = json_array_get(json_object_get(json_object_get(data, "ranks"), "0"), 1);
    assert_int_equal(json_string_length(first), 4);
    assert_non_null(strchr(json_string_value(first), 'f'));
    json_decref(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_lie_within_their_callers),
        cmocka_unit_test(large_profiles_are_held_as_far_as_a_page_goes),
        cmocka_unit_test(a_zoom_is_drawn_as_the_whole),
        cmocka_unit_test(ranks_are_told_as_strips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
