// The wizard driven as a front end drives it: by comm messages, asserting what a page would show.
#include "metrics/base/buf.h"
#include "metrics/pop/metricset.h"
#include "tests/support/fake_host.h"
#include "tests/support/widget_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

typedef struct timeline {
    pj_bench bench;
    fake_host fake;
    pj_wizard *wizard;
} timeline;

static void open_timeline(timeline *s, const char *const *paths, size_t count)
{
    s->bench = pj_bench_new(PJ_WIDGETS_8, true);
    fake_host_init(&s->fake);
    pj_wizard_host host = fake_host_of(&s->fake);
    pj_wizard_opts opts = {.folder = "/traces", .paths = paths, .path_count = count};
    s->wizard = pj_wizard_new(s->bench.widgets, &host, &opts, &s->bench.err);
    if (!s->wizard)
        fail_msg("%s", s->bench.err.text);
}

static void close_timeline(timeline *s)
{
    assert_string_equal(pj_bench_mistakes(&s->bench), "[]");
    pj_bench_free(&s->bench);
    fake_host_free(&s->fake);
    assert_int_equal(s->fake.released, 1);
}

/// The nth widget of a model with this text under `key`.
static pj_widget *find(timeline *s, const char *model, const char *key, const char *text)
{
    for (pj_widget *w = NULL; (w = pj_widgets_next(s->bench.widgets, w));) {
        pj_str title = pj_model_title(pj_widget_model(w));
        if (!pj_str_equal(title, pj_str_of(model)))
            continue;
        const char *value = json_string_value(pj_widget_get(w, key, NULL));
        if (value && strcmp(value, text) == 0)
            return w;
    }
    return NULL;
}

static pj_widget *named(timeline *s, const char *model, const char *description)
{
    pj_widget *widget = find(s, model, "description", description);
    if (!widget)
        fail_msg("there is no %s \"%s\"", model, description);
    return widget;
}

static void click(timeline *s, const char *button)
{
    assert_true(pj_bench_msg(&s->bench, named(s, "Button", button),
                             "{'method':'custom','content':{'event':'click'}}"));
}

/// The button "Save" of a page, of those that have one.
static void save(timeline *s, int page)
{
    for (pj_widget *w = NULL; (w = pj_widgets_next(s->bench.widgets, w));) {
        const json_t *label = pj_widget_get(w, "description", NULL);
        bool is_save = label && strcmp(json_string_value(label), "Save") == 0;
        if (is_save && page-- == 0)
            assert_true(
                pj_bench_msg(&s->bench, w, "{'method':'custom','content':{'event':'click'}}"));
    }
}

static void change(timeline *s, pj_widget *widget, const char *state)
{
    pj_auto_buf data = {0};
    pj_buf_addf(&data, "{'method':'update','state':%s}", state);
    assert_true(pj_bench_msg(&s->bench, widget, data.at));
}

static void enter(timeline *s, const char *field)
{
    assert_true(pj_bench_msg(&s->bench, named(s, "Text", field),
                             "{'method':'custom','content':{'event':'submit'}}"));
}

static pj_widget *tabs(timeline *s)
{
    for (pj_widget *w = NULL; (w = pj_widgets_next(s->bench.widgets, w));)
        if (strcmp(pj_widget_model(w)->name, "TabModel") == 0)
            return w;
    return NULL;
}

static const char *titles(timeline *s)
{
    return pj_bench_get(&s->bench, tabs(s), "titles");
}

static void turn(timeline *s, int page)
{
    pj_auto_buf state = {0};
    pj_buf_addf(&state, "{'selected_index': %d}", page);
    change(s, tabs(s), state.at);
}

static void turn_to(timeline *s, const char *title)
{
    const json_t *all = pj_widget_get(tabs(s), "titles", NULL);
    for (size_t i = 0; i < json_array_size(all); i++)
        if (strcmp(json_string_value(json_array_get(all, i)), title) == 0) {
            turn(s, (int)i);
            return;
        }
    fail_msg("there is no page \"%s\"", title);
}

/// Whether the value of any HTML on any page holds the text.
static bool says(timeline *s, const char *text)
{
    for (pj_widget *w = NULL; (w = pj_widgets_next(s->bench.widgets, w));) {
        const char *value = json_string_value(pj_widget_get(w, "value", NULL));
        if (strcmp(pj_widget_model(w)->name, "HTMLModel") == 0 && value && strstr(value, text))
            return true;
    }
    return false;
}

/// The same of any Output: what was written is told with a link.
static bool shows(timeline *s, const char *text)
{
    for (pj_widget *w = NULL; (w = pj_widgets_next(s->bench.widgets, w));)
        if (strcmp(pj_widget_model(w)->name, "OutputModel") == 0 &&
            strstr(pj_bench_get(&s->bench, w, "outputs"), text))
            return true;
    return false;
}

