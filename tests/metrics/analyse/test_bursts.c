// Bursts of computation and their clusters: of runs whose phases are known, in any order and with
// any number of workers, and of real ones (../shared/data/reference/causes).
#include "metrics/analyse/load.h"
#include "metrics/base/arena.h"
#include "metrics/run/aspect.h"
#include "metrics/run/parts/burst_cells.h"
#include "metrics/run/parts/burst_clusters.h"
#include "metrics/run/parts/bursts_table.h"
#include "metrics/table/table.h"
#include "tests/support/csv.h"
#include "tests/support/folder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define SHARED PJ_SOURCE_DIR "/../shared/data/"

static int remove_folder(void **state)
{
    unlink(folder_file("run.prv"));
    return folder_remove(state);
}

static pj_run *load(const char *path, unsigned workers, pj_roi_request roi)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_job job = {.workers = workers};
    pj_load_opts opts = {
        .no_replay = true, .ignore_summary = true, .aspects = PJ_WANT(bursts), .roi = roi};
    pj_run *run = pj_load(path, opts, &job, &err);
    if (!run)
        fail_msg("%s", err.text);
    return run;
}

static pj_run *load_text(const char *text, uint64_t end_ns)
{
    FILE *file = fopen(folder_file("run.prv"), "w");
    assert_non_null(file);
    fprintf(file, "#Paraver (01/01/2026 at 00:00):%llu_ns:1(1):1:1(1:1),0\n%s",
            (unsigned long long)end_ns, text);
    assert_int_equal(fclose(file), 0);
    return load(folder_file("run.prv"), 1, (pj_roi_request){0});
}

// Cells

static pj_burst_sum burst(uint64_t instructions, uint64_t cycles, uint64_t ns)
{
    return (pj_burst_sum){
        .bursts = 1, .time_ns = ns, .instructions = instructions, .cycles = cycles, .ranks = 1};
}

/// Three phases; `step` decides in which order they come.
static void fill_cells(pj_burst_cells *cells, uint64_t step)
{
    for (uint64_t i = 0; i < 30; i++) {
        uint64_t k = i * step % 30;
        pj_burst_sum b = k < 20   ? burst(1000000 + k, 500000, 400000)
                         : k < 29 ? burst(20000 + k, 60000, 50000)
                                  : burst(90000000, 45000000, 40000000);
        pj_burst_cells_add(cells, &b, 0);
    }
}

static void bursts_that_are_alike_are_a_cluster(void **state)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    (void)state;
    for (uint64_t step = 1; step < 25; step += 6) {
        pj_burst_cells cells = {0};
        pj_burst_clusters found = {0};
        fill_cells(&cells, step);
        pj_burst_clusters_find(&cells, &found, arena);
        assert_int_equal(found.count, 1);
        assert_int_equal(found.clusters[0].bursts, 20);
        assert_int_equal(found.clusters[0].time_ns, 20 * 400000);
        assert_int_equal(found.noise.bursts, 1);   // alone, however long
        assert_int_equal(found.shorter.bursts, 9); // less than a twentieth of the time
        pj_burst_cells_free(&cells);
    }
}

static void nothing_gives_no_clusters(void **state)
{
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_burst_cells cells = {0};
    pj_burst_clusters found = {0};
    (void)state;
    pj_burst_clusters_find(&cells, &found, arena);
    assert_int_equal(found.count, 0);
    pj_burst_cells_free(&cells);
}

/// More cells than are kept become larger ones: none is lost, and the order changes nothing.
static void many_cells_become_coarser_in_any_order(void **state)
{
    enum { MANY = 300000 };
    pj_burst_cells up = {0}, down = {0};
    uint64_t bursts = 0;
    (void)state;
    for (uint64_t i = 0; i < MANY; i++) {
        uint64_t k = MANY - 1 - i;
        pj_burst_sum a = burst(1000 + i * i, 1 + (1000 + i * i) / (1 + i % 97), 1000 + i % 5000);
        pj_burst_sum b = burst(1000 + k * k, 1 + (1000 + k * k) / (1 + k % 97), 1000 + k % 5000);
        pj_burst_cells_add(&up, &a, 0);
        pj_burst_cells_add(&down, &b, 0);
    }
    for (size_t i = 0; i < up.count; i++)
        bursts += up.items[i].sum.bursts;
    assert_int_equal(bursts, MANY);
    assert_in_range(up.coarser, 1, 8);
    assert_int_equal(up.coarser, down.coarser);
    assert_int_equal(up.count, down.count);
    assert_in_range(up.count, 1, PJ_BURST_CELLS_MOST);
    pj_burst_cells_free(&up);
    pj_burst_cells_free(&down);
}

// Traces

/// Five bursts of 1000 ns with 2000 instructions in 1000 cycles, an MPI call after each.
static const char five[] = "1:1:1:1:1:0:1000:1\n"
                           "2:1:1:1:1:1000:50000001:1:42000050:2000:42000059:1000\n"
                           "1:1:1:1:1:1100:2100:1\n"
                           "2:1:1:1:1:1100:50000001:0:42000050:7:42000059:7\n"
                           "2:1:1:1:1:2100:50000001:1:42000050:2000:42000059:1000\n"
                           "1:1:1:1:1:2200:3200:1\n"
                           "2:1:1:1:1:2200:50000001:0:42000050:7:42000059:7\n"
                           "2:1:1:1:1:3200:50000001:1:42000050:2000:42000059:1000\n"
                           "1:1:1:1:1:3300:4300:1\n"
                           "2:1:1:1:1:3300:50000001:0:42000050:7:42000059:7\n"
                           "2:1:1:1:1:4300:50000001:1:42000050:2000:42000059:1000\n"
                           "1:1:1:1:1:4400:5400:1\n"
                           "2:1:1:1:1:4400:50000001:0:42000050:7:42000059:7\n"
                           "2:1:1:1:1:5400:50000001:1:42000050:2000:42000059:1000\n"
                           "2:1:1:1:1:5500:50000001:0:42000050:7:42000059:7\n";

