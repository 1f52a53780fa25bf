// Databases of Nsight Systems and rocprofiler: one run made three ways has one account, and what is
// no such database is refused in words.
#include "metrics/analyse/load.h"
#include "metrics/analyse/summarise.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/file.h"
#include "metrics/base/newfile.h"
#include "metrics/base/str.h"
#include "metrics/read/source.h"
#include "metrics/run/ai_account.h"
#include "metrics/run/aspect.h"
#include "metrics/run/devices.h"
#include "metrics/run/energy.h"
#include "metrics/run/timeline.h"
#include "metrics/run/waits/run_waits.h"
#include "tests/support/kineto_text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define NSYS PJ_SOURCE_DIR "/tests/samples/database/nsys.sqlite"
#define LAUNCHED PJ_SOURCE_DIR "/tests/golden/nsys/{first,second}.sqlite"
#define ROCPD PJ_SOURCE_DIR "/tests/golden/rocpd/rank{0,1}_results.db"

/// Skips what needs libsqlite3 where its module was not built.
static void need_module(const pj_err *err)
{
    if (err->code != PJ_E_MISSING)
        return;
    print_message("%s\n", err->text);
    skip();
}

static pj_run *load(const char *path, pj_err *err)
{
    pj_job job = {.workers = 1};
    return pj_load(path, (pj_load_opts){.tag = NULL}, &job, err);
}

/// Rank 0 computes 80 us and rank 1 40 us after a copy, then both exchange for 20 us (README of
/// the maker).
static void expect_made_run(const char *path)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_run run = load(path, &err);
    if (!run)
        fail_msg("%s: %s", path, err.text);
    assert_int_equal(run->runtime_ns, 112000);
    assert_int_equal(run->ai->count, 2);
    for (uint32_t d = 0; d < 2; d++) {
        const pj_ai_share *share = &run->ai->shares[d];
        assert_int_equal(share->useful, d ? 40000 : 80000);
        assert_int_equal(share->wait, d ? 40000 : 0);
        assert_int_equal(share->transfer, 20000);
        assert_int_equal(share->copies, 10000);
        assert_int_equal(share->idle[PJ_AI_IDLE_queued], 2000);
        assert_int_equal(pj_ai_share_idle(share), 2000);
        assert_int_equal(run->devices->items[d].to_device, 4096);
    }
    assert_int_equal(run->ai->pair_count, 1);
    assert_int_equal(run->ai->pairs[0].culprit, 0);
}

static void one_run_has_one_account(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_run first = load(NSYS, &err);
    need_module(&err);
    assert_non_null(first);
    expect_made_run(NSYS);
    expect_made_run(ROCPD);
}

static void expect_steps(const char *path)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_job job = {.workers = 1};
    pj_auto_run run = pj_load(path, (pj_load_opts){.iterations = true}, &job, &err);
    need_module(&err);
    static const uint64_t begins[] = {0, 12000, 92000}, lengths[] = {12000, 80000, 20000};
    assert_int_equal(run->ai->step_count, 6);
    assert_int_equal(run->parts.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const pj_ai_step_row *row = &run->ai->steps[2 * i]; // of the first rank
        assert_int_equal(row->number, i);
        assert_int_equal(row->begin_ns, begins[i]);
        assert_int_equal(row->length_ns, lengths[i]);
        assert_int_equal(row->useful, i == 1 ? 80000 : 0);
        assert_int_equal(row->idle, i ? 0 : 2000);
    }
}

/// Three outermost ranges of one name; another one within them is no step. In the other file types
/// of events have other numbers: what is a range elsewhere, as long as the run, is none there.
static void ranges_are_steps(void **state)
{
    (void)state;
    expect_steps(PJ_SOURCE_DIR "/tests/golden/nsys/ranges.sqlite");
    expect_steps(PJ_SOURCE_DIR "/tests/golden/nsys/renumbered.sqlite");
}

