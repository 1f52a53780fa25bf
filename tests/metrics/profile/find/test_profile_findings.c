// Findings of made profiles whose answers are known: which ranks wait, what tells them apart, which
// function few ranks spend time in, the line and the call that cost most.
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"
#include "metrics/profile/profile_findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct maker {
    pj_build *build;
    uint32_t time, own, calls;
    uint32_t rank_count, at[8]; // locations by rank
} maker;

static pj_job no_job;

static maker begin(pj_shape shape)
{
    maker m = {.build = pj_build_new("made", &no_job)};
    pj_build_profile(m.build)->shape = shape;
    pj_build_profile(m.build)->format = "made";
    pj_build_profile(m.build)->title = "made profile";
    pj_build_file(m.build, "made.prof");
    m.time = pj_build_measure(
        m.build,
        (pj_measure){.key = "time",
                     .title = "Time",
                     .unit = "s",
                     .stored = shape == PJ_SHAPE_TREE ? PJ_STORED_EXCLUSIVE : PJ_STORED_BOTH});
    pj_site site = shape == PJ_SHAPE_TREE ? PJ_AT_NODE : PJ_AT_REGION;
    m.own = pj_build_column(m.build, site, PJ_EXCLUSIVE, m.time, false);
    m.calls = pj_build_column(m.build, site, PJ_CALLS, PJ_NO_ITEM, true);
    return m;
}

/// Ranks come in order.
static void spend(maker *m, const char *name, uint32_t rank, double seconds)
{
    if (rank == m->rank_count)
        m->at[m->rank_count++] = pj_build_location(m->build, (pj_profile_location){.rank = rank});
    uint32_t at = m->at[rank];
    uint32_t region = pj_build_region(m->build, pj_str_of(name), PJ_S("a.c"), 1);
    pj_build_add(m->build, m->own, region, at, seconds);
    pj_build_count(m->build, m->calls, region, at, 1);
}

static pj_profile *end(maker *m)
{
    pj_err err = {0};
    pj_profile *profile = pj_build_finish(m->build, &err);
    assert_string_equal(err.text, "");
    pj_build_free(m->build);
    return profile;
}

static void assert_says(const pj_profile *p, const char *topic, const char *part, bool says)
{
    pj_err err = {0};
    pj_auto_buf text = {0};
    assert_true(pj_profile_findings_about(p, pj_str_of(topic), &text, &err));
    bool said = text.len && strstr(text.at, part);
    if (said != says)
        print_error("%s: %s\nin: %s\n", says ? "not said" : "said", part, text.len ? text.at : "");
    assert_true(said == says);
}

/// Eight ranks: 6 and 7 wait; refine costs time on rank 2 alone; solve is uneven.
static pj_profile *uneven_ranks(void)
{
    maker m = begin(PJ_SHAPE_FLAT);
    for (uint32_t rank = 0; rank < 8; rank++) {
        bool waits = rank >= 6;
        spend(&m, "MPI_Barrier", rank, waits ? 9.9 : 2);
        spend(&m, "setup", rank, 0.1);
        if (waits)
            continue;
        spend(&m, "solve", rank, 1 + (double)rank);
        spend(&m, "refine", rank, rank == 2 ? 2 : 1e-3);
    }
    return end(&m);
}

/// A rank without any times is a file of another kind: nobody is said to wait.
static void ranks_without_times_tell_nothing(void **state)
{
    (void)state;
    maker m = begin(PJ_SHAPE_FLAT);
    spend(&m, "solve", 0, 5);
    spend(&m, "MPI_Barrier", 0, 1);
    pj_build_location(m.build, (pj_profile_location){.rank = 1});
    pj_auto_profile p = end(&m);
    assert_says(p, "summary", "ranks work", false);
    assert_says(p, "ranks", "wait", false);
}

static void ranks_that_wait_are_named(void **state)
{
    (void)state;
    pj_auto_profile p = uneven_ranks();
    assert_says(p, "summary",
                "6 of 8 ranks work; the others, 6, 7, wait 99.0 % of their time and never call "
                "solve, which takes",
                true);
    assert_says(p, "summary", "solve takes from 1.00 s (rank 0) to 6.00 s (rank 5) on the 6 ranks",
                true);
    assert_says(p, "summary", "6.0 times as much; their mean is 0.583 of the maximum", true);
    assert_says(p, "summary", "90 % or more of the time of refine (2.00 s: rank 2 of 6)", true);
    assert_says(p, "summary", "setup (", false); // spent by all alike
}

/// Useful is what does not wait: 21 + 2.005 + 0.8 s of 8 ranks, the busiest (5) 6.101 s, the
/// longest (6 and 7) 10 s.
static void load_balance_is_that_of_pop(void **state)
{
    (void)state;
    pj_auto_profile p = uneven_ranks();
    assert_says(p, "summary", "Load balance is 0.488", true);
    assert_says(p, "summary", "the busiest (rank 5) for 6.10 s", true);
    assert_says(p, "summary", "communication efficiency of 0.610, parallel efficiency is 0.298",
                true);
    assert_says(p, "summary", "Waiting and communication take 57.2 % of the time", true);
}

