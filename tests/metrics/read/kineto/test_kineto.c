// Traces of PyTorch's profiler: runs of one to three ranks computed by hand.
#include "metrics/analyse/load.h"
#include "metrics/analyse/summarise.h"
#include "metrics/analyse/trace_files.h"
#include "metrics/analyse/trace_look.h"
#include "metrics/base/buf.h"
#include "metrics/base/file.h"
#include "metrics/pop/metrics.h"
#include "metrics/run/ai_account.h"
#include "metrics/run/devices.h"
#include "metrics/run/parts/functions.h"
#include "metrics/run/sums.h"
#include "metrics/run/timeline.h"
#include "metrics/run/timeline_table.h"
#include "metrics/trace/roi.h"
#include "tests/support/kineto_text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CASES PJ_SOURCE_DIR "/tests/golden/kineto/"

/// Of one device, in us.
typedef struct wanted {
    uint64_t useful, transfer, copies, unsplit, wait;
    uint64_t idle[PJ_AI_IDLE_CAUSES];
} wanted;

typedef struct hand {
    const char *path;
    uint64_t runtime; // us
    wanted devices[3];
    unsigned count;
    double parallel, balance, serialisation, transfer, orchestration;
} hand;

#define HOST(...) .idle = {__VA_ARGS__}
#define AT(cause) [PJ_AI_IDLE_##cause]

static const hand hands[] = {
    {"e1/rank0.json",
     100,
     {{.useful = 85, HOST(AT(host) = 3, AT(launch) = 3, AT(launch_latency) = 4, AT(queued) = 5)}},
     1,
     .85,
     1,
     1,
     1,
     .85},
    {"e2/rank{0,1}.json",
     100,
     {{.useful = 80, .transfer = 20}, {.useful = 40, .transfer = 20, .wait = 40}},
     2,
     .6,
     .75,
     1,
     .8,
     1},
    {"e3/rank{0,1}.json",
     130,
     {{.useful = 80, .transfer = 10, .wait = 40}, {.useful = 80, .transfer = 10, .wait = 40}},
     2,
     80 / 130.,
     1,
     80 / 120.,
     120 / 130.,
     1},
    {"e4/rank{0,1}.json",
     100,
     {{.useful = 90, .transfer = 10}, {.useful = 80, .transfer = 20}},
     2,
     .85,
     85 / 90.,
     1,
     .9,
     1},
    {"e5/rank{0,1}.json",
     100,
     {{.useful = 20, .transfer = 30, .copies = 20, .wait = 30}, {.useful = 70, .transfer = 30}},
     2,
     .45,
     45 / 70.,
     1,
     .7,
     1},
    {"e6/rank{0,1}.json",
     100,
     {{.useful = 20, .transfer = 40, .wait = 40}, {.useful = 60, .transfer = 40}},
     2,
     .4,
     40 / 60.,
     1,
     .6,
     1},
    {"e7/rank{0,1}.json",
     130,
     {{.useful = 60, .transfer = 20, .wait = 50}, {.useful = 60, .transfer = 20, .wait = 50}},
     2,
     60 / 130.,
     1,
     60 / 110.,
     110 / 130.,
     1},
    {"e8/rank{0,1}.json",
     100,
     {{.useful = 80, .transfer = 20}, {.useful = 40, .transfer = 20, .wait = 40}},
     2,
     .6,
     .75,
     1,
     .8,
     1},
    {"e9/rank{1,0}.json",
     100,
     {{.useful = 25, .transfer = 20, .wait = 50, HOST(AT(queued) = 5)},
      {.useful = 28,
       .transfer = 20,
       HOST(AT(synchronise) = 4, AT(data_loading) = 36, AT(host) = 5, AT(launch) = 3,
            AT(launch_latency) = 4)}},
     2,
     .265,
     26.5 / 28,
     28 / 75.,
     75 / 95.,
     .95},
    {"e10/rank0.json", 100, {{.useful = 60, .unsplit = 40}}, 1, .6, 1, 1, .6, 1},
    {"e11/rank{2,0,1}.json",
     120,
     {{.useful = 60, .transfer = 20, .wait = 40},
      {.useful = 90, .transfer = 20, HOST(AT(ended) = 10)},
      {.useful = 35, .transfer = 10, .wait = 50, HOST(AT(not_started) = 5, AT(ended) = 20)}},
     3,
     185 / 360.,
     185 / 270.,
     .9,
     100 / 120.,
     1},
};

