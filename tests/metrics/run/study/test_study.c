// Order, names, reference and kind of scaling of studies.
#include "metrics/run/study/study.h"
#include "tests/support/made_run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

/// A study of the runs, which are released.
static pj_study *study_of(pj_run **runs, size_t count, pj_study_opts opts)
{
    pj_err err = {0};
    pj_study *study = pj_study_new(runs, count, opts, &err);
    for (size_t i = 0; i < count; i++)
        pj_run_release(runs[i]);
    assert_non_null(study);
    return study;
}

static pj_run *tagged(pj_run *run, const char *tag)
{
    run->tag = tag;
    return run;
}

static void test_order(void **state)
{
    (void)state;
    pj_run *runs[] = {
        made_run_even("run_10.prv", 4, 2),      made_run_even("d/run_2.prv", 4, 2),
        made_run_even("first.prv", 8, 1),       made_run_even("few.prv", 2, 1),
        tagged(made_run_even("a", 8, 1), "v2"), tagged(made_run_even("b", 8, 1), "v1"),
    };
    pj_auto_study study = study_of(runs, 6, (pj_study_opts){0});
    static const char *const expected[] = {"few", "first", "b", "a", "run_2", "run_10"};
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(study->cases[i].name, expected[i]);
    assert_int_equal(study->reference, 0);
}

static void test_names(void **state)
{
    (void)state;
    pj_run *runs[] = {
        made_run_even("/data/a/x/run.prv", 1, 1), made_run_even("/data/b/x/run.prv.gz", 2, 1),
        made_run_even("/data/b/y/run.prv", 3, 1), made_run_even("/data/b/y/other.prv", 4, 1),
        made_run_even("same.prv", 5, 1),          made_run_even("same.prv.gz", 6, 1),
        made_run_even("/data/b/y/run.prv", 7, 1), made_run_even("t/traces.otf2", 8, 1),
        made_run_even("u/traces.otf2", 9, 1),
    };
    pj_auto_study study = study_of(runs, 9, (pj_study_opts){0});
    static const char *const expected[] = {"a/x/run",     "b/x/run", "y/run", "other", "same.prv",
                                           "same.prv.gz", "y/run",   "t",     "u"};
    for (size_t i = 0; i < 9; i++)
        assert_string_equal(study->cases[i].name, expected[i]);
}

/// However a file is named, and where only the suffix tells two apart.
static void test_names_of_one_folder(void **state)
{
    (void)state;
    char here[4096], *absolute = NULL;
    assert_non_null(getcwd(here, sizeof here));
    assert_true(asprintf(&absolute, "%s/d2/test.prv", here) > 0);
    pj_run *runs[] = {
        made_run_even("d1/test.prv", 1, 1),   made_run_even("./d2/test.prv", 2, 1),
        made_run_even(absolute, 3, 1),        made_run_even("/d/beo.prv", 4, 1),
        made_run_even("/d/beo.prv.gz", 5, 1), made_run_even("/e/other.prv", 6, 1),
    };
    free(absolute);
    pj_auto_study study = study_of(runs, 6, (pj_study_opts){0});
    static const char *const expected[] = {"d1/test", "d2/test",    "d2/test",
                                           "beo.prv", "beo.prv.gz", "other"};
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(study->cases[i].name, expected[i]);
}

static void test_reference(void **state)
{
    (void)state;
    pj_run *runs[] = {made_run_even("a", 4, 1), made_run_even("b", 2, 1)};
    pj_run_hold(runs[0]);
    pj_run_hold(runs[1]);
    pj_auto_study study = study_of(runs, 2, (pj_study_opts){.reference = 2});
    assert_int_equal(study->reference, 1);
    pj_err err = {0};
    assert_null(pj_study_new(runs, 2, (pj_study_opts){.reference = 3}, &err));
    assert_int_equal(err.code, PJ_E_USAGE);
    assert_non_null(strstr(err.text, "from 1 to 2"));
    err = (pj_err){0};
    assert_null(pj_study_new(runs, 0, (pj_study_opts){0}, &err));
    assert_int_equal(err.code, PJ_E_USAGE);
    pj_run_release(runs[0]);
    pj_run_release(runs[1]);
}