static pj_widget *list_of(timeline *s, const char *tip)
{
    pj_widget *list = find(s, "SelectMultiple", "tooltip", tip);
    assert_non_null(list);
    return list;
}

static const char *chosen(timeline *s)
{
    return pj_bench_get(&s->bench, list_of(s, "The chosen runs"), "_options_labels");
}

static void analyse(timeline *s)
{
    click(s, "Analyse");
    pj_widget *cancel = named(s, "Button", "Cancel");
    for (int i = 0; i < 1000 && fake_host_pump(&s->fake); i++)
        if (json_is_true(pj_widget_get(cancel, "disabled", NULL)))
            return;
    fail_msg("the analysis does not end");
}

static const char *const five[] = {"/traces/1x1.prv", "/traces/2x1.prv", "/traces/4x1.prv",
                                   "/traces/8x1.prv", "/traces/16x1.prv"};

static void it_begins_with_one_page(void **state)
{
    (void)state;
    timeline s;
    open_timeline(&s, NULL, 0);
    assert_string_equal(titles(&s), "['Files']");
    pj_widget *files = list_of(&s, "Folders and files");
    assert_string_equal(pj_bench_get(&s.bench, files, "_options_labels"),
                        "['deeper/','1x1.prv  (100 B)','2x1.prv  (200 B)','4x1.prv  (400 B)',"
                        "'4x1.otf2  (400 B)']");
    assert_string_equal(pj_bench_get(&s.bench, named(&s, "Button", "Analyse"), "disabled"), "true");
    assert_true(says(&s, "kept in a test"));
    close_timeline(&s);
}

static void files_are_browsed_filtered_and_chosen(void **state)
{
    (void)state;
    timeline s;
    open_timeline(&s, NULL, 0);
    pj_widget *files = list_of(&s, "Folders and files");
    change(&s, named(&s, "Dropdown", "Show"), "{'index': 3}");
    assert_string_equal(pj_bench_get(&s.bench, files, "_options_labels"),
                        "['deeper/','4x1.otf2  (400 B)']");
    change(&s, named(&s, "Dropdown", "Show"), "{'index': 0}");
    change(&s, named(&s, "Text", "Name"), "{'value': '?x1.p*'}");
    assert_string_equal(pj_bench_get(&s.bench, files, "_options_labels"),
                        "['deeper/','1x1.prv  (100 B)','2x1.prv  (200 B)','4x1.prv  (400 B)']");
    change(&s, files, "{'index': [1, 3]}");
    click(&s, "Add");
    assert_string_equal(chosen(&s), "['1. 1x1.prv \u00b7 Paraver trace \u00b7 1x1 \u00b7 2.30 MB',"
                                    "'2. 4x1.prv \u00b7 Paraver trace \u00b7 4x1 \u00b7 2.30 MB']");
    change(&s, files, "{'index': [0]}");
    click(&s, "Open folder");
    assert_string_equal(pj_bench_get(&s.bench, named(&s, "Text", "Folder"), "value"),
                        "'/traces/deeper'");
    click(&s, "Parent");
    assert_string_equal(pj_bench_get(&s.bench, named(&s, "Text", "Folder"), "value"), "'/traces'");
    change(&s, named(&s, "Text", "Folder"), "{'value': '/nowhere'}");
    assert_false(says(&s, "cannot be opened")); // there may be more of it to come
    enter(&s, "Folder");
    assert_true(says(&s, "cannot be opened"));
    close_timeline(&s);
}

static void paths_and_globs_are_typed(void **state)
{
    (void)state;
    timeline s;
    open_timeline(&s, NULL, 0);
    change(&s, named(&s, "Text", "Path or glob"), "{'value': '*x1.prv'}");
    click(&s, "Add path");
    click(&s, "Add path"); // nothing is typed any more
    assert_non_null(strstr(chosen(&s), "3. 4x1.prv"));
    assert_null(strstr(chosen(&s), "4. "));
    change(&s, named(&s, "Text", "Path or glob"), "{'value': 'nothing*'}");
    click(&s, "Add path");
    assert_true(says(&s, "no file matches"));
    close_timeline(&s);
}