static pj_run *load(const char *path, unsigned workers, pj_err *err)
{
    pj_job job = {.workers = workers};
    char whole[4096];
    snprintf(whole, sizeof whole, "%s%s", *path == '/' ? "" : CASES, path);
    return pj_load(whole, (pj_load_opts){.tag = NULL}, &job, err);
}

static pj_run *must_load(const char *path, unsigned workers)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_run *run = load(path, workers, &err);
    if (!run)
        fail_msg("%s: %s", path, err.text);
    return run;
}

static void same_share(const hand *h, unsigned d, const pj_ai_share *got)
{
    const wanted *want = &h->devices[d];
    const uint64_t pairs[][2] = {{got->useful, want->useful},
                                 {got->transfer, want->transfer},
                                 {got->copies, want->copies},
                                 {got->unsplit, want->unsplit},
                                 {got->wait, want->wait}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][0] != 1000 * pairs[i][1])
            fail_msg("%s: device %u: part %zu is %llu", h->path, d, i,
                     (unsigned long long)pairs[i][0]);
    for (unsigned c = 0; c < PJ_AI_IDLE_CAUSES; c++)
        if (got->idle[c] != 1000 * want->idle[c])
            fail_msg("%s: device %u: %s is %llu", h->path, d, pj_ai_idle_key(c),
                     (unsigned long long)got->idle[c]);
    uint64_t all = got->useful + got->transfer + got->copies + got->unsplit + got->wait;
    assert_int_equal(all + pj_ai_share_idle(got), 1000 * h->runtime);
}

static void expect(const hand *h, const pj_metrics *m, const char *key, double want)
{
    pj_metric_value got = pj_metrics_at(m, 0, (size_t)pj_metric_row(m->set, pj_str_of(key)));
    if (got.reason || fabs(got.value - want) > 1e-12)
        fail_msg("%s: %s: %.17g, wanted %.17g (%s)", h->path, key, got.value, want,
                 got.reason ? got.reason : "");
}

static void by_hand(const hand *h, unsigned workers)
{
    pj_auto_run run = must_load(h->path, workers);
    assert_string_equal(run->format, "kineto");
    assert_int_equal(run->runtime_ns, 1000 * h->runtime);
    assert_int_equal(run->ai->count, h->count);
    for (unsigned d = 0; d < h->count; d++)
        same_share(h, d, &run->ai->shares[d]);
    uint64_t exposed = 0, waits = 0;
    for (uint32_t i = 0; i < run->ai->pair_count; i++)
        exposed += run->ai->pairs[i].exposed_ns;
    for (unsigned d = 0; d < h->count; d++)
        waits += run->ai->shares[d].wait;
    assert_int_equal(exposed, waits);
    for (uint32_t i = 0; i < run->ai->operation_count; i++)
        exposed -= run->ai->operations[i].exposed_ns;
    assert_int_equal(exposed, 0);
    pj_auto_study study = pj_study_new(&run, 1, (pj_study_opts){0}, NULL);
    pj_auto_metrics m =
        pj_metrics_new(pj_metric_set_default(study), study, (pj_metrics_opts){0}, NULL);
    expect(h, m, "device_parallel_efficiency", h->parallel);
    expect(h, m, "device_load_balance", h->balance);
    expect(h, m, "device_serialisation_efficiency", h->serialisation);
    expect(h, m, "device_transfer_efficiency", h->transfer);
    expect(h, m, "device_orchestration_efficiency", h->orchestration);
    expect(h, m, "device_communication_efficiency", h->serialisation * h->transfer);
    pj_auto_metrics added =
        pj_metrics_new(pj_metric_set_by_key(PJ_S("ai-add")), study, (pj_metrics_opts){0}, NULL);
    expect(h, added, "device_parallel_efficiency", h->parallel);
    expect(h, added, "device_orchestration_efficiency", h->orchestration);
    double lost = 0;
    static const char *const parts[] = {"device_load_balance", "device_serialisation_efficiency",
                                        "device_transfer_efficiency",
                                        "device_orchestration_efficiency"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        lost +=
            1 -
            pj_metrics_at(added, 0, (size_t)pj_metric_row(added->set, pj_str_of(parts[i]))).value;
    if (fabs(1 - lost - h->parallel) > 1e-12)
        fail_msg("%s: losses are %.17g", h->path, lost);
}

static void cases_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hands / sizeof *hands; i++) {
        by_hand(&hands[i], 1);
        by_hand(&hands[i], 4);
    }
}

