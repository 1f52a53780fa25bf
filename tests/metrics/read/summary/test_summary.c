// Summaries: nothing that a metric needs is lost, they stay small, and what is no summary of this
// version is refused. version_1.json, written by the first release, must be read for ever.
#include "metrics/read/summary/summary.h"

#include "metrics/base/buf.h"
#include "metrics/read/pass.h"
#include "metrics/read/read.h"
#include "metrics/run/mpi_use.h"
#include "metrics/run/regions.h"
#include "metrics/run/sums.h"
#include "metrics/run/timeline.h"
#include "metrics/run/waits/omp_waits.h"
#include "tests/support/made_run.h"
#include "tests/support/packed.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define GOLDEN PJ_SOURCE_DIR "/tests/golden/summary_1.json"

static const pj_provenance origin = {.source = "made.prv",
                                     .format = "prv",
                                     .options = "roi auto, roi-cut clip, clock repair",
                                     .program = "0.1.0",
                                     .fingerprint = 0xfedcba9876543210,
                                     .names = 7,
                                     .bytes = 1234567,
                                     .text_bytes = 7654321};

static uint64_t noise(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/// A run in which no two threads are alike.
static pj_run *noisy_run(uint32_t ranks, uint32_t threads)
{
    pj_run *run = made_run_even("made.prv", ranks, threads);
    uint64_t seed = 1, spent_seed = 2;
    for (uint32_t i = 0; i < run->layout.locations; i++) {
        pj_totals *t = &run->totals[i];
        for (size_t k = 0; k < PJ_SPENT_DEVICE; k++)
            t->spent_ns[k] = noise(&spent_seed);
        t->serial_useful_ns = noise(&seed);
        t->openmp_useful_ns = noise(&seed);
        t->useful_ns = t->serial_useful_ns + t->openmp_useful_ns;
        t->openmp_ns = t->openmp_useful_ns + noise(&seed);
        t->runtime_ns = UINT64_C(10000000000) + noise(&seed);
        t->outside_mpi_ns = t->runtime_ns - noise(&seed);
        made_run_count(run, i, (int64_t)noise(&seed) * 3, (int64_t)noise(&seed) * 2);
    }
    made_run_close(run);
    run->ideal = (pj_ideal){.available = true,
                            .runtime_ns = 9999999999.25,
                            .finish_ns = pj_new_n(run->arena, double, ranks),
                            .first_ns = pj_new_n(run->arena, double, ranks),
                            .ahead_ns = pj_new_n(run->arena, double, ranks),
                            .compute_ns = pj_new_n(run->arena, double, ranks)};
    for (uint32_t r = 0; r < ranks; r++) {
        run->ideal.finish_ns[r] = (double)(noise(&seed) + r);
        run->ideal.first_ns[r] = run->ideal.finish_ns[r] - (double)(ranks - r);
        run->ideal.ahead_ns[r] = 3.0 * r;
    }
    run->import.count[PJ_IMPORT_malformed_record] = 3;
    run->import.first_line[PJ_IMPORT_malformed_record] = 77;
    pj_run_remark(run, PJ_WARNING, "made", "a remark with \"quotes\" and \xff");
    return run;
}

static void add_regions(pj_run *run, uint32_t each)
{
    pj_regions *regions = pj_new(run->arena, pj_regions);
    pj_region_instance *items =
        pj_new_n(run->arena, pj_region_instance, (size_t)each * run->layout.ranks);
    regions->functions = pj_new_n(run->arena, pj_region_sum, 2);
    regions->locations = pj_new_n(run->arena, pj_region_sum, 1);
    regions->functions[0].name = "solve";
    regions->functions[1].name = "update";
    regions->locations[0].name = "12 (solve.c)";
    regions->function_count = 2;
    regions->location_count = 1;
    for (uint32_t r = 0; r < run->layout.ranks; r++)
        for (uint32_t i = 0; i < each; i++) {
            pj_region_instance *one = &items[regions->count++];
            *one = (pj_region_instance){.start_ns = 1000 * (uint64_t)i + r,
                                        .end_ns = 1000 * (uint64_t)i + r + 700,
                                        .total_ns = 1000 + i,
                                        .max_ns = 600,
                                        .rank = r,
                                        .threads = 3,
                                        .function = i % 2};
            pj_region_sum_add(&regions->functions[i % 2], one);
            pj_region_sum_add(&regions->locations[0], one);
        }
    regions->instances = items;
    run->openmp_regions = regions;
}

static pj_timeline *add_timeline(pj_run *run)
{
    pj_timeline *timeline = pj_new(run->arena, pj_timeline);
    *timeline = (pj_timeline){.to_ns = 4000,
                              .threads = run->layout.locations,
                              .lanes = run->layout.locations,
                              .columns = 4};
    timeline->rows = timeline->lanes < 32 ? timeline->lanes : 32;
    timeline->column_ns = 1000;
    size_t size = (size_t)timeline->rows * timeline->columns * PJ_TIMELINE_KINDS;
    timeline->time = pj_new_n(run->arena, float, size);
    timeline->sums = pj_new_n(run->arena, uint64_t, (size_t)timeline->lanes * PJ_TIMELINE_KINDS);
    for (size_t i = 0; i < size; i++)
        timeline->time[i] = (float)(i % 5) * 50;
    for (uint32_t i = 0; i < timeline->lanes; i++)
        timeline->sums[i * PJ_TIMELINE_KINDS] = i;
    timeline->messages = 5;
    run->timeline = timeline;
    return timeline;
}

/// As many pixels as a summary may have, none like its neighbours.
static void add_busy_timeline(pj_run *run)
{
    enum { COLUMNS = 128 };
    uint64_t seed = 3;
    pj_timeline *timeline = add_timeline(run);
    timeline->columns = COLUMNS;
    timeline->column_ns = 4000.0 / COLUMNS;
    size_t size = (size_t)timeline->rows * COLUMNS * PJ_TIMELINE_KINDS;
    timeline->time = pj_new_n(run->arena, float, size);
    for (size_t i = 0; i < size; i++)
        timeline->time[i] = (float)(noise(&seed) % 1000) / 1000 * (float)timeline->column_ns;
}

/// A path in an own folder, which the next call takes again.
static const char *scratch(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/pj_summary_%d.popinjay.json.gz", (int)getpid());
    return path;
}

static pj_run *read_file(const char *path, pj_err *err)
{
    pj_job job = {.workers = 1};
    pj_auto_run run = pj_run_new(path);
    pj_pass pass = {.run = run, .job = &job};
    return pj_read_file(path, &pass, err) ? pj_run_hold(run) : NULL;
}

static pj_run *read_text(pj_str text, pj_err *err)
{
    pj_job job = {.workers = 1};
    pj_auto_run run = pj_run_new("text.popinjay.json.gz");
    pj_pass pass = {.run = run, .job = &job};
    return pj_read_memory("text.popinjay.json.gz", text, &pass, err) ? pj_run_hold(run) : NULL;
}

/// Writes and reads a run; `bytes` is the size of the file.
static pj_run *there_and_back(const pj_run *run, uint64_t *bytes)
{
    pj_err err = {0};
    assert_true(pj_summary_write(run, &origin, scratch(), bytes, &err));
    pj_run *back = read_file(scratch(), &err);
    if (!back)
        fail_msg("%s", err.text);
    unlink(scratch());
    return back;
}

static void text_of(const pj_run *run, pj_buf *out)
{
    assert_true(pj_summary_write(run, &origin, scratch(), NULL, NULL));
    packed_read(out, scratch());
    unlink(scratch());
}

/// Summaries of earlier versions lack the sums of other conventions, runs made here some of them.
static bool is_untold(size_t sum, double a, double b)
{
    return sum * sizeof(double) >= offsetof(pj_sums, mpi_sum) && (isnan(a) || isnan(b));
}

static void same_sums(const pj_run *a, const pj_run *b)
{
    pj_sums x = pj_sums_of(a), y = pj_sums_of(b);
    const double *of_x = (const double *)&x, *of_y = (const double *)&y;
    for (size_t i = 0; i < sizeof x / sizeof *of_x; i++)
        assert_true(of_x[i] == of_y[i] || is_untold(i, of_x[i], of_y[i]));
    assert_true(a->ideal.runtime_ns == b->ideal.runtime_ns);
    assert_int_equal(a->runtime_ns, b->runtime_ns);
    assert_int_equal(a->end_ns, b->end_ns);
    assert_memory_equal(&a->import, &b->import, sizeof a->import);
    assert_int_equal(a->layout.ranks, b->layout.ranks);
    assert_int_equal(a->layout.locations, b->layout.locations);
    assert_memory_equal(a->layout.rank_of, b->layout.rank_of,
                        a->layout.locations * sizeof *a->layout.rank_of);
}

static void add_device_calls(pj_run *run)
{
    uint64_t seed = 3;
    for (uint32_t i = 0; i < run->layout.locations; i++) {
        run->totals[i].spent_ns[PJ_SPENT_DEVICE] = noise(&seed);
        run->totals[i].device_calls_ns = run->totals[i].spent_ns[PJ_SPENT_DEVICE] + noise(&seed);
    }
}

static void few_threads_are_kept_exactly(void **state)
{
    (void)state;
    pj_auto_run run = noisy_run(5, 3);
    add_device_calls(run);
    add_regions(run, 10);
    add_timeline(run);
    run->tag = "before";
    const char *names[] = {"host1", "host2"}, *program = "code.x";
    run->layout.node_name = names;
    run->layout.node_names = 2;
    run->layout.application_name = &program;
    run->roi = (pj_roi){.set = true, .from_ns = 5, .to_ns = 500, .cut_bursts = 2};
    uint64_t bytes;
    pj_auto_run back = there_and_back(run, &bytes);
    assert_true(bytes < 5000);
    same_sums(run, back);
    assert_memory_equal(run->totals, back->totals, 15 * sizeof *run->totals);
    for (unsigned c = 0; c < 2; c++)
        assert_memory_equal(run->counters[c].useful, back->counters[c].useful,
                            15 * sizeof(int64_t));
    assert_memory_equal(run->ideal.finish_ns, back->ideal.finish_ns, 5 * sizeof(double));
    assert_memory_equal(run->ideal.first_ns, back->ideal.first_ns, 5 * sizeof(double));
    assert_memory_equal(run->ideal.ahead_ns, back->ideal.ahead_ns, 5 * sizeof(double));
    assert_memory_equal(&run->roi, &back->roi, sizeof run->roi);
    assert_string_equal(back->tag, "before");
    assert_int_equal(back->layout.node_names, 2);
    assert_string_equal(back->layout.node_name[1], "host2");
    assert_string_equal(back->layout.application_name[0], "code.x");
    assert_string_equal(back->format, "summary");
    assert_string_equal(back->remarks.items[0].text, "a remark with \"quotes\" and ?");
    assert_int_equal(back->remarks.items[0].severity, PJ_WARNING);
    assert_int_equal(back->remarks.count, 1);
    assert_false(back->provenance->rounded);
    assert_string_equal(back->provenance->source, "made.prv");
    assert_true(back->provenance->fingerprint == origin.fingerprint);
    assert_int_equal(back->provenance->names, 7);
    assert_int_equal(back->provenance->text_bytes, 7654321);
}

static void regions_and_time_course_are_kept(void **state)
{
    (void)state;
    pj_auto_run run = noisy_run(4, 2);
    add_regions(run, 10);
    add_timeline(run);
    pj_auto_run back = there_and_back(run, NULL);
    const pj_regions *a = run->openmp_regions, *b = back->openmp_regions;
    assert_int_equal(b->count, 40);
    assert_int_equal(b->left_out, 0);
    assert_memory_equal(a->instances, b->instances, 40 * sizeof *a->instances);
    assert_string_equal(b->functions[1].name, "update");
    assert_true(a->functions[1].weighted_mean == b->functions[1].weighted_mean);
    assert_true(a->locations[0].delay_ns == b->locations[0].delay_ns);
    assert_int_equal(back->timeline->rows, run->timeline->rows);
    assert_int_equal(back->timeline->messages, 5);
    assert_int_equal(back->timeline->sums[3 * PJ_TIMELINE_KINDS], 3);
    for (size_t i = 0; i < PJ_TIMELINE_KINDS; i++) // a thousandth of a pixel is lost
        assert_true(back->timeline->time[i] - run->timeline->time[i] < 1 &&
                    run->timeline->time[i] - back->timeline->time[i] < 1);
}

static void what_threads_waited_for_is_kept(void **state)
{
    (void)state;
    pj_auto_run run = noisy_run(4, 2);
    pj_omp_wait items[] = {{1, 3, PJ_OMP_WAIT_omp_barrier_wait, 5, UINT64_C(1) << 60, 7, 8},
                           {3, PJ_NO_THREAD, PJ_OMP_WAIT_omp_idle_threads, 1, 9, 9, 0}};
    pj_omp_waits waits = {items, 2};
    run->omp_waits = &waits;
    pj_auto_run back = there_and_back(run, NULL);
    assert_int_equal(back->omp_waits->count, 2);
    for (size_t i = 0; i < 2; i++) {
        const pj_omp_wait *a = &items[i], *b = &back->omp_waits->items[i];
        assert_int_equal(pj_omp_wait_order(a, b), 0);
        assert_int_equal(a->instances, b->instances);
        assert_int_equal(a->ns, b->ns);
        assert_int_equal(a->longest_ns, b->longest_ns);
        assert_int_equal(a->longest_at_ns, b->longest_at_ns);
    }
    waits.count = 0; // threads that wait for nothing are known to do so
    pj_auto_run none = there_and_back(run, NULL);
    assert_non_null(none->omp_waits);
    items[0].culprit = 8; // a thread that is not there
    waits.count = 1;
    assert_true(pj_summary_write(run, &origin, scratch(), NULL, NULL));
    pj_err err = {0};
    assert_null(read_file(scratch(), &err));
    assert_non_null(strstr(err.text, "waits of threads"));
    unlink(scratch());
}

static void what_was_done_in_mpi_is_kept(void **state)
{
    (void)state;
    pj_auto_run run = noisy_run(4, 2);
    pj_mpi_sum sums[] = {{"MPI_Wait", PJ_MPI_P2P, 1, UINT64_C(1) << 60, 3, 4, 3},
                         {"unknown MPI call", PJ_MPI_IO, 5, 6, 7, 8, 0}};
    const pj_mpi_use use = {sums, 2, 9, 10, 11, UINT64_MAX, 13, 14};
    run->mpi_use = &use;
    pj_auto_run back = there_and_back(run, NULL);
    const pj_mpi_use *b = back->mpi_use;
    assert_int_equal(b->count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(b->sums[i].name, sums[i].name);
        assert_int_equal(b->sums[i].class_, sums[i].class_);
        assert_int_equal(b->sums[i].calls, sums[i].calls);
        assert_int_equal(b->sums[i].time_ns, sums[i].time_ns);
        assert_int_equal(b->sums[i].bytes, sums[i].bytes);
        assert_int_equal(b->sums[i].longest_ns, sums[i].longest_ns);
        assert_int_equal(b->sums[i].rank, sums[i].rank);
    }
    assert_int_equal(b->messages, 9);
    assert_int_equal(b->bytes, 10);
    assert_int_equal(b->begun_ns, 11);
    assert_true(b->ended_ns == UINT64_MAX);
    assert_int_equal(b->input_ns, 13);
    assert_int_equal(b->input_end_ns, 14);
    sums[1].rank = 4; // a rank that is not there
    run->mpi_use = &use;
    assert_true(pj_summary_write(run, &origin, scratch(), NULL, NULL));
    pj_err err = {0};
    assert_null(read_file(scratch(), &err));
    assert_non_null(strstr(err.text, "what it did in MPI"));
    unlink(scratch());
}

static void more_instances_than_fit_are_left_out(void **state)
{
    (void)state;
    pj_auto_run run = noisy_run(8, 1);
    add_regions(run, 4000);
    pj_auto_run back = there_and_back(run, NULL);
    assert_int_equal(back->openmp_regions->count, 0);
    assert_int_equal(back->openmp_regions->left_out, 32000);
    assert_int_equal(back->openmp_regions->functions[0].instances, 16000);
}

/// Sizes from one thread to as many as the largest machines have.
static void every_size_fits(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1}, {1, 20000}, {100000, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        pj_auto_run run = noisy_run(sizes[i][0], sizes[i][1]);
        uint64_t bytes;
        add_busy_timeline(run);
        pj_auto_run back = there_and_back(run, &bytes);
        assert_non_null(back->timeline);
        assert_int_equal(back->timeline->rows, run->timeline->rows);
        assert_int_equal(back->timeline->columns, 128);
        print_message("%u x %u threads: %llu bytes\n", sizes[i][0], sizes[i][1],
                      (unsigned long long)bytes);
        assert_true(bytes < 100000);
        same_sums(run, back);
        assert_int_equal(back->provenance->rounded, sizes[i][0] * sizes[i][1] > 1000);
    }
}

