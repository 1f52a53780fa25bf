// The wizard driven as a front end drives it: by comm messages, asserting what a page would show.
#include "metrics/base/buf.h"
#include "metrics/pop/metricset.h"
#include "tests/support/fake_host.h"
#include "tests/support/widget_bench.h"
#include "tests/support/wizard_user.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

/// The button "Save" of a page, of those that have one.
static void save(pj_user *s, int page)
{
    for (pj_widget *w = NULL; (w = pj_widgets_next(s->bench.widgets, w));) {
        const json_t *label = pj_widget_get(w, "description", NULL);
        bool is_save = label && strcmp(json_string_value(label), "Save") == 0;
        if (is_save && page-- == 0)
            assert_true(
                pj_bench_msg(&s->bench, w, "{'method':'custom','content':{'event':'click'}}"));
    }
}

/// Its field.
static pj_widget *name_to_save(pj_user *s, int page)
{
    pj_widget *w = NULL;
    while ((w = pj_widgets_next(s->bench.widgets, w))) {
        const json_t *label = pj_widget_get(w, "description", NULL);
        if (label && strcmp(json_string_value(label), "Save as") == 0 && page-- == 0)
            break;
    }
    return w;
}

static void enter(pj_user *s, const char *field)
{
    assert_true(pj_bench_msg(&s->bench, pj_user_named(s, "Text", field),
                             "{'method':'custom','content':{'event':'submit'}}"));
}

static const char *titles(pj_user *s)
{
    return pj_bench_get(&s->bench, pj_user_tabs(s), "titles");
}

static pj_widget *list_of(pj_user *s, const char *tip)
{
    pj_widget *list = pj_user_find(s, "SelectMultiple", "tooltip", tip);
    assert_non_null(list);
    return list;
}

static const char *chosen(pj_user *s)
{
    return pj_bench_get(&s->bench, list_of(s, "The chosen runs"), "_options_labels");
}

static const char *const five[] = {"/traces/1x1.prv", "/traces/2x1.prv", "/traces/4x1.prv",
                                   "/traces/8x1.prv", "/traces/16x1.prv"};

static void it_begins_with_one_page(void **state)
{
    (void)state;
    pj_user s;
    pj_user_open(&s, NULL, 0);
    assert_string_equal(titles(&s), "['Files']");
    pj_widget *files = list_of(&s, "Folders and files");
    assert_string_equal(pj_bench_get(&s.bench, files, "_options_labels"),
                        "['deeper/','1x1.prv  (100 B)','2x1.prv  (200 B)','4x1.prv  (400 B)',"
                        "'4x1.otf2  (400 B)']");
    assert_string_equal(pj_bench_get(&s.bench, pj_user_named(&s, "Button", "Analyse"), "disabled"),
                        "true");
    assert_true(pj_user_says(&s, "kept in a test"));
    pj_user_close(&s);
}

static void files_are_browsed_filtered_and_chosen(void **state)
{
    (void)state;
    pj_user s;
    pj_user_open(&s, NULL, 0);
    pj_widget *files = list_of(&s, "Folders and files");
    pj_user_change(&s, pj_user_named(&s, "Dropdown", "Show"), "{'index': 3}");
    assert_string_equal(pj_bench_get(&s.bench, files, "_options_labels"),
                        "['deeper/','4x1.otf2  (400 B)']");
    pj_user_change(&s, pj_user_named(&s, "Dropdown", "Show"), "{'index': 0}");
    pj_user_change(&s, pj_user_named(&s, "Text", "Name"), "{'value': '?x1.p*'}");
    assert_string_equal(pj_bench_get(&s.bench, files, "_options_labels"),
                        "['deeper/','1x1.prv  (100 B)','2x1.prv  (200 B)','4x1.prv  (400 B)']");
    pj_user_change(&s, files, "{'index': [1, 3]}");
    pj_user_click(&s, "Add");
    assert_string_equal(chosen(&s), "['1. 1x1.prv \u00b7 Paraver trace \u00b7 1x1 \u00b7 2.30 MB',"
                                    "'2. 4x1.prv \u00b7 Paraver trace \u00b7 4x1 \u00b7 2.30 MB']");
    pj_user_change(&s, files, "{'index': [0]}");
    pj_user_click(&s, "Open folder");
    assert_string_equal(pj_bench_get(&s.bench, pj_user_named(&s, "Text", "Folder"), "value"),
                        "'/traces/deeper'");
    pj_user_click(&s, "Parent");
    assert_string_equal(pj_bench_get(&s.bench, pj_user_named(&s, "Text", "Folder"), "value"),
                        "'/traces'");
    pj_user_change(&s, pj_user_named(&s, "Text", "Folder"), "{'value': '/nowhere'}");
    assert_false(pj_user_says(&s, "cannot be opened")); // there may be more of it to come
    enter(&s, "Folder");
    assert_true(pj_user_says(&s, "cannot be opened"));
    pj_user_close(&s);
}