static void chosen_runs_are_moved_tagged_and_removed(void **state)
{
    (void)state;
    timeline s;
    open_timeline(&s, five, 3);
    pj_widget *list = list_of(&s, "The chosen runs");
    change(&s, list, "{'index': [2]}");
    click(&s, "Up");
    assert_non_null(strstr(chosen(&s), "2. 4x1.prv"));
    assert_string_equal(pj_bench_get(&s.bench, list, "index"), "[1]");
    change(&s, find(&s, "Text", "placeholder", "tag"), "{'value': 'new'}");
    click(&s, "Set tag");
    assert_non_null(strstr(chosen(&s), "tag new"));
    click(&s, "Reference");
    assert_non_null(strstr(chosen(&s), "reference"));
    click(&s, "Down");
    click(&s, "Remove");
    assert_null(strstr(chosen(&s), "4x1.prv"));
    assert_non_null(strstr(chosen(&s), "2. 2x1.prv"));
    close_timeline(&s);
}

/// Names that are no UTF-8 or hold line ends: every line of a list is the run that it shows.
static void odd_names_keep_their_places(void **state)
{
    (void)state;
    timeline s;
    open_timeline(&s, NULL, 0);
    change(&s, named(&s, "Text", "Folder"), "{'value': '/odd'}");
    pj_widget *files = list_of(&s, "Folders and files");
    assert_string_equal(pj_bench_get(&s.bench, files, "_options_labels"),
                        "['a\\\\xff/','1x1\\\\xff.prv  (100 B)','2x1\\\\x0d\\\\x0a.prv  (100 B)']");
    change(&s, files, "{'index': [1, 2]}");
    click(&s, "Add");
    assert_non_null(strstr(chosen(&s), "'1. 1x1\\\\xff.prv"));
    assert_non_null(strstr(chosen(&s), "'2. 2x1\\\\x0d\\\\x0a.prv"));
    change(&s, find(&s, "ToggleButton", "description", "Show code"), "{'value': true}");
    pj_widget *code = find(&s, "Textarea", "tooltip", "Code of this page");
    assert_non_null(
        strstr(json_string_value(pj_widget_get(code, "value", NULL)), "\"/odd/1x1\\xff.prv\""));
    analyse(&s);
    change(&s, list_of(&s, "The chosen runs"), "{'index': [1]}");
    click(&s, "Remove");
    assert_non_null(strstr(chosen(&s), "1x1"));
    assert_null(strstr(chosen(&s), "2x1"));
    change(&s, files, "{'index': [0]}");
    click(&s, "Open folder");
    assert_string_equal(s.fake.listed, "/odd/a\xff");
    click(&s, "Parent");
    assert_string_equal(s.fake.listed, "/odd");
    close_timeline(&s);
}

static void pages_appear_when_there_is_something_on_them(void **state)
{
    (void)state;
    timeline s;
    open_timeline(&s, five, 1);
    analyse(&s);
    assert_string_equal(titles(&s),
                        "['Files','Findings','Efficiencies','Inside a run','What if','Report']");
    assert_string_equal(pj_bench_get(&s.bench, tabs(&s), "selected_index"), "2");
    close_timeline(&s);
    open_timeline(&s, five, 5);
    analyse(&s);
    assert_string_equal(
        titles(&s),
        "['Files','Findings','Efficiencies','Scaling','Inside a run','What if','Report']");
    assert_true(says(&s, "read in"));
    assert_true(says(&s, "convention"));
    assert_non_null(s.fake.shown[PJ_WIZARD_TABLE]);
    assert_non_null(json_object_get(s.fake.shown[PJ_WIZARD_TABLE], "text/html"));
    close_timeline(&s);
}

/// Devices have a page where a run has any; its table, its picture and its code follow the choice.
static void devices_have_a_page(void **state)
{
    (void)state;
    static const char *const paths[] = {"/traces/2x1.prv", "/traces/4x1.gpu.prv"};
    timeline s;
    open_timeline(&s, paths, 2);
    analyse(&s);
    assert_string_equal(titles(&s), "['Files','Findings','Efficiencies','Scaling','Inside a "
                                    "run','What if','Devices','Report']");
    change(&s, find(&s, "ToggleButton", "description", "Show code"), "{'value': true}");
    turn_to(&s, "Devices");
    assert_true(says(&s, "Devices of "));
    assert_true(shows(&s, "Time of each device"));
    pj_widget *code = find(&s, "Textarea", "tooltip", "Code of this page");
    assert_string_equal(json_string_value(pj_widget_get(code, "value", NULL)),
                        "run = load{\"/traces/4x1.gpu.prv\"}[1]\n"
                        "plot(\"devices\", run)\n"
                        "stats(run, {devices = true})\n");
    change(&s, named(&s, "Dropdown", "Numbers"), "{'index': 1}");
    assert_true(says(&s, "GPU idle of "));
    assert_non_null(
        strstr(json_string_value(pj_widget_get(code, "value", NULL)), "{device_idle = true}"));
    close_timeline(&s);
}

