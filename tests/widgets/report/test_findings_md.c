// The words of reports: true of the numbers, and said once.
#include "metrics/pop/findings.h"
#include "tests/support/fake_metrics.h"
#include "widgets/report/findings_md.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const pj_fake_run runs[] = {{1, 2, NULL, NULL}, {4, 2, NULL, NULL}, {16, 2, NULL, NULL}};

static void add_topic(const pj_metrics *m, const char *topic, pj_buf *out)
{
    pj_err err = {.code = PJ_E_NONE};
    assert_true(pj_findings_md(m, pj_str_of(topic), NULL, out, &err));
}

/// All topics but the definitions, which are a reference.
static pj_buf words_of(const pj_metrics *m)
{
    pj_buf all = {0};
    const char *topic;
    for (size_t i = 0; (topic = pj_findings_md_topic(i)); i++)
        if (strcmp(topic, "definitions") != 0)
            add_topic(m, topic, &all);
    return all;
}

static size_t count_of(pj_str text, pj_str part)
{
    size_t count = 0;
    for (size_t at = 0; at + part.len <= text.len; at++)
        count += memcmp(text.at + at, part.at, part.len) == 0;
    return count;
}

static void check_sentences(pj_str line, pj_str all, const char *set)
{
    enum { SHORTEST = 25 };
    for (const char *end; line.len && (end = memmem(line.at, line.len, ". ", 2));) {
        pj_str sentence = pj_str_head(line, (size_t)(end - line.at));
        if (sentence.len > SHORTEST && count_of(all, sentence) > 2)
            fail_msg("%s: \"" PJ_STR_FMT "\"", set, PJ_STR_ARG(sentence));
        line = pj_str_from(line, sentence.len + 2);
    }
}

static void no_sentence_stands_three_times(void **state)
{
    (void)state;
    const pj_metric_set *set;
    for (size_t s = 0; (set = pj_metric_set_at(s)); s++) {
        pj_auto_metrics m = pj_fake_metrics(runs, 3, (pj_fake_opts){.set = set->key});
        pj_auto_buf all = words_of(m);
        pj_str rest = pj_buf_str(&all);
        while (rest.len)
            check_sentences(pj_str_cut(&rest, '\n'), pj_buf_str(&all), set->key);
        assert_null(strstr(all.at, "-0.000"));
        assert_null(strstr(all.at, "nan"));
    }
}

/// What mending the worst fault brings comes before what efficiencies hint at.
static void summaries_begin_with_what_was_found(void **state)
{
    (void)state;
    pj_err err = {.code = PJ_E_NONE};
    pj_auto_metrics m = pj_fake_metrics(runs, 3, (pj_fake_opts){.set = "mpi"});
    pj_auto_table found = pj_table_new("");
    pj_auto_buf none = {0}, text = {0};
    pj_table_add_column(found, (pj_column){"title", "Finding", NULL, PJ_UNIT_NONE, PJ_TEXT});
    pj_table_add_column(found, (pj_column){"where", "Where", NULL, PJ_UNIT_NONE, PJ_TEXT});
    pj_table_add_column(found, (pj_column){"share", "Share", NULL, PJ_UNIT_RATIO, false});
    assert_true(pj_findings_md(m, PJ_S("summary"), found, &none, &err));
    assert_null(strstr(none.at, "mending"));
    pj_cell *cells = pj_table_add_row(found);
    cells[0] = pj_cell_text("Start-up");
    cells[1] = pj_cell_text("all ranks");
    cells[2] = pj_cell_real(0.277);
    assert_true(pj_findings_md(m, PJ_S("summary"), found, &text, &err));
    pj_str first = pj_str_head(pj_buf_str(&text), strcspn(text.at, "\n"));
    assert_true(pj_str_equal(first, PJ_S("- What costs most is Start-up (all ranks): mending it "
                                         "would bring 27.7 % of the run.")));
    assert_null(strstr(text.at + first.len, "What costs most"));
}

/// "Parallel efficiency is low because threads wait": the rows below say so better.
static void wholes_have_no_reason(void **state)
{
    (void)state;
    const pj_metric_set *set;
    for (size_t s = 0; (set = pj_metric_set_at(s)); s++) {
        pj_auto_metrics m = pj_fake_metrics(runs, 3, (pj_fake_opts){.set = set->key});
        pj_auto_buf all = words_of(m);
        for (size_t row = 0; row < set->count; row++)
            for (size_t part = 0; part < set->count; part++) {
                const pj_advice *advice = pj_advice_of(pj_str_of(set->rows[row].key));
                if (pj_metric_parent(set, part) != (int)row || !advice)
                    continue;
                if (strstr(all.at, advice->meaning))
                    fail_msg("%s of %s is explained by itself", set->rows[row].key, set->key);
            }
    }
}

