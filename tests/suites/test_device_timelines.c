// Timelines with rows of devices that open to their streams: however they are read, and from
// summaries.
#include "metrics/analyse/load.h"
#include "metrics/analyse/summarise.h"
#include "metrics/read/reader.h"
#include "metrics/run/timeline.h"
#include "tests/support/folder.h"
#include "tests/support/thread_group.h"
#include "tests/support/trace/device_trace.h"
#include "tests/support/trace/model_gpu.h"
#include "tests/support/trace/trace_writer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/// Only the first rank has a device, and a thread of samples; as nsys2prv writes them.
static const char two_ranks[] = DEVICE_TRACE_HEADER "0:1:2:(3:1,1:1)\n"
                                                    "2:0:1:1:1:100:63000000:1\n"
                                                    "2:0:1:1:1:110:63000000:0\n"
                                                    "2:0:1:1:2:110:63000006:1\n"
                                                    "2:0:1:1:3:120:9400:17\n"
                                                    "2:0:1:1:2:400:63000006:0\n"
                                                    "2:0:1:2:1:1000:63000000:0\n";
static const char two_ranks_names[] =
    "LEVEL THREAD SIZE 4\nTHREAD 1.1.1\nCUDA-D0.S7\nMetrics GPU0\nTHREAD 1.2.1\n";

/// A device is the union of its streams, which have lanes of their own where it is opened; what is
/// shown is the same however it is found.
static const pj_timeline_opts with_streams = {
    .last_rank = UINT32_MAX, .rows_most = 20, .columns = 50, .streams = true};

static pj_run *look(const char *name, pj_timeline_opts opts, unsigned workers)
{
    return device_trace_load_with(
        folder_file(name),
        (pj_load_opts){.timeline = &opts, .no_replay = true, .ignore_summary = true}, workers);
}

static void expect_lane(const pj_run *run, uint32_t device, uint64_t kernels, uint64_t transfer)
{
    const pj_timeline *timeline = run->timeline;
    const uint32_t lane = timeline->threads + device;
    const uint64_t *sums = &timeline->sums[lane * PJ_TIMELINE_KINDS];
    double columns = 0;
    assert_int_equal(sums[PJ_TIMELINE_running], kernels);
    assert_int_equal(sums[PJ_TIMELINE_transfer], transfer);
    assert_int_equal(sums[PJ_TIMELINE_idle],
                     timeline->to_ns - timeline->from_ns - kernels - transfer);
    for (uint32_t c = 0; c < timeline->columns; c++)
        columns += (double)pj_timeline_at(timeline, lane, c)[PJ_TIMELINE_running];
    assert_true(fabs(columns - (double)kernels) < 0.01);
}

/// Kernels 100-300 and 200-500, a copy 250-700, of two streams of one device.
static void put_two_streams(void)
{
    device_trace_put("run.prv", DEVICE_TRACE_HEADER "1(3):1:1(3:1)\n"
                                                    "1:1:1:1:1:0:1000:1\n"
                                                    "1:2:1:1:2:100:300:1\n"
                                                    "1:3:1:1:3:200:500:1\n"
                                                    "1:2:1:1:2:300:700:17\n"
                                                    "2:1:1:1:1:1000:40000001:0\n");
    device_trace_put("run.row", "LEVEL THREAD SIZE 3\nTHREAD 1.1.1\nCUDA-D0.S1\nCUDA-D0.S2\n");
}

static void expect_two_streams(const pj_run *run)
{
    assert_int_equal(run->timeline->threads, 1);
    assert_int_equal(run->timeline->lanes, 4);
    expect_lane(run, 0, 400, 200);
    expect_lane(run, 1, 200, 400);
    expect_lane(run, 2, 300, 0);
    assert_ptr_equal(run->timeline->devices[2].stream, &run->layout.streams[1]);
    assert_string_equal(pj_timeline_device_name(run->timeline, 0, run->arena), "D0");
    assert_string_equal(pj_timeline_device_name(run->timeline, 2, run->arena), "S2");
}

typedef struct group_look {
    const char *path;
    pj_run *run; // the leader's
} group_look;

static void look_in_group(pj_process_group *group, void *context)
{
    group_look *load = context;
    pj_job job = {.workers = 1};
    pj_load_opts opts = {.timeline = &with_streams, .no_replay = true, .group = group};
    pj_run *run = pj_load(load->path, opts, &job, NULL);
    if (group->rank == 0)
        load->run = run;
    else
        pj_run_release(run);
}

static void a_timeline_has_devices(void **state)
{
    (void)state;
    put_two_streams();
    pj_auto_run one = look("run.prv", with_streams, 1);
    pj_auto_run four = look("run.prv", with_streams, 4);
    expect_two_streams(one);
    expect_two_streams(four);
    group_look reading = {.path = folder_file("run.prv")};
    pj_thread_group_run(3, look_in_group, &reading);
    pj_auto_run shared = reading.run;
    expect_two_streams(shared);
    pj_timeline_opts part = with_streams;
    part.range = (pj_roi_request){.kind = PJ_ROI_RANGE, .from = 250, .to = 650};
    pj_auto_run middle = look("run.prv", part, 1);
    expect_lane(middle, 0, 250, 150);
    expect_lane(middle, 1, 50, 350);
    pj_timeline_opts closed = with_streams;
    closed.streams = false;
    pj_auto_run devices = look("run.prv", closed, 1);
    assert_int_equal(devices->timeline->lanes, 2);
    expect_lane(devices, 0, 400, 200);
    device_trace_remove();
}

