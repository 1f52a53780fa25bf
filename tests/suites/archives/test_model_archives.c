// The modelled application as OTF2 archives, written in every style: what they give is what its
// Paraver trace gives, from the totals of each thread to the ideal network.
#include "metrics/analyse/load.h"
#include "metrics/run/regions.h"
#include "tests/support/trace/model_app.h"
#include "tests/support/trace/otf2_writer.h"
#include "tests/support/trace/same_runs.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define ANCHOR PJ_BINARY_DIR "/model_archive.otf2"
#define TRACE PJ_BINARY_DIR "/model_archive.prv"

#define APP                                                                                        \
    .iterations = 4, .work_ns = 8e6, .imbalance = 0.2, .shifting = 0.07, .halo_ns = 21000,         \
    .collective_ns = 8000, .fork_ns = 5000, .join_ns = 3000, .halo_bytes = 40960, .ipc = 1.4,      \
    .ghz = 2.1
#define TEAM .openmp = true, .serial_fraction = 0.07, .thread_imbalance = 0.1

static const pj_model_app apps[] = {
    {APP, .ranks = 1, .threads = 1},
    {APP, .ranks = 5, .threads = 1},
    {APP, .ranks = 3, .threads = 4, TEAM},
    {APP, .ranks = 1, .threads = 6, .no_mpi = true, TEAM},
    {APP, .ranks = 4, .threads = 2, .roi_from = 1, .roi_to = 3, TEAM},
};
enum { APPS = sizeof apps / sizeof *apps, HYBRID = 2 };

static const pj_otf2_style styles[] = {
    {0},
    {.clock_step = 123456789},
    {.ticks_per_ns = 3, .clock_step = 7},
    {.relative = true},
    {.absolute = true},
    {.global_ids = true, .chunk_bytes = 256 * 1024},
};
enum { STYLES = sizeof styles / sizeof *styles };

static pj_run *load(const char *path, pj_load_opts opts, unsigned workers)
{
    pj_err err = {0};
    pj_job job = {.workers = workers};
    pj_run *run = pj_load(path, opts, &job, &err);
    if (!run)
        fail_msg("%s: %s", path, err.text);
    return run;
}

static void write_both(const pj_model_app *app, pj_otf2_style style)
{
    pj_auto_trace trace = pj_model_write(app);
    pj_err err = {0};
    assert_true(pj_trace_writer_save(trace, TRACE, &err));
    if (!pj_otf2_writer_save(trace, ANCHOR, style, &err))
        fail_msg("%s", err.text);
}

/// The archives that are written here have no state before a thread is created, and one for
/// scheduling and synchronisation.
static void same_spent(const pj_totals *a, const pj_totals *b)
{
    for (unsigned k = PJ_SPENT_P2P; k < PJ_SPENT_OTHER; k++)
        assert_int_equal(a->spent_ns[k], b->spent_ns[k]);
    assert_int_equal(a->spent_ns[PJ_SPENT_SYNC] + a->spent_ns[PJ_SPENT_FORK],
                     b->spent_ns[PJ_SPENT_SYNC] + b->spent_ns[PJ_SPENT_FORK]);
}

static void same_totals(const pj_run *prv, const pj_run *otf2)
{
    assert_int_equal(prv->layout.ranks, otf2->layout.ranks);
    assert_int_equal(prv->layout.locations, otf2->layout.locations);
    assert_int_equal(prv->runtime_ns, otf2->runtime_ns);
    for (uint32_t i = 0; i < prv->layout.locations; i++) {
        const pj_totals *a = &prv->totals[i], *b = &otf2->totals[i];
        assert_int_equal(a->useful_ns, b->useful_ns);
        assert_int_equal(a->serial_useful_ns, b->serial_useful_ns);
        assert_int_equal(a->openmp_useful_ns, b->openmp_useful_ns);
        assert_int_equal(a->openmp_ns, b->openmp_ns);
        assert_int_equal(a->outside_mpi_ns, b->outside_mpi_ns);
        assert_int_equal(a->runtime_ns, b->runtime_ns);
        same_spent(a, b);
        for (unsigned c = 0; c < 2; c++)
            assert_int_equal(prv->counters[c].useful[i], otf2->counters[c].useful[i]);
    }
}

