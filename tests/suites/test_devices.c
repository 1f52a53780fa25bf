// Streams of devices are no threads, in any format and however a trace is read: with names or
// without, by workers, by a process group, from a part of it, from a summary.
#include "metrics/analyse/load.h"
#include "metrics/analyse/summarise.h"
#include "metrics/pop/metrics.h"
#include "metrics/read/paraver/prv_cut.h"
#include "metrics/run/devices.h"
#include "metrics/run/timeline.h"
#include "tests/support/folder.h"
#include "tests/support/recorder.h"
#include "tests/support/thread_group.h"
#include "tests/support/trace/device_trace.h"
#include "tests/support/trace/otf2_flush.h"
#include "tests/support/trace/otf2_writer.h"
#include "tests/support/trace/same_runs.h"

#include <otf2/otf2.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define DATA PJ_SOURCE_DIR "/../shared/data/"

/// Thread 2 of both ranks is a stream; thread 3 of the first is a thread like its first.
static const char extrae[] = DEVICE_TRACE_HEADER "1(5):1:2(3:1,2:1),1\n"
                                                 "c:1:1:2:1:2\n"
                                                 "1:1:1:1:1:0:100:1\n"
                                                 "1:2:1:1:2:0:110:0\n"
                                                 "1:3:1:1:3:0:600:1\n"
                                                 "1:4:1:2:1:0:700:1\n"
                                                 "1:5:1:2:2:0:200:0\n"
                                                 "2:1:1:1:1:100:63000000:1\n"
                                                 "1:1:1:1:1:100:300:5\n"
                                                 "3:1:1:1:1:100:100:2:1:1:2:110:400:4096:0\n"
                                                 "1:2:1:1:2:110:400:1\n"
                                                 "2:2:1:1:2:110:63000006:1:63000007:1\n"
                                                 "1:5:1:2:2:200:260:17\n"
                                                 "2:5:1:2:2:200:63000001:7\n"
                                                 "2:5:1:2:2:260:63000001:0\n"
                                                 "2:1:1:1:1:300:63000000:0\n"
                                                 "1:1:1:1:1:300:800:1\n"
                                                 "2:2:1:1:2:400:63000006:0:63000007:0\n"
                                                 "1:4:1:2:1:700:900:13\n"
                                                 "2:4:1:2:1:700:50000002:10:50100004:1\n"
                                                 "1:1:1:1:1:800:900:13\n"
                                                 "2:1:1:1:1:800:50000002:10:50100004:1\n"
                                                 "2:1:1:1:1:900:50000002:0\n"
                                                 "2:4:1:2:1:900:50000002:0\n"
                                                 "1:1:1:1:1:900:1000:1\n"
                                                 "1:4:1:2:1:900:1000:1\n"
                                                 "2:1:1:1:1:1000:40000001:0\n"
                                                 "2:4:1:2:1:1000:40000001:0\n";
static const char extrae_names[] = "LEVEL NODE SIZE 1\nnode1\n\nLEVEL THREAD SIZE 5\n"
                                   "THREAD 1.1.1\nCUDA-D1.S1-node1\nTHREAD 1.1.3\n"
                                   "THREAD 1.2.1\nCUDA-D2.S1-node1\n";

/// A ':' before the tasks, no states, a thread of samples.
static const char nsys[] = DEVICE_TRACE_HEADER "0:1:2:(3:1,1:1)\n"
                                               "2:0:1:1:1:100:63000000:1\n"
                                               "2:0:1:1:1:110:63000000:0\n"
                                               "2:0:1:1:2:110:63000006:1\n"
                                               "2:0:1:1:3:120:9400:17\n"
                                               "2:0:1:1:2:400:63000006:0\n"
                                               "2:0:1:2:1:500:50000002:10\n"
                                               "2:0:1:1:1:600:50000002:10\n"
                                               "2:0:1:1:1:700:50000002:0\n"
                                               "2:0:1:2:1:1000:50000002:0\n";
static const char nsys_names[] = "LEVEL THREAD SIZE 4\nTHREAD 1.1.1\nCUDA-D0.S7\nMetrics GPU0\n"
                                 "THREAD 1.2.1\n";

static bool says(const pj_run *run, const char *text)
{
    for (size_t i = 0; i < run->remarks.count; i++)
        if (strstr(run->remarks.items[i].text, text))
            return true;
    return false;
}