static void a_thousand_threads_are_exact(void **state)
{
    (void)state;
    pj_auto_run run = noisy_run(500, 2);
    pj_auto_run back = there_and_back(run, NULL);
    assert_false(back->provenance->rounded);
    assert_memory_equal(run->totals, back->totals, 1000 * sizeof *run->totals);
}

/// 2 % of the largest value; a rank's first thread is never mixed with the others.
static void rounded_values_are_near_and_said_so(void **state)
{
    (void)state;
    pj_auto_run run = made_run_even("made.prv", 2500, 8);
    uint64_t seed = 4;
    for (uint32_t i = 0; i < run->layout.locations; i++) {
        run->totals[i].useful_ns = (i % 8 ? 1000000 : 9000000) + i;
        run->totals[i].runtime_ns = 20000000 + noise(&seed) % 1000;
    }
    made_run_close(run);
    pj_auto_run back = there_and_back(run, NULL);
    same_sums(run, back);
    for (uint32_t i = 0; i < run->layout.locations; i++) {
        double a = (double)run->totals[i].useful_ns, b = (double)back->totals[i].useful_ns;
        assert_true(a - b < 180000 && b - a < 180000);
    }
    if (back->provenance->rounded)
        assert_non_null(strstr(back->remarks.items[0].text, "rounded"));
}