static void paths_and_globs_are_typed(void **state)
{
    (void)state;
    pj_user s;
    pj_user_open(&s, NULL, 0);
    pj_user_change(&s, pj_user_named(&s, "Text", "Path or glob"), "{'value': '*x1.prv'}");
    pj_user_click(&s, "Add path");
    pj_user_click(&s, "Add path"); // nothing is typed any more
    assert_non_null(strstr(chosen(&s), "3. 4x1.prv"));
    assert_null(strstr(chosen(&s), "4. "));
    pj_user_change(&s, pj_user_named(&s, "Text", "Path or glob"), "{'value': 'nothing*'}");
    pj_user_click(&s, "Add path");
    assert_true(pj_user_says(&s, "no file matches"));
    pj_user_close(&s);
}

static void chosen_runs_are_moved_tagged_and_removed(void **state)
{
    (void)state;
    pj_user s;
    pj_user_open(&s, five, 3);
    pj_widget *list = list_of(&s, "The chosen runs");
    pj_user_change(&s, list, "{'index': [2]}");
    pj_user_click(&s, "Up");
    assert_non_null(strstr(chosen(&s), "2. 4x1.prv"));
    assert_string_equal(pj_bench_get(&s.bench, list, "index"), "[1]");
    pj_user_change(&s, pj_user_find(&s, "Text", "placeholder", "tag"), "{'value': 'new'}");
    pj_user_click(&s, "Set tag");
    assert_non_null(strstr(chosen(&s), "tag new"));
    pj_user_click(&s, "Reference");
    assert_non_null(strstr(chosen(&s), "reference"));
    pj_user_click(&s, "Down");
    pj_user_click(&s, "Remove");
    assert_null(strstr(chosen(&s), "4x1.prv"));
    assert_non_null(strstr(chosen(&s), "2. 2x1.prv"));
    pj_user_close(&s);
}

/// Names that are no UTF-8 or hold line ends: every line of a list is the run that it shows.
static void odd_names_keep_their_places(void **state)
{
    (void)state;
    pj_user s;
    pj_user_open(&s, NULL, 0);
    pj_user_change(&s, pj_user_named(&s, "Text", "Folder"), "{'value': '/odd'}");
    pj_widget *files = list_of(&s, "Folders and files");
    assert_string_equal(pj_bench_get(&s.bench, files, "_options_labels"),
                        "['a\\\\xff/','1x1\\\\xff.prv  (100 B)','2x1\\\\x0d\\\\x0a.prv  (100 B)']");
    pj_user_change(&s, files, "{'index': [1, 2]}");
    pj_user_click(&s, "Add");
    assert_non_null(strstr(chosen(&s), "'1. 1x1\\\\xff.prv"));
    assert_non_null(strstr(chosen(&s), "'2. 2x1\\\\x0d\\\\x0a.prv"));
    pj_user_change(&s, pj_user_find(&s, "ToggleButton", "description", "Show code"),
                   "{'value': true}");
    pj_widget *code = pj_user_find(&s, "Textarea", "tooltip", "Code of this page");
    assert_non_null(
        strstr(json_string_value(pj_widget_get(code, "value", NULL)), "\"/odd/1x1\\xff.prv\""));
    pj_user_analyse(&s);
    pj_user_change(&s, list_of(&s, "The chosen runs"), "{'index': [1]}");
    pj_user_click(&s, "Remove");
    assert_non_null(strstr(chosen(&s), "1x1"));
    assert_null(strstr(chosen(&s), "2x1"));
    pj_user_change(&s, files, "{'index': [0]}");
    pj_user_click(&s, "Open folder");
    assert_string_equal(s.fake.listed, "/odd/a\xff");
    pj_user_click(&s, "Parent");
    assert_string_equal(s.fake.listed, "/odd");
    pj_user_close(&s);
}

static void pages_appear_when_there_is_something_on_them(void **state)
{
    (void)state;
    pj_user s;
    pj_user_open(&s, five, 1);
    pj_user_analyse(&s);
    assert_string_equal(titles(&s),
                        "['Files','Findings','Efficiencies','Inside a run','What if','Report']");
    assert_string_equal(pj_bench_get(&s.bench, pj_user_tabs(&s), "selected_index"), "2");
    pj_user_close(&s);
    pj_user_open(&s, five, 5);
    pj_user_analyse(&s);
    assert_string_equal(
        titles(&s),
        "['Files','Findings','Efficiencies','Scaling','Inside a run','What if','Report']");
    assert_true(pj_user_says(&s, "read in"));
    assert_true(pj_user_says(&s, "convention"));
    assert_non_null(s.fake.shown[PJ_WIZARD_TABLE]);
    assert_non_null(json_object_get(s.fake.shown[PJ_WIZARD_TABLE], "text/html"));
    pj_user_close(&s);
}