/// A kernel 110-400, for which 4096 bytes were sent; a copy 200-260, whose way nobody tells.
static void expect_devices(const pj_devices *devices)
{
    assert_non_null(devices);
    assert_int_equal(devices->count, 2);
    device_trace_expect(
        &devices->items[0],
        (pj_device_sum){.streams = 1, .kernels = 1, .useful_ns = 290, .to_device = 4096});
    device_trace_expect(&devices->items[1],
                        (pj_device_sum){.streams = 1, .transfer_ns = 60, .transfer_total_ns = 60});
    assert_true(devices->items[0].bytes_known && !devices->items[1].bytes_known);
    assert_int_equal(devices->items[0].idle_ns[PJ_DEVICE_IDLE_ends], 710);
    assert_int_equal(devices->items[1].idle_ns[PJ_DEVICE_IDLE_ends], 940);
    assert_int_equal(devices->runtime_ns[0], 200); // in the call that launches
    assert_int_equal(devices->runtime_ns[2], 0);
}

static void expect_threads(const pj_run *run)
{
    static const uint64_t useful[] = {700, 600, 800};
    assert_int_equal(run->layout.ranks, 2);
    assert_int_equal(run->layout.locations, 3);
    assert_int_equal(run->layout.stream_count, 2);
    assert_int_equal(run->runtime_ns, 1000);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(run->totals[i].useful_ns, useful[i]);
    assert_int_equal(run->layout.rank_of[2], 1);
    assert_true(run->ideal.available);
    assert_true(run->ideal.runtime_ns == 900);
    assert_int_equal(run->import.count[PJ_IMPORT_message_without_receive], 0);
    assert_true(says(run, "2 devices in 2 streams: 5 (2x1-2) [2D]"));
    expect_devices(run->devices);
}

/// The trace with the names of its threads, or without.
static void put_extrae(bool named)
{
    device_trace_put("run.prv", extrae);
    if (named)
        device_trace_put("run.row", extrae_names);
}

static const char *default_set(pj_run *run)
{
    pj_err err = {0};
    pj_auto_study study = pj_study_new(&run, 1, (pj_study_opts){0}, &err);
    return pj_metric_set_default(study)->key;
}

static void names_tell_streams(void **state)
{
    (void)state;
    put_extrae(true);
    pj_auto_run one = device_trace_load("run.prv", 1);
    pj_auto_run four = device_trace_load("run.prv", 4);
    expect_threads(one);
    same_runs(one, four);
    const pj_device_stream *stream = one->layout.streams;
    assert_int_equal(stream[0].kind, PJ_STREAM_CUDA);
    assert_string_equal(stream[0].device, "node1:D1");
    assert_int_equal(stream[0].place, 1);
    assert_string_equal(stream[1].device, "node1:D2");
    assert_int_equal(stream[1].rank, 1);
    assert_string_equal(one->layout.location_name[1], "THREAD 1.1.3");
    assert_string_equal(default_set(one), "gpu");
    device_trace_remove();
}

static void without_names_events_tell(void **state)
{
    (void)state;
    put_extrae(false);
    pj_auto_run one = device_trace_load("run.prv", 1);
    pj_auto_run four = device_trace_load("run.prv", 4);
    expect_threads(one);
    same_runs(one, four);
    assert_string_equal(one->layout.streams[0].device, "rank 0");
    device_trace_remove();
}

typedef struct group_load {
    const char *path;
    pj_run *run; // the leader's
} group_load;

static void load_in_group(pj_process_group *group, void *context)
{
    group_load *load = context;
    pj_job job = {.workers = 1};
    pj_run *run = pj_load(load->path, (pj_load_opts){.group = group}, &job, NULL);
    if (group->rank == 0)
        load->run = run;
    else
        pj_run_release(run);
}

static void groups_agree(void **state)
{
    (void)state;
    for (unsigned named = 0; named < 2; named++) {
        put_extrae(named);
        pj_auto_run alone = device_trace_load("run.prv", 1);
        for (unsigned size = 2; size <= 4; size++) {
            group_load reading = {.path = folder_file("run.prv")};
            pj_thread_group_run(size, load_in_group, &reading);
            pj_auto_run shared = reading.run;
            assert_non_null(shared);
            expect_threads(shared);
            same_runs(alone, shared);
        }
        device_trace_remove();
    }
}