/// Lanes of devices show what the account has, those of their streams what these do.
static void timelines_add_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hands / sizeof *hands; i++) {
        const pj_timeline_opts timeline = {
            .last_rank = UINT32_MAX, .rows_most = 64, .columns = 100, .streams = i % 2};
        pj_err err = {.code = PJ_E_NONE};
        pj_job job = {.workers = 2};
        char path[512];
        snprintf(path, sizeof path, CASES "%s", hands[i].path);
        pj_auto_run run =
            pj_load(path, (pj_load_opts){.timeline = &timeline, .no_replay = true}, &job, &err);
        if (!run)
            fail_msg("%s: %s", path, err.text);
        const pj_timeline *t = run->timeline;
        assert_int_equal(t->threads, run->layout.ranks);
        for (uint32_t lane = 0, device = 0; lane < t->lanes; lane++) {
            const uint64_t *sums = &t->sums[lane * PJ_TIMELINE_KINDS];
            uint64_t all = 0;
            for (unsigned k = 0; k < PJ_TIMELINE_KINDS; k++)
                all += sums[k];
            assert_int_equal(all, run->runtime_ns);
            if (lane < t->threads || t->devices[lane - t->threads].stream)
                continue;
            const pj_ai_share *share = &run->ai->shares[device++];
            assert_int_equal(sums[PJ_TIMELINE_running], share->useful);
            assert_int_equal(sums[PJ_TIMELINE_transfer], share->copies);
            assert_int_equal(sums[PJ_TIMELINE_waiting], share->wait);
            assert_int_equal(sums[PJ_TIMELINE_collective] + sums[PJ_TIMELINE_message],
                             share->transfer + share->unsplit);
            assert_int_equal(sums[PJ_TIMELINE_idle], pj_ai_share_idle(share));
        }
    }
}

static void tables_outlive_runs(void **state)
{
    (void)state;
    const pj_timeline_opts timeline = {
        .last_rank = UINT32_MAX, .rows_most = 64, .columns = 100, .streams = true};
    pj_job job = {.workers = 1};
    pj_run *run = pj_load(CASES "e2/rank{0,1}.json",
                          (pj_load_opts){.timeline = &timeline, .no_replay = true}, &job, NULL);
    assert_non_null(run);
    pj_auto_table table = pj_timeline_table(run);
    pj_run_release(run);
    size_t device = (size_t)pj_table_column(table, PJ_S("device"));
    assert_string_equal(pj_table_cell(table, 2, device)->text, "rank 0:GPU 0");
}

static void hosts_have_lanes(void **state)
{
    (void)state;
    const pj_timeline_opts timeline = {.last_rank = UINT32_MAX, .rows_most = 64, .columns = 100};
    pj_job job = {.workers = 1};
    pj_auto_run run = pj_load(CASES "e9/rank{0,1}.json",
                              (pj_load_opts){.timeline = &timeline, .no_replay = true}, &job, NULL);
    assert_non_null(run);
    const uint64_t *sums = &run->timeline->sums[PJ_TIMELINE_KINDS]; // of rank 1
    assert_int_equal(sums[PJ_TIMELINE_loading], 36000);
    assert_int_equal(sums[PJ_TIMELINE_synchronisation], 13000);
    assert_int_equal(sums[PJ_TIMELINE_launch], 3000);
}

