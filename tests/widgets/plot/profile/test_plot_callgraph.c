// Call graphs: in a terminal they are no wider than it is, and what that leaves out is said.
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "tests/support/profile/read_profile.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/figure_terminal.h"
#include "widgets/figure/graph_layout.h"
#include "widgets/plot/plot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const double room = 560; // px: 80 columns

static pj_figure *drawn(const char *stacks, double least)
{
    pj_err err = {0};
    pj_auto_profile profile = read_profile_bytes("a.collapsed", pj_str_of(stacks), &err);
    assert_string_equal(err.text, "");
    pj_figure *figure = pj_plot_callgraph.make(
        (pj_plot_data){.profile = profile},
        (pj_plot_opts){.width = room, .profile = {.least_node = least}}, &pj_draw_terminal, &err);
    assert_string_equal(err.text, "");
    if (figure->lack) {
        print_message("%s\n", figure->lack);
        skip();
    }
    return figure;
}

static bool says(const pj_figure *figure, const char *text)
{
    for (size_t i = 0; i < figure->mark_count; i++)
        if (figure->marks[i].text && strstr(figure->marks[i].text, text))
            return true;
    return false;
}

static void boxes_are_narrower_where_that_is_enough(void **state)
{
    (void)state;
    pj_auto_figure figure = drawn("main;functions_of_a_long_name_a 30\n"
                                  "main;functions_of_a_long_name_b 20\n"
                                  "main;functions_of_a_long_name_c 10\n",
                                  0);
    assert_true(figure->width <= room);
    assert_true(says(figure, "4 of 4 functions") && says(figure, "0.5 %"));
}

static const char many[] = "main;aaaaaaaaaaaaaaa 300\nmain;bbbbbbbbbbbbbbb 200\n"
                           "main;ccccccccccccccc 9\nmain;ddddddddddddddd 8\n"
                           "main;eeeeeeeeeeeeeee 7\nmain;fffffffffffffff 6\n"
                           "main;ggggggggggggggg 5\nmain;hhhhhhhhhhhhhhh 5\n";

static void small_functions_are_left_out_where_it_is_not(void **state)
{
    (void)state;
    pj_auto_figure figure = drawn(many, 0);
    assert_true(figure->width <= room);
    assert_true(says(figure, "of 9 functions") && !says(figure, "9 of 9 functions"));
    assert_false(says(figure, "smaller ones than 0.5 %"));
}

static void what_is_asked_for_is_drawn(void **state)
{
    (void)state;
    pj_auto_figure figure = drawn(many, 0.001);
    assert_true(figure->width > room && says(figure, "9 of 9 functions"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_are_narrower_where_that_is_enough),
        cmocka_unit_test(small_functions_are_left_out_where_it_is_not),
        cmocka_unit_test(what_is_asked_for_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