static void equal_runs_give_equal_bytes(void **state)
{
    (void)state;
    pj_auto_run one = noisy_run(40, 2);
    pj_auto_run two = noisy_run(40, 2);
    pj_auto_buf a = {0}, b = {0};
    text_of(one, &a);
    text_of(two, &b);
    assert_true(pj_str_equal(pj_buf_str(&a), pj_buf_str(&b)));
}

static void a_run_without_replay_says_why(void **state)
{
    (void)state;
    pj_auto_run run = made_run_even("made.prv", 2, 1);
    run->ideal.reason = "the trace has no MPI";
    pj_auto_run back = there_and_back(run, NULL);
    assert_false(back->ideal.available);
    assert_string_equal(back->ideal.reason, "the trace has no MPI");
    assert_false(back->counters[0].present);
}

static pj_run *golden_run(void)
{
    pj_run *run = noisy_run(2, 2);
    add_regions(run, 3);
    add_timeline(run);
    run->roi = (pj_roi){.set = true, .from_ns = 5, .to_ns = 500};
    return run;
}

static bool has_remark(const pj_run *run, const char *part)
{
    for (size_t i = 0; i < run->remarks.count; i++)
        if (strstr(run->remarks.items[i].text, part))
            return true;
    return false;
}

/// The file of version 1 is never written anew: it stands for what users have.
static void version_1_is_read(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_run run = golden_run();
    pj_auto_run back = read_file(GOLDEN, &err);
    if (!back)
        fail_msg("%s", err.text);
    same_sums(run, back);
    assert_int_equal(back->provenance->version, 1);
    assert_int_equal(back->remarks.count, run->remarks.count + 1);
    assert_true(has_remark(back, "written by popinjay"));
    assert_true(back->spent_unknown);
    for (uint32_t i = 0; i < 4; i++)
        memset(run->totals[i].spent_ns, 0, sizeof run->totals[i].spent_ns);
    assert_memory_equal(run->totals, back->totals, 4 * sizeof *run->totals);
    assert_memory_equal(run->openmp_regions->instances, back->openmp_regions->instances,
                        6 * sizeof *run->openmp_regions->instances);
    assert_int_equal(back->timeline->messages, 5);
}

