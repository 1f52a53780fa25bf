// Archives with devices as tools of several versions write them: names, the system tree, roles of
// kernels, copies; and timelines that read only a part of them.
#include "metrics/analyse/load.h"
#include "metrics/read/reader.h"
#include "metrics/run/devices.h"
#include "metrics/run/timeline.h"
#include "tests/support/trace/device_archive.h"
#include "tests/support/trace/device_trace.h"
#include "tests/support/trace/otf2_writer.h"

#include <otf2/otf2.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ANCHOR PJ_BINARY_DIR "/device_archives.otf2"

enum { HOST, STREAM, OTHER_STREAM, LOCATIONS };
enum { MAIN, LAUNCH, COPY, WAIT, KERNEL, IDLE, IDLE_TOO, ROLE_KERNEL = 40 };

static const device_archive_node one_node[] = {{"node1", "node", DEVICE_ARCHIVE_NONE},
                                               {.name = NULL}};

#define DEVICE_NODES(class_)                                                                       \
    {                                                                                              \
        {"node1", "node", DEVICE_ARCHIVE_NONE}, {"0", class_, 0}, {"1", class_, 0},                \
        {                                                                                          \
            .name = NULL                                                                           \
        }                                                                                          \
    }

static const device_archive_node cuda_nodes[] = DEVICE_NODES("CUDA Device"),
                                 rocm_nodes[] = DEVICE_NODES("ROCm Device"),
                                 target_nodes[] = DEVICE_NODES("OpenMP Device");

/// A context per device, as Score-P has them since OTF2 3; before, streams are of their process.
static const device_archive_group contexts[] = {
    {"Process 0", false, 0, DEVICE_ARCHIVE_NONE},
    {"Context 0", true, 1, 0},
    {"Context 1", true, 2, 0},
    {.name = NULL},
};
static const device_archive_group process[] = {{"Process 0", false, 0, DEVICE_ARCHIVE_NONE},
                                               {.name = NULL}};

#define LOCATIONS_OF(one, other, one_group, other_group)                                           \
    {                                                                                              \
        {"Master thread", 0, false}, {one, one_group, true}, {other, other_group, true},           \
        {                                                                                          \
            .name = NULL                                                                           \
        }                                                                                          \
    }

static const device_archive_location cuda[] = LOCATIONS_OF("CUDA[0:7]", "CUDA[1:7]", 1, 2),
                                     hip[] = LOCATIONS_OF("HIP[0:0]", "HIP[1:0]", 1, 2),
                                     target[] =
                                         LOCATIONS_OF("OMP Target[0:1]", "OMP Target[1:1]", 1, 2),
                                     old_cuda[] = LOCATIONS_OF("CUDA[0:13]", "CUDA[1:13]", 0, 0),
                                     one_device[] = LOCATIONS_OF("CUDA[0:7]", "CUDA[0:13]", 0, 0);

#define REGIONS_OF(paradigm, launch, copy, wait, role)                                             \
    {                                                                                              \
        {"main", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER},                               \
            {launch, OTF2_REGION_ROLE_WRAPPER, paradigm},                                          \
            {copy, OTF2_REGION_ROLE_DATA_TRANSFER, paradigm},                                      \
            {wait, OTF2_REGION_ROLE_WRAPPER, paradigm}, {"stencil", role, paradigm},               \
            {"GPU IDLE", OTF2_REGION_ROLE_FUNCTION, paradigm},                                     \
            {"COMPUTE IDLE", OTF2_REGION_ROLE_ARTIFICIAL, paradigm},                               \
        {                                                                                          \
            .name = NULL                                                                           \
        }                                                                                          \
    }

static const device_archive_region cuda_regions[] =
    REGIONS_OF(OTF2_PARADIGM_CUDA, "cudaLaunchKernel", "cudaMemcpyAsync", "cudaDeviceSynchronize",
               OTF2_REGION_ROLE_FUNCTION),
                                   hip_regions[] = REGIONS_OF(OTF2_PARADIGM_HIP, "hipLaunchKernel",
                                                              "hipMemcpyAsync",
                                                              "hipDeviceSynchronize", ROLE_KERNEL),
                                   target_regions[] = REGIONS_OF(
                                       OTF2_PARADIGM_OPENMP, "!$omp target submit @a.c:3",
                                       "!$omp target memcpy @a.c:2", "!$omp target @a.c:1",
                                       ROLE_KERNEL);

/// Of the first stream: a kernel 110-400 and a copy 340-600, which is two that overlap; of the
/// other: a kernel 300-550 between times that are called idle, a copy within the device 560-580.
#define AT(time_, location_, kind_, what_, ...)                                                    \
    {                                                                                              \
        .time = time_, .location = location_, .kind = DEVICE_ARCHIVE_##kind_, .what = what_,       \
        __VA_ARGS__                                                                                \
    }