/// Rank 0 computes 20 us of step 7, has nothing to do for 15 and computes 10 us of step 8; rank 1
/// computes 30 and 10 us without a pause.
static void steps_tile_the_ranks(void **state)
{
    (void)state;
    pj_job job = {.workers = 1};
    pj_auto_run run =
        pj_load(CASES "steps/rank{0,1}.json", (pj_load_opts){.iterations = true}, &job, NULL);
    assert_non_null(run);
    static const struct {
        int64_t number;
        uint32_t rank;
        uint64_t begin, length, useful, idle; // us
    } rows[] = {
        {7, 0, 0, 35, 20, 15}, {7, 1, 0, 30, 30, 0}, {8, 0, 35, 10, 10, 0}, {8, 1, 30, 10, 10, 0}};
    assert_int_equal(run->ai->step_count, 4);
    for (size_t i = 0; i < 4; i++) {
        const pj_ai_step_row *row = &run->ai->steps[i];
        assert_int_equal(row->number, rows[i].number);
        assert_int_equal(row->rank, rows[i].rank);
        assert_int_equal(row->begin_ns, 1000 * rows[i].begin);
        assert_int_equal(row->length_ns, 1000 * rows[i].length);
        assert_int_equal(row->useful, 1000 * rows[i].useful);
        assert_int_equal(row->idle, 1000 * rows[i].idle);
    }
    assert_int_equal(run->parts.count, 2);
    pj_auto_run without = must_load("e2/rank{0,1}.json", 1);
    pj_auto_table none = pj_ai_iterations_table(without);
    assert_int_equal(none->row_count, 0);
    assert_non_null(strstr(none->note, "marks no steps"));
    const pj_run *part = run->parts.items[0];
    assert_string_equal(part->part.name, "step 7");
    assert_int_equal(part->runtime_ns, 35000);
    assert_true(fabs(pj_sums_of(part).device_useful_sum - 50000) < 1e-9);
    assert_true(fabs(pj_sums_of(part).device_step - 35000) < 1e-9);
}

static const pj_ai_region_row *region_of(const pj_run *run, const char *name)
{
    for (uint32_t i = 0; i < run->ai->region_count; i++)
        if (strcmp(run->ai->regions[i].name, name) == 0)
            return &run->ai->regions[i];
    fail_msg("no region %s", name);
    return NULL;
}

/// What is launched in a range counts with it, and so does the idle time before that; ranges of
/// other threads and operators of PyTorch do not matter.
static void ranges_are_regions(void **state)
{
    (void)state;
    pj_job job = {.workers = 1};
    pj_auto_run run = pj_load(CASES "regions/rank{0,1}.json",
                              (pj_load_opts){.functions = PJ_CUT_FUNCTIONS}, &job, NULL);
    assert_non_null(run);
    assert_int_equal(run->ai->region_count, 5);
    const pj_ai_region_row *forward = region_of(run, "forward");
    assert_int_equal(forward->instances, 2);
    assert_int_equal(forward->ranks, 2);
    assert_int_equal(forward->host_ns, 40000);
    assert_int_equal(forward->own.time_ns, 40000);
    assert_int_equal(forward->own.shares[0].copies, 10000);
    assert_int_equal(forward->own.shares[1].useful, 30000);
    assert_int_equal(forward->whole.shares[0].useful, 20000);
    assert_int_equal(forward->whole.longest_ns, 30000);
    assert_int_equal(region_of(run, "attention")->own.shares[0].useful, 20000);
    const pj_ai_region_row *optimizer = region_of(run, "Optimizer.step#Adam.step");
    assert_int_equal(pj_ai_share_idle(&optimizer->own.shares[0]), 5000);
    assert_int_equal(optimizer->own.shares[0].useful, 10000);
    assert_int_equal(region_of(run, "elsewhere")->whole.time_ns, 0);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < run->ai->region_count; i++)
        sum += run->ai->regions[i].own.time_ns;
    assert_int_equal(sum, run->runtime_ns * run->ai->count);
    assert_true(run->ai->regions[4].outside);
    assert_int_equal(run->parts.count, 3);
    assert_string_equal(run->parts.items[0]->part.name, "forward");
    pj_sums sums = pj_sums_of(run->parts.items[0]);
    assert_true(fabs(sums.device_useful_sum - 50000) < 1e-9);
    assert_true(isnan(sums.useful_sum)); // of hosts nothing is known
    pj_auto_run paths = pj_load(CASES "regions/rank{0,1}.json",
                                (pj_load_opts){.functions = PJ_CUT_PATHS}, &job, NULL);
    assert_int_equal(region_of(paths, "forward/attention")->own.time_ns, 20000);
    pj_auto_run plain =
        pj_load(CASES "regions/rank{0,1}.json", (pj_load_opts){.tag = NULL}, &job, NULL);
    assert_int_equal(plain->ai->region_count, 0);
    pj_err err = {.code = PJ_E_NONE};
    assert_null(pj_load(CASES "steps/rank{0,1}.json", (pj_load_opts){.functions = PJ_CUT_FUNCTIONS},
                        &job, &err));
    assert_int_equal(err.code, PJ_E_MISSING);
    assert_non_null(strstr(err.text, "marks no ranges"));
}

