// The heat map: its colours are its numbers, kinds of ranks stand apart and are told in words.
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/rank_kinds.h"
#include "tests/support/profile/read_profile.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure_terminal.h"
#include "widgets/plot/plot.h"
#include "widgets/plot/profile/heat_scale.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define DATA PJ_SOURCE_DIR "/../shared/data/profiles/"

enum { RANKS = 4, FUNCTIONS = 3 };
/// By function and rank; NaN = never called there. Ranks 1 and 3 do not solve.
static const double times[FUNCTIONS][RANKS] = {
    {0.30, NAN, 0.10, NAN}, {1.0, 2.0, 1.5, 4.0}, {0.01, 0.02, 0.02, 0.01}};
static const char *const names[FUNCTIONS] = {"solve", "MPI_Wait", "refine"};

static pj_profile *made(void)
{
    pj_job job = {0};
    pj_err err = {0};
    pj_auto_build b = pj_build_new("made", &job);
    uint32_t time = pj_build_measure(b, (pj_measure){.key = "time", .title = "Time", .unit = "s"});
    uint32_t own = pj_build_column(b, PJ_AT_REGION, PJ_EXCLUSIVE, time, false);
    for (uint32_t rank = 0; rank < RANKS; rank++)
        pj_build_location(b, (pj_profile_location){.rank = rank, .thread = -1});
    for (uint32_t f = 0; f < FUNCTIONS; f++) {
        uint32_t region = pj_build_region(b, pj_str_of(names[f]), (pj_str){0}, 0);
        for (uint32_t rank = 0; rank < RANKS; rank++)
            if (!isnan(times[f][rank]))
                pj_build_add(b, own, region, rank, times[f][rank]);
    }
    pj_profile *profile = pj_build_finish(b, &err);
    assert_string_equal(err.text, "");
    return profile;
}

static const pj_mark *mark_of(const pj_figure *figure, const char *key)
{
    for (size_t i = 0; i < figure->mark_count; i++)
        if (figure->marks[i].key && strcmp(figure->marks[i].key, key) == 0)
            return &figure->marks[i];
    fail_msg("no %s", key);
    return NULL;
}

static bool has_text(const pj_figure *figure, const char *text)
{
    for (size_t i = 0; i < figure->mark_count; i++)
        if (figure->marks[i].text && strcmp(figure->marks[i].text, text) == 0)
            return true;
    return false;
}

static pj_figure *drawn(pj_profile *profile)
{
    pj_err err = {0};
    pj_figure *figure = pj_plot_heat.make((pj_plot_data){.profile = profile}, (pj_plot_opts){0},
                                          &pj_draw_terminal, &err);
    assert_string_equal(err.text, "");
    return figure;
}

static void colours_are_numbers(void **state)
{
    (void)state;
    // The costliest function first: MPI_Wait, solve, refine.
    static const uint32_t rows[FUNCTIONS] = {1, 0, 2};
    pj_auto_profile profile = made();
    pj_auto_figure figure = drawn(profile);
    for (unsigned i = 0; i < FUNCTIONS; i++)
        for (unsigned k = 0; k < RANKS; k++) {
            char key[32];
            snprintf(key, sizeof key, "cell:%u:%u", i, k);
            double value = times[rows[i]][k];
            pj_function_family family = i ? PJ_FAMILY_WORK : PJ_FAMILY_WAIT;
            pj_colour want = isnan(value) ? PJ_HEAT_ABSENT : pj_heat_colour(family, value / 4.0);
            assert_int_equal(mark_of(figure, key)->fill, want);
        }
    assert_string_equal(mark_of(figure, "cell:1:1")->hover, "solve, rank 1: never called");
    assert_string_equal(mark_of(figure, "cell:1:0")->hover, "solve, rank 0: 300 ms");
    assert_int_equal(pj_heat_colour(PJ_FAMILY_WAIT, 1), 0x8a3f04ff);
    assert_int_equal(pj_heat_colour(PJ_FAMILY_WORK, 0), 0xdfeaf8ff);
}

static void kinds_of_ranks_stand_apart(void **state)
{
    (void)state;
    pj_auto_profile profile = made();
    pj_auto_figure figure = drawn(profile);
    double x[RANKS];
    for (unsigned k = 0; k < RANKS; k++) {
        char key[32];
        snprintf(key, sizeof key, "cell:0:%u", k);
        x[k] = mark_of(figure, key)->x;
    }
    assert_true(x[0] < x[2] && x[2] < x[1] && x[1] < x[3]);
    assert_true(has_text(figure, "2 call solve"));
    static const char *const columns[] = {"In all [s]",   "%",     "Least [s]", "Most [s]",
                                          "95\u00a0% on", "0.400", "0.100",     "0.300"};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) // one unit, as many decimals
        assert_true(has_text(figure, columns[i]));
    assert_true(has_text(figure, "2 of 4")); // ranks that have 95 % of solve
}

static void say(const pj_profile *profile, pj_buf *out)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    uint32_t *all = pj_new_n(arena, uint32_t, profile->location_count);
    for (uint32_t k = 0; k < profile->location_count; k++)
        all[k] = k;
    pj_rank_kinds kinds = pj_rank_kinds_of(profile, 0, all, profile->location_count, arena);
    pj_rank_kinds_say(&kinds, profile, all, profile->location_count, out);
    pj_buf_add_char(out, 0);
}

static void kinds_of_ranks_are_told(void **state)
{
    (void)state;
    pj_auto_profile profile = made();
    pj_auto_buf text = {0};
    say(profile, &text);
    // 6 of 6.03 s and 2.5 of 2.93 s.
    assert_string_equal(text.at, "Ranks 1, 3 (2 of 4) never call solve; they wait 99.5\u00a0% of "
                                 "their time, the others 85.3\u00a0%");
}

static void ranks_that_wait_do_something_else(void **state)
{
    (void)state;
    FILE *there = fopen(DATA "tau/ppk/LoadImbalance_32.ppk", "rb");
    if (!there) {
        print_message("no data of real tools: %s\n", DATA "tau/ppk/LoadImbalance_32.ppk");
        skip();
    }
    fclose(there);
    pj_auto_profile profile = read_profile_file(DATA "tau/ppk/LoadImbalance_32.ppk");
    pj_auto_buf text = {0};
    say(profile, &text);
    assert_non_null(strstr(text.at, "(12 of 32) never call do_nonbonded, they alone call "
                                    "gmx_pmeonly; they wait 73.4"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_numbers),
        cmocka_unit_test(kinds_of_ranks_stand_apart),
        cmocka_unit_test(kinds_of_ranks_are_told),
        cmocka_unit_test(ranks_that_wait_do_something_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