/// Devices have a page where a run has any; its table, its picture and its code follow the choice.
static void devices_have_a_page(void **state)
{
    (void)state;
    static const char *const paths[] = {"/traces/2x1.prv", "/traces/4x1.gpu.prv"};
    pj_user s;
    pj_user_open(&s, paths, 2);
    pj_user_analyse(&s);
    assert_string_equal(titles(&s), "['Files','Findings','Efficiencies','Scaling','Inside a "
                                    "run','What if','Devices','Report']");
    pj_user_change(&s, pj_user_find(&s, "ToggleButton", "description", "Show code"),
                   "{'value': true}");
    pj_user_turn_to(&s, "Devices");
    assert_true(pj_user_says(&s, "Devices of "));
    assert_true(pj_user_shows(&s, "Time of each device"));
    pj_widget *code = pj_user_find(&s, "Textarea", "tooltip", "Code of this page");
    assert_string_equal(json_string_value(pj_widget_get(code, "value", NULL)),
                        "run = load{\"/traces/4x1.gpu.prv\"}[1]\n"
                        "plot(\"devices\", run)\n"
                        "stats(run, {devices = true})\n");
    pj_user_change(&s, pj_user_named(&s, "Dropdown", "Numbers"), "{'index': 1}");
    assert_true(pj_user_says(&s, "GPU idle of "));
    assert_non_null(
        strstr(json_string_value(pj_widget_get(code, "value", NULL)), "{device_idle = true}"));
    pj_user_close(&s);
}

static const char *const both[] = {"/traces/a_0.prof", "/traces/4x1.prv", "/traces/a_1.prof"};
static const char *const profile_pages =
    "['Files','Functions','Graph','Ranks','Lines','Memory','Events','Changes','Report']";

/// Profiles alone have pages of their own, each with what the numbers say, a picture and a table.
static void profiles_have_pages(void **state)
{
    (void)state;
    static const char *const paths[] = {"/traces/a_0.prof", "/traces/a_1.prof"};
    pj_user s;
    pj_user_open(&s, paths, 2);
    assert_non_null(strstr(chosen(&s), "1. a_0.prof \u00b7 cProfile profile \u00b7 1.20 kB"));
    pj_user_analyse(&s);
    assert_string_equal(titles(&s), profile_pages);
    assert_string_equal(pj_bench_get(&s.bench, pj_user_tabs(&s), "selected_index"), "1");
    assert_true(pj_user_says(&s, "1 of 2 ranks work; the others, 1, wait 98.9 % of their time"));
    assert_true(pj_user_says(&s, "a.py:10(solve)"));
    for (int page = 1; page < 9; page++)
        pj_user_turn(&s, page);
    assert_true(pj_user_says(&s, "bytes &lt;sent&gt;"));
    assert_true(pj_user_shows(&s, "Call graph of") || pj_user_shows(&s, "graphviz"));
    pj_user_change(&s, pj_user_named(&s, "Dropdown", "Table"), "{'index': 2}");
    assert_true(pj_user_says(&s, "Bottom-up: functions by their own time"));
    pj_user_change(&s, pj_user_named(&s, "Dropdown", "Table"), "{'index': 3}");
    assert_true(pj_user_says(&s, "called by <span"));
    pj_user_change(&s, pj_user_named(&s, "Dropdown", "Table"), "{'index': 0}");
    assert_true(pj_user_shows(&s, "of functions at each rank"));
    assert_true(pj_user_says(&s, "Other waiting")); // what every rank does, with the part of MPI
    pj_user_click(&s, "Generate");
    assert_string_equal(s.fake.reported, "report.ipynb");
    pj_user_close(&s);
}

/// What some files have more or less of than others; both sides may be chosen.
static void files_are_compared(void **state)
{
    (void)state;
    static const char *const paths[] = {"/traces/a_0.prof", "/traces/a_1.prof"};
    pj_user s;
    pj_user_open(&s, paths, 2);
    pj_user_analyse(&s);
    pj_user_turn(&s, 7);
    assert_true(pj_user_says(&s, "9.10 s in all, 2.10 s before: 333.3 % more"));
    assert_true(pj_user_says(&s, "What changed"));
    assert_true(pj_user_shows(&s, "What changed from"));
    pj_user_change(&s, pj_user_find(&s, "ToggleButton", "description", "Show code"),
                   "{'value': true}");
    pj_widget *code = pj_user_find(&s, "Textarea", "tooltip", "Code of this page");
    assert_string_equal(json_string_value(pj_widget_get(code, "value", NULL)),
                        "q = profile{\"/traces/a_0.prof\"}\np = profile{\"/traces/a_1.prof\"}\n"
                        "plot(\"difference\", {q, p})\ncompare(q, p):head(20)\n");
    pj_user_change(&s, pj_user_named(&s, "Dropdown", "After"), "{'index': 0}");
    assert_true(pj_user_shows(&s, "before and after are the same"));
    pj_user_change(&s, pj_user_named(&s, "Dropdown", "Before"), "{'index': 1}");
    assert_true(pj_user_says(&s, "2.10 s in all, 9.10 s before: 76.9 % less"));
    pj_user_close(&s);
}

/// Calls that fold are saved as they are shown, and shown again by the next wizard.
static void calls_that_fold_are_saved(void **state)
{
    (void)state;
    static const char *const paths[] = {"/traces/a_0.prof", "/traces/a_1.prof"};
    pj_user s;
    pj_user_open(&s, paths, 2);
    pj_user_analyse(&s);
    pj_user_turn(&s, 1);
    pj_user_change(&s, pj_user_named(&s, "Dropdown", "Table"), "{'index': 1}");
    for (pj_widget *w = NULL; (w = pj_widgets_next(s.bench.widgets, w));) {
        const json_t *tip = pj_widget_get(w, "tooltip", NULL);
        if (json_is_string(tip) && strcmp(json_string_value(tip), "Format of the file") == 0 &&
            strstr(pj_bench_get(&s.bench, w, "_options_labels"), "'DOT'"))
            pj_user_change(&s, w, "{'index': 5}"); // HTML, on all pages of profiles
    }
    save(&s, 4);
    assert_string_equal(s.fake.written, "functions.html");
    assert_non_null(strstr(s.fake.written_text, "<details"));
    assert_non_null(strstr(s.fake.written_text, "Top-down"));
    pj_user_close(&s);
}