static void steps_are_a_region_of_interest(void **state)
{
    (void)state;
    pj_job job = {.workers = 1};
    pj_err err = {.code = PJ_E_NONE};
    pj_load_opts opts = {.tag = NULL};
    assert_true(pj_roi_parse(PJ_S("steps:8"), &opts.roi, &err));
    pj_auto_run run = pj_load(CASES "steps/rank{0,1}.json", opts, &job, &err);
    assert_non_null(run);
    assert_int_equal(run->runtime_ns, 15000); // from 40 to 55
    assert_int_equal(run->ai->shares[0].useful, 10000);
    assert_int_equal(run->ai->shares[0].idle[PJ_AI_IDLE_not_started], 5000);
    assert_int_equal(run->ai->shares[1].idle[PJ_AI_IDLE_ended], 5000);
    assert_true(kineto_run_says(run, "steps 8 to 8 are looked at"));
    assert_true(pj_roi_parse(PJ_S("steps:1..3"), &opts.roi, &err));
    assert_null(pj_load(CASES "steps/rank{0,1}.json", opts, &job, &err));
    assert_non_null(strstr(err.text, "it has steps 7 to 8"));
}

/// A summary says the same as the files of the ranks.
static void summaries_say_the_same(void **state)
{
    (void)state;
    char folder[] = "/tmp/popinjay_kineto_XXXXXX";
    assert_non_null(mkdtemp(folder));
    static const char *const paths[] = {"e9/rank{0,1}.json", "steps/rank{0,1}.json"};
    for (size_t i = 0; i < 2; i++) {
        pj_job job = {.workers = 1};
        pj_err err = {.code = PJ_E_NONE};
        pj_auto_arena arena = pj_arena_new(NULL);
        const char *path = pj_arena_format(arena, CASES "%s", paths[i]);
        const char *at = pj_trace_files_summary(path, folder, arena);
        pj_auto_run read = NULL;
        if (!pj_summarise(path, at, (pj_load_opts){.tag = NULL}, &job, &read, &err))
            fail_msg("%s", err.text);
        pj_auto_run kept = pj_load(at, (pj_load_opts){.iterations = true}, &job, &err);
        if (!kept)
            fail_msg("%s", err.text);
        assert_string_equal(kept->name, read->name);
        assert_int_equal(kept->ai->count, read->ai->count);
        assert_memory_equal(kept->ai->shares, read->ai->shares,
                            read->ai->count * sizeof *read->ai->shares);
        assert_int_equal(kept->ai->pair_count, read->ai->pair_count);
        assert_memory_equal(kept->ai->pairs, read->ai->pairs,
                            read->ai->pair_count * sizeof *read->ai->pairs);
        assert_int_equal(kept->ai->step_count, read->ai->step_count);
        assert_int_equal(kept->ai->operation_count, read->ai->operation_count);
        assert_int_equal(kept->parts.count, i ? 2 : 0);
        assert_non_null(kept->timeline);
        remove(at);
    }
    remove(folder);
}