static void replace(pj_buf *out, pj_str text, const char *what, const char *with)
{
    const char *at = strstr(text.at, what);
    assert_non_null(at);
    out->len = 0;
    pj_buf_add(out, pj_str_head(text, (size_t)(at - text.at)));
    pj_buf_puts(out, with);
    pj_buf_puts(out, at + strlen(what));
}

static void refused(pj_str text, const char *what, const char *with, const char *says)
{
    pj_auto_buf bad = {0};
    pj_err err = {0};
    replace(&bad, text, what, with);
    pj_auto_run run = read_text(pj_buf_str(&bad), &err);
    if (run)
        fail_msg("%s is read as %s", what, with);
    assert_int_equal(err.code, PJ_E_FORMAT);
    if (!strstr(err.text, says))
        fail_msg("%s: %s", with, err.text);
}

static void absurd_summaries_are_refused(void **state)
{
    (void)state;
    pj_auto_run run = golden_run();
    pj_auto_buf good = {0};
    text_of(run, &good);
    pj_str text = pj_buf_str(&good);
    refused(text, "\"popinjay_summary\": 3", "\"popinjay_summary\": 4", "version 4, written by");
    refused(text, "\"popinjay_summary\": 3", "\"popinjay_summary\": \"x\"", "no version");
    refused(text, "\"source\"", "\"sauce\"", "what it was made from");
    refused(text, "\"run\"", "\"ran\"", "does not describe");
    refused(text, "\"threads_of_ranks\": [\n   [\n    2,", "\"threads_of_ranks\": [\n   [\n    -2,",
            "ranks");
    refused(text, "\"threads_of_ranks\": [\n   [\n    2,",
            "\"threads_of_ranks\": [\n   [\n    20000000000,", "ranks");
    refused(text, "\"threads_of_ranks\": [\n   [\n    2,\n    2",
            "\"threads_of_ranks\": [\n   [\n    2,\n    16777216", "threads");
    refused(text, "\"applications\": 1", "\"applications\": 0", "threads");
    refused(text, "\"ranks_each\": 1", "\"ranks_each\": 0", "sizes");
    refused(text, "\"step\": 1", "\"step\": 0", "do not fit");
    refused(text, "\"step\": 1", "\"step\": 9000000000000000000", "do not fit");
    refused(text, "\"numbers\": \"", "\"numbers\": \"7 ", "do not fit");
    refused(text, "\"columns\": 4", "\"columns\": 4000000000", "over time");
    refused(text, "\"rows\": 4", "\"rows\": 5", "over time");
}