static const char *const both[] = {"/traces/a_0.prof", "/traces/4x1.prv", "/traces/a_1.prof"};
static const char *const profile_pages =
    "['Files','Functions','Graph','Ranks','Lines','Memory','Events','Changes','Report']";

/// Profiles alone have pages of their own, each with what the numbers say, a picture and a table.
static void profiles_have_pages(void **state)
{
    (void)state;
    static const char *const paths[] = {"/traces/a_0.prof", "/traces/a_1.prof"};
    timeline s;
    open_timeline(&s, paths, 2);
    assert_non_null(strstr(chosen(&s), "1. a_0.prof \u00b7 cProfile profile \u00b7 1.20 kB"));
    analyse(&s);
    assert_string_equal(titles(&s), profile_pages);
    assert_string_equal(pj_bench_get(&s.bench, tabs(&s), "selected_index"), "1");
    assert_true(says(&s, "1 of 2 ranks work; the others, 1, wait 98.9 % of their time"));
    assert_true(says(&s, "a.py:10(solve)"));
    for (int page = 1; page < 9; page++)
        turn(&s, page);
    assert_true(says(&s, "bytes &lt;sent&gt;"));
    assert_true(shows(&s, "Call graph of") || shows(&s, "graphviz"));
    change(&s, named(&s, "Dropdown", "Table"), "{'index': 2}");
    assert_true(says(&s, "Bottom-up: functions by their own time"));
    change(&s, named(&s, "Dropdown", "Table"), "{'index': 3}");
    assert_true(says(&s, "called by <span"));
    change(&s, named(&s, "Dropdown", "Table"), "{'index': 0}");
    assert_true(shows(&s, "of functions at each rank"));
    assert_true(says(&s, "Other waiting")); // what every rank does, with the part of MPI
    click(&s, "Generate");
    assert_string_equal(s.fake.reported, "report.ipynb");
    close_timeline(&s);
}

/// What some files have more or less of than others; both sides may be chosen.
static void files_are_compared(void **state)
{
    (void)state;
    static const char *const paths[] = {"/traces/a_0.prof", "/traces/a_1.prof"};
    timeline s;
    open_timeline(&s, paths, 2);
    analyse(&s);
    turn(&s, 7);
    assert_true(says(&s, "9.10 s in all, 2.10 s before: 333.3 % more"));
    assert_true(says(&s, "What changed"));
    assert_true(shows(&s, "What changed from"));
    change(&s, find(&s, "ToggleButton", "description", "Show code"), "{'value': true}");
    pj_widget *code = find(&s, "Textarea", "tooltip", "Code of this page");
    assert_string_equal(json_string_value(pj_widget_get(code, "value", NULL)),
                        "q = profile{\"/traces/a_0.prof\"}\np = profile{\"/traces/a_1.prof\"}\n"
                        "plot(\"difference\", {q, p})\ncompare(q, p):head(20)\n");
    change(&s, named(&s, "Dropdown", "After"), "{'index': 0}");
    assert_true(shows(&s, "before and after are the same"));
    change(&s, named(&s, "Dropdown", "Before"), "{'index': 1}");
    assert_true(says(&s, "2.10 s in all, 9.10 s before: 76.9 % less"));
    close_timeline(&s);
}

/// Calls that fold are saved as they are shown, and shown again by the next wizard.
static void calls_that_fold_are_saved(void **state)
{
    (void)state;
    static const char *const paths[] = {"/traces/a_0.prof", "/traces/a_1.prof"};
    timeline s;
    open_timeline(&s, paths, 2);
    analyse(&s);
    turn(&s, 1);
    change(&s, named(&s, "Dropdown", "Table"), "{'index': 1}");
    for (pj_widget *w = NULL; (w = pj_widgets_next(s.bench.widgets, w));) {
        const json_t *tip = pj_widget_get(w, "tooltip", NULL);
        if (json_is_string(tip) && strcmp(json_string_value(tip), "Format of the file") == 0 &&
            strstr(pj_bench_get(&s.bench, w, "_options_labels"), "'DOT'"))
            change(&s, w, "{'index': 5}"); // HTML, on all pages of profiles
    }
    save(&s, 4);
    assert_string_equal(s.fake.written, "functions.html");
    assert_non_null(strstr(s.fake.written_text, "<details"));
    assert_non_null(strstr(s.fake.written_text, "Top-down"));
    close_timeline(&s);
}