static void same_ideal(const pj_run *prv, const pj_run *otf2)
{
    if (!otf2->ideal.available)
        fail_msg("%s", otf2->ideal.reason);
    assert_true(prv->ideal.runtime_ns == otf2->ideal.runtime_ns);
    for (uint32_t r = 0; r < prv->layout.ranks; r++) {
        assert_true(prv->ideal.finish_ns[r] == otf2->ideal.finish_ns[r]);
        assert_true(prv->ideal.compute_ns[r] == otf2->ideal.compute_ns[r]);
    }
}

static void same_regions(const pj_run *prv, const pj_run *otf2)
{
    const pj_regions *a = prv->openmp_regions, *b = otf2->openmp_regions;
    assert_true(!a == !b);
    if (!a)
        return;
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const pj_region_instance *x = &a->instances[i], *y = &b->instances[i];
        assert_int_equal(x->rank, y->rank);
        assert_int_equal(x->start_ns, y->start_ns);
        assert_int_equal(x->end_ns, y->end_ns);
        assert_int_equal(x->total_ns, y->total_ns);
        assert_int_equal(x->max_ns, y->max_ns);
    }
    assert_true(b->function_count > 0 && *b->functions[0].name);
}

/// Time in useful and in collective states; archives have no "Not created".
static void same_timelines(const pj_run *prv, const pj_run *otf2)
{
    const pj_timeline *a = prv->timeline, *b = otf2->timeline;
    assert_int_equal(a->lanes, b->lanes);
    assert_int_equal(a->messages, b->messages);
    for (uint32_t lane = 0; lane < a->lanes; lane++) {
        const uint64_t *x = &a->sums[lane * PJ_TIMELINE_KINDS],
                       *y = &b->sums[lane * PJ_TIMELINE_KINDS];
        assert_int_equal(x[PJ_TIMELINE_running], y[PJ_TIMELINE_running]);
        assert_int_equal(x[PJ_TIMELINE_collective], y[PJ_TIMELINE_collective]);
    }
}

static void same_pictures(unsigned workers)
{
    const pj_timeline_opts timeline = {.last_rank = UINT32_MAX, .rows_most = 560, .columns = 200};
    pj_load_opts opts = {
        .no_replay = true, .aspects = PJ_WANT(openmp_regions), .timeline = &timeline};
    pj_auto_run prv = load(TRACE, opts, 1);
    pj_auto_run otf2 = load(ANCHOR, opts, workers);
    same_regions(prv, otf2);
    same_timelines(prv, otf2);
}

static void check(const pj_model_app *app, pj_otf2_style style)
{
    write_both(app, style);
    pj_auto_run prv = load(TRACE, (pj_load_opts){0}, 1);
    for (unsigned workers = 1; workers <= 3; workers += 2) {
        pj_auto_run otf2 = load(ANCHOR, (pj_load_opts){0}, workers);
        assert_string_equal(otf2->format, "otf2");
        assert_int_equal(otf2->has_mpi, prv->has_mpi);
        assert_int_equal(otf2->has_openmp, prv->has_openmp);
        assert_int_equal(otf2->roi.set, prv->roi.set);
        same_totals(prv, otf2);
        same_ideal(prv, otf2);
        same_pictures(workers);
    }
    pj_auto_run stats = load(ANCHOR, (pj_load_opts){.no_replay = true}, 2);
    same_totals(prv, stats);
    pj_otf2_writer_remove(ANCHOR);
}

static void archives_give_what_traces_give(void **state)
{
    (void)state;
    for (unsigned i = 0; i < APPS; i++)
        check(&apps[i], styles[0]);
}

static void every_style_gives_the_same(void **state)
{
    (void)state;
    for (unsigned i = 1; i < STYLES; i++)
        check(&apps[HYBRID], styles[i]);
}

static void import_is_clean(void **state)
{
    (void)state;
    write_both(&apps[HYBRID], styles[1]);
    pj_auto_run run = load(ANCHOR, (pj_load_opts){0}, 1);
    for (unsigned k = 0; k < PJ_IMPORT_COUNT; k++)
        if (run->import.count[k])
            fail_msg("%s: %llu", pj_import_at(k)->key, (unsigned long long)run->import.count[k]);
    pj_otf2_writer_remove(ANCHOR);
}

