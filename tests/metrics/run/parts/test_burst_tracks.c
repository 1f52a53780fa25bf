// The same computation in several runs: found by its work and IPC, split, and new.
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/run/parts/burst_clusters.h"
#include "metrics/run/parts/burst_tracks.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"
#include "tests/support/made_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/// A run whose clusters have `each[i]` instructions a burst, one burst a rank, at IPC `ipc[i]`.
static pj_run *run_of(const char *path, uint32_t ranks, const double *each, const double *ipc,
                      uint32_t count)
{
    pj_run *run = made_run_even(path, ranks, 1);
    pj_burst_clusters *bursts = pj_new(run->arena, pj_burst_clusters);
    bursts->count = count;
    bursts->clusters = pj_new_n(run->arena, pj_burst_sum, count);
    for (uint32_t i = 0; i < count; i++)
        bursts->clusters[i] = (pj_burst_sum){.bursts = ranks,
                                             .time_ns = 1000u * (count - i),
                                             .instructions = (uint64_t)(each[i] * ranks),
                                             .cycles = (uint64_t)(each[i] * ranks / ipc[i])};
    run->bursts = bursts;
    return run;
}

static pj_study *study_of(pj_run **runs, size_t count, pj_scaling scaling)
{
    pj_study *study = pj_study_new(runs, count, (pj_study_opts){.scaling = scaling}, NULL);
    for (size_t i = 0; i < count; i++)
        pj_run_release(runs[i]);
    return study;
}

static void clusters_are_followed_split_and_begin(void **state)
{
    (void)state;
    pj_run *runs[] = {
        run_of("a", 1, (double[]){6.6e9, 2e9}, (double[]){1.9, 0.9}, 2),
        // the second one first, the first one in two, one that is new
        run_of("b", 4, (double[]){0.5e9, 1.65e9, 1.7e9, 1e8}, (double[]){0.85, 1.88, 1.9, 0.2}, 4),
    };
    pj_auto_study study = study_of(runs, 2, PJ_SCALING_STRONG);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_burst_tracks tracks;
    assert_true(pj_burst_tracks_find(study, &tracks, arena, NULL));
    assert_int_equal(tracks.count, 3);
    assert_int_equal(tracks.track_of[1][0], 1);
    assert_int_equal(tracks.track_of[1][1], 0);
    assert_int_equal(tracks.track_of[1][2], 0);
    assert_int_equal(tracks.track_of[1][3], 2);
    assert_int_equal(pj_burst_tracks_at(&tracks, 1, 0)->bursts, 8);
    pj_auto_table table = pj_burst_tracks_table(study, NULL);
    assert_int_equal(table->row_count, 5);
    size_t clusters = (size_t)pj_table_column(table, PJ_S("clusters"));
    size_t ratio = (size_t)pj_table_column(table, PJ_S("instructions_ratio"));
    assert_string_equal(pj_table_cell(table, 1, clusters)->text, "2, 3");
    assert_true(fabs(pj_cell_number(*pj_table_cell(table, 3, ratio)) - 1) < 1e-9);
    assert_non_null(strstr(table->note, "Cluster 1 of a splits into 2, 3 of b."));
}

/// `places`: of the clusters among ten bursts of a thread.
static pj_run *placed(pj_run *run, const uint64_t *places)
{
    pj_burst_clusters *bursts = pj_new(run->arena, pj_burst_clusters);
    *bursts = *run->bursts;
    bursts->order = 10;
    for (uint32_t i = 0; i < bursts->count; i++)
        bursts->clusters[i].order = places[i] * bursts->clusters[i].bursts;
    run->bursts = bursts;
    return run;
}

static void of_two_that_are_alike_the_place_tells(void **state)
{
    (void)state;
    pj_run *runs[] = {
        placed(run_of("a", 1, (double[]){1e9, 1.01e9, 5e7}, (double[]){1, 1, 0.8}, 3),
               (uint64_t[]){8, 3, 1}),
        // the last one does other work at the same place, the other nothing that was there before
        placed(run_of("b", 2, (double[]){0.505e9, 0.5e9, 9e8, 4e8}, (double[]){1, 1, 0.2, 0.1}, 4),
               (uint64_t[]){8, 3, 1, 5}),
    };
    pj_auto_study study = study_of(runs, 2, PJ_SCALING_STRONG);
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_burst_tracks tracks;
    assert_true(pj_burst_tracks_find(study, &tracks, arena, NULL));
    assert_int_equal(tracks.track_of[1][0], 0);
    assert_int_equal(tracks.track_of[1][1], 1);
    assert_int_equal(tracks.track_of[1][2], 2);
    assert_int_equal(tracks.track_of[1][3], 3);
    assert_int_equal(tracks.before[1][3], PJ_NO_CLUSTER);
}

static void with_weak_scaling_a_rank_has_the_same_work(void **state)
{
    (void)state;
    pj_run *runs[] = {run_of("a", 2, (double[]){1e9}, (double[]){1.5}, 1),
                      run_of("b", 8, (double[]){1e9}, (double[]){1.5}, 1)};
    pj_auto_study study = study_of(runs, 2, PJ_SCALING_WEAK);
    pj_auto_table table = pj_burst_tracks_table(study, NULL);
    assert_int_equal(table->row_count, 2);
    size_t ratio = (size_t)pj_table_column(table, PJ_S("instructions_ratio"));
    assert_true(fabs(pj_cell_number(*pj_table_cell(table, 1, ratio)) - 1) < 1e-9);
}

static void runs_without_counters_are_refused(void **state)
{
    (void)state;
    pj_run *runs[] = {run_of("a", 2, (double[]){1e9}, (double[]){1.5}, 1),
                      made_run_even("b", 4, 1)};
    pj_auto_study study = study_of(runs, 2, PJ_SCALING_STRONG);
    pj_err err = {.code = PJ_E_NONE};
    assert_null(pj_burst_tracks_table(study, &err));
    assert_int_equal(err.code, PJ_E_MISSING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_are_followed_split_and_begin),
        cmocka_unit_test(of_two_that_are_alike_the_place_tells),
        cmocka_unit_test(with_weak_scaling_a_rank_has_the_same_work),
        cmocka_unit_test(runs_without_counters_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