static void profiles_are_searched_saved_and_shown_as_code(void **state)
{
    (void)state;
    timeline s;
    open_timeline(&s, both, 3);
    analyse(&s);
    turn_to(&s, "Functions");
    change(&s, find(&s, "ToggleButton", "description", "Show code"), "{'value': true}");
    pj_widget *code = find(&s, "Textarea", "tooltip", "Code of this page");
    change(&s, named(&s, "Combobox", "Function"), "{'value': 'a:1:main'}");
    change(&s, named(&s, "Text", "Search"), "{'value': 'sol'}");
    assert_true(says(&s, "a.py:10(solve)"));
    assert_false(says(&s, "MPI_Barrier()"));
    assert_string_equal(json_string_value(pj_widget_get(code, "value", NULL)),
                        "p = profile{\"/traces/a_0.prof\", \"/traces/a_1.prof\"}\n"
                        "p:findings \"functions\"\n"
                        "plot(\"icicle\", p, {root = \"a:1:main\"})\n"
                        "profile(p, {sort = \"exclusive\", match = \"sol\", first = 40})\n");
    change(&s, named(&s, "Text", "Search"), "{'value': '('}");
    assert_true(says(&s, "is no regular expression"));
    change(&s, named(&s, "Combobox", "Function"), "{'value': 'nobody'}");
    assert_true(shows(&s, "no function is called"));
    save(&s, 4);
    assert_true(shows(&s, "Not saved"));
    change(&s, named(&s, "Text", "Search"), "{'value': ''}");
    change(&s, named(&s, "Combobox", "Function"), "{'value': ''}");
    save(&s, 4);
    assert_string_equal(s.fake.written, "functions.png");
    assert_true(s.fake.written_bytes > 1000);
    close_timeline(&s);
}

/// A trace of the same run: its functions beside those of the profile.
static void a_trace_stands_beside_a_profile(void **state)
{
    (void)state;
    timeline s;
    open_timeline(&s, both, 3);
    analyse(&s);
    turn_to(&s, "Functions");
    pj_widget *beside = named(&s, "Dropdown", "Beside it");
    assert_string_equal(pj_bench_get(&s.bench, beside, "_options_labels"), "['nothing','4x1.prv']");
    unsigned before = s.fake.loads;
    change(&s, beside, "{'index': 1}");
    for (int i = 0; i < 100 && !shows(&s, "4x1.prv"); i++)
        assert_true(fake_host_pump(&s.fake));
    assert_int_equal(s.fake.loads, before + 1);
    pj_widget *code = find(&s, "Textarea", "tooltip", "Code of this page");
    change(&s, find(&s, "ToggleButton", "description", "Show code"), "{'value': true}");
    assert_non_null(strstr(json_string_value(pj_widget_get(code, "value", NULL)),
                           "q = profile(\"/traces/4x1.prv\")\nplot(\"icicle\", q)\n"));
    change(&s, beside, "{'index': 0}");
    assert_int_equal(s.fake.loads, before + 1);
    close_timeline(&s);
}

/// What a page shows goes with its files; a click that comes late changes nothing.
static void profiles_are_taken_off(void **state)
{
    (void)state;
    timeline s;
    open_timeline(&s, both, 3);
    analyse(&s);
    turn_to(&s, "Functions");
    pj_widget *search = named(&s, "Text", "Search");
    turn(&s, 0);
    change(&s, list_of(&s, "The chosen runs"), "{'index': [0]}");
    click(&s, "Remove");
    assert_string_equal(titles(&s),
                        "['Files','Findings','Efficiencies','Inside a run','What if','Report']");
    change(&s, search, "{'value': 'solve'}");
    save(&s, 4);
    assert_null(s.fake.written);
    analyse(&s);
    assert_non_null(strstr(titles(&s), "'Functions'"));
    close_timeline(&s);
}

static void a_bad_profile_is_told(void **state)
{
    (void)state;
    static const char *const paths[] = {"/traces/a.prof", "/traces/bad.prof", "/traces/2x1.prv"};
    static const char *const all_bad[] = {"/traces/bad.prof", "/traces/bad2.prof"};
    timeline s;
    open_timeline(&s, paths, 3); // the others are read
    analyse(&s);
    assert_true(says(&s, "; without 1: bad.prof: this is &lt;no&gt; profile"));
    assert_non_null(strstr(titles(&s), "'Functions'"));
    close_timeline(&s);
    open_timeline(&s, all_bad, 2);
    analyse(&s);
    assert_true(says(&s, "failed: bad.prof: this is &lt;no&gt; profile"));
    assert_string_equal(titles(&s), "['Files']");
    close_timeline(&s);
    static const char *const slow[] = {"/traces/slow.prof"};
    open_timeline(&s, slow, 1);
    click(&s, "Analyse");
    assert_true(fake_host_pump(&s.fake));
    click(&s, "Cancel");
    for (int i = 0; i < 1000 && !says(&s, "cancelled"); i++)
        assert_true(fake_host_pump(&s.fake));
    assert_string_equal(titles(&s), "['Files']");
    close_timeline(&s);
    open_timeline(&s, slow, 1); // closed while it reads
    click(&s, "Analyse");
    pj_widget_close(pj_wizard_root(s.wizard));
    close_timeline(&s);
}