/// A location with most of the events is read by two threads.
static void one_large_location_gives_the_same(void **state)
{
    (void)state;
    pj_model_app app = {APP, .ranks = 1, .threads = 1, .no_mpi = true, TEAM};
    app.iterations = 9000;
    pj_auto_trace trace = pj_model_write(&app);
    pj_err err = {0};
    if (!pj_otf2_writer_save(trace, ANCHOR, (pj_otf2_style){.chunk_bytes = 256 * 1024}, &err))
        fail_msg("%s", err.text);
    struct stat facts;
    assert_int_equal(stat(PJ_BINARY_DIR "/model_archive/0.evt", &facts), 0);
    assert_true(facts.st_size > 1 << 20); // that much is worth a second thread
    for (unsigned stats = 0; stats < 2; stats++) {
        pj_load_opts opts = {.no_replay = stats};
        pj_auto_run one = load(ANCHOR, opts, 1);
        pj_auto_run two = load(ANCHOR, opts, 2);
        pj_auto_run many = load(ANCHOR, opts, 5);
        same_runs(one, two);
        same_runs(one, many);
    }
    pj_otf2_writer_remove(ANCHOR);
}

static bool has_remark(const pj_run *run, const char *part)
{
    for (size_t i = 0; i < run->remarks.count; i++)
        if (strstr(run->remarks.items[i].text, part))
            return true;
    return false;
}

/// Clocks without offsets are repaired from messages and collectives: what a thread does keeps its
/// length, and the run its runtime up to what the messages leave open.
static void clocks_are_repaired(void **state)
{
    (void)state;
    write_both(&apps[HYBRID], (pj_otf2_style){.clock_step = 500000000, .no_offsets = true});
    pj_auto_run prv = load(TRACE, (pj_load_opts){0}, 1);
    pj_auto_run repaired = load(ANCHOR, (pj_load_opts){0}, 2);
    pj_auto_run raw = load(ANCHOR, (pj_load_opts){.raw_clock = true}, 1);
    assert_true(has_remark(repaired, "clocks repaired"));
    assert_true(has_remark(repaired, "after it 0 and 0"));
    assert_true(has_remark(raw, "the clocks contradict"));
    for (uint32_t i = 0; i < prv->layout.locations; i++)
        assert_int_equal(prv->totals[i].useful_ns, repaired->totals[i].useful_ns);
    const uint64_t open = 100000; // ns
    assert_in_range(repaired->runtime_ns, prv->runtime_ns - open, prv->runtime_ns + open);
    assert_true(raw->runtime_ns > prv->runtime_ns + 500000000);
    assert_true(repaired->ideal.available);
    assert_in_range((uint64_t)repaired->ideal.runtime_ns, (uint64_t)prv->ideal.runtime_ns - open,
                    (uint64_t)prv->ideal.runtime_ns + open);
    assert_false(has_remark(repaired, "clocks drift"));
    pj_otf2_writer_remove(ANCHOR);
}

static void is_about(double wanted, double got, double relative)
{
    if (fabs(got - wanted) > relative * wanted)
        fail_msg("%.0f, not %.0f", got, wanted);
}

static const pj_model_app lasting = {.iterations = 9,
                                     .work_ns = 3e8,
                                     .imbalance = 1e-5,
                                     .halo_ns = 21000,
                                     .collective_ns = 8000,
                                     .halo_bytes = 40960,
                                     .ipc = 1.4,
                                     .ghz = 2.1,
                                     .ranks = 4,
                                     .threads = 1};

