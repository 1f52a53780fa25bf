// Findings of AI runs: hand cases whose parts are all of the devices' time.
#include "metrics/analyse/faults/faults.h"
#include "metrics/analyse/faults/faults_table.h"
#include "metrics/analyse/load.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/run/ai_account.h"
#include "metrics/run/run.h"
#include "metrics/table/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define CASES PJ_SOURCE_DIR "/tests/golden/kineto/"

static pj_run *found_in(const char *path, pj_arena *arena, pj_faults *out)
{
    pj_err err = {.code = PJ_E_NONE};
    pj_job job = {.workers = 2};
    pj_run *run = pj_load(path, (pj_load_opts){.aspects = PJ_FAULTS_WANT}, &job, &err);
    if (!run || !pj_faults_find(&run, 1, NULL, arena, out, &err))
        fail_msg("%s: %s", path, err.text);
    return run;
}

static const pj_fault *fault_of(const pj_faults *faults, pj_fault_kind kind, const char *where)
{
    for (size_t i = 0; i < faults->count; i++)
        if (faults->items[i].kind == kind && strcmp(faults->items[i].where, where) == 0)
            return &faults->items[i];
    fail_msg("%s (%s) was not found", pj_fault_rows[kind].title, where);
    return NULL;
}

static void parts_are_all_of_the_time(void **state)
{
    (void)state;
    static const char *const paths[] = {CASES "e1/rank0.json",     CASES "e2/rank{0,1}.json",
                                        CASES "e3/rank{0,1}.json", CASES "e4/rank{0,1}.json",
                                        CASES "e5/rank{0,1}.json", CASES "e6/rank{0,1}.json",
                                        CASES "e7/rank{0,1}.json", CASES "e9/rank{0,1}.json",
                                        CASES "e10/rank0.json",    CASES "e11/rank{0,1,2}.json"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        pj_auto_arena arena = pj_arena_new(NULL);
        pj_faults found;
        pj_auto_run run = found_in(paths[i], arena, &found);
        double all = found.others_ns;
        for (size_t f = 0; f < found.count; f++)
            all += found.items[f].recoverable_ns;
        for (uint32_t d = 0; d < run->ai->count; d++)
            all += (double)run->ai->shares[d].useful;
        if (fabs(all - (double)run->runtime_ns * run->ai->count) > 1e-3)
            fail_msg("%s: %.17g ns", paths[i], all);
    }
}

static void late_ranks_have_reasons(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_faults found;
    pj_auto_run run = found_in(CASES "e9/rank{0,1}.json", arena, &found);
    assert_int_equal(run->ai->count, 2);
    assert_int_equal(found.items[0].kind, PJ_FAULT_exposed_transfer);
    assert_string_equal(found.items[0].where, "most in allreduce of group 0");
    assert_true(found.items[0].recoverable_ns == 40000);
    assert_true(fault_of(&found, PJ_FAULT_data_loading, "most: rank 1")->recoverable_ns == 36000);
    assert_true(fault_of(&found, PJ_FAULT_late_rank, "rank 1: its data loading")->recoverable_ns >
                30000);
    pj_auto_table table = pj_faults_table(&found, 1);
    assert_int_equal(table->row_count, found.count + (found.others > 0));
    assert_non_null(strstr(table->note, "account of devices"));
}

static void missing_ranks_are_no_waits(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_faults found;
    pj_auto_run run = found_in(CASES "e10/rank0.json", arena, &found);
    assert_int_equal(run->ai->count, 1);
    assert_int_equal(found.count, 1);
    assert_true(fault_of(&found, PJ_FAULT_unsplit_exchanges, "most: rank 0")->loss_ns == 40000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_all_of_the_time),
        cmocka_unit_test(late_ranks_have_reasons),
        cmocka_unit_test(missing_ranks_are_no_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