static void profiles_are_searched_saved_and_shown_as_code(void **state)
{
    (void)state;
    pj_user s;
    pj_user_open(&s, both, 3);
    pj_user_analyse(&s);
    pj_user_turn_to(&s, "Functions");
    pj_user_change(&s, pj_user_find(&s, "ToggleButton", "description", "Show code"),
                   "{'value': true}");
    pj_widget *code = pj_user_find(&s, "Textarea", "tooltip", "Code of this page");
    pj_user_change(&s, pj_user_named(&s, "Combobox", "Function"), "{'value': 'a:1:main'}");
    pj_user_change(&s, pj_user_named(&s, "Text", "Search"), "{'value': 'sol'}");
    assert_true(pj_user_says(&s, "a.py:10(solve)"));
    assert_false(pj_user_says(&s, "MPI_Barrier()"));
    assert_string_equal(json_string_value(pj_widget_get(code, "value", NULL)),
                        "p = profile{\"/traces/a_0.prof\", \"/traces/a_1.prof\"}\n"
                        "p:findings \"functions\"\n"
                        "plot(\"icicle\", p, {root = \"a:1:main\"})\n"
                        "profile(p, {sort = \"exclusive\", match = \"sol\", first = 40})\n");
    pj_user_change(&s, pj_user_named(&s, "Text", "Search"), "{'value': '('}");
    assert_true(pj_user_says(&s, "is no regular expression"));
    pj_user_change(&s, pj_user_named(&s, "Combobox", "Function"), "{'value': 'nobody'}");
    assert_true(pj_user_shows(&s, "no function is called"));
    save(&s, 4);
    assert_true(pj_user_shows(&s, "Not saved"));
    pj_user_change(&s, pj_user_named(&s, "Text", "Search"), "{'value': ''}");
    pj_user_change(&s, pj_user_named(&s, "Combobox", "Function"), "{'value': ''}");
    save(&s, 4);
    assert_string_equal(s.fake.written, "functions.png");
    assert_true(s.fake.written_bytes > 1000);
    pj_user_change(&s, name_to_save(&s, 4), "{'value': 'calls.svg'}"); // a suffix says the format
    save(&s, 4);
    assert_string_equal(s.fake.written, "calls.svg");
    assert_string_equal(pj_bench_get(&s.bench, name_to_save(&s, 4), "value"), "'calls'");
    pj_user_close(&s);
}

/// A trace of the same run: its functions beside those of the profile.
static void a_trace_stands_beside_a_profile(void **state)
{
    (void)state;
    pj_user s;
    pj_user_open(&s, both, 3);
    pj_user_analyse(&s);
    pj_user_turn_to(&s, "Functions");
    pj_widget *beside = pj_user_named(&s, "Dropdown", "Beside it");
    assert_string_equal(pj_bench_get(&s.bench, beside, "_options_labels"), "['nothing','4x1.prv']");
    unsigned before = s.fake.loads;
    pj_user_change(&s, beside, "{'index': 1}");
    for (int i = 0; i < 100 && !pj_user_shows(&s, "4x1.prv"); i++)
        assert_true(fake_host_pump(&s.fake));
    assert_int_equal(s.fake.loads, before + 1);
    pj_widget *code = pj_user_find(&s, "Textarea", "tooltip", "Code of this page");
    pj_user_change(&s, pj_user_find(&s, "ToggleButton", "description", "Show code"),
                   "{'value': true}");
    assert_non_null(strstr(json_string_value(pj_widget_get(code, "value", NULL)),
                           "q = profile(\"/traces/4x1.prv\")\nplot(\"icicle\", q)\n"));
    pj_user_change(&s, beside, "{'index': 0}");
    assert_int_equal(s.fake.loads, before + 1);
    pj_user_close(&s);
}

/// What a page shows goes with its files; a click that comes late changes nothing.
static void profiles_are_taken_off(void **state)
{
    (void)state;
    pj_user s;
    pj_user_open(&s, both, 3);
    pj_user_analyse(&s);
    pj_user_turn_to(&s, "Functions");
    pj_widget *search = pj_user_named(&s, "Text", "Search");
    pj_user_turn(&s, 0);
    pj_user_change(&s, list_of(&s, "The chosen runs"), "{'index': [0]}");
    pj_user_click(&s, "Remove");
    assert_string_equal(titles(&s),
                        "['Files','Findings','Efficiencies','Inside a run','What if','Report']");
    pj_user_change(&s, search, "{'value': 'solve'}");
    save(&s, 4);
    assert_null(s.fake.written);
    pj_user_analyse(&s);
    assert_non_null(strstr(titles(&s), "'Functions'"));
    pj_user_close(&s);
}

