// What pictures of ranks and of call paths say in words, and that boxes with room have a label.
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/plot.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char scoped[] =
    "<a::very::long::scope::of::a::Terminal<with::arguments::that::need::room>>::new";

/// A call path of two functions at each rank.
static pj_profile *made(const double *times, size_t ranks)
{
    pj_job job = {0};
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_build b = pj_build_new("made", &job);
    pj_build_profile(b)->shape = PJ_SHAPE_TREE;
    pj_build_profile(b)->format = "made";
    pj_measure time = {.key = "time", .title = "Time", .unit = "s"};
    uint32_t own = pj_build_column(b, PJ_AT_NODE, PJ_EXCLUSIVE, pj_build_measure(b, time), false);
    uint32_t top = pj_build_node(b, PJ_NO_ITEM, pj_build_region(b, PJ_S("main"), (pj_str){0}, 0));
    uint32_t low = pj_build_node(b, top, pj_build_region(b, pj_str_of(scoped), (pj_str){0}, 0));
    uint32_t few = pj_build_node(b, top, pj_build_region(b, PJ_S("other"), (pj_str){0}, 0));
    for (uint32_t rank = 0; rank < ranks; rank++) {
        pj_build_location(b, (pj_profile_location){.rank = rank, .thread = -1});
        if (isnan(times[rank])) // never called there
            continue;
        pj_build_add(b, own, low, rank, times[rank]);
        pj_build_add(b, own, few, rank, 2 * times[rank]);
    }
    pj_profile *profile = pj_build_finish(b, &err);
    assert_string_equal(err.text, "");
    return profile;
}

static pj_figure *drawn(const pj_plot *plot, const pj_profile *p, const char *function)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_plot_opts opts = {.width = 400, .profile.function = function};
    const pj_draw *draw = pj_draw_open(&err);
    assert_non_null(draw);
    pj_figure *figure = plot->make((pj_plot_data){.profile = p}, opts, draw, &err);
    assert_string_equal(err.text, "");
    return figure;
}

static bool says(const pj_figure *figure, const char *text)
{
    for (size_t i = 0; i < figure->mark_count; i++)
        if (figure->marks[i].text && strstr(figure->marks[i].text, text))
            return true;
    return strstr(figure->summary, text) != NULL;
}

/// Ranks that fall apart are told, with their numbers; ranks that do not are not made to.
static void two_groups_are_told(void **state)
{
    (void)state;
    static const double apart[] = {1, 8.5, 1.2, 9, 0.8, 1.1}, even[] = {1, 2, 3, 4, 5, 6};
    pj_auto_profile two = made(apart, 6);
    pj_auto_profile one = made(even, 6);
    const pj_plot *plots[] = {&pj_plot_profile_ranks, &pj_plot_histogram};
    for (size_t i = 0; i < 2; i++) {
        pj_auto_figure figure = drawn(plots[i], two, "other");
        pj_auto_figure same = drawn(plots[i], one, "other");
        assert_true(says(figure, "2 take 17.0 s to 18.0 s (1, 3), 4 take 1.60 s to 2.40 s"));
        assert_false(says(same, " take "));
    }
}

/// So is who never calls a function, and how few ranks have nearly all of its time.
static void few_ranks_are_told(void **state)
{
    (void)state;
    static const double some[] = {1, 3, NAN, 2, NAN, NAN},
                        few[] = {9, 1e-5, 1e-5, 1e-5, 1e-5, 1e-5, 1e-5, 1e-5, 1e-5};
    pj_auto_profile called = made(some, 6);
    pj_auto_profile carried = made(few, 9);
    const pj_plot *plots[] = {&pj_plot_profile_ranks, &pj_plot_histogram};
    for (size_t i = 0; i < 2; i++) {
        pj_auto_figure calls = drawn(plots[i], called, "other");
        pj_auto_figure carries = drawn(plots[i], carried, "other");
        assert_true(
            says(calls, "Ranks 2, 4, 5 (3 of 6) never call it. Of the others: mean 4.00 s"));
        assert_true(says(calls, "most 6.00 s (rank 1): 3 times as much"));
        assert_true(says(carries, "Rank 0 (1 of 9) has 100\u00a0% of it; mean"));
    }
}

