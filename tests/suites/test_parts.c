// Ways to part a run, on the samples of traces: the same digits with one worker and four; parts
// make up the run at most; cut and damaged input gives parts, or an error that says something.
#include "metrics/analyse/load.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/file.h"
#include "metrics/read/reader.h"
#include "metrics/run/aspect.h"
#include "metrics/run/parts/bursts_table.h"
#include "metrics/run/parts/functions.h"
#include "metrics/run/parts/functions_table.h"
#include "metrics/run/parts/slices.h"
#include "metrics/run/parts/slices_table.h"
#include "metrics/run/run.h"
#include "metrics/stat/parts/slice_sink.h"
#include "metrics/table/table.h"
#include "tests/support/folder.h"
#include "tests/support/rounds.h"
#include "tests/support/samples.h"
#include "widgets/table/render.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { WAYS = PJ_CUT_END + 2, SLICES = 8 }; // functions by their cuts, then bursts, then slices

static pj_load_opts opts_of(unsigned way, const pj_slicing_opts *slices)
{
    if (way < PJ_CUT_END)
        return (pj_load_opts){.functions = (pj_function_cut)way};
    return way == PJ_CUT_END ? (pj_load_opts){.aspects = PJ_WANT(bursts), .regions = true}
                             : (pj_load_opts){.slices = slices};
}

static pj_table *table_of(const pj_run *run, unsigned way, pj_err *err)
{
    return way < PJ_CUT_END    ? pj_functions_table(run, false, err)
           : way == PJ_CUT_END ? pj_bursts_table(run, err)
                               : pj_slices_table(run, err);
}

/// Own times of all parts are the run's.
static void adds_up(const pj_run *run, const char *path)
{
    const pj_functions *all = run->functions;
    uint64_t sum = 0;
    for (uint32_t i = 0; all && i < all->count; i++)
        sum += all->items[i].own.time_ns;
    if (all && !run->ai && run->runtime_ns && sum > run->runtime_ns * run->layout.locations)
        fail_msg("%s: parts take %llu ns of a run of %llu", path, (unsigned long long)sum,
                 (unsigned long long)run->runtime_ns);
}

/// What is found, as text: a table in CSV, or the error.
static void find(const char *path, unsigned way, unsigned workers, pj_buf *out)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_job job = {.workers = workers, .memory_budget = 256 << 20};
    const pj_slicing_opts slices = pj_slicing_equal(SLICES);
    pj_auto_run run = pj_load(path, opts_of(way, &slices), &job, &err);
    pj_auto_table table = run ? table_of(run, way, &err) : NULL;
    if (table)
        pj_render_table(pj_renderer_by_name(PJ_S("csv")), table, (pj_render_opts){.max_rows = 0},
                        out);
    else
        pj_buf_puts(out, err.text);
    if (!out->len)
        fail_msg("%s, way %u: neither parts nor an error", path, way);
}

static void find_alike(const char *path, unsigned way)
{
    pj_auto_buf one = {.at = NULL}, four = {.at = NULL};
    find(path, way, 1, &one);
    find(path, way, 4, &four);
    assert_string_equal(one.at, four.at);
}

typedef void look(const pj_samples *samples, const pj_sample *sample);

static void each_sample(look *check)
{
    const pj_reader *reader;
    for (unsigned i = 0; (reader = pj_reader_at(i)); i++) {
        pj_auto_samples samples = pj_samples_of(reader);
        for (size_t k = 0; pj_reader_gives_trace(reader) && k < samples.count; k++)
            check(&samples, &samples.items[k]);
    }
}

static void find_good(const pj_samples *samples, const pj_sample *sample)
{
    (void)samples;
    for (unsigned way = 1; way < WAYS; way++) {
        pj_job job = {.workers = 2};
        find_alike(sample->path, way);
        pj_auto_run run = pj_load(sample->path, opts_of(way, NULL), &job, NULL);
        if (run)
            adds_up(run, sample->path);
    }
}

static void workers_change_nothing(void **state)
{
    (void)state;
    each_sample(find_good);
}

static void put(const char *path, pj_str bytes)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes.at ? bytes.at : "", 1, bytes.len, out), bytes.len);
    fclose(out);
}

/// The first bytes of a file, or all of it with one of them another one.
static void damage(pj_str good, unsigned round, unsigned rounds, pj_buf *bad)
{
    size_t at = good.len * (round / 2) / (rounds / 2 + 1);
    bad->len = 0;
    pj_buf_add(bad, round % 2 ? good : pj_str_head(good, at));
    if (round % 2 && at < good.len)
        bad->at[at] = (char)(bad->at[at] ^ (round % 3 ? 0x01 : 0x10));
}

static void find_damaged(const pj_samples *samples, const pj_sample *sample)
{
    const unsigned rounds = pj_rounds(60, 2000);
    const char *path = pj_samples_copy(samples, sample, folder_file(""));
    for (size_t i = 0; i < sample->file_count; i++) {
        pj_auto_buf good = {.at = NULL}, bad = {.at = NULL};
        if (pj_str_ends(pj_str_of(sample->files[i]), PJ_S("/")))
            continue;
        const char *file =
            pj_arena_format(samples->arena, "%s/%s", folder_file(""), sample->files[i]);
        assert_true(pj_file_read(file, &good, NULL));
        for (unsigned round = 0; round < rounds; round++) {
            damage(pj_buf_str(&good), round, rounds, &bad);
            put(file, pj_buf_str(&bad));
            find_alike(path, 1 + round % (WAYS - 1));
        }
        put(file, pj_buf_str(&good));
    }
    pj_samples_remove(samples, sample, folder_file(""));
}

static void damaged_traces_do_no_harm(void **state)
{
    (void)state;
    each_sample(find_damaged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_change_nothing),
        cmocka_unit_test(damaged_traces_do_no_harm),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