/// Without being asked: who reads the summary may ask.
static void summaries_keep_steps(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_job job = {.workers = 1};
    char folder[] = "/tmp/popinjay_database_XXXXXX", at[64];
    assert_non_null(mkdtemp(folder));
    snprintf(at, sizeof at, "%s/ranges.popinjay.json.gz", folder);
    pj_auto_run made = NULL;
    bool ok = pj_summarise(PJ_SOURCE_DIR "/tests/golden/nsys/ranges.sqlite", at,
                           (pj_load_opts){.tag = NULL}, &job, &made, &err);
    need_module(&err);
    assert_true(ok);
    pj_auto_run kept = pj_load(at, (pj_load_opts){.iterations = true}, &job, &err);
    assert_non_null(kept);
    assert_int_equal(kept->ai->step_count, 6);
    assert_int_equal(kept->parts.count, 3);
    remove(at);
    remove(folder);
}

/// rocTX: rows stand in the order of ends, the inner one first.
static void marks_of_roctx_are_steps(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_job job = {.workers = 1};
    pj_auto_run run = pj_load(PJ_SOURCE_DIR "/tests/golden/rocpd/steps_results.db",
                              (pj_load_opts){.iterations = true}, &job, &err);
    need_module(&err);
    static const uint64_t begins[] = {0, 12000, 92000}, lengths[] = {12000, 80000, 20000};
    assert_int_equal(run->ai->step_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(run->ai->steps[i].number, i);
        assert_int_equal(run->ai->steps[i].begin_ns, begins[i]);
        assert_int_equal(run->ai->steps[i].length_ns, lengths[i]);
    }
}

static const pj_ai_region_row *region_of(const pj_run *run, const char *name)
{
    for (uint32_t i = 0; i < run->ai->region_count; i++)
        if (strcmp(run->ai->regions[i].name, name) == 0)
            return &run->ai->regions[i];
    fail_msg("no region %s", name);
    return NULL;
}

static void expect_regions(const char *path, const char *inner, const char *outer)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_job job = {.workers = 1};
    pj_auto_run run = pj_load(path, (pj_load_opts){.functions = PJ_CUT_FUNCTIONS}, &job, &err);
    need_module(&err);
    const pj_ai_region_row *row = region_of(run, inner);
    assert_int_equal(row->own.shares[0].useful, 80000);
    assert_int_equal(row->own.shares[1].useful, 40000);
    assert_int_equal(pj_ai_share_idle(&row->own.shares[0]), 2000);
    row = region_of(run, outer);
    assert_int_equal(row->own.shares[0].copies, 10000);
    assert_int_equal(row->own.time_ns, 20000);
    assert_int_equal(row->whole.time_ns, 224000);
    assert_int_equal(row->whole.longest_ns, 112000);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < run->ai->region_count; i++)
        sum += run->ai->regions[i].own.time_ns;
    assert_int_equal(sum, run->runtime_ns * run->ai->count);
}

/// NVTX ranges, and those of rocTX, whose texts stand with their events.
static void ranges_are_regions(void **state)
{
    (void)state;
    expect_regions(PJ_SOURCE_DIR "/tests/golden/nsys/ranges.sqlite", "inner", "train");
    expect_regions(PJ_SOURCE_DIR "/tests/golden/rocpd/ranges{0,1}_results.db", "solve \"x\"",
                   "epoch");
}

/// The kernel's name does not say so.
static void ranges_tell_exchanges(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_run run = load(PJ_SOURCE_DIR "/tests/golden/nsys/ranges.sqlite", &err);
    need_module(&err);
    assert_int_equal(run->ai->operation_count, 1);
    assert_string_equal(run->ai->operations[0].operation, "allreduce");
    assert_int_equal(run->ai->operations[0].transfer_ns, 20000);
    assert_int_equal(run->ai->operations[0].wait_ns, 40000);
    assert_int_equal(run->ai->region_count, 0);
}

static void zeros_are_refused(void **state)
{
    (void)state;
    char path[] = "/tmp/popinjay_database_XXXXXX";
    int fd = mkstemp(path);
    FILE *out = fdopen(fd, "wb");
    char bytes[4096] = {0};
    assert_int_equal(fwrite(bytes, 1, sizeof bytes, out), sizeof bytes);
    fclose(out);
    pj_err err = {.code = PJ_E_NONE};
    assert_null(load(path, &err));
    remove(path);
    assert_int_equal(err.code, PJ_E_FORMAT);
    assert_non_null(strstr(err.text, "begins with nothing but zeros"));
}