/// nsys2prv has no states: what is neither MPI nor the runtime of devices counts as useful.
static void without_states_useful_time_is_estimated(void **state)
{
    (void)state;
    device_trace_put("run.prv", nsys);
    device_trace_put("run.row", nsys_names);
    pj_auto_run run = device_trace_load("run.prv", 1);
    pj_auto_run four = device_trace_load("run.prv", 4);
    same_runs(run, four);
    assert_int_equal(run->layout.locations, 2);
    assert_int_equal(run->layout.stream_count, 2);
    assert_string_equal(run->layout.streams[0].device, "node 1:D0");
    assert_int_equal(run->layout.streams[1].kind, PJ_STREAM_SAMPLES);
    assert_true(says(run, "1 device in 1 stream: 3 (2x1) [1D]"));
    assert_true(says(run, "the trace has no states: useful time is estimated"));
    assert_false(run->no_states);
    assert_int_equal(run->runtime_ns, 1000);
    assert_int_equal(run->totals[0].useful_ns, 1000 - 10 - 100);
    assert_int_equal(run->totals[0].outside_mpi_ns, 900);
    assert_int_equal(run->totals[1].useful_ns, 500);
    device_trace_expect(&run->devices->items[0],
                        (pj_device_sum){.streams = 1, .kernels = 1, .useful_ns = 290});
    assert_int_equal(run->devices->runtime_ns[0], 10);
    assert_string_equal(default_set(run), "gpu");
    group_load reading = {.path = folder_file("run.prv")};
    pj_thread_group_run(2, load_in_group, &reading);
    pj_auto_run shared = reading.run;
    same_runs(run, shared);
    device_trace_remove();
}

/// Calls of the driver lie within those of the runtime; an exchange (NCCL) and memory that is set
/// are transfer; the next kernel may begin before the end of the one before is written.
static void nested_calls_and_exchanges(void **state)
{
    (void)state;
    device_trace_put("run.prv", DEVICE_TRACE_HEADER "0:1:1:(2:1)\n"
                                                    "2:0:1:1:1:100:63000000:7\n"
                                                    "2:0:1:1:1:110:63000000:9\n"
                                                    "2:0:1:1:1:120:63000000:0\n"
                                                    "2:0:1:1:2:130:63000006:1\n"
                                                    "2:0:1:1:1:150:63000000:0\n"
                                                    "2:0:1:1:2:230:63000006:2\n"
                                                    "2:0:1:1:2:230:63000006:0\n"
                                                    "2:0:1:1:2:300:63000006:0\n"
                                                    "2:0:1:1:2:310:63000007:1\n"
                                                    "2:0:1:1:2:350:63000007:0\n"
                                                    "2:0:1:1:2:360:63000001:5:63000002:64\n"
                                                    "2:0:1:1:2:380:63000001:0\n"
                                                    "2:0:1:1:2:390:63000001:6\n"
                                                    "2:0:1:1:2:400:63000001:0\n");
    device_trace_put("run.row", "LEVEL THREAD SIZE 2\nTHREAD 1.1.1\nCUDA-D0.S7\n");
    pj_auto_run run = device_trace_load("run.prv", 1);
    device_trace_expect(&run->devices->items[0], (pj_device_sum){.streams = 1,
                                                                 .kernels = 2,
                                                                 .useful_ns = 170,
                                                                 .transfer_ns = 40 + 20 + 10,
                                                                 .transfer_total_ns = 70,
                                                                 .to_device = 64});
    assert_int_equal(run->devices->runtime_ns[0], 50);
    assert_int_equal(run->totals[0].useful_ns, 950);
    device_trace_remove();
}

/// A stream whose kernel is broken off by the next state, as traces that were cut have it, and a
/// thread whose device waits for it.
static void states_of_streams_end_with_the_next(void **state)
{
    (void)state;
    device_trace_put("run.prv", DEVICE_TRACE_HEADER "1(2):1:1(2:1)\n"
                                                    "1:1:1:1:1:0:1000:1\n"
                                                    "1:2:1:1:2:100:900:1\n"
                                                    "1:2:1:1:2:200:300:0\n"
                                                    "1:2:1:1:2:300:400:1\n"
                                                    "2:1:1:1:1:420:63000000:1\n"
                                                    "2:1:1:1:1:450:63000000:0\n"
                                                    "1:2:1:1:2:500:600:17\n"
                                                    "2:1:1:1:1:620:63000000:4\n"
                                                    "2:1:1:1:1:640:63000000:0\n"
                                                    "1:2:1:1:2:700:750:1\n"
                                                    "2:1:1:1:1:1000:40000001:0\n");
    device_trace_put("run.row", "LEVEL THREAD SIZE 2\nTHREAD 1.1.1\nGPU_1a2b3c4d.7\n");
    pj_auto_run run = device_trace_load("run.prv", 1);
    const pj_device_sum *device = &run->devices->items[0];
    device_trace_expect(device, (pj_device_sum){.streams = 1,
                                                .kernels = 3,
                                                .useful_ns = 100 + 100 + 50,
                                                .transfer_ns = 100,
                                                .transfer_total_ns = 100});
    assert_int_equal(device->idle_ns[PJ_DEVICE_IDLE_host], 100 + 20 + 80);
    assert_int_equal(device->idle_ns[PJ_DEVICE_IDLE_launch], 30 + 50);
    assert_int_equal(device->idle_ns[PJ_DEVICE_IDLE_synchronise], 20);
    assert_int_equal(device->idle_ns[PJ_DEVICE_IDLE_ends], 100 + 250);
    device_trace_remove();
}

