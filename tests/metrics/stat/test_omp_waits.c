// What threads of OpenMP programs wait for, with answers worked out by hand (DEFINITIONS 9).
#include "metrics/run/waits/omp_waits.h"
#include "metrics/stat/omp_waits_sink.h"
#include "metrics/trace/event.h"
#include "tests/support/trace/replay_script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static int by_time(const void *a, const void *b)
{
    const pj_event *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

static void see(pj_script *s, uint64_t runtime)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_sink sink = pj_omp_waits_sink();
    s->run->runtime_ns = s->run->end_ns = runtime;
    qsort(s->events, s->count, sizeof *s->events, by_time);
    assert_true(sink.begin(sink.self, s->run, &err));
    for (size_t i = 0; i < s->count; i++)
        assert_true(sink.events(sink.self, &(pj_batch){.events = &s->events[i], .count = 1}, &err));
    assert_true(sink.finish(sink.self, s->run, &err));
    sink.close(sink.self);
}

static uint64_t lost(const pj_script *s, pj_omp_pattern pattern, uint32_t culprit)
{
    uint64_t ns = 0;
    for (size_t i = 0; i < s->run->omp_waits->count; i++)
        if (s->run->omp_waits->items[i].pattern == pattern &&
            s->run->omp_waits->items[i].culprit == culprit)
            ns += s->run->omp_waits->items[i].ns;
    return ns;
}

static void level(pj_script *s, uint32_t thread, uint16_t code, uint64_t begin, uint64_t end)
{
    pj_script_openmp(s, thread, code, 1, begin);
    pj_script_openmp(s, thread, code, 0, end);
}

/// Four threads, a region from 40 to 106, of which they work 60, 40, 30 and 50.
static pj_script *one_region(uint32_t threads)
{
    static const uint64_t work[] = {60, 40, 30, 50};
    pj_script *s = pj_script_new(1, threads);
    level(s, 0, PJ_OMP_PARALLEL, 40, 106);
    for (uint32_t t = 0; t < 4; t++) {
        level(s, t, PJ_OMP_FUNCTION, 42, 42 + work[t]);
        level(s, t, PJ_OMP_BARRIER, 42 + work[t], 104);
    }
    return s;
}

static void threads_wait_for_the_last_at_a_barrier(void **state)
{
    (void)state;
    pj_auto_script s = one_region(4);
    see(s, 126);
    assert_int_equal(lost(s, PJ_OMP_WAIT_omp_barrier_wait, 0), 60);
    assert_int_equal(lost(s, PJ_OMP_WAIT_omp_barrier_completion, PJ_NO_THREAD), 8);
    assert_int_equal(lost(s, PJ_OMP_WAIT_omp_management, PJ_NO_THREAD), 16);
    assert_int_equal(lost(s, PJ_OMP_WAIT_omp_idle_threads, PJ_NO_THREAD), 180);
    assert_int_equal(lost(s, PJ_OMP_WAIT_omp_limited_parallelism, PJ_NO_THREAD), 0);
}

static void small_teams_leave_threads_unused(void **state)
{
    (void)state;
    pj_auto_script s = one_region(6);
    see(s, 126);
    assert_int_equal(lost(s, PJ_OMP_WAIT_omp_limited_parallelism, PJ_NO_THREAD), 2 * 66);
    assert_int_equal(lost(s, PJ_OMP_WAIT_omp_idle_threads, PJ_NO_THREAD), 5 * 60);
}

static void tasks_in_a_barrier_are_no_wait(void **state)
{
    (void)state;
    pj_auto_script s = one_region(4);
    level(s, 2, PJ_OMP_TASK, 80, 95); // of its wait from 72 to 102
    see(s, 126);
    assert_int_equal(lost(s, PJ_OMP_WAIT_omp_barrier_wait, 0), 45);
}

static void lock_event(pj_script *s, uint32_t thread, uint64_t time, uint16_t code, uint64_t value)
{
    pj_script_event(
        s, (pj_event){
               .time = time, .a = value, .location = thread, .kind = PJ_EV_OTHER, .code = code});
}

static void take_lock(pj_script *s, uint32_t thread, uint64_t name, const uint64_t times[3])
{
    lock_event(s, thread, times[0], PJ_LOCK, PJ_LOCK_ASKED);
    lock_event(s, thread, times[0], PJ_LOCK_NAME, name);
    lock_event(s, thread, times[1], PJ_LOCK, PJ_LOCK_ACQUIRED);
    lock_event(s, thread, times[2], PJ_LOCK, PJ_LOCK_RELEASED);
}

static void a_lock_is_waited_for_until_it_is_given_free(void **state)
{
    (void)state;
    pj_auto_script s = pj_script_new(1, 3);
    level(s, 0, PJ_OMP_PARALLEL, 0, 100);
    take_lock(s, 0, 1, (uint64_t[]){8, 10, 60});
    take_lock(s, 1, 1, (uint64_t[]){30, 62, 81});
    take_lock(s, 2, 2, (uint64_t[]){30, 62, 81}); // another one, which nobody has
    see(s, 100);
    assert_int_equal(lost(s, PJ_OMP_WAIT_omp_lock_contention, 0), 30);
    assert_int_equal(lost(s, PJ_OMP_WAIT_omp_lock_contention, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_wait_for_the_last_at_a_barrier),
        cmocka_unit_test(small_teams_leave_threads_unused),
        cmocka_unit_test(tasks_in_a_barrier_are_no_wait),
        cmocka_unit_test(a_lock_is_waited_for_until_it_is_given_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