static void headers_alone_are_refused(void **state)
{
    (void)state;
    char path[] = "/tmp/popinjay_database_XXXXXX";
    int fd = mkstemp(path);
    FILE *out = fdopen(fd, "wb");
    char bytes[4096] = "SQLite format 3";
    assert_int_equal(fwrite(bytes, 1, sizeof bytes, out), sizeof bytes);
    fclose(out);
    pj_err err = {.code = PJ_E_NONE};
    assert_null(load(path, &err));
    remove(path);
    need_module(&err);
    assert_int_equal(err.code, PJ_E_FORMAT);
    assert_non_null(strstr(err.text, "database"));
}

/// A database that somebody still writes into.
static void a_journal_beside_it_is_told_of(void **state)
{
    (void)state;
    char folder[] = "/tmp/popinjay_database_XXXXXX", at[64], journal[80];
    pj_auto_buf bytes = {.at = NULL};
    pj_err err = {.code = PJ_E_NONE};
    assert_non_null(mkdtemp(folder));
    snprintf(at, sizeof at, "%s/a.sqlite", folder);
    snprintf(journal, sizeof journal, "%s-wal", at);
    assert_true(pj_file_read(NSYS, &bytes, &err));
    assert_true(pj_newfile_put(at, pj_buf_str(&bytes), &err));
    assert_true(pj_newfile_put(journal, pj_str_head(pj_buf_str(&bytes), 4096), &err));
    pj_auto_run run = load(at, &err);
    remove(journal);
    pj_auto_run alone = load(at, &err);
    remove(at);
    remove(folder);
    need_module(&err);
    assert_true(kineto_run_says(run, "lies a journal"));
    assert_false(kineto_run_says(alone, "journal"));
}

/// Files of 2020 do not tell the process of a kernel: it is that of the calls.
static void files_without_processes_hold_one(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_run run = load(PJ_SOURCE_DIR "/tests/golden/nsys/no_process.sqlite", &err);
    need_module(&err);
    assert_non_null(run);
    assert_int_equal(run->layout.ranks, 1);
    assert_int_equal(run->ai->shares[0].idle[PJ_AI_IDLE_launch], 3000);
    assert_int_equal(run->ai->shares[0].idle[PJ_AI_IDLE_unknown], 0);
}

static bool is_said(const pj_run *run, const char *text)
{
    bool said = false;
    for (size_t i = 0; i < run->remarks.count; i++)
        said = said || strstr(run->remarks.items[i].text, text);
    return said;
}

/// The file before with three more kernels, of which a time is a text or null.
static void stamps_are_numbers(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_run run = load(PJ_SOURCE_DIR "/tests/golden/nsys/text_stamp.sqlite", &err);
    need_module(&err);
    assert_non_null(run);
    assert_true(is_said(run, "3 events of devices have no time and were left out"));
    assert_int_equal(run->ai->shares[0].idle[PJ_AI_IDLE_launch], 3000);
    assert_int_equal(run->ai->shares[0].idle[PJ_AI_IDLE_unknown], 0);
}

static void expect_idle(const char *path, const uint64_t want[PJ_AI_IDLE_CAUSES])
{
    for (int regions = 0; regions < 2; regions++) {
        pj_err err = {.code = PJ_E_NONE};
        pj_job job = {.workers = 1};
        pj_load_opts opts = {.functions = regions ? PJ_CUT_FUNCTIONS : 0};
        pj_auto_run run = pj_load(path, opts, &job, &err);
        need_module(&err);
        assert_non_null(run);
        assert_memory_equal(run->ai->shares[0].idle, want, sizeof run->ai->shares[0].idle);
    }
}

/// Kernels of one queue may run together: the first one lasts 80 us, of which 10 beside the second.
static void kernels_of_a_queue_overlap(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_run run = load(PJ_SOURCE_DIR "/tests/golden/rocpd/overlap_results.db", &err);
    need_module(&err);
    assert_non_null(run);
    assert_int_equal(run->ai->shares[0].useful, 80000);
    assert_int_equal(run->ai->shares[0].unsplit, 20000);
    assert_true(is_said(run, "1 records of one stream overlap"));
}