static void damage_is_refused_or_harmless(void **state)
{
    (void)state;
    pj_auto_run run = golden_run();
    pj_auto_buf good = {0}, bad = {0};
    text_of(run, &good);
    uint64_t seed = 9;
    for (size_t n = 0; n < good.len - 3; n += 7) { // the last bytes may be white space
        pj_err err = {0};
        pj_auto_run cut = read_text(pj_str_head(pj_buf_str(&good), n), &err);
        assert_null(cut);
        assert_int_equal(err.code, PJ_E_FORMAT);
    }
    for (unsigned round = 0; round < 500; round++) {
        bad.len = 0;
        pj_buf_add(&bad, pj_buf_str(&good));
        for (unsigned i = 0; i < 3; i++)
            bad.at[noise(&seed) % bad.len] = "0123456789-[]{}\","[noise(&seed) % 17];
        pj_err err = {0};
        pj_auto_run read = read_text(pj_buf_str(&bad), &err);
        assert_true(read || (err.code && err.text[0]));
    }
}

static void an_unwritable_place_is_said(void **state)
{
    (void)state;
    pj_auto_run run = noisy_run(1, 1);
    pj_err err = {0};
    assert_false(pj_summary_write(run, &origin, "/proc/none/x.json.gz", NULL, &err));
    assert_int_equal(err.code, PJ_E_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_threads_are_kept_exactly),
        cmocka_unit_test(regions_and_time_course_are_kept),
        cmocka_unit_test(what_threads_waited_for_is_kept),
        cmocka_unit_test(what_was_done_in_mpi_is_kept),
        cmocka_unit_test(more_instances_than_fit_are_left_out),
        cmocka_unit_test(every_size_fits),
        cmocka_unit_test(a_thousand_threads_are_exact),
        cmocka_unit_test(rounded_values_are_near_and_said_so),
        cmocka_unit_test(equal_runs_give_equal_bytes),
        cmocka_unit_test(a_run_without_replay_says_why),
        cmocka_unit_test(version_1_is_read),
        cmocka_unit_test(absurd_summaries_are_refused),
        cmocka_unit_test(damage_is_refused_or_harmless),
        cmocka_unit_test(an_unwritable_place_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