static void a_look_tells_ranks(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_trace_look look;
    pj_err err = {.code = PJ_E_NONE};
    assert_true(pj_trace_look_at(CASES "steps/rank{0,1}.json", arena, &look, &err));
    assert_string_equal(look.name, "steps");
    assert_string_equal(look.format, "PyTorch trace");
    assert_string_equal(look.layout, "2x1+2D");
    assert_false(look.profile);
}

static const pj_ai_pair *pair_of(const pj_run *run, uint32_t rank, uint32_t culprit)
{
    for (uint32_t i = 0; i < run->ai->pair_count; i++)
        if (run->ai->pairs[i].rank == rank && run->ai->pairs[i].culprit == culprit)
            return &run->ai->pairs[i];
    fail_msg("rank %u waits for rank %u nowhere", rank, culprit);
    return NULL;
}

static void who_waits_for_whom_and_why(void **state)
{
    (void)state;
    pj_auto_run late = must_load("e9/rank{0,1}.json", 1);
    const pj_ai_pair *pair = pair_of(late, 0, 1);
    assert_int_equal(late->ai->pair_count, 1);
    assert_int_equal(pair->wait_ns, 50000);
    assert_int_equal(pj_ai_main_reason(pair->reasons), PJ_AI_KIND_data_loading);
    uint64_t all = 0;
    for (unsigned k = 0; k < PJ_AI_KINDS; k++)
        all += pair->reasons[k];
    assert_true(all + PJ_AI_KINDS >= 50000 && all <= 50000);

    pj_auto_run slow = must_load("e2/rank{0,1}.json", 1);
    assert_int_equal(pj_ai_main_reason(pair_of(slow, 1, 0)->reasons), PJ_AI_KIND_compute);
    pj_auto_run chain = must_load("e11/rank{0,1,2}.json", 1);
    assert_int_equal(pair_of(chain, 0, 1)->wait_ns, 40000);
    assert_int_equal(pair_of(chain, 2, 1)->wait_ns, 50000);
    pj_auto_run copy = must_load("e5/rank{0,1}.json", 1);
    assert_int_equal(pair_of(copy, 0, 1)->wait_ns, 60000);    // before what hides it
    assert_int_equal(pair_of(copy, 0, 1)->exposed_ns, 30000); // less compute and the copy
    pj_auto_run hidden = must_load("e4/rank{0,1}.json", 1);
    assert_int_equal(pair_of(hidden, 1, 0)->exposed_ns, 0); // all of it is computed over
}

/// A message is one of both its rows; groups that share a name are told by their ranks.
static void operations_have_rows_of_their_own(void **state)
{
    (void)state;
    pj_auto_run messages = must_load("e7/rank{0,1}.json", 1);
    assert_int_equal(messages->ai->operation_count, 2);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(messages->ai->operations[i].instances, 2);
    pj_auto_table sum = pj_ai_account_table(messages, PJ_AI_BY_GROUP);
    assert_int_equal(pj_table_cell(sum, 0, 2)->integer, 2);
    assert_int_equal(pj_table_cell(sum, 0, 4)->integer, 20000);
    pj_err err = {.code = PJ_E_NONE};
#define EXCHANGE(ts, correlation, ranks)                                                           \
    "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"ncclDevKernel_AllReduce\", \"pid\": 0, "     \
    "\"tid\": 7, \"ts\": " ts ", \"dur\": 2, \"args\": {\"correlation\": " correlation             \
    ", \"Collective name\": \"allreduce\", \"Group size\": 2, \"Process Group Name\": \"tp\", "    \
    "\"Process Group Ranks\": \"" ranks "\"}}"
    pj_auto_run groups =
        kineto_run_of(PJ_S(EVENTS(EXCHANGE("10", "1", "[0, 1]") "," EXCHANGE(
                          "20", "2", "[0, 2, 4, 6, 8]") "," EXCHANGE("30", "3", "[0, 1]"))),
                      &err);
    assert_non_null(groups);
    assert_int_equal(groups->ai->operation_count, 2);
    assert_string_equal(groups->ai->operations[0].group, "tp [0, 1]");
    assert_string_equal(groups->ai->operations[1].group, "tp [0, 2, 4, 6, ...]");
}