/// Of events that have no states, by ranks, and of what a thread does to launch them.
static void a_timeline_has_devices_of_its_ranks(void **state)
{
    (void)state;
    device_trace_put("run.prv", two_ranks);
    device_trace_put("run.row", two_ranks_names);
    pj_timeline_opts first = with_streams, second = with_streams;
    first.last_rank = 0;
    second.first_rank = 1;
    pj_auto_run run = look("run.prv", first, 1);
    assert_int_equal(run->timeline->threads, 1);
    assert_int_equal(run->timeline->lanes, 3); // samples are no stream
    expect_lane(run, 0, 290, 0);
    expect_lane(run, 1, 290, 0);
    pj_auto_run other = look("run.prv", second, 1);
    assert_int_equal(other->timeline->lanes, 1);
    assert_null(other->timeline->devices);
    device_trace_remove();
}

static void a_summary_shows_devices_over_time(void **state)
{
    (void)state;
    put_two_streams();
    pj_err err = {0};
    pj_job job = {.workers = 1};
    pj_auto_run run = NULL;
    if (!pj_summarise(folder_file("run.prv"), folder_file("run.json"), (pj_load_opts){0}, &job,
                      &run, &err))
        fail_msg("%s", err.text);
    pj_auto_run summary = device_trace_load("run.json", 1);
    assert_int_equal(summary->timeline->threads, 1);
    assert_int_equal(summary->timeline->lanes, 2);
    assert_string_equal(summary->timeline->devices[0].key, "node 1:D0");
    const uint64_t *sums = &summary->timeline->sums[PJ_TIMELINE_KINDS];
    assert_int_equal(sums[PJ_TIMELINE_running], 400);
    assert_int_equal(sums[PJ_TIMELINE_transfer], 200);
    device_trace_remove();
}

static pj_run *look_into(const pj_run *known, double from, double to, unsigned workers)
{
    pj_timeline_opts opts = with_streams;
    opts.range = (pj_roi_request){
        .kind = PJ_ROI_RANGE, .from = from, .to = to, .from_percent = true, .to_percent = true};
    return device_trace_load_with(
        folder_file("run.prv"),
        (pj_load_opts){
            .timeline = &opts, .no_replay = true, .ignore_summary = true, .known = known},
        workers);
}

/// Each part shows what the whole trace shows of it, and takes less to read.
static void a_timeline_reads_the_part_it_shows(void **state)
{
    (void)state;
    static const double ranges[][2] = {{0, 3}, {41, 42}, {97, 100}, {0, 100}};
    pj_model_gpu model = *pj_model_gpu_example(1, &(const char *){NULL});
    model.iterations = 3000;
    pj_auto_trace writer = pj_model_gpu_write(&model);
    pj_err err = {0};
    assert_true(pj_trace_writer_save(writer, folder_file("run.prv"), &err));
    pj_auto_run known =
        device_trace_load_with(folder_file("run.prv"), (pj_load_opts){.no_replay = true}, 1);
    assert_true(pj_reader_knows(known));
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        pj_auto_run whole = look_into(NULL, ranges[i][0], ranges[i][1], 1);
        pj_auto_run part = look_into(known, ranges[i][0], ranges[i][1], 1 + (unsigned)i % 2 * 3);
        const pj_timeline *a = whole->timeline, *b = part->timeline;
        assert_null(part->totals); // nothing but the part was read
        assert_int_equal(a->lanes, 2 + 2 + 4);
        assert_int_equal(b->lanes, a->lanes);
        assert_memory_equal(a->sums, b->sums, a->lanes * PJ_TIMELINE_KINDS * sizeof *a->sums);
        assert_memory_equal(a->time, b->time,
                            a->rows * a->columns * PJ_TIMELINE_KINDS * sizeof *a->time);
        if (ranges[i][1] - ranges[i][0] < 50)
            assert_true(part->text_bytes < whole->text_bytes / 2);
    }
    device_trace_remove();
}

/// What streams do cannot be told from a part where states end others, or where events tell it.
static void odd_streams_are_read_whole(void **state)
{
    (void)state;
    static const char *const records[] = {
        "1:2:1:1:2:100:900:1\n1:2:1:1:2:200:300:0\n",
        "2:2:1:1:2:100:63000006:1\n2:2:1:1:2:400:63000006:0\n",
    };
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s1(2):1:1(2:1)\n1:1:1:1:1:0:1000:1\n%s", DEVICE_TRACE_HEADER,
                 records[i]);
        device_trace_put("run.prv", text);
        device_trace_put("run.row", "LEVEL THREAD SIZE 2\nTHREAD 1.1.1\nCUDA-D0.S1\n");
        pj_auto_run known =
            device_trace_load_with(folder_file("run.prv"), (pj_load_opts){.no_replay = true}, 1);
        pj_auto_run part = look_into(known, 35, 60, 1);
        assert_non_null(part->totals);
        expect_lane(part, 0, i ? 50 : 0, 0);
        device_trace_remove();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_timeline_has_devices),
        cmocka_unit_test(a_timeline_has_devices_of_its_ranks),
        cmocka_unit_test(a_summary_shows_devices_over_time),
        cmocka_unit_test(a_timeline_reads_the_part_it_shows),
        cmocka_unit_test(odd_streams_are_read_whole),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
