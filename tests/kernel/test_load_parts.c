// A timeline that zooms into a run read before reads only the parts of the file that it needs, and
// shows what a reading of the whole file shows.
#include "kernel/load.h"
#include "tests/support/model_app.h"

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

static pj_run *load_with(const pj_scene_opts *scene, const pj_run *known, unsigned workers)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_job job = {.workers = workers};
    pj_run *run = pj_load(path, (pj_load_opts){.no_replay = true, .scene = scene, .known = known},
                          &job, &err);
    if (!run)
        fail_msg("%s", err.text);
    return run;
}

static pj_scene_opts range_of(double from, double to)
{
    return (pj_scene_opts){.range = {.kind = PJ_ROI_RANGE,
                                     .from = from,
                                     .to = to,
                                     .from_percent = true,
                                     .to_percent = true},
                           .last_rank = UINT32_MAX,
                           .rows_most = 560,
                           .columns = 400};
}

static void expect_same(const pj_scene *a, const pj_scene *b)
{
    assert_int_equal(a->from_ns, b->from_ns);
    assert_int_equal(a->to_ns, b->to_ns);
    assert_int_equal(a->lanes, b->lanes);
    assert_memory_equal(a->time, b->time, a->rows * a->columns * PJ_SCENE_KINDS * sizeof *a->time);
    assert_memory_equal(a->sums, b->sums, a->lanes * PJ_SCENE_KINDS * sizeof *a->sums);
    assert_int_equal(a->messages, b->messages);
    assert_int_equal(a->bundle_count, b->bundle_count);
    assert_memory_equal(a->bundles, b->bundles, a->bundle_count * sizeof *a->bundles);
}

static void zooming_reads_what_it_shows(void **state)
{
    (void)state;
    pj_auto_run known = load_with(NULL, NULL, 1);
    assert_true(known->part_count > 8);
    assert_false(known->states_overlap);
    static const double ranges[][2] = {{0, 3}, {41, 42}, {97, 100}, {0, 100}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        pj_scene_opts opts = range_of(ranges[i][0], ranges[i][1]);
        pj_auto_run whole = load_with(&opts, NULL, 1);
        pj_auto_run part = load_with(&opts, known, 1 + (unsigned)i % 2 * 3);
        expect_same(whole->scene, part->scene);
        bool all = ranges[i][1] - ranges[i][0] > 50;
        if (!all)
            assert_true(part->text_bytes < whole->text_bytes / 2);
    }
}

static void a_changed_file_is_read_whole(void **state)
{
    (void)state;
    pj_auto_run known = load_with(NULL, NULL, 1);
    pj_scene_opts opts = range_of(41, 42);
    known->file_bytes--;
    pj_auto_run whole = load_with(&opts, known, 1);
    assert_int_equal(whole->text_bytes, known->text_bytes);
    assert_non_null(whole->totals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zooming_reads_what_it_shows),
        cmocka_unit_test(a_changed_file_is_read_whole),
    };
    return cmocka_run_group_tests(tests, write_trace, remove_trace);
}