/// A range says so; the account is the same whether regions are asked for.
static void loading_is_a_cause(void **state)
{
    (void)state;
    // Before the second kernel 2 host, 28 loading, 5 host, 3 in the launch, 2 after it, and 2 of
    // these 5 in cudaMalloc; before the third 15 host, 3 and 2.
    const uint64_t nsys[PJ_AI_IDLE_CAUSES] = {[PJ_AI_IDLE_data_loading] = 28000,
                                              [PJ_AI_IDLE_runtime] = 2000,
                                              [PJ_AI_IDLE_host] = 20000,
                                              [PJ_AI_IDLE_launch] = 6000,
                                              [PJ_AI_IDLE_launch_latency] = 4000};
    const uint64_t rocpd[PJ_AI_IDLE_CAUSES] = {[PJ_AI_IDLE_data_loading] = 1000,
                                               [PJ_AI_IDLE_launch] = 500,
                                               [PJ_AI_IDLE_launch_latency] = 500};
    expect_idle(PJ_SOURCE_DIR "/tests/golden/nsys/loading.sqlite", nsys);
    expect_idle(PJ_SOURCE_DIR "/tests/golden/rocpd/loading_results.db", rocpd);
}

/// Of a graph that is recorded as a whole there are no kernels; its launch is a call as any.
static void graphs_are_compute(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_run run = load(PJ_SOURCE_DIR "/tests/golden/nsys/graphs.sqlite", &err);
    need_module(&err);
    assert_non_null(run);
    const pj_ai_share *share = &run->ai->shares[0];
    assert_int_equal(run->runtime_ns, 80000);
    assert_int_equal(share->useful, 20000 + 10000 + 18000);
    assert_int_equal(share->idle[PJ_AI_IDLE_host], 25000);
    assert_int_equal(share->idle[PJ_AI_IDLE_launch], 3000 + 2000);
    assert_true(is_said(run, "1 graphs were recorded each as a whole"));
    assert_true(is_said(run, "1 times the profiler says that events are missing"));
    assert_true(is_said(run, "its profiler took 5.0 % of the run for itself"));
}

/// A table without times, and a file without texts.
static void lacking_tables_are_refused(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    assert_null(load(PJ_SOURCE_DIR "/tests/golden/nsys/no_begin.sqlite", &err));
    need_module(&err);
    assert_int_equal(err.code, PJ_E_FORMAT);
    assert_non_null(strstr(err.text, "CUPTI_ACTIVITY_KIND_KERNEL without the column start"));
    err = (pj_err){.code = PJ_E_NONE};
    assert_null(load(PJ_SOURCE_DIR "/tests/golden/nsys/no_texts.sqlite", &err));
    assert_int_equal(err.code, PJ_E_FORMAT);
    assert_non_null(strstr(err.text, "lacks the table StringIds"));
}

static void views_are_refused(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    assert_null(load(PJ_SOURCE_DIR "/tests/golden/nsys/view.sqlite", &err));
    need_module(&err);
    assert_int_equal(err.code, PJ_E_FORMAT);
    assert_non_null(strstr(err.text, "a view in place of its table CUPTI_ACTIVITY_KIND_KERNEL"));
}

static size_t read_bytes(const char *path, char *out, size_t most)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    size_t got = fread(out, 1, most, in);
    fclose(in);
    return got;
}

/// A result or a message that names the file.
static void try_bytes(const char *bytes, size_t count)
{
    char path[] = "/tmp/popinjay_database_XXXXXX";
    FILE *out = fdopen(mkstemp(path), "wb");
    assert_int_equal(fwrite(bytes, 1, count, out), count);
    fclose(out);
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_run run = load(path, &err);
    assert_true(run || (err.code && *err.text));
    remove(path);
}

/// Every page of zeros, of ones, and every length in steps.
static void damage_ends_in_a_message(void **state)
{
    (void)state;
    enum { MOST = 1 << 16, STEP = 97 };
    static char good[MOST], bad[MOST];
    static const char *const paths[] = {NSYS, PJ_SOURCE_DIR "/tests/golden/rocpd/rank0_results.db"};
    for (size_t i = 0; i < 2; i++) {
        size_t count = read_bytes(paths[i], good, MOST);
        size_t page = (size_t)(unsigned char)good[16] << 8 | (unsigned char)good[17];
        for (size_t at = 0; at + page <= count; at += page)
            for (int fill = 0; fill < 256; fill += 255) {
                size_t from = at ? at : 100; // behind the header of the file
                memcpy(bad, good, count);
                memset(bad + from, fill, at + page - from);
                try_bytes(bad, count);
            }
        for (size_t len = 0; len < count; len += STEP)
            try_bytes(good, len);
    }
}

