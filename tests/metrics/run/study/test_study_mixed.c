// Studies that compare what cannot be compared, and those that can.
#include "metrics/pop/metrics.h"
#include "metrics/run/mpi_use.h"
#include "metrics/run/study/study_mixed.h"
#include "metrics/trace/event.h"
#include "metrics/trace/mpi_call.h"
#include "tests/support/made_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/// A run on `ranks` ranks with that many instructions in all.
static pj_run *run_of(const char *name, uint32_t ranks, int64_t instructions)
{
    pj_run *run = made_run_simple(name, ranks, 1, 1000, 1250);
    for (uint32_t i = 0; i < ranks; i++)
        made_run_count(run, i, instructions / ranks, instructions / ranks);
    return run;
}

static pj_metrics *study_of(pj_run *a, pj_run *b)
{
    pj_run *runs[] = {a, b};
    pj_auto_study study = pj_study_new(runs, 2, (pj_study_opts){0}, NULL);
    pj_run_release(a);
    pj_run_release(b);
    return pj_metrics_new(pj_metric_set_by_key(PJ_S("mpi")), study, (pj_metrics_opts){0}, NULL);
}

static void expect_mixed(pj_run *a, pj_run *b, const char *text)
{
    pj_auto_metrics m = study_of(a, b);
    assert_int_equal(m->urgent, text ? 1 : 0);
    if (text && !strstr(m->remarks[0].text, text))
        fail_msg("\"%s\" does not say \"%s\"", m->remarks[0].text, text);
}

static void scaling_is_no_mixture(void **state)
{
    (void)state;
    expect_mixed(run_of("a", 2, 1000000), run_of("b", 8, 1100000), NULL); // strong
    expect_mixed(run_of("a", 2, 1000000), run_of("b", 8, 4200000), NULL); // weak
    expect_mixed(run_of("a", 2, 1000000), run_of("b", 8, 2500000), NULL); // repeated work
}

static void other_work_is_another_input(void **state)
{
    (void)state;
    expect_mixed(run_of("a", 2, 1000000), run_of("b", 8, 9000000),
                 "b takes 9 times the instructions of a on 4 times the threads");
    expect_mixed(run_of("a", 2, 1000000), run_of("b", 8, 400000),
                 "different applications or inputs");
    expect_mixed(run_of("a", 2, 1000000), run_of("b", 2, 3000000), "b takes 3 times");
}

static pj_run *run_with(const char *name, bool mpi, bool openmp)
{
    pj_run *run = run_of(name, 2, 1000000);
    run->has_mpi = mpi;
    run->has_openmp = openmp;
    return run;
}

static void a_program_is_parallel_in_one_way(void **state)
{
    (void)state;
    const char *text = "a calls MPI and has no OpenMP, b has OpenMP and does not call MPI";
    expect_mixed(run_with("a", true, false), run_with("b", false, true), text);
    expect_mixed(run_with("b", false, true), run_with("a", true, false), text);
    expect_mixed(run_with("a", false, false), run_with("b", true, false), NULL);
}

/// A run that communicates by calls of these names, the first one most.
static pj_run *run_by(const char *name, uint32_t ranks, const char *const *calls)
{
    pj_run *run = run_of(name, ranks, 1000000);
    pj_mpi_use *use = pj_new(run->arena, pj_mpi_use);
    use->sums = pj_new_n(run->arena, pj_mpi_sum, 8);
    for (; calls[use->count]; use->count++) {
        pj_mpi_call call = pj_mpi_call_by_name(pj_str_of(calls[use->count]));
        use->sums[use->count] = (pj_mpi_sum){.name = calls[use->count],
                                             .class_ = pj_mpi_call_at(call)->class_,
                                             .calls = 100 - use->count};
    }
    run->has_mpi = true;
    run->mpi_use = use;
    return run;
}

/// Where nothing has a name, calls tell; more of one or another do not.
static void programs_communicate_by_calls(void **state)
{
    (void)state;
    static const char *const ring[] = {"MPI_Send", "MPI_Recv", "MPI_Barrier", "MPI_Init", NULL};
    static const char *const heat[] = {"MPI_Isend", "MPI_Irecv",   "MPI_Waitall",
                                       "MPI_Bcast", "MPI_Barrier", NULL};
    static const char *const more[] = {"MPI_Isend", "MPI_Waitall", "MPI_Gather", "MPI_Init", NULL};
    static const char *const sort[] = {"MPI_Bcast", "MPI_Alltoallv", "MPI_Scan", "MPI_Gather",
                                       NULL};
    static const char *const nothing[] = {"MPI_Init", "MPI_Barrier", NULL};
    const char *text =
        "a communicates by MPI_Send and MPI_Recv, b by MPI_Isend and MPI_Irecv, with "
        "no calls in common";
    expect_mixed(run_by("a", 2, ring), run_by("b", 2, heat), text);
    expect_mixed(run_by("a", 2, ring), run_by("b", 1, heat), NULL); // a rank alone
    expect_mixed(run_by("a", 2, ring), run_by("b", 4, nothing), NULL);
    expect_mixed(run_by("a", 2, heat), run_by("b", 8, more), NULL);
    expect_mixed(run_by("a_2", 2, heat), run_by("a_8", 8, sort), NULL);
    expect_mixed(run_by("a_2", 2, heat), run_by("b_8", 8, sort), "with few calls in common");
}