static void two_kinds_of_ranks_are_told_apart(void **state)
{
    (void)state;
    maker m = begin(PJ_SHAPE_FLAT);
    for (uint32_t rank = 0; rank < 6; rank++) {
        bool other = rank == 1 || rank == 4;
        spend(&m, "MPI_Waitall", rank, other ? 30 + (double)rank : 2);
        spend(&m, other ? "mesh" : "particles", rank, 40);
    }
    pj_auto_profile p = end(&m);
    assert_says(p, "summary", "4 of 6 ranks run particles; the others, 1, 4, run mesh instead",
                true);
    assert_says(
        p, "summary",
        "2 of 6 ranks (1, 4) spend 31.0 s to 34.0 s in MPI_Waitall, the other 4 only 2.00 s; "
        "exactly those 2 run mesh, and exactly the other 4 run particles\n",
        true);
    assert_says(p, "summary", "do nothing but wait", false);
}

/// Values that lie close together are no groups, one rank is nobody's balance.
static void even_ranks_are_no_finding(void **state)
{
    (void)state;
    maker m = begin(PJ_SHAPE_FLAT);
    for (uint32_t rank = 0; rank < 8; rank++)
        spend(&m, "solve", rank, 5 + 0.1 * (double)rank);
    pj_auto_profile p = end(&m);
    assert_says(p, "summary", "ranks spend", false);
    assert_says(p, "summary", "ranks work", false);
    assert_says(p, "summary", "times as much", false);
    maker one = begin(PJ_SHAPE_FLAT);
    spend(&one, "solve", 0, 5);
    pj_auto_profile alone = end(&one);
    assert_says(alone, "summary", "Load balance", false);
    assert_says(alone, "summary",
                "Of the 5.00 s in all, functions take, without those they call: "
                "solve 100.0 %",
                true);
}

static void the_path_that_costs_most_is_followed(void **state)
{
    (void)state;
    static const char *const names[] = {"main", "step", "solve", "print"};
    static const double seconds[] = {1, 2, 16, 1};
    maker m = begin(PJ_SHAPE_TREE);
    uint32_t at = pj_build_location(m.build, (pj_profile_location){.rank = 0});
    uint32_t nodes[4], regions[4];
    for (unsigned i = 0; i < 4; i++) {
        regions[i] = pj_build_region(m.build, pj_str_of(names[i]), PJ_S("a.c"), i + 1);
        uint32_t parent = i == 0 ? PJ_NO_ITEM : nodes[i == 3 ? 0 : i - 1];
        nodes[i] = pj_build_node(m.build, parent, regions[i]);
        pj_build_add(m.build, m.own, nodes[i], at, seconds[i]);
    }
    pj_auto_profile p = end(&m);
    assert_says(p, "summary", "80.0 % of the time is spent in and below main / step / solve\n",
                true);
}

static void the_costly_line_is_quoted(void **state)
{
    (void)state;
    maker m = begin(PJ_SHAPE_FLAT);
    uint32_t at = pj_build_location(m.build, (pj_profile_location){.rank = 0});
    uint32_t by_line = pj_build_column(m.build, PJ_AT_LINE, PJ_EXCLUSIVE, m.time, false);
    uint32_t region = pj_build_region(m.build, PJ_S("solve"), PJ_S("/opt/a.py"), 10);
    pj_build_add(m.build, by_line,
                 pj_build_line(m.build, region, 11, pj_build_text(m.build, PJ_S("  x = f(y)"))), at,
                 83);
    pj_build_add(m.build, by_line,
                 pj_build_line(m.build, region, 12, pj_build_text(m.build, PJ_S("  return x"))), at,
                 17);
    pj_auto_profile p = end(&m);
    assert_says(p, "summary",
                "83.0 % of the time measured in solve is in one line, with what it calls: "
                "a.py:11: x = f(y)",
                true);
}

static void names_stay_on_their_line(void **state)
{
    (void)state;
    char name[600] = "two\nlines";
    memset(name + 9, 'x', sizeof name - 10);
    maker m = begin(PJ_SHAPE_FLAT);
    spend(&m, name, 0, 1);
    pj_auto_profile p = end(&m);
    assert_says(p, "summary", "two lines", true);
    assert_says(p, "summary", "xxx...xxx", true);
}

static void long_names_give_up_their_scopes(void **state)
{
    (void)state;
    maker m = begin(PJ_SHAPE_FLAT);
    spend(&m, "core::cmp::impls::<impl core::cmp::PartialOrd for usize>::lt", 0, 1);
    pj_auto_profile p = end(&m);
    assert_says(p, "summary", "impls", false);
    assert_says(p, "summary", "<impl core::cmp::PartialOrd for usize>::lt", true);
}

static void topics_are_named(void **state)
{
    (void)state;
    pj_err err = {0};
    pj_auto_buf text = {0};
    pj_auto_profile p = uneven_ranks();
    assert_false(pj_profile_findings_about(p, PJ_S("weather"), &text, &err));
    assert_int_equal(err.code, PJ_E_USAGE);
    const pj_profile_topic *topic;
    for (size_t i = 0; (topic = pj_profile_topic_at(i)); i++) {
        assert_non_null(strstr(err.text, topic->key));
        bool has = strcmp(topic->key, "functions") == 0 || strcmp(topic->key, "ranks") == 0;
        assert_true(topic->has(p) == has);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_that_wait_are_named),
        cmocka_unit_test(ranks_without_times_tell_nothing),
        cmocka_unit_test(load_balance_is_that_of_pop),
        cmocka_unit_test(two_kinds_of_ranks_are_told_apart),
        cmocka_unit_test(even_ranks_are_no_finding),
        cmocka_unit_test(the_path_that_costs_most_is_followed),
        cmocka_unit_test(the_costly_line_is_quoted),
        cmocka_unit_test(names_stay_on_their_line),
        cmocka_unit_test(long_names_give_up_their_scopes),
        cmocka_unit_test(topics_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
