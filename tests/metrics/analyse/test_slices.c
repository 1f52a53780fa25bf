// Slices of a run give the run: sums, ideal times and efficiencies, for any number of slices and
// workers; and the values of ../shared/data/reference/causes.
#include "metrics/analyse/cut.h"
#include "metrics/analyse/load.h"
#include "metrics/run/parts/slices.h"
#include "metrics/run/parts/slices_table.h"
#include "metrics/run/sums.h"
#include "tests/support/csv.h"
#include "tests/support/trace/model_app.h"
#include "tests/support/trace/otf2_writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define SHARED PJ_SOURCE_DIR "/../shared/data/"

static const pj_model_app processes = {.ranks = 6, .threads = 1, .iterations = 20, PJ_MODEL_COSTS};
static const pj_model_app threads = {
    .ranks = 3, .threads = 4, .iterations = 20, .openmp = true, PJ_MODEL_COSTS};

static char folder[] = "/tmp/pj_slices_XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static void remove_trace(void)
{
    static const char *const names[] = {"run.prv", "run.pcf", "run.row"};
    char name[64];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(name, sizeof name, "%s/%s", folder, names[i]);
        unlink(name);
    }
}

static int remove_folder(void **state)
{
    (void)state;
    remove_trace();
    return rmdir(folder);
}

static void write_model(const pj_model_app *model)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_trace writer = pj_model_write(model);
    snprintf(path, sizeof path, "%s/run.prv", folder);
    if (!pj_trace_writer_save(writer, path, &err))
        fail_msg("%s", err.text);
}

static pj_run *cut(const char *file, uint32_t count, pj_load_opts opts, unsigned workers)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_job job = {.workers = workers};
    pj_slicing_opts slices = pj_slicing_equal(count);
    opts.slices = &slices;
    pj_run *run = pj_load(file, opts, &job, &err);
    if (!run)
        fail_msg("%s", err.text);
    return run;
}

static void expect_near(double value, double wanted)
{
    if (fabs(value - wanted) > 1e-9 * fabs(wanted) + 1e-9)
        fail_msg("%.17g is not %.17g", value, wanted);
}

/// What adds up over slices is that of the run.
static void expect_whole(const pj_run *run)
{
    const pj_slices *slices = run->slices;
    pj_sums whole = pj_sums_of(run), sum = {.ranks = 0};
    double ideal = 0;
    for (uint32_t i = 0; i < slices->count; i++) {
        const pj_run_slice *s = &slices->items[i];
        sum.runtime += s->sums.runtime;
        sum.useful_sum += s->sums.useful_sum;
        sum.useful_mean += s->sums.useful_mean;
        sum.openmp_mean += s->sums.openmp_mean;
        sum.serial_mean += s->sums.serial_mean;
        sum.outside_mpi_mean += s->sums.outside_mpi_mean;
        sum.instructions += s->sums.instructions;
        sum.cycles += s->sums.cycles;
        ideal += s->ideal_ns;
        assert_true(s->sums.useful_max <= s->sums.runtime);
        assert_true(s->wait_ns <= s->mpi_ns);
    }
    expect_near(sum.runtime, whole.runtime);
    expect_near(sum.useful_sum, whole.useful_sum);
    expect_near(sum.useful_mean, whole.useful_mean);
    expect_near(sum.openmp_mean, whole.openmp_mean);
    expect_near(sum.serial_mean, whole.serial_mean);
    expect_near(sum.outside_mpi_mean, whole.outside_mpi_mean);
    expect_near(sum.instructions, whole.instructions);
    expect_near(sum.cycles, whole.cycles);
    expect_near(ideal, run->ideal.runtime_ns);
}

static void slices_of_any_number_give_the_run(void **state)
{
    static const pj_model_app *const models[] = {&processes, &threads};
    static const uint32_t counts[] = {1, 2, 7, 64, 1024, PJ_SLICES_MOST};
    (void)state;
    for (size_t m = 0; m < 2; m++) {
        write_model(models[m]);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            pj_auto_run run = cut(path, counts[c], (pj_load_opts){.tag = NULL}, 1);
            assert_int_equal(run->slices->count, counts[c]);
            expect_whole(run);
        }
    }
}

static void one_slice_is_the_run(void **state)
{
    (void)state;
    write_model(&threads);
    pj_auto_run run = cut(path, 1, (pj_load_opts){.tag = NULL}, 1);
    pj_sums whole = pj_sums_of(run), slice = run->slices->items[0].sums;
    assert_true(slice.useful_max == whole.useful_max);
    assert_true(slice.nonmpi_max == whole.nonmpi_max);
    assert_true(slice.outside_mpi_max == whole.outside_mpi_max);
    assert_true(slice.ideal_runtime == whole.ideal_runtime);
    assert_int_equal(run->parts.count, 1);
    assert_string_equal(run->parts.items[0]->part.name, "0%..100%");
}