/// Clocks that drift by much more than a message takes: what a thread does has its length up to the
/// drift that the messages leave open.
static void drift_is_repaired(void **state)
{
    (void)state;
    static const pj_otf2_style drifting[] = {
        {.clock_drift = 60000},
        {.clock_drift = -70000, .ticks_per_ns = 3, .clock_step = 800000000, .no_offsets = true},
        {.clock_drift = 3000000, .clock_step = 500000000, .eztrace = true, .no_offsets = true},
    };
    for (size_t i = 0; i < sizeof drifting / sizeof *drifting; i++) {
        write_both(&lasting, drifting[i]);
        pj_auto_run prv = load(TRACE, (pj_load_opts){0}, 1);
        pj_auto_run run = load(ANCHOR, (pj_load_opts){0}, 1);
        pj_auto_run raw = load(ANCHOR, (pj_load_opts){.raw_clock = true}, 2);
        assert_true(has_remark(run, "after it 0 and 0"));
        assert_true(has_remark(run, "those of 3 of 4 ranks were stretched"));
        assert_true(has_remark(raw, "the clocks contradict"));
        const double open = 2e-5; // two messages in the time of the run
        for (uint32_t l = 0; l < prv->layout.locations; l++)
            is_about((double)prv->totals[l].useful_ns, (double)run->totals[l].useful_ns, open);
        is_about((double)prv->runtime_ns, (double)run->runtime_ns, open);
        is_about(prv->ideal.runtime_ns, run->ideal.runtime_ns, open);
        pj_auto_run three = load(ANCHOR, (pj_load_opts){0}, 3);
        same_totals(run, three);
        same_ideal(run, three);
        pj_otf2_writer_remove(ANCHOR);
    }
}

/// eztrace: regions say by their names what they are, and no receive is completed.
static void missing_completions_are_inferred(void **state)
{
    (void)state;
    pj_model_app app = apps[1];
    write_both(&app, (pj_otf2_style){.eztrace = true});
    pj_auto_run prv = load(TRACE, (pj_load_opts){0}, 1);
    pj_auto_run run = load(ANCHOR, (pj_load_opts){0}, 3);
    const uint64_t messages = 2 * (app.ranks - 1) * app.iterations;
    assert_int_equal(run->import.count[PJ_IMPORT_receive_inferred], messages);
    assert_int_equal(run->import.count[PJ_IMPORT_message_not_received], 0);
    same_totals(prv, run);
    same_ideal(prv, run);
    pj_otf2_writer_remove(ANCHOR);
}

/// Collectives leave more of the clocks open than a message takes: who sent what is known by
/// number, and says the rest.
static void receives_are_counted(void **state)
{
    (void)state;
    pj_model_app app = lasting;
    app.ranks = 5;
    app.halo_ns = 2000;
    app.collective_ns = 200000;
    write_both(&app, (pj_otf2_style){.eztrace = true, .clock_step = 150000, .no_offsets = true});
    pj_auto_run prv = load(TRACE, (pj_load_opts){0}, 1);
    pj_auto_run run = load(ANCHOR, (pj_load_opts){0}, 1);
    pj_auto_run three = load(ANCHOR, (pj_load_opts){0}, 3);
    pj_auto_run stats = load(ANCHOR, (pj_load_opts){.no_replay = true}, 2);
    const uint64_t messages = 2 * (app.ranks - 1) * app.iterations;
    assert_int_equal(run->import.count[PJ_IMPORT_receive_inferred], messages);
    assert_int_equal(run->import.count[PJ_IMPORT_message_not_received], 0);
    assert_true(has_remark(run, "after it 0 and 0"));
    for (uint32_t i = 0; i < prv->layout.locations; i++)
        assert_int_equal(prv->totals[i].useful_ns, run->totals[i].useful_ns);
    is_about(prv->ideal.runtime_ns, run->ideal.runtime_ns, 1e-3);
    same_totals(run, three);
    same_ideal(run, three);
    same_totals(run, stats);
    pj_otf2_writer_remove(ANCHOR);
}

static void teams_are_known_by_name(void **state)
{
    (void)state;
    check(&apps[3], (pj_otf2_style){.eztrace = true});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(archives_give_what_traces_give),
        cmocka_unit_test(every_style_gives_the_same),
        cmocka_unit_test(import_is_clean),
        cmocka_unit_test(one_large_location_gives_the_same),
        cmocka_unit_test(clocks_are_repaired),
        cmocka_unit_test(drift_is_repaired),
        cmocka_unit_test(missing_completions_are_inferred),
        cmocka_unit_test(receives_are_counted),
        cmocka_unit_test(teams_are_known_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