/// The sample holds an environment; nothing that is read of it goes anywhere.
static void environments_stay_where_they_are(void **state)
{
    (void)state;
    enum { MOST = 1 << 16 };
    static char bytes[MOST];
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_run run = load(NSYS, &err);
    need_module(&err);
    assert_non_null(run);
    assert_non_null(memmem(bytes, read_bytes(NSYS, bytes, MOST), "hunter2", 7));
    char folder[] = "/tmp/popinjay_database_XXXXXX";
    assert_non_null(mkdtemp(folder));
    pj_auto_arena arena = pj_arena_new(NULL);
    const char *at = pj_arena_format(arena, "%s/x.popinjay.json.gz", folder);
    pj_job job = {.workers = 1};
    pj_auto_run kept = NULL;
    assert_true(pj_summarise(NSYS, at, (pj_load_opts){.tag = NULL}, &job, &kept, &err));
    pj_source *source = pj_source_open(at, &job, &err);
    pj_str text;
    assert_true(pj_source_whole(source, MOST, &text, &err));
    assert_false(pj_str_contains(text, PJ_S("hunter2")));
    assert_false(pj_str_contains(text, PJ_S("SECRET")));
    pj_source_close(source);
    remove(at);
    remove(folder);
}

/// Ranks by the launcher's variables, GPUs by the machine's numbers; files in the other order.
static void facts_of_the_launch_are_told(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_run run = load(LAUNCHED, &err);
    need_module(&err);
    assert_non_null(run);
    assert_int_equal(run->layout.ranks, 2);
    assert_string_equal(run->layout.streams[0].device, "rank 0:GPU 2");
    assert_string_equal(run->layout.streams[1].device, "rank 1:GPU 5");
    for (size_t i = 0; i < run->remarks.count; i++)
        assert_null(strstr(run->remarks.items[i].text, "used by several ranks"));
    pj_auto_run alone = load(PJ_SOURCE_DIR "/tests/golden/nsys/first.sqlite", &err);
    assert_string_equal(alone->layout.streams[0].device, "rank 1:GPU 5");
    assert_string_equal(alone->remarks.items[0].text, "1 of 2 ranks were read");
}

/// 6 us of a send, 4 of a wait that stands twice, 15 of a collective and 3 of others in the 100 us;
/// of 7 in the runtime of the device 2 are in MPI.
static void calls_of_mpi_are_told(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_run run = load(LAUNCHED, &err);
    need_module(&err);
    assert_true(run->has_mpi);
    for (uint32_t r = 0; r < 2; r++) {
        const pj_totals *t = &run->totals[r];
        assert_int_equal(t->runtime_ns, 100000);
        assert_int_equal(t->mpi_ns, 28000);
        assert_int_equal(t->outside_mpi_ns, 72000);
        assert_int_equal(t->spent_ns[PJ_SPENT_P2P], 10000);
        assert_int_equal(t->spent_ns[PJ_SPENT_COLLECTIVE], 15000);
        assert_int_equal(t->spent_ns[PJ_SPENT_MPI], 3000);
        assert_int_equal(t->spent_ns[PJ_SPENT_DEVICE], 5000);
        assert_int_equal(t->device_calls_ns, 7000);
        assert_int_equal(t->useful_ns, 67000);
    }
    const pj_timeline_opts timeline = {.last_rank = UINT32_MAX, .rows_most = 64, .columns = 100};
    pj_job job = {.workers = 1};
    pj_auto_run drawn =
        pj_load(LAUNCHED, (pj_load_opts){.timeline = &timeline, .no_replay = true}, &job, &err);
    assert_non_null(drawn);
    assert_memory_equal(drawn->totals, run->totals, 2 * sizeof *run->totals);
    const uint64_t *sums = drawn->timeline->sums;
    assert_int_equal(sums[PJ_TIMELINE_message], 10000);
    assert_int_equal(sums[PJ_TIMELINE_collective], 15000);
    assert_int_equal(sums[PJ_TIMELINE_other], 3000);
    assert_int_equal(sums[PJ_TIMELINE_launch], 5000);
}