static void a_bad_profile_is_told(void **state)
{
    (void)state;
    static const char *const paths[] = {"/traces/a.prof", "/traces/bad.prof", "/traces/2x1.prv"};
    static const char *const all_bad[] = {"/traces/bad.prof", "/traces/bad2.prof"};
    pj_user s;
    pj_user_open(&s, paths, 3); // the others are read
    pj_user_analyse(&s);
    assert_true(pj_user_says(&s, "; without 1: bad.prof: this is &lt;no&gt; profile"));
    assert_non_null(strstr(titles(&s), "'Functions'"));
    pj_user_close(&s);
    pj_user_open(&s, all_bad, 2);
    pj_user_analyse(&s);
    assert_true(pj_user_says(&s, "failed: bad.prof: this is &lt;no&gt; profile"));
    assert_string_equal(titles(&s), "['Files']");
    pj_user_close(&s);
    static const char *const slow[] = {"/traces/slow.prof"};
    pj_user_open(&s, slow, 1);
    pj_user_click(&s, "Analyse");
    assert_true(fake_host_pump(&s.fake));
    pj_user_click(&s, "Cancel");
    for (int i = 0; i < 1000 && !pj_user_says(&s, "cancelled"); i++)
        assert_true(fake_host_pump(&s.fake));
    assert_string_equal(titles(&s), "['Files']");
    pj_user_close(&s);
    pj_user_open(&s, slow, 1); // closed while it reads
    pj_user_click(&s, "Analyse");
    pj_widget_close(pj_wizard_root(s.wizard));
    pj_user_close(&s);
}

static void a_bad_trace_is_told_and_the_others_go_on(void **state)
{
    (void)state;
    static const char *const paths[] = {"/traces/2x1.prv", "/traces/bad.prv", "/traces/4x1.prv"};
    pj_user s;
    pj_user_open(&s, paths, 3);
    pj_user_analyse(&s);
    assert_true(pj_user_says(&s, "failed: this is &lt;no&gt; trace"));
    assert_string_equal(
        titles(&s),
        "['Files','Findings','Efficiencies','Scaling','Inside a run','What if','Report']");
    // What was read is not read again.
    unsigned before = s.fake.loads;
    pj_user_analyse(&s);
    assert_int_equal(s.fake.loads, before + 1);
    pj_user_close(&s);
}

static void reading_can_be_cancelled(void **state)
{
    (void)state;
    static const char *const paths[] = {"/traces/2x1.prv", "/traces/slow.prv", "/traces/4x1.prv"};
    pj_user s;
    pj_user_open(&s, paths, 3);
    pj_user_click(&s, "Analyse");
    for (int i = 0; i < 100 && !pj_user_says(&s, "% of 100 B"); i++)
        assert_true(fake_host_pump(&s.fake));
    assert_true(pj_user_says(&s, "% of 100 B"));
    pj_user_click(&s, "Analyse"); // it is at work already
    pj_user_click(&s, "Cancel");
    for (int i = 0; i < 100 && !pj_user_says(&s, "cancelled"); i++)
        assert_true(fake_host_pump(&s.fake));
    for (int i = 0; i < 100 && strcmp(titles(&s), "['Files']") == 0; i++)
        assert_true(fake_host_pump(&s.fake));
    assert_string_equal(titles(&s),
                        "['Files','Findings','Efficiencies','Inside a run','What if','Report']");
    pj_user_close(&s);
}

static void it_may_be_closed_while_it_reads(void **state)
{
    (void)state;
    static const char *const paths[] = {"/traces/slow.prv"};
    pj_user s;
    pj_user_open(&s, paths, 1);
    pj_user_click(&s, "Analyse");
    assert_true(fake_host_pump(&s.fake));
    pj_widget_close(pj_wizard_root(s.wizard));
    assert_int_equal(pj_widgets_count(s.bench.widgets), 0);
    pj_user_close(&s);
    pj_user_open(&s, paths, 1); // and forgotten with all widgets
    pj_user_click(&s, "Analyse");
    assert_true(fake_host_pump(&s.fake));
    pj_user_close(&s);
}

#define VIEWS "ToggleButtonsModel" ///< of a run: ranks, regions, timeline, time, iterations

/// The last choice of so many labels.
static pj_widget *choice_of(pj_user *s, const char *model, size_t labels)
{
    pj_widget *found = NULL;
    for (pj_widget *w = NULL; (w = pj_widgets_next(s->bench.widgets, w));)
        if (strcmp(pj_widget_model(w)->name, model) == 0 &&
            json_array_size(pj_widget_get(w, "_options_labels", NULL)) == labels)
            found = w;
    assert_non_null(found);
    return found;
}

static void the_table_changes_with_its_controls(void **state)
{
    (void)state;
    size_t sets = 0;
    while (pj_metric_set_at(sets))
        sets++;
    pj_user s;
    pj_user_open(&s, five, 5);
    pj_user_analyse(&s);
    assert_non_null(pj_user_find(&s, "Button", "description", "MPI load balance"));
    pj_user_change(&s, choice_of(&s, "DropdownModel", sets), "{'index': 7}");
    assert_non_null(pj_user_find(&s, "Button", "description", "Serialisation efficiency"));
    assert_true(pj_user_says(&s, "peedup") || pj_user_find(&s, "Button", "description", "Speedup"));
    pj_user_change(&s, pj_user_named(&s, "Checkbox", "Runs as rows"), "{'value': true}");
    assert_true(pj_user_says(&s, "Serialisation efficiency"));
    pj_user_close(&s);
}