static void oddities_are_said(void **state)
{
    (void)state;
    pj_auto_run alone = must_load("e10/rank0.json", 1);
    assert_true(kineto_run_says(alone, "1 of 2 ranks"));
    assert_true(kineto_run_says(alone, "1 exchanges have no partner"));
    pj_auto_run clock = must_load("e8/rank{0,1}.json", 1);
    assert_true(kineto_run_says(clock, "clocks of ranks differ by up to 1.00 s"));
    pj_auto_run twice = must_load("{e2/rank0,e2/rank1,e8/rank0}.json", 1);
    assert_true(kineto_run_says(twice, "two files hold the same rank 0"));
    assert_int_equal(twice->layout.ranks, 2);
    pj_auto_run cycles = must_load("{e2/rank0,e5/rank0}.json", 1);
    assert_true(kineto_run_says(cycles, "several files call themselves the same rank"));
    assert_int_equal(cycles->layout.ranks, 2);
}

/// The case e2 in one file, whose processes are called by ranks; and without these names.
static void merged_files_are_taken_apart(void **state)
{
    (void)state;
    const hand merged = {
        .path = "merged/merged.json",
        .runtime = 100,
        .devices = {{.useful = 80, .transfer = 20}, {.useful = 40, .transfer = 20, .wait = 40}},
        .count = 2,
        .parallel = .6,
        .balance = .75,
        .serialisation = 1,
        .transfer = .8,
        .orchestration = 1};
    by_hand(&merged, 1);
    pj_auto_run run = must_load("merged/merged.json", 4);
    assert_true(kineto_run_says(run, "2 ranks come from files that were made of those of several"));
}

/// As above, but devices of rank 1, or of both, are not called by it.
static void records_without_a_rank_are_said(void **state)
{
    (void)state;
    pj_auto_run run = must_load("merged/one_unnamed.json", 1);
    assert_true(kineto_run_says(run, "2 records of devices are of processes that no name tells"));
    pj_err err = {.code = PJ_E_NONE};
    pj_job job = {.workers = 1};
    assert_null(pj_load(PJ_SOURCE_DIR "/tests/golden/kineto/merged/unnamed.json",
                        (pj_load_opts){.tag = NULL}, &job, &err));
    assert_non_null(strstr(err.text, "no process of a device is called by a rank"));
}

static void ranks_that_lack_are_said(void **state)
{
    (void)state;
    pj_auto_run run = must_load("e11/rank{0,2}.json", 1);
    assert_true(kineto_run_says(run, "2 of 3 ranks were read"));
    assert_true(kineto_run_says(run, "collectives lack ranks of their group"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_by_hand),
        cmocka_unit_test(timelines_add_up),
        cmocka_unit_test(tables_outlive_runs),
        cmocka_unit_test(hosts_have_lanes),
        cmocka_unit_test(steps_tile_the_ranks),
        cmocka_unit_test(ranges_are_regions),
        cmocka_unit_test(steps_are_a_region_of_interest),
        cmocka_unit_test(summaries_say_the_same),
        cmocka_unit_test(a_look_tells_ranks),
        cmocka_unit_test(who_waits_for_whom_and_why),
        cmocka_unit_test(operations_have_rows_of_their_own),
        cmocka_unit_test(oddities_are_said),
        cmocka_unit_test(merged_files_are_taken_apart),
        cmocka_unit_test(records_without_a_rank_are_said),
        cmocka_unit_test(ranks_that_lack_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