static void any_number_of_workers_gives_the_same(void **state)
{
    (void)state;
    write_model(&threads);
    pj_auto_run one = cut(path, 33, (pj_load_opts){.tag = NULL}, 1);
    pj_auto_run many = cut(path, 33, (pj_load_opts){.tag = NULL}, 4);
    assert_memory_equal(one->slices->items, many->slices->items, 33 * sizeof *one->slices->items);
    assert_memory_equal(one->slices->useful, many->slices->useful,
                        33 * one->slices->lanes * sizeof *one->slices->useful);
}

/// A region of interest is cut in place of the run, and has its times.
static void regions_of_interest_are_cut(void **state)
{
    pj_load_opts opts = {
        .roi = {
            .kind = PJ_ROI_RANGE, .from = 25, .to = 75, .from_percent = true, .to_percent = true}};
    (void)state;
    write_model(&processes);
    pj_auto_run run = cut(path, 4, opts, 1);
    pj_auto_run whole = cut(path, 8, (pj_load_opts){.tag = NULL}, 1);
    for (uint32_t i = 0; i < 4; i++) {
        const pj_run_slice *part = &run->slices->items[i], *same = &whole->slices->items[i + 2];
        assert_true(part->start_ns - same->start_ns + 2 <= 4);
        assert_true(fabs(part->sums.useful_sum - same->sums.useful_sum) < 100);
        assert_true(part->length_ns - same->length_ns + 2 <= 4);
    }
}

static void archives_give_the_same(void **state)
{
    pj_err err = {.code = PJ_E_NONE};
    char archive[80], command[128];
    (void)state;
    write_model(&processes);
    pj_auto_run text = cut(path, 16, (pj_load_opts){.tag = NULL}, 1);
    pj_auto_trace writer = pj_model_write(&processes);
    snprintf(archive, sizeof archive, "%s/run.otf2", folder);
    if (!pj_otf2_writer_save(writer, archive, (pj_otf2_style){0}, &err))
        fail_msg("%s", err.text);
    pj_auto_run run = cut(archive, 16, (pj_load_opts){.tag = NULL}, 2);
    for (uint32_t i = 0; i < 16; i++) {
        expect_near(run->slices->items[i].sums.useful_sum, text->slices->items[i].sums.useful_sum);
        expect_near(run->slices->items[i].ideal_ns, text->slices->items[i].ideal_ns);
    }
    snprintf(command, sizeof command, "rm -rf %s/run.otf2 %s/run %s/run.def", folder, folder,
             folder);
    assert_int_equal(system(command), 0);
}

static void cuts_are_told_from_nonsense(void **state)
{
    static const char *const bad[] = {"time:0", "time:x", "time:100000", "tim", "time:-1", ""};
    pj_cut parsed;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pj_err err = {.code = PJ_E_NONE};
        assert_false(pj_cut_parse(pj_str_of(bad[i]), &parsed, &err));
        assert_int_equal(err.code, PJ_E_USAGE);
    }
    pj_err err = {.code = PJ_E_NONE};
    assert_true(pj_cut_parse(PJ_S("time:16"), &parsed, &err));
    assert_int_equal(parsed.slices.equal, 16);
}

static void compare(const pj_table *table, const csv *reference)
{
    assert_int_equal(table->row_count, reference->rows);
    for (size_t c = 0; c < reference->columns; c++) {
        int column = pj_table_column(table, reference->cells[c]);
        char name[64];
        assert_true(column >= 0);
        snprintf(name, sizeof name, PJ_STR_FMT, PJ_STR_ARG(reference->cells[c]));
        for (size_t row = 0; row < reference->rows; row++) {
            double wanted = csv_number(reference, row, name);
            double value = pj_cell_number(*pj_table_cell(table, row, (size_t)column));
            if (isnan(wanted) != isnan(value) ||
                fabs(value - wanted) > 1e-9 * fabs(wanted) + 1e-3 * (fabs(wanted) > 1e3))
                fail_msg("%s in row %zu: %.17g, not %.17g", name, row, value, wanted);
        }
    }
}

static void real_runs_have_the_slices_of_the_reference(void **state)
{
    static const int sizes[] = {1, 2, 4, 16};
    static const uint32_t counts[] = {8, 32};
    (void)state;
    for (size_t i = 0; i < 8; i++) {
        char trace[256], values[256];
        csv reference;
        pj_err err = {.code = PJ_E_NONE};
        snprintf(trace, sizeof trace, SHARED "paraver/epoch/epoch_%dproc.prv.gz", sizes[i / 2]);
        snprintf(values, sizeof values, SHARED "reference/causes/slices%u_epoch_%dproc.csv",
                 counts[i % 2], sizes[i / 2]);
        csv_of_real_tools(values, &reference);
        pj_auto_run run = cut(trace, counts[i % 2], (pj_load_opts){.ignore_summary = true}, 2);
        pj_auto_table table = pj_slices_table(run, &err);
        assert_non_null(table);
        compare(table, &reference);
        csv_free(&reference);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_of_any_number_give_the_run),
        cmocka_unit_test(one_slice_is_the_run),
        cmocka_unit_test(any_number_of_workers_gives_the_same),
        cmocka_unit_test(regions_of_interest_are_cut),
        cmocka_unit_test(archives_give_the_same),
        cmocka_unit_test(cuts_are_told_from_nonsense),
        cmocka_unit_test(real_runs_have_the_slices_of_the_reference),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
