// The lowest part at each level, against a walk by other means; advice for every efficiency.
#include "metrics/pop/findings.h"
#include "tests/support/fake_metrics.h"
#include "tests/support/made_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const pj_fake_run runs[] = {{1, 1, NULL, NULL}, {4, 1, NULL, NULL}, {16, 1, NULL, NULL}};
enum { RUNS = sizeof runs / sizeof *runs };

static pj_metrics *metrics_of(const char *set)
{
    return pj_fake_metrics(runs, RUNS, (pj_fake_opts){.set = set});
}

static void every_efficiency_has_advice(void **state)
{
    (void)state;
    const pj_metric_set *set;
    for (size_t s = 0; (set = pj_metric_set_at(s)); s++)
        for (size_t row = 0; row < set->count; row++)
            if (set->rows[row].kind != PJ_METRIC_PLAIN &&
                !pj_advice_of(pj_str_of(set->rows[row].key)))
                fail_msg("%s of %s has no advice", set->rows[row].key, set->key);
    assert_null(pj_advice_of(PJ_S("speedup")));
    assert_null(pj_advice_of(PJ_S("")));
}

static void advice_is_for_metrics_that_exist(void **state)
{
    (void)state;
    const pj_advice *advice;
    for (size_t i = 0; (advice = pj_advice_at(i)); i++) {
        pj_str keys = pj_str_of(advice->keys);
        assert_true(pj_str_ends(pj_str_of(advice->look), PJ_S(".")));
        assert_false(pj_str_ends(pj_str_of(advice->meaning), PJ_S(".")));
        while (keys.len) {
            pj_str key = pj_str_cut(&keys, ' ');
            bool found = false;
            for (size_t s = 0; pj_metric_set_at(s); s++)
                found |= pj_metric_row(pj_metric_set_at(s), key) >= 0;
            assert_true(found);
        }
    }
}

static double quality(const pj_metrics *m, size_t run, size_t row)
{
    double value = pj_metrics_at(m, run, row).value;
    return m->set->rows[row].kind == PJ_METRIC_INEFFICIENCY ? 1 - value : value;
}

/// No sibling of a finding is lower, and each is a part of the one before.
static void path_takes_the_lowest_part(void **state)
{
    (void)state;
    const pj_metric_set *set;
    for (size_t s = 0; (set = pj_metric_set_at(s)); s++) {
        if (made_run_lacks(set))
            continue;
        pj_auto_metrics m = metrics_of(set->key);
        pj_auto_arena arena = pj_arena_new(NULL);
        pj_findings path = pj_findings_path(m, RUNS - 1, arena);
        assert_true(path.count >= 2);
        for (size_t i = 0; i < path.count; i++) {
            const pj_finding *f = &path.items[i];
            int parent = pj_metric_parent(set, f->row);
            assert_int_equal(parent, i ? (int)path.items[i - 1].row : -1);
            for (size_t row = 0; i > 0 && row < set->count; row++)
                if (pj_metric_parent(set, row) == parent &&
                    set->rows[row].kind != PJ_METRIC_PLAIN &&
                    !pj_metrics_at(m, RUNS - 1, row).reason)
                    assert_true(f->quality <= quality(m, RUNS - 1, row));
        }
        assert_non_null(strstr(path.items[0].sentence, "At 16x1"));
    }
}

/// One run has no global efficiency: the path begins with what is known.
static void path_of_one_run_begins_below_the_top(void **state)
{
    (void)state;
    const pj_metric_set *set;
    for (size_t s = 0; (set = pj_metric_set_at(s)); s++) {
        if (made_run_lacks(set))
            continue;
        pj_auto_metrics m = pj_fake_metrics(runs + 1, 1, (pj_fake_opts){.set = set->key});
        pj_auto_arena arena = pj_arena_new(NULL);
        pj_findings path = pj_findings_path(m, 0, arena);
        assert_true(path.count >= 1);
        assert_non_null(strstr(set->rows[path.items[0].row].key, "parallel_"));
        assert_non_null(strstr(path.items[0].sentence, "At 4x1"));
    }
}

/// Of EPOCH's kind: the analyst should not be sent after one of two parts that cost the same.
static void near_ties_are_named(void **state)
{
    (void)state;
    pj_auto_metrics m = metrics_of("mpi");
    pj_auto_arena arena = pj_arena_new(NULL);
    size_t count = m->set->count;
    pj_metric_value *last = &m->values[(RUNS - 1) * count];
    last[pj_metric_row(m->set, PJ_S("instruction_scaling"))].value = 0.830;
    last[pj_metric_row(m->set, PJ_S("ipc_scaling"))].value = 0.817;
    last[pj_metric_row(m->set, PJ_S("frequency_scaling"))].value = 0.990;
    last[pj_metric_row(m->set, PJ_S("computation_scaling"))].value = 0.667;
    last[pj_metric_row(m->set, PJ_S("parallel_efficiency"))].value = 0.670;
    pj_findings path = pj_findings_path(m, RUNS - 1, arena);
    assert_int_equal(path.count, 3);
    assert_non_null(strstr(path.items[1].sentence, "are nearly equal: computation scaling (0.667) "
                                                   "and parallel efficiency (0.670)."));
    assert_non_null(strstr(path.items[2].sentence,
                           "IPC scaling (0.817) is the lowest; nearly as low: instruction scaling "
                           "(0.830)."));
}

/// 1.05 is no loss, and the words must not say so.
static void nothing_is_lost_above_one(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_metrics m = pj_fake_metrics(runs, RUNS, (pj_fake_opts){.set = "mpi", .above = true});
    size_t row = (size_t)pj_metric_row(m->set, PJ_S("ipc_scaling"));
    assert_true(pj_metrics_at(m, RUNS - 1, row).value > 1);
    assert_non_null(strstr(pj_findings_course(m, row, arena),
                           "; above 1 it is better than in the reference run"));
}

static void course_names_its_ends(void **state)
{
    (void)state;
    pj_auto_arena arena = pj_arena_new(NULL);
    pj_auto_metrics m = metrics_of("mpi");
    size_t row = (size_t)pj_metric_row(m->set, PJ_S("parallel_efficiency"));
    const char *course = pj_findings_course(m, row, arena);
    assert_true(pj_str_starts(pj_str_of(course), PJ_S("Parallel efficiency falls from ")));
    assert_non_null(strstr(course, "(1x1)"));
    assert_non_null(strstr(course, "(16x1)"));
    pj_auto_metrics without =
        pj_fake_metrics(runs, RUNS, (pj_fake_opts){.set = "mpi", .missing = true});
    row = (size_t)pj_metric_row(without->set, PJ_S("ipc_scaling"));
    assert_non_null(strstr(pj_findings_course(without, row, arena), "has no value: "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_efficiency_has_advice),
        cmocka_unit_test(advice_is_for_metrics_that_exist),
        cmocka_unit_test(path_takes_the_lowest_part),
        cmocka_unit_test(path_of_one_run_begins_below_the_top),
        cmocka_unit_test(near_ties_are_named),
        cmocka_unit_test(nothing_is_lost_above_one),
        cmocka_unit_test(course_names_its_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
