// Functions in summaries: what is kept has the digits of the run, what is not stands in one row,
// and damage is refused or harmless.
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/read/pass.h"
#include "metrics/read/read.h"
#include "metrics/read/summary/summary.h"
#include "metrics/run/parts/functions.h"
#include "metrics/run/parts/functions_table.h"
#include "metrics/run/run_parts.h"
#include "metrics/table/table.h"
#include "tests/support/made_run.h"
#include "tests/support/packed.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { RANKS = 4 };

static const pj_provenance origin = {.source = "made.prv",
                                     .format = "prv",
                                     .options = "roi auto, roi-cut clip, clock repair",
                                     .program = "0.2.0"};

static pj_function_use use_of(uint64_t ns, uint64_t seed)
{
    pj_function_use use = {.time_ns = ns, .longest_ns = ns / RANKS + seed % 7, .ranks = RANKS - 1};
    use.ideal_ns = (double)use.longest_ns * 0.9;
    use.ideal_lacks = seed % 2 ? "messages leave it" : NULL;
    use.sums = pj_sums_of_ranks();
    use.sums.ranks = use.ranks;
    use.sums.threads = RANKS;
    use.sums.runtime = (double)use.longest_ns;
    use.sums.useful_sum = (double)ns * 0.7;
    use.sums.useful_mean = use.sums.useful_sum / 3;
    use.sums.useful_max = use.sums.useful_mean * 1.1;
    use.sums.instructions = (double)(ns * 3);
    use.sums.cycles = (double)(ns * 2 + seed);
    return use;
}

/// Functions of ever less own time, the first ones within the last one; and what is outside.
static pj_run *run_of(uint32_t count)
{
    pj_run *run = made_run_even("made.prv", RANKS, 1);
    pj_functions *all = pj_new(run->arena, pj_functions);
    *all = (pj_functions){.cut = PJ_CUT_FUNCTIONS,
                          .items = pj_new_n(run->arena, pj_function, count + 1),
                          .count = count + 1,
                          .left_out = 2,
                          .waits = true,
                          .instructions = true,
                          .cycles = true};
    made_run_close(run);
    for (uint32_t i = 0; i <= count; i++) {
        uint64_t ns = UINT64_C(7919) * (2 * count - i) + i * i % 13;
        bool main = i + 1 == count;
        pj_function *f = &all->items[i];
        *f = (pj_function){.name = main ? "main" : pj_arena_format(run->arena, "work_%u", i),
                           .instances = i + 3,
                           .first_ns = 10 * i,
                           .last_ns = 10 * i + ns,
                           .wait_ns = i,
                           .mpi_ns = 2 * i + 1,
                           .outside = i == count};
        f->own = use_of(ns, i);
        f->whole = main ? use_of(ns * count, i) : f->own;
    }
    run->functions = all;
    return run;
}

static const char *scratch(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/pj_summary_functions_%d.popinjay.json.gz", (int)getpid());
    return path;
}

static pj_run *there_and_back(const pj_run *run, uint64_t *bytes)
{
    pj_err err = {0};
    pj_job job = {.workers = 1};
    assert_true(pj_summary_write(run, &origin, scratch(), bytes, &err));
    pj_auto_run back = pj_run_new(scratch());
    pj_pass pass = {.run = back, .job = &job};
    if (!pj_read_file(scratch(), &pass, &err))
        fail_msg("%s", err.text);
    unlink(scratch());
    return pj_run_hold(back);
}

static void same_row(const pj_table *a, size_t i, const pj_table *b, size_t k)
{
    for (size_t c = 0; c < a->column_count; c++) {
        const pj_cell *x = pj_table_cell(a, i, c), *y = pj_table_cell(b, k, c);
        assert_int_equal(x->kind, y->kind);
        if (x->kind == PJ_CELL_REAL)
            assert_true(x->real == y->real);
        else if (x->kind == PJ_CELL_INT)
            assert_int_equal(x->integer, y->integer);
        else
            assert_string_equal(x->text, y->text);
    }
}