/// One device of two ranks counts once, with the union of what both have it do.
static void ranks_share_a_device(void **state)
{
    (void)state;
    device_trace_put("run.prv", DEVICE_TRACE_HEADER "1(4):1:2(2:1,2:1)\n"
                                                    "1:1:1:1:1:0:1000:1\n"
                                                    "1:3:1:2:1:0:1000:1\n"
                                                    "1:2:1:1:2:100:400:1\n"
                                                    "1:4:1:2:2:300:600:1\n"
                                                    "2:1:1:1:1:1000:40000001:0\n");
    device_trace_put("run.row", "LEVEL NODE SIZE 1\nn1\n\nLEVEL THREAD SIZE 4\nTHREAD 1.1.1\n"
                                "GPU_1a2b3c4d.7\nTHREAD 1.2.1\nGPU_1a2b3c4d.9\n");
    pj_auto_run run = device_trace_load("run.prv", 1);
    assert_int_equal(run->devices->count, 1);
    device_trace_expect(&run->devices->items[0],
                        (pj_device_sum){.streams = 2, .kernels = 2, .useful_ns = 500});
    assert_string_equal(pj_layout_text(&run->layout, run->arena), "2x1+1D");
    device_trace_remove();
}

static void efficiencies_of_devices(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        double value;
    } wanted[] = {{"host_parallel_efficiency", 2100.0 / 3000},
                  {"device_parallel_efficiency", 290.0 / 2000},
                  {"device_load_balance", 0.5},
                  {"device_communication_efficiency", 1},
                  {"device_orchestration_efficiency", 0.29},
                  {"devices", 2}};
    put_extrae(true);
    pj_auto_run run = device_trace_load("run.prv", 1);
    pj_err err = {0};
    pj_run *runs[] = {run};
    pj_auto_study study = pj_study_new(runs, 1, (pj_study_opts){0}, &err);
    const pj_metric_set *set = pj_metric_set_default(study);
    pj_auto_metrics metrics = pj_metrics_new(set, study, (pj_metrics_opts){0}, &err);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        int row = pj_metric_row(set, pj_str_of(wanted[i].key));
        pj_metric_value got = pj_metrics_at(metrics, 0, (size_t)row);
        if (got.reason || fabs(got.value - wanted[i].value) > 1e-12)
            fail_msg("%s: %g", wanted[i].key, got.value);
    }
    const pj_metric_set *other = pj_metric_set_by_key(PJ_S("mpi"));
    pj_auto_metrics threads = pj_metrics_new(other, study, (pj_metrics_opts){0}, &err);
    bool said = false;
    for (size_t i = 0; i < threads->remark_count; i++)
        said |= strstr(threads->remarks[i].text, "what 2 devices did is not in this set") != NULL;
    assert_true(said);
    device_trace_remove();
}

static bool remarks_say(pj_run *run, const char *set, const char *text)
{
    pj_err err = {0};
    pj_auto_study study = pj_study_new(&run, 1, (pj_study_opts){0}, &err);
    pj_auto_metrics metrics =
        pj_metrics_new(pj_metric_set_by_key(pj_str_of(set)), study, (pj_metrics_opts){0}, &err);
    for (size_t i = 0; i < metrics->remark_count; i++)
        if (strstr(metrics->remarks[i].text, text))
            return true;
    return false;
}