static void a_bad_trace_is_told_and_the_others_go_on(void **state)
{
    (void)state;
    static const char *const paths[] = {"/traces/2x1.prv", "/traces/bad.prv", "/traces/4x1.prv"};
    timeline s;
    open_timeline(&s, paths, 3);
    analyse(&s);
    assert_true(says(&s, "failed: this is &lt;no&gt; trace"));
    assert_string_equal(
        titles(&s),
        "['Files','Findings','Efficiencies','Scaling','Inside a run','What if','Report']");
    // What was read is not read again.
    unsigned before = s.fake.loads;
    analyse(&s);
    assert_int_equal(s.fake.loads, before + 1);
    close_timeline(&s);
}

static void reading_can_be_cancelled(void **state)
{
    (void)state;
    static const char *const paths[] = {"/traces/2x1.prv", "/traces/slow.prv", "/traces/4x1.prv"};
    timeline s;
    open_timeline(&s, paths, 3);
    click(&s, "Analyse");
    for (int i = 0; i < 100 && !says(&s, "% of 100 B"); i++)
        assert_true(fake_host_pump(&s.fake));
    assert_true(says(&s, "% of 100 B"));
    click(&s, "Analyse"); // it is at work already
    click(&s, "Cancel");
    for (int i = 0; i < 100 && !says(&s, "cancelled"); i++)
        assert_true(fake_host_pump(&s.fake));
    for (int i = 0; i < 100 && strcmp(titles(&s), "['Files']") == 0; i++)
        assert_true(fake_host_pump(&s.fake));
    assert_string_equal(titles(&s),
                        "['Files','Findings','Efficiencies','Inside a run','What if','Report']");
    close_timeline(&s);
}

static void it_may_be_closed_while_it_reads(void **state)
{
    (void)state;
    static const char *const paths[] = {"/traces/slow.prv"};
    timeline s;
    open_timeline(&s, paths, 1);
    click(&s, "Analyse");
    assert_true(fake_host_pump(&s.fake));
    pj_widget_close(pj_wizard_root(s.wizard));
    assert_int_equal(pj_widgets_count(s.bench.widgets), 0);
    close_timeline(&s);
    open_timeline(&s, paths, 1); // and forgotten with all widgets
    click(&s, "Analyse");
    assert_true(fake_host_pump(&s.fake));
    close_timeline(&s);
}

#define VIEWS "ToggleButtonsModel" ///< of a run: ranks, regions, timeline

/// The last choice of so many labels.
static pj_widget *choice_of(timeline *s, const char *model, size_t labels)
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
    timeline s;
    open_timeline(&s, five, 5);
    analyse(&s);
    assert_non_null(find(&s, "Button", "description", "MPI load balance"));
    change(&s, choice_of(&s, "DropdownModel", sets), "{'index': 7}");
    assert_non_null(find(&s, "Button", "description", "Serialisation efficiency"));
    assert_true(says(&s, "peedup") || find(&s, "Button", "description", "Speedup"));
    change(&s, named(&s, "Checkbox", "Runs as rows"), "{'value': true}");
    assert_true(says(&s, "Serialisation efficiency"));
    close_timeline(&s);
}

static void a_click_on_a_metric_explains_it(void **state)
{
    (void)state;
    timeline s;
    open_timeline(&s, five, 5);
    analyse(&s);
    click(&s, "MPI load balance");
    assert_true(says(&s, "How evenly computation is spread"));
    assert_true(says(&s, "<b>Next:</b> Plot useful time"));
    assert_non_null(s.fake.shown[PJ_WIZARD_PLOT]);
    click(&s, "Look inside the run");
    assert_string_equal(pj_bench_get(&s.bench, tabs(&s), "selected_index"), "4");
    assert_true(says(&s, "deviation"));
    close_timeline(&s);
}

static pj_widget *output(timeline *s)
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
    timeline s;
    open_timeline(&s, five, 3);
    analyse(&s);
    for (int i = 0; i < 9; i++) {
        char text[32];
        snprintf(text, sizeof text, "{'index': %d}", i);
        change(&s, find(&s, "Dropdown", "tooltip", "Format of the file"), text);
        save(&s, 0);
        snprintf(text, sizeof text, "efficiencies.%s", suffixes[i]);
        assert_string_equal(s.fake.written, text);
        assert_true(s.fake.written_bytes > 200);
        assert_true(shows(&s, text));
    }
    close_timeline(&s);
}

