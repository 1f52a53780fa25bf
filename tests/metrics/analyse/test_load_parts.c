// A timeline that zooms into a run read before reads only the parts of its files that it needs, and
// shows what a reading of the whole trace shows.
#include "metrics/analyse/load.h"
#include "metrics/read/reader.h"
#include "tests/support/trace/model_app.h"
#include "tests/support/trace/otf2_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const pj_model_app model = {
    .ranks = 8,
    .threads = 2,
    .iterations = 900,
    .openmp = true,
    PJ_MODEL_COSTS,
};

static const pj_model_app archived = {
    .ranks = 8,
    .threads = 2,
    .iterations = 300,
    .openmp = true,
    PJ_MODEL_COSTS,
};

static char folder[] = "/tmp/pj_parts_XXXXXX";
static char path[64];

static int write_trace(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_trace writer = pj_model_write(&model);
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/long.prv", folder);
    return pj_trace_writer_save(writer, path, &err) ? 0 : -1;
}

/// Messages that reach far beyond what is looked at, and one that overtakes another.
static void add_messages(pj_trace_writer *writer)
{
    static const struct {
        uint32_t from, to;
        double sent, received; // percent
        int64_t tag;
    } rows[] = {{0, 5, 2, 90, 70},     {3, 4, 10, 41.2, 7}, {3, 4, 41.1, 60, 8},
                {3, 4, 41.3, 41.4, 9}, {6, 1, 41.5, 95, 7}, {1, 6, 99, 99.5, 7}};
    pj_auto_expected expected = pj_model_expect(&archived);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t sent = (uint64_t)(rows[i].sent / 100 * (double)expected.runtime);
        uint64_t received = (uint64_t)(rows[i].received / 100 * (double)expected.runtime);
        pj_trace_writer_message(writer, (pj_trace_message){.from = {rows[i].from, 0},
                                                           .to = {rows[i].to, 0},
                                                           .times = {sent, sent, sent, received},
                                                           .size = 1000 + i,
                                                           .tag = rows[i].tag});
    }
}

static void write_archive(pj_otf2_style style)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_trace writer = pj_model_write(&archived);
    add_messages(writer);
    snprintf(path, sizeof path, "%s/long.otf2", folder);
    if (!pj_otf2_writer_save(writer, path, style, &err))
        fail_msg("%s", err.text);
}

static int remove_trace(void **state)
{
    (void)state;
    static const char *const suffixes[] = {"prv", "pcf", "row"};
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/long.%s", folder, suffixes[i]);
        unlink(path);
    }
    return rmdir(folder);
}

static pj_run *load_with(const pj_timeline_opts *timeline, const pj_run *known, unsigned workers)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_job job = {.workers = workers};
    pj_run *run = pj_load(
        path, (pj_load_opts){.no_replay = true, .timeline = timeline, .known = known}, &job, &err);
    if (!run)
        fail_msg("%s", err.text);
    return run;
}

static pj_timeline_opts range_of(double from, double to)
{
    return (pj_timeline_opts){.range = {.kind = PJ_ROI_RANGE,
                                        .from = from,
                                        .to = to,
                                        .from_percent = true,
                                        .to_percent = true},
                              .last_rank = UINT32_MAX,
                              .rows_most = 560,
                              .columns = 400};
}

static void expect_same(const pj_timeline *a, const pj_timeline *b)
{
    assert_int_equal(a->from_ns, b->from_ns);
    assert_int_equal(a->to_ns, b->to_ns);
    assert_int_equal(a->lanes, b->lanes);
    assert_memory_equal(a->time, b->time,
                        a->rows * a->columns * PJ_TIMELINE_KINDS * sizeof *a->time);
    assert_memory_equal(a->sums, b->sums, a->lanes * PJ_TIMELINE_KINDS * sizeof *a->sums);
    assert_int_equal(a->messages, b->messages);
    assert_int_equal(a->bundle_count, b->bundle_count);
    assert_memory_equal(a->bundles, b->bundles, a->bundle_count * sizeof *a->bundles);
}

static void expect_zooms(const pj_run *known)
{
    static const double ranges[][2] = {{0, 3}, {41, 42}, {97, 100}, {0, 100}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        pj_timeline_opts opts = range_of(ranges[i][0], ranges[i][1]);
        pj_auto_run whole = load_with(&opts, NULL, 1);
        pj_auto_run part = load_with(&opts, known, 1 + (unsigned)i % 2 * 3);
        assert_true(whole->timeline->messages > 0);
        expect_same(whole->timeline, part->timeline);
        bool all = ranges[i][1] - ranges[i][0] > 50;
        if (!all)
            assert_true(part->text_bytes < whole->text_bytes / 2);
    }
}

static void zooming_reads_what_it_shows(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/long.prv", folder);
    pj_auto_run known = load_with(NULL, NULL, 1);
    assert_true(known->ranged.count > 8);
    assert_false(known->ranged.states_overlap);
    expect_zooms(known);
}

static void zooming_into_an_archive_does_too(void **state)
{
    (void)state;
    static const pj_otf2_style styles[] = {
        {.chunk_bytes = 256 * 1024},
        {.ticks_per_ns = 3,
         .clock_step = 500000000,
         .clock_drift = 3000,
         .no_offsets = true,
         .global_ids = true},
    };
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        write_archive(styles[i]);
        pj_auto_run known = load_with(NULL, NULL, 1 + (unsigned)i);
        assert_true(pj_reader_knows(known));
        expect_zooms(known);
    }
    pj_otf2_writer_remove(path);
}

static void a_changed_file_is_read_whole(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "%s/long.prv", folder);
    pj_auto_run known = load_with(NULL, NULL, 1);
    pj_timeline_opts opts = range_of(41, 42);
    known->file_bytes--;
    pj_auto_run whole = load_with(&opts, known, 1);
    assert_int_equal(whole->text_bytes, known->text_bytes);
    assert_non_null(whole->totals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zooming_reads_what_it_shows),
        cmocka_unit_test(zooming_into_an_archive_does_too),
        cmocka_unit_test(a_changed_file_is_read_whole),
    };
    return cmocka_run_group_tests(tests, write_trace, remove_trace);
}
