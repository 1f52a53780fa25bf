// Archives in which threads wait for locks and critical sections.
#include "metrics/analyse/load.h"
#include "metrics/run/waits/omp_waits.h"
#include "tests/support/folder.h"
#include "tests/support/trace/otf2_writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { THREADS = 3, PARALLEL = 60000001, FUNCTION = 60000018, LOCK = 60000006, NAME = 60000032 };

static void event(pj_trace_writer *trace, uint32_t thread, uint64_t time, uint32_t type,
                  int64_t value)
{
    pj_trace_writer_event(trace, (pj_place){0, thread}, time, type, value);
}

/// Asked for, taken and given free at these times; `name` 0: no record names it.
static void take_lock(pj_trace_writer *trace, uint32_t thread, int64_t name,
                      const uint64_t times[3])
{
    if (name)
        event(trace, thread, times[0], NAME, name);
    event(trace, thread, times[0], LOCK, 3);
    event(trace, thread, times[1], LOCK, 6);
    event(trace, thread, times[2], LOCK, 0);
}

/// The second thread waits 300 ns for the first one's lock, the third one comes to that of `name`.
static pj_trace_writer *program(int64_t name, int64_t other)
{
    pj_trace_writer *trace =
        pj_trace_writer_new((pj_trace_header){.ranks = 1, .threads_each = THREADS});
    event(trace, 0, 1000, PARALLEL, 3);
    for (uint32_t t = 0; t < THREADS; t++) {
        event(trace, t, 1000, FUNCTION, 1);
        event(trace, t, 5000, FUNCTION, 0);
    }
    take_lock(trace, 0, name, (uint64_t[]){1100, 1150, 1600});
    take_lock(trace, 1, name, (uint64_t[]){1300, 1620, 1900});
    take_lock(trace, 2, other, (uint64_t[]){1700, 1950, 2000});
    event(trace, 0, 5010, PARALLEL, 0);
    return trace;
}

static uint64_t waited_for(const pj_run *run, uint32_t culprit)
{
    uint64_t ns = 0;
    for (size_t i = 0; i < run->omp_waits->count; i++)
        if (run->omp_waits->items[i].pattern == PJ_OMP_WAIT_omp_lock_contention &&
            run->omp_waits->items[i].culprit == culprit)
            ns += run->omp_waits->items[i].ns;
    return ns;
}

static pj_run *load(pj_trace_writer *trace)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_job job = {.workers = 1};
    const char *anchor = folder_file("locks.otf2");
    if (!pj_otf2_writer_save(trace, anchor, (pj_otf2_style){.clock_begin = 0}, &err))
        fail_msg("%s", err.text);
    pj_run *run = pj_load(anchor, (pj_load_opts){.aspects = PJ_WANT(omp_waits)}, &job, &err);
    if (!run)
        fail_msg("%s", err.text);
    pj_otf2_writer_remove(anchor);
    return run;
}

/// Recorders that say nothing of locks: the body of a critical section shows who has it.
static void critical_sections_are_waited_for(void **state)
{
    (void)state;
    pj_auto_trace trace = program(0, 0);
    pj_auto_run run = load(trace);
    assert_int_equal(waited_for(run, 0), 300);
    assert_int_equal(waited_for(run, 1), 200);
}

static void records_say_which_lock_it_is(void **state)
{
    (void)state;
    pj_auto_trace trace = program(7, 7);
    pj_auto_trace apart = program(7, 8);
    pj_auto_run run = load(trace);
    pj_auto_run other = load(apart);
    assert_int_equal(waited_for(run, 0), 300);
    assert_int_equal(waited_for(run, 1), 200);
    assert_int_equal(waited_for(other, 0), 300);
    assert_int_equal(waited_for(other, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(critical_sections_are_waited_for),
        cmocka_unit_test(records_say_which_lock_it_is),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
