// Source lines: bars are parts of their function, numbers are those of the profile, lines without
// values can be skipped, ranks stand side by side, sources are found or their lack is said.
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "tests/support/profile/read_profile.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/figure_terminal.h"
#include "widgets/plot/plot.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define DATA PJ_SOURCE_DIR "/../shared/data/profiles/"

static const char listing[] = "Timer unit: 1e-06 s\n\n"
                              "Total time: 0.000400 s\n"
                              "File: nowhere.py\n"
                              "Function: work at line 5\n\n"
                              "Line #      Hits         Time  Per Hit   % Time  Line Contents\n"
                              "==============================================================\n"
                              "     5                                           def work(n):\n"
                              "     6         4        100.0     25.0     25.0      a = n\n"
                              "     7                                               # nothing\n"
                              "     8         2        300.0    150.0     75.0      b = a * a\n"
                              "     9                                               pass\n\n";

static pj_profile *read(const char *name, const char *text)
{
    pj_err err = {0};
    pj_profile *profile = read_profile_bytes(name, pj_str_of(text), &err);
    assert_string_equal(err.text, "");
    return profile;
}

static pj_figure *drawn(const pj_profile *profile, pj_profile_opts opts)
{
    pj_err err = {0};
    pj_figure *figure = pj_plot_source_lines.make((pj_plot_data){.profile = profile},
                                                  (pj_plot_opts){.width = 1400, .profile = opts},
                                                  &pj_draw_terminal, &err);
    assert_string_equal(err.text, "");
    return figure;
}

static bool says(const pj_figure *figure, const char *text)
{
    for (size_t i = 0; i < figure->mark_count; i++)
        if (figure->marks[i].text && strstr(figure->marks[i].text, text))
            return true;
    return false;
}

static double bar_of(const pj_figure *figure, const char *key)
{
    for (size_t i = 0; i < figure->mark_count; i++)
        if (figure->marks[i].key && strcmp(figure->marks[i].key, key) == 0)
            return figure->marks[i].w;
    return 0;
}

static void bars_are_parts(void **state)
{
    (void)state;
    pj_auto_profile profile = read("x.txt", listing);
    pj_auto_figure figure = drawn(profile, (pj_profile_opts){0});
    assert_true(fabs(bar_of(figure, "bar:8") - 3 * bar_of(figure, "bar:6")) < 1e-9);
    assert_true(bar_of(figure, "bar:6") > 20);
    assert_true(says(figure, "75.0") && says(figure, "25.0") && says(figure, "300.0"));
    assert_true(says(figure, "75\u00a0% of the 400.0 us of work is in one line, 8"));
    assert_true(says(figure, "b = a * a") && says(figure, "# nothing"));
}

static void lines_without_values_are_skipped(void **state)
{
    (void)state;
    pj_auto_profile profile = read("x.txt", listing);
    pj_auto_figure figure = drawn(profile, (pj_profile_opts){.skip_zero = true});
    assert_true(says(figure, "b = a * a") && !says(figure, "# nothing"));
    assert_true(says(figure, "\u22ef 1 line"));
}

static void unknown_functions_are_refused(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_profile profile = read("x.txt", listing);
    assert_null(pj_plot_source_lines.make((pj_plot_data){.profile = profile},
                                          (pj_plot_opts){.profile = {.function = "none"}},
                                          &pj_draw_terminal, &err));
    assert_int_equal(err.code, PJ_E_USAGE);
}

static void sources_stand_beside_the_profile(void **state)
{
    (void)state;
    FILE *there = fopen(DATA "lprof/lp.py.lprof", "rb");
    if (!there) {
        print_message("no data of real tools: %s\n", DATA "lprof/lp.py.lprof");
        skip();
    }
    fclose(there);
    pj_auto_profile profile = read_profile_file(DATA "lprof/lp.py.lprof");
    pj_auto_figure figure = drawn(profile, (pj_profile_opts){.source = DATA "lprof"});
    // As line_profiler's own listing has it: lp.txt.
    assert_true(says(figure, "52.4") && says(figure, "44.3") && says(figure, "17339.9") == false);
    assert_true(says(figure, "for k in range(width):") && says(figure, "42,000"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_are_parts),
        cmocka_unit_test(lines_without_values_are_skipped),
        cmocka_unit_test(unknown_functions_are_refused),
        cmocka_unit_test(sources_stand_beside_the_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