static void words_follow_the_set(void **state)
{
    (void)state;
    pj_auto_metrics additive = pj_fake_metrics(runs, 3, (pj_fake_opts){.set = "hybrid"});
    pj_auto_metrics mirrored = pj_fake_metrics(runs, 3, (pj_fake_opts){.set = "hybrid-ineff"});
    pj_auto_metrics openmp = pj_fake_metrics(runs, 3, (pj_fake_opts){.set = "openmp"});
    pj_auto_buf a = {0}, b = {0}, c = {0};
    add_topic(additive, "summary", &a);
    add_topic(mirrored, "summary", &b);
    add_topic(openmp, "communication", &c);
    assert_non_null(strstr(a.at, "global efficiency is "));
    assert_non_null(strstr(b.at, "global inefficiency is "));
    assert_non_null(strstr(c.at, "The set `openmp` has no row about this."));
    assert_int_equal(pj_findings_md_rows(openmp, PJ_S("communication"), NULL, 4), 0);
    assert_int_equal(pj_findings_md_rows(additive, PJ_S("communication"), NULL, 9), 3);
    assert_int_equal(pj_findings_md_rows(additive, PJ_S("computation"), NULL, 2), 2);
}

/// A region of interest set later is told with its times.
static void words_follow_the_region(void **state)
{
    (void)state;
    pj_auto_metrics m = pj_fake_metrics(runs, 3, (pj_fake_opts){.set = "mpi"});
    pj_auto_buf whole = {0}, part = {0};
    add_topic(m, "structure", &whole);
    assert_string_equal(whole.at, "The runs are analysed whole.\n");
    m->study->cases[1].run->roi = (pj_roi){.set = true, .from_ns = 1000000, .to_ns = 3500000};
    add_topic(m, "structure", &part);
    assert_non_null(strstr(part.at, "In 1 of 3 runs"));
    assert_non_null(strstr(part.at, "from 1.00 ms to 3.50 ms"));
}

static void global_efficiency_above_one_wastes_nothing(void **state)
{
    (void)state;
    pj_auto_metrics m = pj_fake_metrics(runs, 3, (pj_fake_opts){.set = "mpi"});
    pj_auto_buf text = {0};
    m->values[2 * m->set->count].value = 1.125;
    add_topic(m, "summary", &text);
    assert_non_null(strstr(text.at, "global efficiency is 1.125. It is not below 1: it takes no "
                                    "more core time than"));
    assert_null(strstr(text.at, "waste"));
}

/// Work or speed: what the counters say, and nothing where there are none.
/// What is left of a run is not praised: first comes that it is a part.
static void cut_runs_are_said_first(void **state)
{
    (void)state;
    pj_auto_metrics m = pj_fake_metrics(runs, 3, (pj_fake_opts){0});
    pj_auto_buf summary = {0}, structure = {0};
    pj_import_add(&m->study->cases[2].run->import, PJ_IMPORT_ends_early, 7);
    add_topic(m, "summary", &summary);
    add_topic(m, "structure", &structure);
    assert_true(pj_str_starts(pj_buf_str(&summary), PJ_S("- Part of the run is missing in ")));
    assert_non_null(strstr(structure.at, "analysed as far as the traces go"));
}

static void imbalance_has_its_reason(void **state)
{
    (void)state;
    pj_auto_metrics m = pj_fake_metrics(runs, 3, (pj_fake_opts){.set = "mpi"});
    pj_auto_metrics bare = pj_fake_metrics(runs, 3, (pj_fake_opts){.set = "mpi", .missing = true});
    pj_auto_buf work = {0}, speed = {0}, unknown = {0};
    add_topic(m, "load_balance", &work);
    assert_non_null(strstr(work.at, "the work itself is uneven"));
    pj_run *run = m->study->cases[2].run;
    for (uint32_t i = 0; i < run->layout.locations; i++)
        run->counters[PJ_COUNTER_INSTRUCTIONS].useful[i] = 1000;
    add_topic(m, "load_balance", &speed);
    assert_non_null(strstr(speed.at, "instructions 1.000: the work is even, and some ranks do it "
                                     "more slowly"));
    add_topic(bare, "load_balance", &unknown);
    assert_null(strstr(unknown.at, "Over the ranks"));
}

static void unknown_topics_are_refused(void **state)
{
    (void)state;
    pj_auto_metrics m = pj_fake_metrics(runs, 3, (pj_fake_opts){.set = "mpi"});
    pj_auto_buf text = {0};
    pj_err err = {.code = PJ_E_NONE};
    assert_false(pj_findings_md(m, PJ_S("weather"), NULL, &text, &err));
    assert_non_null(strstr(err.text, "communication"));
    assert_int_equal(err.code, PJ_E_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_sentence_stands_three_times),
        cmocka_unit_test(summaries_begin_with_what_was_found),
        cmocka_unit_test(wholes_have_no_reason),
        cmocka_unit_test(words_follow_the_set),
        cmocka_unit_test(words_follow_the_region),
        cmocka_unit_test(global_efficiency_above_one_wastes_nothing),
        cmocka_unit_test(cut_runs_are_said_first),
        cmocka_unit_test(imbalance_has_its_reason),
        cmocka_unit_test(unknown_topics_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
