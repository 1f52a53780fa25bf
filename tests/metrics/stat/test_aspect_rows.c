// Which aspects a summary lacks, and which a run in memory has to be read again for.
#include "metrics/base/arena.h"
#include "metrics/run/run.h"
#include "metrics/run/timeline.h"
#include "metrics/run/waits/run_delays.h"
#include "metrics/run/waits/run_waits.h"
#include "metrics/stat/aspect_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const pj_timeline_opts whole = {.last_rank = UINT32_MAX};

static bool lacks(const pj_run *run, unsigned wanted)
{
    return pj_aspects_lack(wanted, run, &whole, false);
}

/// Who made ranks wait is another question than who waited.
static void delays_are_more_than_waits(void **state)
{
    (void)state;
    pj_run *run = pj_run_new("a.prv");
    assert_true(lacks(run, PJ_WANT(waits)) && lacks(run, PJ_WANT(delays)));
    assert_true(pj_aspects_stale(PJ_WANT(waits), run) && pj_aspects_stale(PJ_WANT(delays), run));
    run->waits = pj_new(run->arena, pj_waits);
    assert_false(lacks(run, PJ_WANT(waits)) || pj_aspects_stale(PJ_WANT(waits), run));
    assert_true(lacks(run, PJ_WANT(delays)) && pj_aspects_stale(PJ_WANT(delays), run));
    run->roi.set = true;
    assert_true(pj_aspects_stale(PJ_WANT(delays), run));
    pj_delays *delays = pj_new(run->arena, pj_delays);
    delays->aspects = PJ_WANT(path);
    run->waits = &(pj_waits){.delays = delays};
    assert_false(pj_aspects_stale(PJ_WANT(path), run));
    assert_true(pj_aspects_stale(PJ_WANT(path) | PJ_WANT(ideal_path), run));
    pj_run_release(run);
}

/// What a trace does not hold is not looked for again.
static void only_what_may_be_there_is_read_again(void **state)
{
    (void)state;
    pj_run *run = pj_run_new("a.prv");
    unsigned absent = PJ_WANT(openmp_regions) | PJ_WANT(omp_waits) | PJ_WANT(energy) |
                      PJ_WANT(energy_regions) | PJ_WANT(devices) | PJ_WANT(mpi_use);
    assert_false(pj_aspects_stale(absent, run));
    run->has_openmp = true;
    assert_true(pj_aspects_stale(PJ_WANT(openmp_regions), run));
    assert_true(pj_aspects_stale(PJ_WANT(omp_waits), run));
    run->meters.count = 1;
    assert_true(pj_aspects_stale(PJ_WANT(energy), run));
    assert_true(pj_aspects_stale(PJ_WANT(bursts), run) && pj_aspects_stale(PJ_WANT(tape), run));
    run->energy = (const struct pj_energy *)run;
    assert_false(pj_aspects_stale(PJ_WANT(energy), run));
    run->energy = NULL;
    run->untraced = true; // its file has no more
    assert_false(pj_aspects_stale(~0u, run));
    pj_run_release(run);
}

/// Their account says what the others would.
static void of_ai_runs_the_timeline_alone_is_asked_for(void **state)
{
    (void)state;
    pj_run *run = pj_run_new("a.json");
    unsigned others = PJ_WANT(waits) | PJ_WANT(bursts) | PJ_WANT(energy) | PJ_WANT(tape);
    assert_true(lacks(run, others));
    run->ai = (const struct pj_ai_account *)run;
    assert_false(lacks(run, others));
    assert_true(lacks(run, PJ_WANT(timeline)));
    run->untraced = true;
    assert_true(pj_aspects_stale(PJ_WANT(timeline), run));
    run->ai = NULL;
    pj_run_release(run);
}

static void what_is_wanted_listens(void **state)
{
    (void)state;
    pj_sink sinks[PJ_ASPECT_SINKS];
    for (unsigned key = 0; key < PJ_ASPECT_COUNT; key++) {
        size_t count = pj_aspects_listen(1u << key, &whole, sinks);
        assert_true(count <= PJ_ASPECT_SINKS / PJ_ASPECT_COUNT);
        bool found_elsewhere = pj_aspects_replayed(1u << key) || key == PJ_ASPECT_energy_regions;
        assert_true((count > 0) == !found_elsewhere);
        for (size_t i = 0; i < count; i++)
            sinks[i].close(sinks[i].self);
    }
    assert_int_equal(pj_aspects_listen(0, &whole, sinks), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delays_are_more_than_waits),
        cmocka_unit_test(only_what_may_be_there_is_read_again),
        cmocka_unit_test(of_ai_runs_the_timeline_alone_is_asked_for),
        cmocka_unit_test(what_is_wanted_listens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
