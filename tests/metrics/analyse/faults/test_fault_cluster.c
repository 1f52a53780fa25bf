// Which cluster of bursts a loss of IPC is of.
#include "metrics/analyse/faults/fault_cluster.h"
#include "metrics/base/arena.h"
#include "metrics/run/parts/burst_clusters.h"
#include "metrics/run/run.h"
#include "metrics/run/sums.h"
#include "tests/support/made_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/// 16 ranks that begin with a burst of `slow` cycles for 100 instructions, and then 900 at IPC 2.
static pj_run *run_of(uint64_t slow)
{
    pj_run *run = made_run_even("a", 16, 1);
    pj_burst_clusters *bursts = pj_new(run->arena, pj_burst_clusters);
    bursts->order = 101;
    bursts->count = 2;
    bursts->clusters = pj_new_n(run->arena, pj_burst_sum, 2);
    bursts->clusters[0] = (pj_burst_sum){.bursts = 160,
                                         .time_ns = 650,
                                         .instructions = 900,
                                         .cycles = 450,
                                         .order = UINT64_C(160) * 60};
    bursts->clusters[1] = (pj_burst_sum){
        .bursts = 16, .time_ns = 350, .instructions = 100, .cycles = slow, .order = 16};
    run->bursts = bursts;
    return run;
}

static const pj_sums sums = {.instructions = 1000, .cycles = 750, .useful_sum = 1000};

static void a_start_up_is_the_whole_loss(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_run *run = run_of(300);
    // IPC 1.3333 over all, 2 without the start-up; 2 was that of the reference run.
    pj_fault_cluster cluster = pj_fault_cluster_of(run, &sums, 2.0 / 3);
    assert_int_equal(cluster.number, 2);
    assert_true(cluster.start_up && fabs(cluster.without - 1) < 1e-12);
    assert_string_equal(pj_fault_cluster_said(cluster, arena),
                        "cluster 2 of bursts = start-up, 35 % of useful time at IPC 0.33: IPC "
                        "scaling is 0.6667 over all bursts and 1.0000 without it, so that cluster "
                        "is the whole IPC loss");
    pj_run_release(run);
}

static void what_is_lost_everywhere_is_of_no_cluster(void **state)
{
    (void)state;
    pj_run *run = run_of(55);
    static const pj_sums even = {.instructions = 1000, .cycles = 505, .useful_sum = 1000};
    pj_fault_cluster cluster = pj_fault_cluster_of(run, &even, 0.7);
    assert_int_equal(cluster.number, 0);
    assert_null(pj_fault_cluster_said(cluster, NULL));
    run->bursts = NULL;
    assert_int_equal(pj_fault_cluster_of(run, &sums, 0.7).number, 0);
    pj_run_release(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_up_is_the_whole_loss),
        cmocka_unit_test(what_is_lost_everywhere_is_of_no_cluster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