static void scaling_is_drawn_and_saved(void **state)
{
    (void)state;
    timeline s;
    open_timeline(&s, five, 5);
    analyse(&s);
    assert_null(output(&s)); // only what is in front is drawn
    turn_to(&s, "Scaling");
    json_t *first = json_incref(pj_widget_get(output(&s), "outputs", NULL));
    change(&s, named(&s, "IntSlider", "Width px"), "{'value': 900}");
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
        change(&s, format, text);
        save(&s, 1);
        snprintf(text, sizeof text, "scaling.%s", suffixes[i]);
        assert_string_equal(s.fake.written, text);
        assert_true(s.fake.written_bytes > 200);
    }
    close_timeline(&s);
}

static void holds(timeline *s, pj_widget *widget, const char *text)
{
    const char *value = pj_bench_get(&s->bench, widget, "value");
    if (!strstr(value, text))
        fail_msg("%s is not in %s", text, value);
}

static void the_code_of_the_page_is_shown(void **state)
{
    (void)state;
    timeline s;
    open_timeline(&s, five, 2);
    pj_widget *code = find(&s, "Textarea", "tooltip", "Code of this page");
    assert_non_null(code);
    change(&s, find(&s, "ToggleButton", "description", "Show code"), "{'value': true}");
    assert_string_equal(pj_bench_get(&s.bench, code, "value"),
                        "'runs = load{\\n    \\'/traces/1x1.prv\\',\\n    \\'/traces/2x1.prv\\'}\\n"
                        "runs\\n'");
    change(&s, find(&s, "Text", "description", "Region"), "{'value': '10%..90%'}");
    analyse(&s);
    holds(&s, code, "m = metrics(runs, {set = \\'mpi\\'");
    turn_to(&s, "Scaling");
    holds(&s, code, "plot(m, \\'speedup\\')");
    turn_to(&s, "Inside a run");
    holds(&s, code, "stats:plot{\\'bar\\'");
    holds(&s, code, "run = load{\\'/traces/2x1.prv\\', roi = \\'10%..90%\\'}[1]");
    close_timeline(&s);
}

static void threads_are_bars_of_a_run_of_one_rank(void **state)
{
    (void)state;
    static const char *const paths[] = {"/traces/1x4.prv", "/traces/2x2.prv"};
    timeline s;
    open_timeline(&s, paths, 2);
    analyse(&s);
    turn_to(&s, "Inside a run");
    pj_widget *bars = named(&s, "Dropdown", "Bars"), *run = named(&s, "Dropdown", "Run");
    assert_true(shows(&s, "Useful time by thread: 1x4")); // the last of the study
    change(&s, bars, "{'index': 1}");
    assert_true(shows(&s, "Useful time by rank: 1x4"));
    change(&s, run, "{'index': 0}");
    assert_true(shows(&s, "Useful time by rank: 2x2"));
    change(&s, bars, "{'index': 2}");
    assert_true(shows(&s, "Useful time by thread: 2x2"));
    close_timeline(&s);
}

static void a_look_is_named_in_its_code_and_file(void **state)
{
    (void)state;
    timeline s;
    open_timeline(&s, five, 2);
    change(&s, find(&s, "Text", "description", "Region"), "{'value': '10%..90%'}");
    analyse(&s);
    turn_to(&s, "Inside a run");
    pj_widget *code = find(&s, "Textarea", "tooltip", "Code of this page");
    change(&s, find(&s, "ToggleButton", "description", "Show code"), "{'value': true}");
    change(&s, choice_of(&s, VIEWS, 3), "{'index': 1}");
    holds(&s, code, "regions(\\'/traces/2x1.prv\\', {by = \\'function\\', roi = \\'10%..90%\\'})");
    holds(&s, code, "plot(\\'regions\\', \\'/traces/2x1.prv\\', {roi = \\'10%..90%\\'})");
    change(&s, choice_of(&s, VIEWS, 3), "{'index': 2}");
    assert_non_null(find(&s, "Text", "value", "timeline")); // of the file to save
    holds(&s, code, "timeline(\\'/traces/2x1.prv\\', {roi = \\'10%..90%\\'})");
    close_timeline(&s);
}

static void a_report_is_generated_and_nothing_overwritten(void **state)
{
    (void)state;
    timeline s;
    open_timeline(&s, five, 2);
    analyse(&s);
    turn_to(&s, "Report");
    change(&s, named(&s, "Text", "File"), "{'value': 'there'}");
    click(&s, "Generate");
    assert_true(shows(&s, "there.ipynb is there already"));
    assert_null(s.fake.reported);
    click(&s, "Replace");
    assert_string_equal(s.fake.reported, "there.ipynb");
    change(&s, named(&s, "Text", "File"), "{'value': 'new.ipynb'}");
    click(&s, "Generate");
    assert_string_equal(s.fake.reported, "new.ipynb");
    assert_true(shows(&s, "href=\\'new.ipynb\\'"));
    close_timeline(&s);
}