/// 440 and 220 ns of the two devices of one rank: balance 0.75 over devices, 0.5 over processes.
static void talp_counts_processes(void **state)
{
    (void)state;
    static const char trace[] = DEVICE_TRACE_HEADER "1(3):1:1(3:1)\n"
                                                    "1:1:1:1:1:0:1000:1\n"
                                                    "1:2:1:1:2:100:540:1\n"
                                                    "1:3:1:1:3:200:420:1\n"
                                                    "2:1:1:1:1:1000:40000001:0\n";
    static const char *const said =
        "TALP counts processes, each with the sum of its devices: GPU load balance 0.500, "
        "communication 1.000, orchestration 0.660";
    device_trace_put("run.prv", trace);
    device_trace_put("run.row", "LEVEL THREAD SIZE 3\nTHREAD 1.1.1\nCUDA-D0.S1\nCUDA-D1.S1\n");
    pj_auto_run two = device_trace_load("run.prv", 1);
    assert_true(remarks_say(two, "talp", said));
    assert_false(remarks_say(two, "gpu", "TALP counts"));
    device_trace_put("run.row", "LEVEL THREAD SIZE 3\nTHREAD 1.1.1\nCUDA-D0.S1\nCUDA-D0.S2\n");
    pj_auto_run one = device_trace_load("run.prv", 1);
    assert_false(remarks_say(one, "talp", "TALP counts"));
    device_trace_remove();
}

static size_t count_of_streams(const recorder *seen, uint32_t threads)
{
    size_t count = 0;
    for (size_t i = 0; i < seen->count; i++)
        count += seen->events[i].location >= threads;
    return count;
}

/// A sink that asks is given what streams do, and the messages to them; no other is.
static void sinks_of_devices_are_given_streams(void **state)
{
    (void)state;
    recorder threads = {0}, devices = {0};
    pj_sink sinks[] = {recorder_sink(&threads), recorder_sink(&devices)};
    sinks[1].devices = true;
    put_extrae(true);
    pj_auto_run run = device_trace_load_with(
        folder_file("run.prv"), (pj_load_opts){.listeners = sinks, .listener_count = 2}, 2);
    expect_threads(run);
    assert_int_equal(count_of_streams(&threads, 3), 0);
    assert_int_equal(count_of_streams(&devices, 3), 8);
    assert_int_equal(devices.count, threads.count + 8 + 1); // and the message
    recorder_free(&threads);
    recorder_free(&devices);
    device_trace_remove();
}

static void a_known_run_keeps_its_streams(void **state)
{
    (void)state;
    const pj_timeline_opts timeline = {.last_rank = UINT32_MAX, .rows_most = 5, .columns = 9};
    put_extrae(false);
    pj_auto_run known = device_trace_load("run.prv", 1);
    pj_auto_run seen = device_trace_load_with(
        folder_file("run.prv"),
        (pj_load_opts){.known = known, .timeline = &timeline, .no_replay = true}, 1);
    assert_int_equal(seen->layout.locations, 3);
    assert_int_equal(seen->timeline->threads, 3);
    assert_int_equal(seen->timeline->lanes, 3 + 2);
    assert_int_equal(seen->timeline->sums[PJ_TIMELINE_KINDS + PJ_TIMELINE_running], 600);
    device_trace_remove();
}

typedef struct summarising {
    const char *from, *to;
} summarising;

static void summarise_in_group(pj_process_group *group, void *context)
{
    const summarising *s = context;
    pj_job job = {.workers = 1};
    pj_load_opts opts = {.group = group};
    if (group->rank) {
        pj_summarise_help(opts, &job);
        return;
    }
    pj_run *run = NULL;
    pj_err err = {0};
    if (!pj_summarise(s->from, s->to, opts, &job, &run, &err))
        fail_msg("%s", err.text);
    pj_run_release(run);
    pj_summarise_dismiss(group);
}

/// What a process group writes of devices is what one process writes.
static void groups_write_the_same_devices(void **state)
{
    (void)state;
    put_extrae(true);
    char alone[4096], shared[4096];
    snprintf(alone, sizeof alone, "%s", folder_file("run.json"));
    snprintf(shared, sizeof shared, "%s", folder_file("shared.json"));
    pj_err err = {0};
    pj_job job = {.workers = 1};
    pj_auto_run run = NULL;
    if (!pj_summarise(folder_file("run.prv"), alone, (pj_load_opts){0}, &job, &run, &err))
        fail_msg("%s", err.text);
    summarising s = {folder_file("run.prv"), shared};
    pj_thread_group_run(3, summarise_in_group, &s);
    pj_auto_run one = device_trace_load("run.json", 1);
    pj_auto_run other = device_trace_load("shared.json", 1);
    expect_devices(one->devices);
    expect_devices(other->devices);
    unlink(shared);
    device_trace_remove();
}