static void few_functions_are_kept_as_they_are(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_run run = run_of(20);
    pj_auto_run back = there_and_back(run, NULL);
    for (int own = 0; own < 2; own++) {
        pj_auto_table a = pj_functions_table(run, own, &err);
        pj_auto_table b = pj_functions_table(back, own, &err);
        assert_int_equal(a->row_count, b->row_count);
        for (size_t i = 0; i < a->row_count; i++)
            same_row(a, i, b, i);
        assert_string_equal(a->note, b->note);
    }
    assert_int_equal(back->parts.count, 20);
    pj_run *part = pj_run_parts_named(back, "main", &err);
    assert_non_null(part);
    pj_sums sums = pj_sums_of(part), whole = run->functions->items[19].whole.sums;
    assert_true(sums.useful_max == whole.useful_max && sums.cycles == whole.cycles);
    double outside = whole.outside_mpi_mean * whole.ranks;
    assert_true(sums.mpi_sum == fmax((double)run->functions->items[19].whole.time_ns - outside, 0));
    assert_true(isnan(sums.mpi_elapsed) && part->counters[0].present);
    assert_false(part->ideal.available);
    assert_string_equal(part->ideal.reason, "messages leave it");
    part = pj_run_parts_named(back, "work_2", &err);
    assert_true(part->ideal.available &&
                part->ideal.runtime_ns == run->functions->items[2].whole.ideal_ns);
    part = pj_run_parts_named(back, "main", &err);
    assert_int_equal(part->runtime_ns, run->functions->items[19].whole.longest_ns);
}

/// What is left is one row: own times add up as before, the rest is empty and says why.
static void the_longest_are_kept(void **state)
{
    (void)state;
    pj_err err = {0};
    uint64_t bytes, before = 0, after = 0;
    pj_auto_run run = run_of(3000);
    pj_auto_run back = there_and_back(run, &bytes);
    const pj_functions *all = back->functions;
    assert_true(bytes < 20000 && all->count > 20 && all->count < 70);
    for (uint32_t i = 0; i < run->functions->count; i++)
        before += run->functions->items[i].own.time_ns;
    for (uint32_t i = 0; i < all->count; i++)
        after += all->items[i].own.time_ns;
    assert_int_equal(before, after);
    assert_int_equal(all->folded + all->count - 2, 3000);
    assert_string_equal(all->items[0].name, "work_0");
    assert_non_null(pj_run_parts_named(back, "main", &err)); // long with what it calls
    pj_auto_table table = pj_functions_table(back, false, &err);
    size_t row = all->count - 2;
    assert_true(all->items[row].folded);
    assert_string_equal(pj_table_cell(table, row, 0)->text, "all others");
    assert_int_equal(pj_table_cell(table, row, 1)->kind, PJ_CELL_EMPTY);
    assert_non_null(strstr(pj_table_cell(table, row, 8)->text, "does not tell"));
    assert_non_null(strstr(table->note, "A summary keeps the longest ones"));
}

static void runs_without_functions_have_none(void **state)
{
    (void)state;
    pj_auto_run run = run_of(0); // nothing but what is outside
    pj_auto_run back = there_and_back(run, NULL);
    assert_null(back->functions);
    assert_int_equal(back->parts.count, 0);
}

static void waits_that_are_not_known_say_why(void **state)
{
    (void)state;
    pj_auto_run run = run_of(3);
    pj_functions all = *run->functions;
    all.waits = false;
    all.waits_lack = "nobody looked";
    run->functions = &all;
    pj_auto_run back = there_and_back(run, NULL);
    assert_false(back->functions->waits);
    assert_string_equal(back->functions->waits_lack, "nobody looked");
}

/// Of a good summary `what` is replaced.
static void refused(const char *what, const char *with)
{
    pj_err err = {0};
    pj_job job = {.workers = 1};
    pj_auto_run run = run_of(3);
    pj_auto_buf text = {.at = NULL}, bad = {.at = NULL};
    assert_true(pj_summary_write(run, &origin, scratch(), NULL, &err));
    packed_read(&text, scratch());
    unlink(scratch());
    const char *at = strstr(text.at, what);
    assert_non_null(at);
    pj_buf_addf(&bad, "%.*s%s%s", (int)(at - text.at), text.at, with, at + strlen(what));
    pj_auto_run back = pj_run_new("text.popinjay.json.gz");
    pj_pass pass = {.run = back, .job = &job};
    assert_false(pj_read_memory("text.popinjay.json.gz", pj_buf_str(&bad), &pass, &err));
    assert_non_null(strstr(err.text, "damaged summary: functions"));
}

static void damage_is_refused(void **state)
{
    (void)state;
    refused("\"rows\": [", "\"rows\": [ 3,");
    refused("\"rows\"", "\"other\"");
    refused("\"work_0\"", "7");
    refused("\"sums\": [\n   \"ranks\",", "\"sums\": [");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_functions_are_kept_as_they_are),
        cmocka_unit_test(the_longest_are_kept),
        cmocka_unit_test(runs_without_functions_have_none),
        cmocka_unit_test(waits_that_are_not_known_say_why),
        cmocka_unit_test(damage_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