static void a_click_on_a_metric_explains_it(void **state)
{
    (void)state;
    pj_user s;
    pj_user_open(&s, five, 5);
    pj_user_analyse(&s);
    pj_user_click(&s, "MPI load balance");
    assert_true(pj_user_says(&s, "How evenly computation is spread"));
    assert_true(pj_user_says(&s, "<b>Next:</b> Plot useful time"));
    assert_non_null(s.fake.shown[PJ_WIZARD_PLOT]);
    pj_user_click(&s, "Look inside the run");
    assert_string_equal(pj_bench_get(&s.bench, pj_user_tabs(&s), "selected_index"), "4");
    assert_true(pj_user_says(&s, "deviation"));
    pj_user_close(&s);
}

static pj_widget *output(pj_user *s)
{
    pj_widget *filled = NULL;
    for (pj_widget *w = NULL; (w = pj_widgets_next(s->bench.widgets, w));)
        if (strcmp(pj_widget_model(w)->name, "OutputModel") == 0 &&
            json_array_size(pj_widget_get(w, "outputs", NULL)))
            filled = w;
    return filled;
}

static void the_table_is_saved_in_all_formats(void **state)
{
    (void)state;
    static const char *const suffixes[] = {"png", "svg", "pdf",  "csv", "json",
                                           "md",  "tex", "html", "txt"};
    pj_user s;
    pj_user_open(&s, five, 3);
    pj_user_analyse(&s);
    for (int i = 0; i < 9; i++) {
        char text[32];
        snprintf(text, sizeof text, "{'index': %d}", i);
        pj_user_change(&s, pj_user_find(&s, "Dropdown", "tooltip", "Format of the file"), text);
        save(&s, 0);
        snprintf(text, sizeof text, "efficiencies.%s", suffixes[i]);
        assert_string_equal(s.fake.written, text);
        assert_true(s.fake.written_bytes > 200);
        assert_true(pj_user_shows(&s, text));
    }
    pj_user_close(&s);
}

static void scaling_is_drawn_and_saved(void **state)
{
    (void)state;
    pj_user s;
    pj_user_open(&s, five, 5);
    pj_user_analyse(&s);
    assert_null(output(&s)); // only what is in front is drawn
    pj_user_turn_to(&s, "Scaling");
    json_t *first = json_incref(pj_widget_get(output(&s), "outputs", NULL));
    pj_user_change(&s, pj_user_named(&s, "IntSlider", "Width px"), "{'value': 900}");
    assert_false(json_equal(first, pj_widget_get(output(&s), "outputs", NULL)));
    json_decref(first);
    static const char *const suffixes[] = {"png", "svg", "pdf", "csv"};
    for (int i = 0; i < 4; i++) {
        pj_widget *format = NULL;
        for (pj_widget *w = NULL; !format && (w = pj_widgets_next(s.bench.widgets, w));)
            if (strcmp(pj_widget_model(w)->name, "ToggleButtonsModel") == 0)
                format = w;
        char text[32];
        snprintf(text, sizeof text, "{'index': %d}", i);
        pj_user_change(&s, format, text);
        save(&s, 1);
        snprintf(text, sizeof text, "scaling.%s", suffixes[i]);
        assert_string_equal(s.fake.written, text);
        assert_true(s.fake.written_bytes > 200);
    }
    pj_user_close(&s);
}

static void the_code_of_the_page_is_shown(void **state)
{
    (void)state;
    pj_user s;
    pj_user_open(&s, five, 2);
    pj_widget *code = pj_user_find(&s, "Textarea", "tooltip", "Code of this page");
    assert_non_null(code);
    pj_user_change(&s, pj_user_find(&s, "ToggleButton", "description", "Show code"),
                   "{'value': true}");
    assert_string_equal(pj_bench_get(&s.bench, code, "value"),
                        "'runs = load{\\n    \\'/traces/1x1.prv\\',\\n    \\'/traces/2x1.prv\\'}\\n"
                        "runs\\n'");
    pj_user_change(&s, pj_user_find(&s, "Text", "description", "Region"), "{'value': '10%..90%'}");
    pj_user_analyse(&s);
    pj_user_holds(&s, code, "m = metrics(runs, {set = \\'mpi\\'");
    pj_user_turn_to(&s, "Scaling");
    pj_user_holds(&s, code, "plot(m, \\'speedup\\')");
    pj_user_turn_to(&s, "Inside a run");
    pj_user_holds(&s, code, "stats:plot{\\'bar\\'");
    pj_user_holds(&s, code, "run = load{\\'/traces/2x1.prv\\', roi = \\'10%..90%\\'}[1]");
    pj_user_close(&s);
}