/// Of a part in which the streams do nothing too.
static void a_part_keeps_its_streams(void **state)
{
    (void)state;
    for (unsigned named = 0; named < 2; named++) {
        put_extrae(named);
        pj_load_opts opts = {.roi = {.kind = PJ_ROI_RANGE, .from = 600, .to = 1000}};
        pj_auto_run run = device_trace_load_with(folder_file("run.prv"), opts, 1);
        pj_job job = {.workers = 1};
        pj_cut_facts facts;
        pj_err err = {0};
        if (!pj_prv_cut(run, folder_file("part.prv"), &job, &facts, &err))
            fail_msg("%s", err.text);
        pj_auto_run part = device_trace_load("part.prv", 1);
        assert_int_equal(part->layout.locations, 3);
        assert_int_equal(part->layout.stream_count, 2);
        for (uint32_t i = 0; i < 3; i++)
            assert_int_equal(part->totals[i].useful_ns, run->totals[i].useful_ns);
        device_trace_remove();
    }
}

static void what_streams_do_across_a_border_is_opened_in_the_part(void **state)
{
    (void)state;
    put_extrae(true);
    pj_load_opts opts = {.roi = {.kind = PJ_ROI_RANGE, .from = 150, .to = 350}};
    pj_auto_run run = device_trace_load_with(folder_file("run.prv"), opts, 1);
    pj_job job = {.workers = 1};
    pj_cut_facts facts;
    pj_err err = {0};
    assert_true(pj_prv_cut(run, folder_file("part.prv"), &job, &facts, &err));
    recorder seen = {0};
    pj_sink sink = recorder_sink(&seen);
    sink.devices = true;
    pj_auto_run part = device_trace_load_with(
        folder_file("part.prv"), (pj_load_opts){.listeners = &sink, .listener_count = 1}, 1);
    assert_int_equal(part->layout.stream_count, run->layout.stream_count);
    unsigned opened = 0, closed = 0;
    for (size_t i = 0; i < seen.count; i++) {
        const pj_event *event = &seen.events[i];
        bool kernel = event->kind == PJ_EV_DEVICE && event->code == PJ_DEVICE_KERNEL;
        opened += kernel && event->a == 1 && event->time == 0 && event->location == 3;
        closed += kernel && event->a == 0 && event->time == 200;
    }
    assert_int_equal(opened, 1);
    assert_int_equal(closed, 1);
    recorder_free(&seen);
    device_trace_remove();
}

static void a_summary_knows_streams(void **state)
{
    (void)state;
    put_extrae(true);
    pj_err err = {0};
    pj_job job = {.workers = 1};
    pj_auto_run run = NULL;
    if (!pj_summarise(folder_file("run.prv"), folder_file("run.json"), (pj_load_opts){0}, &job,
                      &run, &err))
        fail_msg("%s", err.text);
    pj_auto_run summary = device_trace_load("run.json", 1);
    expect_threads(summary);
    assert_string_equal(summary->layout.streams[1].device, "node1:D2");
    assert_int_equal(summary->layout.streams[1].rank, 1);
    device_trace_remove();
}

static void a_rank_of_streams_keeps_one(void **state)
{
    (void)state;
    put_extrae(false);
    device_trace_put("run.row", "LEVEL THREAD SIZE 5\nA\nB\nC\nCUDA-D0.S1\nCUDA-D0.S2\n");
    pj_auto_run run = device_trace_load("run.prv", 1);
    assert_int_equal(run->layout.locations, 4);
    assert_int_equal(run->import.count[PJ_IMPORT_rank_of_streams], 1);
    device_trace_remove();
}

// Archives

#define ARCHIVE "device_archive"
#define ANCHOR PJ_BINARY_DIR "/" ARCHIVE ".otf2"

enum { TEXTS = 7, HOST = 0, STREAM, CONTEXT_THREAD, SAMPLER, LOCATIONS };