static void print(timeline *s, const char *file, const char *button)
{
    char text[64];
    snprintf(text, sizeof text, "{'value': '%s'}", file);
    change(s, named(s, "Text", "File"), text);
    click(s, button);
}

static void a_document_is_made_in_one_click(void **state)
{
    (void)state;
    timeline s;
    open_timeline(&s, five, 2);
    analyse(&s);
    turn_to(&s, "Report");
    print(&s, "assessed.pdf", "Generate");
    assert_true(fake_host_pump(&s.fake));
    assert_string_equal(s.fake.printed, "assessed.pdf");
    assert_string_equal(s.fake.reported, ".assessed.pdf.ipynb");
    assert_true(shows(&s, "href=\\'assessed.pdf\\'"));
    click(&s, "HTML");
    assert_true(fake_host_pump(&s.fake));
    assert_string_equal(s.fake.printed, "assessed.html");
    print(&s, "bad", "PDF");
    assert_true(fake_host_pump(&s.fake));
    assert_true(shows(&s, "Not written: xelatex is missing"));
    print(&s, "sub/slow", "PDF");
    assert_string_equal(s.fake.reported, "sub/.slow.pdf.ipynb");
    click(&s, "PDF"); // it is being made already
    click(&s, "Stop");
    assert_true(fake_host_pump(&s.fake));
    assert_true(shows(&s, "Cancelled"));
    print(&s, "slow", "PDF"); // ended with the wizard
    close_timeline(&s);
}

static void everything_is_taken_back(void **state)
{
    (void)state;
    timeline s;
    open_timeline(&s, five, 2);
    change(&s, named(&s, "Text", "Region"), "{'value': '10%..90%'}");
    change(&s, named(&s, "Text", "Application"), "{'value': 'CODE'}");
    analyse(&s);
    click(&s, "Reset");
    assert_string_equal(chosen(&s), "[]");
    assert_string_equal(titles(&s), "['Files']");
    assert_string_equal(pj_bench_get(&s.bench, named(&s, "Text", "Region"), "value"), "''");
    assert_string_equal(pj_bench_get(&s.bench, named(&s, "Text", "Application"), "value"), "''");
    assert_string_equal(pj_bench_get(&s.bench, named(&s, "Text", "Folder"), "value"), "'/traces'");
    close_timeline(&s);
}

static void a_run_is_read_again_for_its_regions(void **state)
{
    (void)state;
    timeline s;
    open_timeline(&s, five, 2);
    analyse(&s);
    turn_to(&s, "Inside a run");
    unsigned before = s.fake.loads;
    change(&s, choice_of(&s, VIEWS, 3), "{'index': 1}");
    for (int i = 0; i < 100 && !output(&s); i++)
        assert_true(fake_host_pump(&s.fake));
    assert_int_equal(s.fake.loads, before + 1);
    // This run has none; its page says so.
    assert_non_null(strstr(pj_bench_get(&s.bench, output(&s), "outputs"), "Nothing to draw"));
    change(&s, choice_of(&s, VIEWS, 3), "{'index': 0}");
    change(&s, choice_of(&s, VIEWS, 3), "{'index': 1}"); // nothing is read twice
    assert_int_equal(s.fake.loads, before + 1);
    close_timeline(&s);
}

static void choices_come_back(void **state)
{
    (void)state;
    timeline s;
    open_timeline(&s, five, 2);
    change(&s, named(&s, "Text", "Region"), "{'value': '10%..90%'}");
    pj_widget_close(pj_wizard_root(s.wizard));
    pj_wizard_host host = fake_host_of(&s.fake);
    s.wizard =
        pj_wizard_new(s.bench.widgets, &host, &(pj_wizard_opts){.folder = "/traces"}, &s.bench.err);
    assert_non_null(s.wizard);
    assert_non_null(strstr(chosen(&s), "2. 2x1.prv"));
    assert_string_equal(pj_bench_get(&s.bench, named(&s, "Text", "Region"), "value"), "'10%..90%'");
    change(&s, named(&s, "Text", "Region"), "{'value': 'nonsense'}");
    click(&s, "Analyse");
    assert_true(says(&s, "is no region of interest"));
    assert_int_equal(s.fake.loads, 0);
    s.fake.released--; // the first one
    close_timeline(&s);
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