/// The mean is told beside the bars, whatever stands at the last rank.
static void mean_covers_no_bar(void **state)
{
    (void)state;
    static const double values[] = {1, 5, 1, 5, 1, 5};
    pj_auto_profile p = made(values, 6);
    pj_auto_figure figure = drawn(&pj_plot_profile_ranks, p, "other");
    double last = 0, mean = 0;
    for (size_t i = 0; i < figure->mark_count; i++) {
        const pj_mark *mark = &figure->marks[i];
        if (mark->kind == PJ_MARK_RECT && mark->hover)
            last = fmax(last, mark->x + mark->w);
        if (mark->text && strcmp(mark->text, "mean") == 0)
            mean = mark->x;
    }
    assert_true(last > 0 && mean > last);
}

/// One rank is a list of its functions, the costliest first, in columns of one unit.
static void one_rank_is_a_list(void **state)
{
    (void)state;
    static const double values[] = {1};
    static const char *const texts[] = {
        "Functions of rank 0",    "Own [s]", "2.000", "66.7", "A list of 2 functions",
        "Most own time: other 67"};
    pj_auto_profile p = made(values, 1);
    pj_auto_figure figure = drawn(&pj_plot_profile_ranks, p, NULL);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_true(says(figure, texts[i]));
}

/// A histogram names the ranks of each bin, each rank once.
static void bins_name_their_ranks(void **state)
{
    (void)state;
    static const double apart[] = {1, 8.5, 1.2, 9, 0.8, 1.1};
    pj_auto_profile p = made(apart, 6);
    pj_auto_figure figure = drawn(&pj_plot_histogram, p, "other");
    const char *const wanted[] = {"ranks 0, 2, 4, 5", "ranks 1, 3"};
    size_t told = 0;
    for (size_t i = 0; i < figure->mark_count; i++) {
        const char *hover = figure->marks[i].hover;
        const char *ranks = hover ? strchr(hover, '\n') : NULL;
        if (ranks)
            assert_string_equal(ranks + 1, wanted[told++]);
    }
    assert_int_equal(told, 2);
}

/// So are those of all functions together; ranks that follow one another are a range.
static void whole_ranks_are_told(void **state)
{
    (void)state;
    static const double apart[] = {1, 1.1, 1.2, 9, 9.2, 9.1, 1, 9};
    pj_auto_profile p = made(apart, 8);
    pj_auto_figure figure = drawn(&pj_plot_profile_ranks, p, NULL);
    assert_true(says(figure, "4 take 27.0 s to 27.6 s (3 to 5, 7), 4 take 3.00 s to 3.60 s"));
    for (size_t i = 0; i < figure->mark_count; i++)
        if (figure->marks[i].text && strcmp(figure->marks[i].text, "mean") == 0)
            assert_true(figure->marks[i].x < figure->width);
}

/// More functions than their family has colours are told apart in one picture.
static void functions_differ_in_colour(void **state)
{
    (void)state;
    enum { FUNCTIONS = 10 };
    pj_job job = {0};
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_build b = pj_build_new("made", &job);
    pj_build_profile(b)->shape = PJ_SHAPE_FLAT;
    pj_build_profile(b)->format = "made";
    pj_measure time = {.key = "time", .title = "Time", .unit = "s"};
    uint32_t own = pj_build_column(b, PJ_AT_REGION, PJ_EXCLUSIVE, pj_build_measure(b, time), false);
    for (uint32_t rank = 0; rank < 2; rank++)
        pj_build_location(b, (pj_profile_location){.rank = rank, .thread = -1});
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        char name[32];
        snprintf(name, sizeof name, "MPI_Call%u", i);
        uint32_t region = pj_build_region(b, pj_str_of(name), (pj_str){0}, 0);
        pj_build_region_at(b, region)->kind = PJ_REGION_mpi;
        pj_build_add(b, own, region, 0, 1 + i);
        pj_build_add(b, own, region, 1, 2 + i);
    }
    pj_auto_profile p = pj_build_finish(b, &err);
    pj_auto_figure figure = drawn(&pj_plot_profile_ranks, p, NULL);
    pj_colour seen[64];
    size_t count = 0;
    for (size_t i = 0; i < figure->mark_count; i++) {
        const pj_mark *mark = &figure->marks[i];
        size_t at = 0;
        while (at < count && seen[at] != mark->fill)
            at++;
        if (mark->kind == PJ_MARK_RECT && mark->hover && at == count && count < 64)
            seen[count++] = mark->fill;
    }
    assert_int_equal(count, FUNCTIONS);
}