static void threads_are_bars_of_a_run_of_one_rank(void **state)
{
    (void)state;
    static const char *const paths[] = {"/traces/1x4.prv", "/traces/2x2.prv"};
    pj_user s;
    pj_user_open(&s, paths, 2);
    pj_user_analyse(&s);
    pj_user_turn_to(&s, "Inside a run");
    pj_widget *bars = pj_user_named(&s, "Dropdown", "Bars"),
              *run = pj_user_named(&s, "Dropdown", "Run");
    assert_true(pj_user_shows(&s, "Useful time by thread: 1x4")); // the last of the study
    pj_user_change(&s, bars, "{'index': 1}");
    assert_true(pj_user_shows(&s, "Useful time by rank: 1x4"));
    pj_user_change(&s, run, "{'index': 0}");
    assert_true(pj_user_shows(&s, "Useful time by rank: 2x2"));
    pj_user_change(&s, bars, "{'index': 2}");
    assert_true(pj_user_shows(&s, "Useful time by thread: 2x2"));
    pj_user_close(&s);
}

static void a_look_is_named_in_its_code_and_file(void **state)
{
    (void)state;
    pj_user s;
    pj_user_open(&s, five, 2);
    pj_user_change(&s, pj_user_find(&s, "Text", "description", "Region"), "{'value': '10%..90%'}");
    pj_user_analyse(&s);
    pj_user_turn_to(&s, "Inside a run");
    pj_widget *code = pj_user_find(&s, "Textarea", "tooltip", "Code of this page");
    pj_user_change(&s, pj_user_find(&s, "ToggleButton", "description", "Show code"),
                   "{'value': true}");
    pj_user_change(&s, choice_of(&s, VIEWS, 5), "{'index': 1}");
    pj_user_holds(&s, code,
                  "regions(\\'/traces/2x1.prv\\', {by = \\'function\\', roi = \\'10%..90%\\'})");
    pj_user_holds(&s, code, "plot(\\'regions\\', \\'/traces/2x1.prv\\', {roi = \\'10%..90%\\'})");
    pj_user_change(&s, choice_of(&s, VIEWS, 5), "{'index': 2}");
    assert_non_null(pj_user_find(&s, "Text", "value", "timeline")); // of the file to save
    pj_user_holds(&s, code, "timeline(\\'/traces/2x1.prv\\', {roi = \\'10%..90%\\'})");
    pj_user_change(&s, choice_of(&s, VIEWS, 5), "{'index': 3}");
    assert_non_null(pj_user_find(&s, "Text", "value", "slices"));
    pj_user_holds(&s, code, "plot(\\'slices\\', \\'/traces/2x1.prv\\', {roi = \\'10%..90%\\'})");
    pj_user_change(&s, choice_of(&s, VIEWS, 5), "{'index': 4}");
    assert_non_null(pj_user_find(&s, "Text", "value", "iterations"));
    pj_user_holds(&s, code,
                  "plot(\\'slices\\', \\'/traces/2x1.prv\\', {x = \\'iteration\\', roi = ");
    pj_user_close(&s);
}

static void a_report_is_generated_and_nothing_overwritten(void **state)
{
    (void)state;
    pj_user s;
    pj_user_open(&s, five, 2);
    pj_user_analyse(&s);
    pj_user_turn_to(&s, "Report");
    pj_user_change(&s, pj_user_named(&s, "Text", "File"), "{'value': 'there'}");
    pj_user_click(&s, "Generate");
    assert_true(pj_user_shows(&s, "there.ipynb is there already"));
    assert_null(s.fake.reported);
    pj_user_click(&s, "Replace");
    assert_string_equal(s.fake.reported, "there.ipynb");
    pj_user_change(&s, pj_user_named(&s, "Text", "File"), "{'value': 'new.ipynb'}");
    pj_user_click(&s, "Generate");
    assert_string_equal(s.fake.reported, "new.ipynb");
    assert_true(pj_user_shows(&s, "href=\\'new.ipynb\\'"));
    pj_user_close(&s);
}

static void print(pj_user *s, const char *file, const char *button)
{
    char text[64];
    snprintf(text, sizeof text, "{'value': '%s'}", file);
    pj_user_change(s, pj_user_named(s, "Text", "File"), text);
    pj_user_click(s, button);
}

static void a_document_is_made_in_one_click(void **state)
{
    (void)state;
    pj_user s;
    pj_user_open(&s, five, 2);
    pj_user_analyse(&s);
    pj_user_turn_to(&s, "Report");
    print(&s, "assessed.pdf", "Generate");
    assert_true(fake_host_pump(&s.fake));
    assert_string_equal(s.fake.printed, "assessed.pdf");
    assert_string_equal(s.fake.reported, ".assessed.pdf.ipynb");
    assert_true(pj_user_shows(&s, "href=\\'assessed.pdf\\'"));
    pj_user_click(&s, "HTML");
    assert_true(fake_host_pump(&s.fake));
    assert_string_equal(s.fake.printed, "assessed.html");
    print(&s, "bad", "PDF");
    assert_true(fake_host_pump(&s.fake));
    assert_true(pj_user_shows(&s, "Not written: xelatex is missing"));
    print(&s, "sub/slow", "PDF");
    assert_string_equal(s.fake.reported, "sub/.slow.pdf.ipynb");
    pj_user_click(&s, "PDF"); // it is being made already
    pj_user_click(&s, "Stop");
    assert_true(fake_host_pump(&s.fake));
    assert_true(pj_user_shows(&s, "Cancelled"));
    print(&s, "slow", "PDF"); // ended with the wizard
    pj_user_close(&s);
}