static void test_keys(void **state)
{
    (void)state;
    static const uint32_t varying[] = {2, 8, 4, 4};
    pj_run *runs[] = {made_run_even("a", 2, 3), tagged(made_run("b", varying, 4), "new")};
    pj_auto_study study = study_of(runs, 2, (pj_study_opts){0});
    assert_string_equal(pj_study_key_text(study, 0, PJ_BY_RANKS), "2");
    assert_string_equal(pj_study_key_text(study, 0, PJ_BY_THREADS), "6");
    assert_string_equal(pj_study_key_text(study, 0, PJ_BY_THREADS_PER_RANK), "3");
    assert_string_equal(pj_study_key_text(study, 0, PJ_BY_LAYOUT), "2x3");
    assert_string_equal(pj_study_key_text(study, 1, PJ_BY_LAYOUT), "4x2-8");
    assert_string_equal(pj_study_key_text(study, 1, PJ_BY_THREADS_PER_RANK), "2-8");
    assert_string_equal(pj_study_key_text(study, 1, PJ_BY_TAG), "new");
    assert_true(pj_study_key_number(study, 1, PJ_BY_THREADS) == 18);
    assert_true(pj_study_key_number(study, 1, PJ_BY_THREADS_PER_RANK) == 4.5);
    assert_true(pj_study_key_number(study, 1, PJ_BY_TAG) == 1);
    pj_key key;
    assert_true(pj_key_parse(PJ_S("threads_per_rank"), &key));
    assert_int_equal(key, PJ_BY_THREADS_PER_RANK);
    assert_false(pj_key_parse(PJ_S("none"), &key));
    assert_false(pj_key_parse(PJ_S("rank"), &key));
    assert_null(pj_key_name(PJ_BY_COUNT));
}

/// Two runs, of 1 and 4 ranks, with the given useful time and runtime per thread.
static pj_study *scaling_study(uint64_t useful, uint64_t runtime, bool counters, pj_scaling wanted)
{
    pj_run *runs[] = {made_run_simple("one", 1, 1, 1000, 1100),
                      made_run_simple("four", 4, 1, useful, runtime)};
    for (size_t i = 0; i < 2; i++)
        runs[i]->counters[PJ_COUNTER_INSTRUCTIONS].present = counters;
    return study_of(runs, 2, (pj_study_opts){.scaling = wanted});
}

static void expect_scaling(pj_study *study, pj_scaling scaling, const char *note)
{
    assert_int_equal(study->scaling, scaling);
    if (!strstr(study->scaling_note, note))
        fail_msg("\"%s\" does not say \"%s\"", study->scaling_note, note);
    pj_study_release(study);
}

static void test_scaling(void **state)
{
    (void)state;
    const pj_scaling autom = PJ_SCALING_AUTO, strong = PJ_SCALING_STRONG, weak = PJ_SCALING_WEAK;
    expect_scaling(scaling_study(250, 280, true, autom), strong, "strong scaling (detected");
    expect_scaling(scaling_study(990, 1300, true, autom), weak, "weak scaling (detected");
    // Runtime alone votes weak.
    expect_scaling(scaling_study(250, 1100, true, autom), strong, "runtime 1.00");
    // Runtime and useful time vote; there are no instructions to vote.
    expect_scaling(scaling_study(950, 1100, false, autom), weak, "useful time per thread 0.95");
    expect_scaling(scaling_study(250, 280, true, weak), weak,
                   "weak scaling (chosen; the runs look");
    expect_scaling(scaling_study(250, 280, true, strong), strong, "strong scaling (chosen)");
    pj_run *alone[] = {made_run_simple("one", 1, 1, 1000, 1100)};
    expect_scaling(study_of(alone, 1, (pj_study_opts){0}), strong, "one size: nothing to detect");
}

/// A size has one vote, however often it was run, and the reference's own size has none.
static void test_repeats(void **state)
{
    (void)state;
    enum { COPIES = 5 };
    pj_run *runs[COPIES + 3];
    for (size_t i = 0; i < COPIES; i++)
        runs[i] = made_run_simple("copy", 2, 1, 1000, 1100);
    for (size_t i = COPIES; i < COPIES + 2; i++)
        runs[i] = made_run_simple("twice", 4, 1, 500 + 100 * (i - COPIES), 600);
    runs[COPIES + 2] = made_run_simple("half", 1, 1, 2000, 2200);
    for (size_t i = 0; i < COPIES + 3; i++)
        pj_run_hold(runs[i]);
    expect_scaling(study_of(runs, COPIES + 1, (pj_study_opts){0}), PJ_SCALING_STRONG,
                   "detected: instructions per thread 0.50");
    // (mean(0.5, 0.6) + 0.5) / 2: two sizes beside the reference's
    expect_scaling(study_of(runs, COPIES + 3, (pj_study_opts){.reference = 2}), PJ_SCALING_STRONG,
                   "useful time per thread 0.53 ");
    pj_run *again[] = {made_run_simple("a", 2, 1, 1000, 1100),
                       made_run_simple("b", 2, 1, 1000, 1100)};
    expect_scaling(study_of(again, 2, (pj_study_opts){0}), PJ_SCALING_STRONG,
                   "one size: nothing to detect");
    pj_run_release(runs[COPIES + 1]);
    pj_run_release(runs[COPIES + 2]);
}

/// What is left of a run that was cut is no sign of strong scaling.
static void test_cut_runs_do_not_vote(void **state)
{
    (void)state;
    pj_run *runs[] = {made_run_simple("one", 1, 1, 1000, 1100),
                      made_run_simple("two", 2, 1, 990, 1090),
                      made_run_simple("four", 4, 1, 100, 110)};
    pj_import_add(&runs[2]->import, PJ_IMPORT_ends_early, 7);
    expect_scaling(study_of(runs, 3, (pj_study_opts){0}), PJ_SCALING_WEAK, "runtime 0.99");
}

