// Which run stands for its repetitions, and what is said of them.
#include "metrics/base/arena.h"
#include "metrics/pop/repeated_runs.h"
#include "metrics/run/run.h"
#include "tests/support/made_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 16 };

/// Runs of 2 ranks of these runtimes.
static size_t make(pj_run **runs, const uint64_t *runtimes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char path[32];
        snprintf(path, sizeof path, "/r%zu", i);
        runs[i] = made_run_simple(path, 2, 1, runtimes[i] / 2, runtimes[i]);
    }
    return count;
}

static bool says(const pj_repeated_runs *chosen, const char *text)
{
    for (size_t i = 0; i < chosen->note_count; i++)
        if (strstr(chosen->notes[i].text, text))
            return true;
    return false;
}

static void the_lower_median_stands_for_all(void **state)
{
    (void)state;
    static const uint64_t times[] = {102, 100, 101, 104, 130, 102};
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_run *runs[MOST];
    pj_repeated_runs chosen;
    size_t count = make(runs, times, 6);
    pj_repeated_runs_choose(runs, 5, PJ_REPEAT_MEDIAN, &chosen, arena);
    assert_int_equal(chosen.count, 1);
    assert_ptr_equal(chosen.items[0], runs[0]);
    assert_true(says(&chosen, "spread 29.4 %"));
    assert_true(says(&chosen, "differ by 29.4 %, 1 of them far off"));
    pj_repeated_runs_choose(runs, 6, PJ_REPEAT_MEDIAN, &chosen, arena);
    assert_true(chosen.items[0]->runtime_ns == 102);
    pj_repeated_runs_choose(runs, 5, PJ_REPEAT_BEST, &chosen, arena);
    assert_ptr_equal(chosen.items[0], runs[1]);
    pj_repeated_runs_choose(runs, 5, PJ_REPEAT_ALL, &chosen, arena);
    assert_int_equal(chosen.count, 5);
    assert_true(says(&chosen, "5 runs of one size: where they are repetitions --repeat median"));
    pj_repeated_runs_choose(runs, 2, PJ_REPEAT_ALL, &chosen, arena);
    assert_int_equal(chosen.note_count, 0);
    while (count)
        pj_run_release(runs[--count]);
}

static void equal_runs_are_no_noise(void **state)
{
    (void)state;
    static const uint64_t times[] = {70, 70, 70, 70, 70};
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_run *runs[MOST];
    pj_repeated_runs chosen;
    size_t count = make(runs, times, 5);
    pj_repeated_runs_choose(runs, count, PJ_REPEAT_MEDIAN, &chosen, arena);
    assert_int_equal(chosen.note_count, 1);
    assert_true(says(&chosen, "spread 0.0 %"));
    runs[2]->tag = "other"; // is no repetition
    pj_repeated_runs_choose(runs, count, PJ_REPEAT_MEDIAN, &chosen, arena);
    assert_int_equal(chosen.count, 2);
    while (count)
        pj_run_release(runs[--count]);
}

static void a_slow_first_run_warms_up(void **state)
{
    (void)state;
    static const uint64_t times[] = {200, 100, 101, 102};
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_run *runs[MOST];
    pj_repeated_runs chosen;
    size_t count = make(runs, times, 4);
    pj_repeated_runs_choose(runs, count, PJ_REPEAT_MEDIAN, &chosen, arena);
    assert_true(says(&chosen, "slower than all others"));
    assert_true(says(&chosen, "not the same work"));
    while (count)
        pj_run_release(runs[--count]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lower_median_stands_for_all),
        cmocka_unit_test(equal_runs_are_no_noise),
        cmocka_unit_test(a_slow_first_run_warms_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