static void everything_is_taken_back(void **state)
{
    (void)state;
    pj_user s;
    pj_user_open(&s, five, 2);
    pj_user_change(&s, pj_user_named(&s, "Text", "Region"), "{'value': '10%..90%'}");
    pj_user_change(&s, pj_user_named(&s, "Text", "Application"), "{'value': 'CODE'}");
    pj_user_change(&s, pj_user_named(&s, "Text", "Latency"), "{'value': '2us'}");
    pj_user_analyse(&s);
    pj_user_click(&s, "Reset");
    assert_string_equal(pj_bench_get(&s.bench, pj_user_named(&s, "Text", "Latency"), "value"),
                        "''");
    assert_string_equal(chosen(&s), "[]");
    assert_string_equal(titles(&s), "['Files']");
    assert_string_equal(pj_bench_get(&s.bench, pj_user_named(&s, "Text", "Region"), "value"), "''");
    assert_string_equal(pj_bench_get(&s.bench, pj_user_named(&s, "Text", "Application"), "value"),
                        "''");
    assert_string_equal(pj_bench_get(&s.bench, pj_user_named(&s, "Text", "Folder"), "value"),
                        "'/traces'");
    pj_user_close(&s);
}

static void a_run_is_read_again_for_its_regions(void **state)
{
    (void)state;
    pj_user s;
    pj_user_open(&s, five, 2);
    pj_user_analyse(&s);
    pj_user_turn_to(&s, "Inside a run");
    unsigned before = s.fake.loads;
    pj_user_change(&s, choice_of(&s, VIEWS, 5), "{'index': 1}");
    for (int i = 0; i < 100 && !output(&s); i++)
        assert_true(fake_host_pump(&s.fake));
    assert_int_equal(s.fake.loads, before + 1);
    // This run has none; its page says so.
    assert_non_null(strstr(pj_bench_get(&s.bench, output(&s), "outputs"), "Nothing to draw"));
    pj_user_change(&s, choice_of(&s, VIEWS, 5), "{'index': 0}");
    pj_user_change(&s, choice_of(&s, VIEWS, 5), "{'index': 1}"); // nothing is read twice
    assert_int_equal(s.fake.loads, before + 1);
    pj_user_close(&s);
}

static void choices_come_back(void **state)
{
    (void)state;
    pj_user s;
    pj_user_open(&s, five, 2);
    pj_user_change(&s, pj_user_named(&s, "Text", "Region"), "{'value': '10%..90%'}");
    pj_widget_close(pj_wizard_root(s.wizard));
    pj_wizard_host host = fake_host_of(&s.fake);
    s.wizard =
        pj_wizard_new(s.bench.widgets, &host, &(pj_wizard_opts){.folder = "/traces"}, &s.bench.err);
    assert_non_null(s.wizard);
    assert_non_null(strstr(chosen(&s), "2. 2x1.prv"));
    assert_string_equal(pj_bench_get(&s.bench, pj_user_named(&s, "Text", "Region"), "value"),
                        "'10%..90%'");
    pj_user_change(&s, pj_user_named(&s, "Text", "Region"), "{'value': 'nonsense'}");
    pj_user_click(&s, "Analyse");
    assert_true(pj_user_says(&s, "is no region of interest"));
    assert_int_equal(s.fake.loads, 0);
    s.fake.released--; // the first one
    pj_user_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_begins_with_one_page),
        cmocka_unit_test(files_are_browsed_filtered_and_chosen),
        cmocka_unit_test(paths_and_globs_are_typed),
        cmocka_unit_test(chosen_runs_are_moved_tagged_and_removed),
        cmocka_unit_test(odd_names_keep_their_places),
        cmocka_unit_test(pages_appear_when_there_is_something_on_them),
        cmocka_unit_test(devices_have_a_page),
        cmocka_unit_test(profiles_have_pages),
        cmocka_unit_test(files_are_compared),
        cmocka_unit_test(calls_that_fold_are_saved),
        cmocka_unit_test(profiles_are_searched_saved_and_shown_as_code),
        cmocka_unit_test(a_trace_stands_beside_a_profile),
        cmocka_unit_test(profiles_are_taken_off),
        cmocka_unit_test(a_bad_profile_is_told),
        cmocka_unit_test(a_bad_trace_is_told_and_the_others_go_on),
        cmocka_unit_test(reading_can_be_cancelled),
        cmocka_unit_test(it_may_be_closed_while_it_reads),
        cmocka_unit_test(the_table_changes_with_its_controls),
        cmocka_unit_test(a_click_on_a_metric_explains_it),
        cmocka_unit_test(the_table_is_saved_in_all_formats),
        cmocka_unit_test(scaling_is_drawn_and_saved),
        cmocka_unit_test(the_code_of_the_page_is_shown),
        cmocka_unit_test(threads_are_bars_of_a_run_of_one_rank),
        cmocka_unit_test(a_look_is_named_in_its_code_and_file),
        cmocka_unit_test(a_report_is_generated_and_nothing_overwritten),
        cmocka_unit_test(a_document_is_made_in_one_click),
        cmocka_unit_test(everything_is_taken_back),
        cmocka_unit_test(a_run_is_read_again_for_its_regions),
        cmocka_unit_test(choices_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