/// Names that begin alike differ at their ends: what is left out is in the middle.
static void cut_names_keep_their_ends(void **state)
{
    (void)state;
    pj_job job = {0};
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_build b = pj_build_new("made", &job);
    pj_build_profile(b)->shape = PJ_SHAPE_TREE;
    pj_measure time = {.key = "time", .title = "Time", .unit = "s"};
    uint32_t own = pj_build_column(b, PJ_AT_NODE, PJ_EXCLUSIVE, pj_build_measure(b, time), false);
    uint32_t here = pj_build_location(b, (pj_profile_location){.rank = 0, .thread = -1});
    for (unsigned i = 0; i < 4; i++) {
        char name[64];
        snprintf(name, sizeof name, "exchange_of_all_the_halos_of_level_%u", i);
        uint32_t region = pj_build_region(b, pj_str_of(name), (pj_str){0}, 0);
        pj_build_add(b, own, pj_build_node(b, PJ_NO_ITEM, region), here, 1);
    }
    pj_auto_profile p = pj_build_finish(b, &err);
    pj_auto_figure figure = drawn(&pj_plot_flame, p, NULL);
    unsigned cut = 0;
    for (size_t i = 0; i < figure->mark_count; i++) {
        pj_str text = pj_str_of(figure->marks[i].text);
        cut += pj_str_starts(text, PJ_S("ex")) && pj_str_contains(text, PJ_S("\u2026")) &&
               text.at[text.len - 1] >= '0' && text.at[text.len - 1] <= '3';
    }
    assert_int_equal(cut, 4);
}

/// A third of the picture, and a name of which the last part alone fits.
static void a_wide_box_has_a_label(void **state)
{
    (void)state;
    static const double one = 1;
    pj_auto_profile p = made(&one, 1);
    pj_auto_figure figure = drawn(&pj_plot_flame, p, NULL);
    bool found = false;
    for (size_t i = 0; i < figure->mark_count; i++)
        found = found || (figure->marks[i].text && strcmp(figure->marks[i].text, "new") == 0);
    assert_true(found);
}

/// A strip of ranks is said to be where there is one.
static void strips_are_where_the_note_says(void **state)
{
    (void)state;
    static const double times[] = {1, 2};
    static const struct {
        const pj_plot *plot;
        const char *where;
    } rows[] = {{&pj_plot_flame, "The strip in a box"}, {&pj_plot_sunburst, "beside a name"}};
    pj_auto_profile p = made(times, 2);
    for (size_t i = 0; i < 2; i++) {
        pj_auto_figure figure = drawn(rows[i].plot, p, NULL);
        size_t strips = 0;
        for (size_t k = 0; k < figure->mark_count; k++)
            strips += figure->marks[k].kind == PJ_MARK_IMAGE && figure->marks[k].pixel_rows == 1;
        assert_true(strips > 0);
        assert_true(says(figure, rows[i].where));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_groups_are_told),    cmocka_unit_test(few_ranks_are_told),
        cmocka_unit_test(mean_covers_no_bar),     cmocka_unit_test(one_rank_is_a_list),
        cmocka_unit_test(bins_name_their_ranks),  cmocka_unit_test(functions_differ_in_colour),
        cmocka_unit_test(whole_ranks_are_told),   cmocka_unit_test(cut_names_keep_their_ends),
        cmocka_unit_test(a_wide_box_has_a_label), cmocka_unit_test(strips_are_where_the_note_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
