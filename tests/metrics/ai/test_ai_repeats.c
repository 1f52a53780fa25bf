// Ranges of programs as steps, where none are marked as such.
#include "metrics/ai/ai_rank.h"
#include "metrics/ai/ai_repeats.h"
#include "metrics/base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static pj_ai_rank *asked(void)
{
    pj_ai_rank *rank = pj_ai_rank_new("rank0.json");
    rank->repeats = pj_ai_repeats_new();
    return rank;
}

static void add(pj_ai_rank *rank, int64_t thread, int64_t begin, int64_t end, const char *name)
{
    pj_ai_repeats_add(rank, thread, begin, end, pj_str_of(name));
}

static void outermost_ranges_that_come_again_are_steps(void **state)
{
    (void)state;
    pj_ai_rank *rank = asked();
    for (int64_t i = 2; i >= 0; i--) { // in any order, inner ones first
        add(rank, 7, 100 * i + 10, 100 * i + 80, "forward");
        add(rank, 7, 100 * i, 100 * i + 90, "train");
        add(rank, 8, 100 * i, 100 * i + 99, "nccl:all_reduce");
    }
    add(rank, 7, 300, 900, "save"); // longer, but once
    pj_ai_repeats_finish(rank);
    assert_int_equal(rank->step_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(rank->steps[i].number, i);
        assert_int_equal(rank->steps[i].begin, 100 * i);
        assert_int_equal(rank->steps[i].end, 100 * i + 90);
    }
    assert_string_equal(rank->names[rank->repeated], "train");
    pj_ai_rank_free(rank);
}

static void steps_that_are_marked_count_alone(void **state)
{
    (void)state;
    pj_ai_rank *rank = asked();
    for (int64_t i = 0; i < 4; i++)
        add(rank, 7, 100 * i, 100 * i + 90, "train");
    add(rank, 7, 0, 400, "ProfilerStep#5");
    pj_ai_repeats_finish(rank);
    assert_int_equal(rank->step_count, 1);
    assert_int_equal(rank->steps[0].number, 5);
    assert_int_equal(rank->repeated, 0);
    pj_ai_rank_free(rank);
}

static void what_comes_twice_is_no_step(void **state)
{
    (void)state;
    pj_ai_rank *rank = asked();
    add(rank, 7, 0, 90, "train");
    add(rank, 7, 100, 190, "train");
    pj_ai_repeats_finish(rank);
    assert_int_equal(rank->step_count, 0);
    pj_ai_rank_free(rank);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outermost_ranges_that_come_again_are_steps),
        cmocka_unit_test(steps_that_are_marked_count_alone),
        cmocka_unit_test(what_comes_twice_is_no_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