static void a_burst_has_what_was_read_in_it(void **state)
{
    (void)state;
    pj_auto_run run = load_text(five, 5500);
    assert_int_equal(run->bursts->count, 1);
    assert_int_equal(run->bursts->clusters[0].bursts, 5);
    assert_int_equal(run->bursts->clusters[0].time_ns, 5000);
    assert_int_equal(run->bursts->clusters[0].instructions, 10000);
    assert_int_equal(run->bursts->clusters[0].cycles, 5000);
    assert_int_equal(run->bursts->unread.bursts, 0);
}

static void a_reading_about_several_bursts_is_of_none(void **state)
{
    (void)state;
    pj_auto_run run = load_text("1:1:1:1:1:0:1000:1\n1:1:1:1:1:1100:2100:1\n"
                                "2:1:1:1:1:2100:50000001:1:42000050:4000:42000059:2000\n"
                                "2:1:1:1:1:2200:50000001:0:42000050:7:42000059:7\n",
                                2200);
    assert_int_equal(run->bursts->unread.bursts, 2);
    assert_true(run->bursts->timed); // so that no burst has counters
}

static void a_region_of_interest_has_the_bursts_inside(void **state)
{
    (void)state;
    pj_auto_run whole = load_text(five, 5500);
    pj_roi_request roi = {.kind = PJ_ROI_RANGE, .from = 1100, .to = 5000};
    pj_auto_run run = load(folder_file("run.prv"), 1, roi);
    assert_int_equal(whole->bursts->cut, 0);
    assert_int_equal(run->bursts->noise.bursts, 3); // 4 would be a cluster
    assert_int_equal(run->bursts->cut, 1);
}

static void expect_number(const pj_table *table, size_t row, const char *key, double wanted,
                          double allowed)
{
    int column = pj_table_column(table, pj_str_of(key));
    double got = pj_cell_number(*pj_table_cell(table, row, (size_t)column));
    if (!(fabs(got - wanted) <= allowed))
        fail_msg("%s of row %zu: %.9g in place of %.9g", key, row, got, wanted);
}

static void expect_row(const pj_run *run, const pj_table *table, const csv *wanted, size_t row)
{
    if (pj_str_equal(csv_cell(wanted, row, "cluster"), PJ_S("noise"))) {
        assert_int_equal(run->bursts->noise.bursts, csv_number(wanted, row, "bursts"));
        assert_int_equal(run->bursts->noise.time_ns, csv_number(wanted, row, "time_ns"));
        return;
    }
    size_t at = (size_t)csv_number(wanted, row, "cluster") - 1;
    assert_in_range(at, 0, table->row_count - 1);
    expect_number(table, at, "bursts", csv_number(wanted, row, "bursts"), 0);
    expect_number(table, at, "time_ns", csv_number(wanted, row, "time_ns"), 0);
    expect_number(table, at, "instructions", csv_number(wanted, row, "instructions"), 0);
    expect_number(table, at, "share", csv_number(wanted, row, "share_of_useful"), 6e-7);
    expect_number(table, at, "ipc", csv_number(wanted, row, "ipc"), 6e-7);
}

static void real_runs_have_the_clusters_of_the_reference(void **state)
{
    static const char *const runs[] = {"epoch_1proc", "epoch_2proc", "epoch_4proc", "epoch_16proc"};
    csv wanted;
    (void)state;
    csv_of_real_tools(SHARED "reference/causes/clusters.csv", &wanted);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        char path[512];
        size_t rows = 0;
        snprintf(path, sizeof path, SHARED "paraver/epoch/%s.prv.gz", runs[i]);
        pj_auto_run run = load(path, 1 + (unsigned)i, (pj_roi_request){0});
        pj_err err = {.code = PJ_E_NONE};
        pj_auto_table table = pj_bursts_table(run, &err);
        assert_non_null(table);
        for (size_t row = 0; row < wanted.rows; row++)
            if (pj_str_equal(csv_cell(&wanted, row, "trace"), pj_str_of(runs[i]))) {
                expect_row(run, table, &wanted, row);
                rows++;
            }
        assert_int_equal(rows, table->row_count + 1); // and noise
    }
    csv_free(&wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bursts_that_are_alike_are_a_cluster),
        cmocka_unit_test(nothing_gives_no_clusters),
        cmocka_unit_test(many_cells_become_coarser_in_any_order),
        cmocka_unit_test(a_burst_has_what_was_read_in_it),
        cmocka_unit_test(a_reading_about_several_bursts_is_of_none),
        cmocka_unit_test(a_region_of_interest_has_the_bursts_inside),
        cmocka_unit_test(real_runs_have_the_clusters_of_the_reference),
    };
    return cmocka_run_group_tests(tests, folder_make, remove_folder);
}