static pj_run *add_part(pj_run *whole, const char *name, uint64_t useful, uint64_t runtime)
{
    pj_run *part = pj_run_add_part(whole, pj_str_of(name));
    for (uint32_t i = 0; i < part->layout.locations; i++)
        part->totals[i] = (pj_totals){.useful_ns = useful, .runtime_ns = runtime};
    made_run_close(part);
    return part;
}

/// Parts are cases with sums of their own, compared with the same part of the reference run.
static void test_parts(void **state)
{
    (void)state;
    pj_run *runs[] = {made_run_simple("big.prv", 4, 1, 250, 300),
                      made_run_simple("d/small.prv", 2, 1, 500, 550)};
    add_part(runs[0], "solve", 100, 120);
    add_part(runs[0], "output", 10, 90);
    add_part(runs[1], "solve", 200, 220);
    pj_run_set_tag(runs[1], PJ_S("old"));
    pj_auto_study study = study_of(runs, 2, (pj_study_opts){.parts = true});
    static const struct {
        const char *name, *tag;
        size_t reference;
        double useful, runtime;
    } expected[] = {{"small", "old", 0, 1000, 550},
                    {"small: solve", "old", 1, 400, 220},
                    {"big", "", 0, 1000, 300},
                    {"big: solve", "", 1, 400, 120},
                    {"big: output", "", PJ_NO_CASE, 40, 90}};
    assert_int_equal(study->count, 5);
    for (size_t i = 0; i < 5; i++) {
        const pj_case *one = &study->cases[i];
        assert_string_equal(one->name, expected[i].name);
        assert_string_equal(pj_study_key_text(study, i, PJ_BY_TAG), expected[i].tag);
        assert_true(one->reference == expected[i].reference);
        assert_true(one->sums.useful_sum == expected[i].useful);
        assert_true(one->sums.runtime == expected[i].runtime);
    }
    // Whole runs tell the kind of scaling; the parts of half the work would say otherwise.
    assert_non_null(strstr(study->scaling_note, "useful time per thread 0.50"));
}

/// A part alone, chosen by its user, and one of fewer ranks than its run.
static void test_a_part_alone(void **state)
{
    (void)state;
    pj_run *run = made_run_simple("run.prv", 4, 1, 250, 300);
    pj_run *part = pj_run_add_part(run, PJ_S("on rank 0"));
    part->layout.ranks = part->layout.locations = 1;
    pj_run_allocate(part);
    part->totals[0] = (pj_totals){.useful_ns = 50, .runtime_ns = 60};
    made_run_close(part);
    pj_run_hold(part);
    pj_run_release(run);
    pj_auto_study study = study_of(&part, 1, (pj_study_opts){0});
    assert_string_equal(study->cases[0].name, "run: on rank 0");
    assert_string_equal(pj_study_key_text(study, 0, PJ_BY_LAYOUT), "1x1");
    assert_true(study->cases[0].sums.useful_sum == 50);
    assert_int_equal(study->cases[0].reference, 0);
}

/// The same trace in several windows: what tells the cases apart stands in their names.
/// A run on another network brings the one on the ideal network along, unless it is there.
static void test_networks(void **state)
{
    (void)state;
    const pj_study_opts opts = {.beside = true};
    pj_run *base = made_run_even("a.prv", 2, 1);
    pj_run *alone[] = {pj_run_case(base, &base->ideal, "slow")};
    pj_auto_study first = study_of(alone, 1, opts);
    assert_int_equal(first->count, 2);
    pj_run *both[] = {pj_run_hold(base), pj_run_case(base, &base->ideal, "slow")};
    pj_auto_study second = study_of(both, 2, opts);
    assert_int_equal(second->count, 2);
    pj_run *mixed[] = {made_run_even("b.prv", 4, 1), pj_run_case(base, &base->ideal, "slow")};
    pj_auto_study third = study_of(mixed, 2, opts);
    assert_int_equal(third->count, 3);
    pj_run_release(base);
}

static void test_windows(void **state)
{
    (void)state;
    pj_run *runs[] = {made_run_even("run.prv", 2, 1), made_run_even("run.prv", 2, 1),
                      made_run_even("other.prv", 3, 1)};
    for (size_t i = 0; i < 3; i++)
        runs[i]->roi = (pj_roi){.set = true, .from_ns = i * 1000000, .to_ns = 5000000};
    pj_auto_study study = study_of(runs, 3, (pj_study_opts){0});
    static const char *const expected[] = {"run [0s..0.005s]", "run [0.001s..0.005s]", "other"};
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(study->cases[i].name, expected[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_names_of_one_folder),
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_scaling),
        cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_cut_runs_do_not_vote),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_a_part_alone),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