#define RECORDS(one, other)                                                                        \
    {                                                                                              \
        AT(0, HOST, ENTER, MAIN, .id = 0), AT(100, HOST, ENTER, LAUNCH, .id = 0),                  \
            AT(110, HOST, LEAVE, LAUNCH, .id = 0), AT(200, HOST, ENTER, WAIT, .id = 0),            \
            AT(600, HOST, LEAVE, WAIT, .id = 0), AT(1000, HOST, LEAVE, MAIN, .id = 0),             \
            AT(110, STREAM, ENTER, KERNEL, .id = 0),                                               \
            AT(340, STREAM, PUT, HOST, .id = one, .bytes = 4096),                                  \
            AT(350, STREAM, PUT, HOST, .id = other, .bytes = 1024),                                \
            AT(390, STREAM, DONE, 0, .id = one), AT(400, STREAM, LEAVE, KERNEL, .id = 0),          \
            AT(600, STREAM, DONE, 0, .id = other), AT(0, OTHER_STREAM, ENTER, IDLE_TOO, .id = 0),  \
            AT(160, OTHER_STREAM, LEAVE, IDLE_TOO, .id = 0),                                       \
            AT(160, OTHER_STREAM, GET, HOST, .id = one, .bytes = 8192),                            \
            AT(200, OTHER_STREAM, DONE, 0, .id = one),                                             \
            AT(200, OTHER_STREAM, ENTER, IDLE, .id = 0),                                           \
            AT(300, OTHER_STREAM, LEAVE, IDLE, .id = 0),                                           \
            AT(300, OTHER_STREAM, ENTER, KERNEL, .id = 0),                                         \
            AT(550, OTHER_STREAM, LEAVE, KERNEL, .id = 0),                                         \
            AT(560, OTHER_STREAM, GET, OTHER_STREAM, .id = other, .bytes = 512),                   \
            AT(580, OTHER_STREAM, DONE, 0, .id = other),                                           \
    }

static const device_archive_record same_ids[] = RECORDS(42, 42), own_ids[] = RECORDS(7, 9);

static const struct {
    device_archive archive;
    const char *devices[2];
    unsigned kind;
} variants[] = {
#define VARIANT(nodes, groups, locations, regions, paradigm, window, records)                      \
    {                                                                                              \
        nodes, groups, locations, regions, paradigm, window, records,                              \
            sizeof(records) / sizeof *(records)                                                    \
    }
    {VARIANT(cuda_nodes, contexts, cuda, cuda_regions, OTF2_PARADIGM_CUDA, "CUDA_WINDOW", same_ids),
     {"node1:CUDA Device 0", "node1:CUDA Device 1"},
     PJ_STREAM_CUDA},
    {VARIANT(rocm_nodes, contexts, hip, hip_regions, OTF2_PARADIGM_HIP, "HIP_WINDOW", own_ids),
     {"node1:ROCm Device 0", "node1:ROCm Device 1"},
     PJ_STREAM_HIP},
    {VARIANT(target_nodes, contexts, target, target_regions, OTF2_PARADIGM_OPENMP,
             "OPENMP_TARGET_WINDOW", own_ids),
     {"node1:OpenMP Device 0", "node1:OpenMP Device 1"},
     PJ_STREAM_DEVICE},
    {VARIANT(one_node, process, old_cuda, cuda_regions, OTF2_PARADIGM_CUDA, "CUDA_WINDOW",
             same_ids),
     {"rank 0:CUDA[0", "rank 0:CUDA[1"},
     PJ_STREAM_CUDA},
};

static void expect_host(const pj_run *run)
{
    assert_int_equal(run->layout.locations, 1);
    assert_int_equal(run->devices->runtime_ns[HOST], 10 + 400);
    assert_int_equal(run->totals[HOST].useful_ns, 1000 - 410);
    assert_int_equal(run->import.count[PJ_IMPORT_device_late], 0);
}

static void every_tool_tells_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        device_archive_write(ANCHOR, &variants[i].archive);
        for (unsigned workers = 1; workers <= 4; workers += 3) {
            pj_auto_run run = device_trace_load_with(ANCHOR, (pj_load_opts){0}, workers);
            expect_host(run);
            assert_int_equal(run->devices->count, 2);
            const pj_device_sum *devices = run->devices->items;
            for (unsigned d = 0; d < 2; d++) {
                assert_string_equal(devices[d].key, variants[i].devices[d]);
                assert_int_equal(run->layout.streams[d].kind, variants[i].kind);
            }
            device_trace_expect(&devices[0], (pj_device_sum){.streams = 1,
                                                             .kernels = 1,
                                                             .useful_ns = 290,
                                                             .transfer_ns = 200,
                                                             .transfer_total_ns = 260,
                                                             .to_host = 4096 + 1024});
            device_trace_expect(&devices[1], (pj_device_sum){.streams = 1,
                                                             .kernels = 1,
                                                             .useful_ns = 250,
                                                             .transfer_ns = 60,
                                                             .transfer_total_ns = 60,
                                                             .to_device = 8192});
        }
    }
    pj_otf2_writer_remove(ANCHOR);
}