/// One program may be built without OpenMP or MPI; a file that is called otherwise says more.
static void other_builds_are_told_by_the_names_of_files(void **state)
{
    (void)state;
    expect_mixed(run_with("a_2x1", true, false), run_with("a_2x8", true, true), NULL);
    expect_mixed(run_with("a_1x2", false, true), run_with("a_2x2", true, true), NULL);
    expect_mixed(run_with("a_2x1", true, false), run_with("b_2x1", true, true),
                 "b_2x1 has OpenMP regions and a_2x1 does not");
    expect_mixed(run_with("b_2x1", true, true), run_with("a_2x1", true, false),
                 "b_2x1 has OpenMP regions and a_2x1 does not");
    expect_mixed(run_with("a_1x2", false, true), run_with("b_2x1", true, true),
                 "b_2x1 calls MPI and a_1x2 does not");
    pj_run *serial = run_of("a", 1, 1000000);
    serial->has_mpi = true;
    expect_mixed(serial, run_with("b_2x1", true, true), NULL);
}

static pj_run *run_of_functions(const char *name, pj_label *labels, size_t count)
{
    pj_run *run = run_of(name, 2, 1000000);
    run->names.labels = labels;
    run->names.label_count = count;
    return run;
}

static void programs_have_functions_in_common(void **state)
{
    (void)state;
    enum { CODE = PJ_OMP_FUNCTION };
    pj_label heat[] = {{0, "End", CODE}, {1, "main", CODE}, {2, "flux", CODE}, {3, "cells", CODE}};
    pj_label more[] = {{0, "End", CODE}, {1, "main", CODE}, {2, "flux", CODE}, {3, "write", CODE}};
    pj_label ring[] = {{0, "End", CODE}, {1, "main", CODE}, {2, "pass", CODE}, {3, "read", CODE}};
    pj_label alone[] = {{0, "End", CODE}, {1, "main", CODE}, {2, "pass", CODE}};
    expect_mixed(run_of_functions("a", heat, 4), run_of_functions("b", more, 4), NULL);
    expect_mixed(run_of_functions("a", heat, 4), run_of_functions("b", alone, 3), NULL);
    expect_mixed(run_of_functions("a", heat, 4), run_of("b", 2, 1000000), NULL);
    expect_mixed(run_of_functions("a", heat, 4), run_of_functions("b", ring, 4),
                 "no function of a (flux, cells, ...) is in b (pass, read, ...)");
}

/// Without counters time tells, where it is far away.
static void useful_time_tells_where_nothing_is_counted(void **state)
{
    (void)state;
    pj_run *made[3];
    static const uint64_t useful[] = {100000, 20000, 5000};
    for (size_t i = 0; i < 3; i++) {
        made[i] = made_run_simple(i ? "b" : "a", 2, 1, useful[i], 125000);
        made[i]->counters[0].present = made[i]->counters[1].present = false;
    }
    expect_mixed(pj_run_hold(made[0]), made[1], NULL);
    expect_mixed(made[0], made[2],
                 "b takes 0.05 times the useful time of a on 1 times the threads");
}

static void programs_that_are_named_are_compared(void **state)
{
    (void)state;
    static const char *heat = "/opt/heat.x", *same = "./heat.x", *other = "ring.x";
    pj_run *a = run_of("a", 2, 1000000), *b = run_of("b", 4, 1000000);
    a->layout.application_name = &heat;
    b->layout.application_name = &same;
    expect_mixed(pj_run_hold(a), pj_run_hold(b), NULL);
    b->layout.application_name = &other;
    expect_mixed(a, b, "different programs (a: heat.x, b: ring.x)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scaling_is_no_mixture),
        cmocka_unit_test(a_program_is_parallel_in_one_way),
        cmocka_unit_test(other_builds_are_told_by_the_names_of_files),
        cmocka_unit_test(programs_have_functions_in_common),
        cmocka_unit_test(programs_communicate_by_calls),
        cmocka_unit_test(other_work_is_another_input),
        cmocka_unit_test(useful_time_tells_where_nothing_is_counted),
        cmocka_unit_test(programs_that_are_named_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