/// 8 us of a collective write and 3 of an opening more are input and output.
static void files_of_mpi_are_told(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_run run = load(PJ_SOURCE_DIR "/tests/golden/nsys/files.sqlite", &err);
    need_module(&err);
    const pj_totals *t = &run->totals[0];
    assert_int_equal(t->mpi_ns, 39000);
    assert_int_equal(t->mpi_io_ns, 11000);
    assert_int_equal(t->spent_ns[PJ_SPENT_IO], 11000);
    assert_int_equal(t->spent_ns[PJ_SPENT_COLLECTIVE], 15000);
    assert_int_equal(t->spent_ns[PJ_SPENT_MPI], 3000);
    const pj_timeline_opts timeline = {.last_rank = UINT32_MAX, .rows_most = 64, .columns = 100};
    pj_job job = {.workers = 1};
    pj_auto_run drawn = pj_load(PJ_SOURCE_DIR "/tests/golden/nsys/files.sqlite",
                                (pj_load_opts){.timeline = &timeline}, &job, &err);
    assert_int_equal(drawn->timeline->sums[PJ_TIMELINE_io], 11000);
    assert_int_equal(drawn->timeline->sums[PJ_TIMELINE_collective], 15000);
}

/// Two processes of one GPU.
static void shared_devices_are_said(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_run run = load(PJ_SOURCE_DIR "/tests/golden/nsys/{second,shared}.sqlite", &err);
    need_module(&err);
    assert_non_null(run);
    bool said = false;
    for (size_t i = 0; i < run->remarks.count; i++)
        said = said || strstr(run->remarks.items[i].text, "1 device is used by several ranks");
    assert_true(said);
    assert_int_equal(run->ai->count, 1);
    assert_int_equal(run->layout.ranks, 2);
    assert_int_equal(run->ai->shares[0].useful, 100000); // what both compute at once counts once
}

/// Two processes of one file: 10 us in which the GPU has nothing to do are those of the process
/// that ends them, whatever the other one calls meanwhile.
static void a_device_is_one_for_all_processes(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    static const char path[] = PJ_SOURCE_DIR "/tests/golden/nsys/one_gpu.sqlite";
    pj_auto_run run = load(path, &err);
    need_module(&err);
    assert_int_equal(run->ai->count, 1);
    assert_int_equal(run->runtime_ns, 60000);
    const pj_ai_share *share = &run->ai->shares[0];
    assert_int_equal(share->useful, 50000);
    assert_int_equal(share->idle[PJ_AI_IDLE_host], 5000);
    assert_int_equal(share->idle[PJ_AI_IDLE_launch], 3000);
    assert_int_equal(share->idle[PJ_AI_IDLE_launch_latency], 2000);
    assert_int_equal(pj_ai_share_time(share), run->runtime_ns);
    assert_int_equal(run->devices->items[0].kernels, 3);
    assert_int_equal(run->devices->items[0].streams, 2);

    const pj_timeline_opts timeline = {
        .last_rank = UINT32_MAX, .rows_most = 64, .columns = 60, .streams = true};
    pj_job job = {.workers = 1};
    pj_auto_run drawn = pj_load(path, (pj_load_opts){.timeline = &timeline}, &job, &err);
    assert_int_equal(drawn->timeline->lanes, 2 + 1 + 2);
}

static uint64_t waited(const pj_waits *waits, pj_wait_pattern pattern, uint32_t rank,
                       uint32_t culprit)
{
    for (uint32_t i = 0; i < waits->sum_count; i++)
        if (waits->sums[i].pattern == pattern && waits->sums[i].rank == rank &&
            waits->sums[i].culprit == culprit)
            return waits->sums[i].wait_ns;
    return 0;
}

/// Handles of communicators differ in each process; two of two ranks each do the same apart. Times
/// count from the begin of the devices, behind MPI_Init.
static void waits_of_mpi_have_culprits(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_job job = {.workers = 1};
    pj_auto_run run = pj_load(PJ_SOURCE_DIR "/tests/golden/nsys/mpi.sqlite",
                              (pj_load_opts){.aspects = PJ_WANT(waits)}, &job, &err);
    need_module(&err);
    assert_int_equal(run->runtime_ns, 400000);
    const pj_waits *waits = run->waits;
    assert_non_null(waits);
    assert_int_equal(waits->sum_count, 7);
    assert_int_equal(waited(waits, PJ_WAIT_late_sender, 1, 0), 20000);
    assert_int_equal(waited(waits, PJ_WAIT_late_sender, 0, 1), 6000); // in MPI_Waitall
    assert_int_equal(waited(waits, PJ_WAIT_wait_at_nxn, 0, 1), 20000);
    assert_int_equal(waited(waits, PJ_WAIT_wait_at_nxn, 2, 1), 15000);
    assert_int_equal(waited(waits, PJ_WAIT_wait_at_nxn, 3, 1), 15000);
    assert_int_equal(waited(waits, PJ_WAIT_barrier_wait, 0, 1), 10000);
    assert_int_equal(waited(waits, PJ_WAIT_barrier_wait, 2, 3), 15000);
    assert_int_equal(waits->worst[0].begin, 10000);
    assert_int_equal(waits->ranks[0].outside_ns, 332000);
    assert_true(run->ideal.available);
    assert_false(run->roi.set);
}