/// "CUDA[0:7]" and "CUDA[0:13]": two streams of one device.
static void names_tell_which_streams_are_of_one_device(void **state)
{
    (void)state;
    const device_archive archive = VARIANT(one_node, process, one_device, cuda_regions,
                                           OTF2_PARADIGM_CUDA, "CUDA_WINDOW", same_ids);
    device_archive_write(ANCHOR, &archive);
    pj_auto_run run = device_trace_load_with(ANCHOR, (pj_load_opts){0}, 1);
    assert_int_equal(run->devices->count, 1);
    device_trace_expect(&run->devices->items[0], (pj_device_sum){.streams = 2,
                                                                 .kernels = 2,
                                                                 .useful_ns = 440,
                                                                 .transfer_ns = 50,
                                                                 .transfer_total_ns = 40 + 260,
                                                                 .to_device = 8192,
                                                                 .to_host = 4096 + 1024});
    pj_otf2_writer_remove(ANCHOR);
}

static const device_archive_record unpaired[] = {
    AT(0, HOST, ENTER, MAIN, .id = 0),
    AT(1000, HOST, LEAVE, MAIN, .id = 0),
    AT(100, STREAM, DONE, 0, .id = 5), // begun before the trace
    AT(200, STREAM, GET, HOST, .id = 7, .bytes = 4096),
    AT(250, STREAM, DONE, 0, .id = 8), // of no copy
    AT(300, STREAM, GET, HOST, .id = 7, .bytes = 1024),
    AT(400, STREAM, DONE, 0, .id = 7), // one of two of this id
    AT(500, STREAM, DONE, 0, .id = 7),
    AT(600, STREAM, DONE, 0, .id = 7),
};

/// What ends is the copy that began so, and no other.
static void ends_without_a_begin_end_nothing(void **state)
{
    (void)state;
    const device_archive archive =
        VARIANT(rocm_nodes, contexts, hip, hip_regions, OTF2_PARADIGM_HIP, "HIP_WINDOW", unpaired);
    device_archive_write(ANCHOR, &archive);
    pj_auto_run run = device_trace_load_with(ANCHOR, (pj_load_opts){0}, 1);
    device_trace_expect(&run->devices->items[0], (pj_device_sum){.streams = 1,
                                                                 .transfer_ns = 300,
                                                                 .transfer_total_ns = 300,
                                                                 .to_device = 4096 + 1024});
    assert_int_equal(run->import.count[PJ_IMPORT_copy_not_begun], 3);
    pj_otf2_writer_remove(ANCHOR);
}

static const device_archive_location host_alone[] = {{"Master thread", 0, false}, {.name = NULL}};
static const device_archive_record calls_alone[] = {
    AT(0, HOST, ENTER, MAIN, .id = 0),     AT(100, HOST, ENTER, LAUNCH, .id = 0),
    AT(110, HOST, LEAVE, LAUNCH, .id = 0), AT(200, HOST, ENTER, WAIT, .id = 0),
    AT(600, HOST, LEAVE, WAIT, .id = 0),   AT(1000, HOST, LEAVE, MAIN, .id = 0),
};

/// No stream was traced, but what the host asks of it.
static void calls_count_without_streams(void **state)
{
    (void)state;
    const device_archive archive =
        VARIANT(one_node, process, host_alone, cuda_regions, OTF2_PARADIGM_CUDA, NULL, calls_alone);
    device_archive_write(ANCHOR, &archive);
    pj_auto_run run = device_trace_load_with(ANCHOR, (pj_load_opts){0}, 1);
    assert_null(run->devices);
    assert_int_equal(run->totals[HOST].useful_ns, 1000 - 410);
    assert_int_equal(run->totals[HOST].device_calls_ns, 410);
    assert_int_equal(run->totals[HOST].spent_ns[PJ_SPENT_DEVICE], 410);
    pj_otf2_writer_remove(ANCHOR);
}

// Parts

enum { STEPS = 4000, STEP_NS = 1000, EACH = 14 };

static uint32_t random_below(uint32_t *state, uint32_t limit)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % limit;
}

typedef struct long_run {
    device_archive_record *records;
    size_t count;
} long_run;