/// A process; a device with a stream, and with a location that calls itself a CPU thread.
static void write_definitions(OTF2_GlobalDefWriter *out)
{
    static const char *const texts[TEXTS] = {"",     "node1",    "node", "0", "CUDA Device",
                                             "main", "CUDA[0:7]"};
    static const struct {
        unsigned text;
        OTF2_LocationType type;
        OTF2_LocationGroupRef group;
    } locations[LOCATIONS] = {{5, OTF2_LOCATION_TYPE_CPU_THREAD, 0},
                              {6, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 1},
                              {6, OTF2_LOCATION_TYPE_CPU_THREAD, 1},
                              {0, OTF2_LOCATION_TYPE_METRIC, 0}};
    pj_otf2_good(OTF2_GlobalDefWriter_WriteClockProperties(out, 1000000000, 0, 1000,
                                                           OTF2_UNDEFINED_TIMESTAMP));
    for (uint32_t i = 0; i < TEXTS; i++)
        pj_otf2_good(OTF2_GlobalDefWriter_WriteString(out, i, texts[i]));
    pj_otf2_good(
        OTF2_GlobalDefWriter_WriteSystemTreeNode(out, 0, 1, 2, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    pj_otf2_good(OTF2_GlobalDefWriter_WriteSystemTreeNode(out, 1, 3, 4, 0));
    pj_otf2_good(OTF2_GlobalDefWriter_WriteLocationGroup(
        out, 0, 5, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP));
    pj_otf2_good(OTF2_GlobalDefWriter_WriteLocationGroup(
        out, 1, 4, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 1, 0));
    for (uint64_t i = 0; i < LOCATIONS; i++)
        pj_otf2_good(OTF2_GlobalDefWriter_WriteLocation(out, i, locations[i].text,
                                                        locations[i].type, 2, locations[i].group));
    pj_otf2_good(OTF2_GlobalDefWriter_WriteRegion(out, 0, 5, 5, 0, OTF2_REGION_ROLE_FUNCTION,
                                                  OTF2_PARADIGM_COMPILER, OTF2_REGION_FLAG_NONE, 0,
                                                  0, 0));
}

static void write_archive(void)
{
    pj_otf2_writer_remove(ANCHOR);
    OTF2_Archive *archive = OTF2_Archive_Open(PJ_BINARY_DIR, ARCHIVE, OTF2_FILEMODE_WRITE, 1 << 20,
                                              1 << 20, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    pj_otf2_good(OTF2_Archive_SetFlushCallbacks(archive, &pj_otf2_flush, NULL));
    pj_otf2_good(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    pj_otf2_good(OTF2_Archive_OpenEvtFiles(archive));
    for (uint64_t i = 0; i < SAMPLER; i++) {
        OTF2_EvtWriter *events = OTF2_Archive_GetEvtWriter(archive, i);
        pj_otf2_good(OTF2_EvtWriter_Enter(events, NULL, 100 * i, 0));
        pj_otf2_good(OTF2_EvtWriter_Leave(events, NULL, 1000, 0));
        pj_otf2_good(OTF2_Archive_CloseEvtWriter(archive, events));
    }
    pj_otf2_good(OTF2_Archive_CloseEvtFiles(archive));
    pj_otf2_good(OTF2_Archive_OpenDefFiles(archive));
    for (uint64_t i = 0; i < SAMPLER; i++)
        pj_otf2_good(OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, i)));
    pj_otf2_good(OTF2_Archive_CloseDefFiles(archive));
    OTF2_GlobalDefWriter *global = OTF2_Archive_GetGlobalDefWriter(archive);
    write_definitions(global);
    pj_otf2_good(OTF2_Archive_CloseGlobalDefWriter(archive, global));
    pj_otf2_good(OTF2_Archive_Close(archive));
}

static void archives_tell_streams(void **state)
{
    (void)state;
    write_archive();
    pj_auto_run run = device_trace_load_with(ANCHOR, (pj_load_opts){0}, 1);
    assert_int_equal(run->layout.ranks, 1);
    assert_int_equal(run->layout.locations, 1);
    assert_int_equal(run->totals[0].useful_ns, 1000);
    assert_int_equal(run->layout.stream_count, 2);
    assert_string_equal(run->layout.streams[0].device, "node1:CUDA Device 0");
    assert_int_equal(run->layout.streams[0].kind, PJ_STREAM_CUDA);
    assert_true(says(run, "1 device in 2 streams: 2 (1x1) [1D]"));
    device_trace_expect(&run->devices->items[0], // from 100 and from 200 to the end
                        (pj_device_sum){.streams = 2, .kernels = 2, .useful_ns = 900});
    assert_int_equal(run->import.count[PJ_IMPORT_metric_location], 1);
    pj_otf2_writer_remove(ANCHOR);
}

/// Kernels of old and new role, copies as remote memory access, contexts that say who made them,
/// and a record of a version of OTF2 that is not there yet.
static void an_archive_of_a_later_version(void **state)
{
    (void)state;
    pj_auto_run run = device_trace_load_with(PJ_SOURCE_DIR "/tests/samples/otf2/devices.otf2",
                                             (pj_load_opts){.ignore_summary = true}, 1);
    assert_int_equal(run->layout.ranks, 2);
    assert_int_equal(run->layout.streams[2].rank, 1);
    for (uint32_t p = 0; p < 2; p++) {
        device_trace_expect(&run->devices->items[p], (pj_device_sum){.streams = 2,
                                                                     .kernels = 2,
                                                                     .useful_ns = p ? 420 : 430,
                                                                     .transfer_ns = 40,
                                                                     .transfer_total_ns = 80,
                                                                     .to_device = 8192,
                                                                     .to_host = 4096});
        assert_int_equal(run->devices->items[p].idle_ns[PJ_DEVICE_IDLE_synchronise], 10);
        assert_int_equal(run->totals[p].useful_ns, 580);
        assert_int_equal(run->devices->runtime_ns[p], 420);
    }
    assert_int_equal(run->import.count[PJ_IMPORT_unknown_event], 1);
    assert_true(says(run, "passed over: number 92 of a later version of OTF2 (1)"));
}

/// One run as Extrae, nsys2prv and Score-P write it.
static void three_formats_give_one_run(void **state)
{
    (void)state;
    static const char *const made[] = {"gpu/made/made_extrae_2x1.prv", "gpu/made/made_nsys_2x1.prv",
                                       "gpu/made/made_otf2_2x1/traces.otf2"};
    if (access(DATA "gpu/made", F_OK) != 0) {
        print_message("data/gpu is not there\n");
        skip();
    }
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s%s", DATA, made[i]);
        pj_auto_run run = device_trace_load_with(path, (pj_load_opts){.ignore_summary = true}, 1);
        assert_int_equal(run->layout.ranks, 2);
        assert_int_equal(run->layout.locations, 2);
        assert_true(says(run, "2 devices in 4 streams: 4 (2x1) [2D]"));
        assert_string_equal(default_set(run), "gpu");
        for (uint32_t p = 0; p < 2; p++) {
            const pj_device_sum *device = &run->devices->items[p];
            assert_int_equal(run->totals[p].useful_ns, p ? 690 : 480);
            assert_int_equal(run->devices->runtime_ns[p], p ? 110 : 420);
            assert_int_equal(device->useful_ns, p ? 220 : 440);
            assert_int_equal(device->transfer_ns, !p ? 40 : i ? 60 : 50); // Extrae sets no memory
        }
    }
}

/// Score-P 9 with HIP: reference/causes/gpu.csv, rounded to ns.
static void a_real_archive(void **state)
{
    (void)state;
    const char *path = DATA "otf2/fastotf2-mi300/traces.otf2";
    if (access(path, F_OK) != 0) {
        print_message("data/otf2/fastotf2-mi300 is not there\n");
        skip();
    }
    pj_auto_run run = device_trace_load_with(path, (pj_load_opts){.ignore_summary = true}, 1);
    assert_int_equal(run->devices->count, 2);
    assert_in_range(run->runtime_ns, 7206584930, 7206584931);
    assert_int_equal(run->devices->items[0].useful_ns, 4735383814);
    assert_int_equal(run->devices->items[1].useful_ns, 1628332847);
    assert_in_range(run->devices->runtime_ns[0], 7189386798 - 40, 7189386798 + 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_tell_streams),
        cmocka_unit_test(without_names_events_tell),
        cmocka_unit_test(groups_agree),
        cmocka_unit_test(without_states_useful_time_is_estimated),
        cmocka_unit_test(nested_calls_and_exchanges),
        cmocka_unit_test(states_of_streams_end_with_the_next),
        cmocka_unit_test(ranks_share_a_device),
        cmocka_unit_test(efficiencies_of_devices),
        cmocka_unit_test(talp_counts_processes),
        cmocka_unit_test(sinks_of_devices_are_given_streams),
        cmocka_unit_test(a_known_run_keeps_its_streams),
        cmocka_unit_test(groups_write_the_same_devices),
        cmocka_unit_test(a_part_keeps_its_streams),
        cmocka_unit_test(what_streams_do_across_a_border_is_opened_in_the_part),
        cmocka_unit_test(a_summary_knows_streams),
        cmocka_unit_test(a_rank_of_streams_keeps_one),
        cmocka_unit_test(archives_tell_streams),
        cmocka_unit_test(an_archive_of_a_later_version),
        cmocka_unit_test(three_formats_give_one_run),
        cmocka_unit_test(a_real_archive),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