/// Samples of 100, 300 and 200 W at 0, 56 and 112 us, the begin, middle and end of the run, others
/// around it; a reading without a time, temperatures, and a counter of a kernel are none.
static void power_is_sampled(void **state)
{
    (void)state;
    const char *path = PJ_SOURCE_DIR "/tests/golden/rocpd/power_results.db";
    pj_err err = {.code = PJ_E_NONE};
    pj_job job = {.workers = 1};
    pj_auto_run plain = load(path, &err);
    need_module(&err);
    assert_int_equal(plain->meters.count, 1);
    assert_null(plain->energy);
    pj_auto_run run = pj_load(path, (pj_load_opts){.aspects = PJ_WANT(energy)}, &job, &err);
    if (!run)
        fail_msg("%s", err.text);
    assert_non_null(run->energy);
    assert_int_equal(job.memory_used, 0);
    const pj_energy_row *row = &run->energy->rows[0];
    assert_int_equal(run->energy->count, 1);
    assert_int_equal(row->meter.domain, PJ_METER_BOARD);
    assert_string_equal(row->meter.name, "amd_smi_power");
    assert_string_equal(row->meter.scope, "node 0"); // which has a name
    assert_int_equal(row->reading.samples, 5);
    assert_int_equal(row->reading.covered_ns, 112000);
    assert_true(fabs(run->energy->joules - (200 + 250) * 56e-6) < 1e-15);
    // The copy lasts from 0 to 10, the kernel from 12 to 92 us, then it exchanges.
    assert_true(fabs(row->reading.states[PJ_ENERGY_USEFUL] - (44 * 200 + 36 * 250) * 1e-6) < 1e-15);
    assert_true(fabs(row->reading.states[PJ_ENERGY_TRANSFER] - (10 * 200 + 20 * 250) * 1e-6) <
                1e-15);
    assert_true(fabs(row->reading.states[PJ_ENERGY_IDLE] - 2 * 200 * 1e-6) < 1e-15);
    assert_int_equal(plain->runtime_ns, run->runtime_ns);
    assert_memory_equal(plain->totals, run->totals, sizeof *run->totals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_run_has_one_account),
        cmocka_unit_test(ranges_are_steps),
        cmocka_unit_test(summaries_keep_steps),
        cmocka_unit_test(marks_of_roctx_are_steps),
        cmocka_unit_test(ranges_are_regions),
        cmocka_unit_test(ranges_tell_exchanges),
        cmocka_unit_test(zeros_are_refused),
        cmocka_unit_test(headers_alone_are_refused),
        cmocka_unit_test(a_journal_beside_it_is_told_of),
        cmocka_unit_test(lacking_tables_are_refused),
        cmocka_unit_test(stamps_are_numbers),
        cmocka_unit_test(kernels_of_a_queue_overlap),
        cmocka_unit_test(loading_is_a_cause),
        cmocka_unit_test(graphs_are_compute),
        cmocka_unit_test(files_without_processes_hold_one),
        cmocka_unit_test(views_are_refused),
        cmocka_unit_test(damage_ends_in_a_message),
        cmocka_unit_test(environments_stay_where_they_are),
        cmocka_unit_test(facts_of_the_launch_are_told),
        cmocka_unit_test(calls_of_mpi_are_told),
        cmocka_unit_test(files_of_mpi_are_told),
        cmocka_unit_test(shared_devices_are_said),
        cmocka_unit_test(a_device_is_one_for_all_processes),
        cmocka_unit_test(waits_of_mpi_have_culprits),
        cmocka_unit_test(power_is_sampled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