static void add(long_run *run, uint64_t time, uint32_t location, device_archive_kind kind,
                uint32_t what)
{
    run->records[run->count++] = (device_archive_record){
        .time = time, .location = location, .kind = kind, .what = what, .id = 42, .bytes = 64};
}

/// Kernels that overlap copies, some across many steps, so that every border of a part cuts some.
static long_run make_long(void)
{
    long_run run = {.records = calloc((size_t)STEPS * EACH, sizeof *run.records)};
    uint32_t random = 1;
    add(&run, 0, HOST, DEVICE_ARCHIVE_ENTER, MAIN);
    for (uint32_t i = 0; i < STEPS; i++) {
        uint64_t at = (uint64_t)i * STEP_NS, begin = at + 100 + random_below(&random, 100);
        bool opens = i % 40 == 0, closes = i % 40 == 30;
        add(&run, at + 10, HOST, DEVICE_ARCHIVE_ENTER, LAUNCH);
        add(&run, at + 20 + random_below(&random, 50), HOST, DEVICE_ARCHIVE_LEAVE, LAUNCH);
        add(&run, begin, STREAM, DEVICE_ARCHIVE_ENTER, KERNEL);
        add(&run, begin + 100 + random_below(&random, 400), STREAM, DEVICE_ARCHIVE_LEAVE, KERNEL);
        add(&run, at + 300, OTHER_STREAM, DEVICE_ARCHIVE_PUT, HOST);
        add(&run, at + 380, OTHER_STREAM, DEVICE_ARCHIVE_DONE, HOST);
        if (!opens && !closes)
            continue;
        add(&run, at + 700, STREAM, opens ? DEVICE_ARCHIVE_GET : DEVICE_ARCHIVE_DONE, HOST);
        add(&run, at + 900, OTHER_STREAM, opens ? DEVICE_ARCHIVE_ENTER : DEVICE_ARCHIVE_LEAVE,
            KERNEL);
    }
    add(&run, (uint64_t)STEPS * STEP_NS, HOST, DEVICE_ARCHIVE_LEAVE, MAIN);
    return run;
}

static pj_run *look(pj_timeline_opts opts, const pj_run *known, unsigned workers)
{
    return device_trace_load_with(
        ANCHOR, (pj_load_opts){.timeline = &opts, .no_replay = true, .known = known}, workers);
}

static void expect_same(const pj_timeline *whole, const pj_timeline *part)
{
    assert_int_equal(whole->lanes, 1 + 2 + 2);
    assert_int_equal(part->lanes, whole->lanes);
    assert_memory_equal(whole->sums, part->sums,
                        whole->lanes * PJ_TIMELINE_KINDS * sizeof *whole->sums);
    assert_memory_equal(whole->time, part->time,
                        whole->rows * whole->columns * PJ_TIMELINE_KINDS * sizeof *whole->time);
}

/// Each part shows what the whole archive shows of it, and takes less to read.
static void a_timeline_reads_the_part_it_shows(void **state)
{
    (void)state;
    static const double ranges[][2] = {{0, 3}, {41, 42}, {42.5, 42.6}, {97, 100}, {0, 100}};
    long_run run = make_long();
    const device_archive archive = {.nodes = cuda_nodes,
                                    .groups = contexts,
                                    .locations = cuda,
                                    .regions = cuda_regions,
                                    .paradigm = OTF2_PARADIGM_CUDA,
                                    .window = "CUDA_WINDOW",
                                    .records = run.records,
                                    .record_count = run.count};
    device_archive_write(ANCHOR, &archive);
    pj_auto_run known = device_trace_load_with(ANCHOR, (pj_load_opts){.no_replay = true}, 1);
    assert_true(pj_reader_knows(known));
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        pj_timeline_opts opts = {.range = {.kind = PJ_ROI_RANGE,
                                           .from = ranges[i][0],
                                           .to = ranges[i][1],
                                           .from_percent = true,
                                           .to_percent = true},
                                 .last_rank = UINT32_MAX,
                                 .rows_most = 20,
                                 .columns = 300,
                                 .streams = true};
        pj_auto_run whole = look(opts, NULL, 1);
        pj_auto_run part = look(opts, known, 1 + (unsigned)i % 2 * 3);
        assert_null(part->totals); // nothing but the part was read
        expect_same(whole->timeline, part->timeline);
        if (ranges[i][1] - ranges[i][0] < 50)
            assert_true(part->text_bytes < whole->text_bytes / 2);
    }
    free(run.records);
    pj_otf2_writer_remove(ANCHOR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tool_tells_the_same),
        cmocka_unit_test(names_tell_which_streams_are_of_one_device),
        cmocka_unit_test(ends_without_a_begin_end_nothing),
        cmocka_unit_test(calls_count_without_streams),
        cmocka_unit_test(a_timeline_reads_the_part_it_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
