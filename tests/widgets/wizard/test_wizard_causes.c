// The pages of causes, driven as a front end drives them: findings lead to views, sliders replay.
#include "metrics/base/buf.h"
#include "tests/support/fake_host.h"
#include "tests/support/widget_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct stage {
    pj_bench bench;
    fake_host fake;
    pj_wizard *wizard;
} stage;

static void open_stage(stage *s, const char *const *paths, size_t count)
{
    s->bench = pj_bench_new(PJ_WIDGETS_8, true);
    fake_host_init(&s->fake);
    pj_wizard_host host = fake_host_of(&s->fake);
    pj_wizard_opts opts = {.folder = "/traces", .paths = paths, .path_count = count};
    s->wizard = pj_wizard_new(s->bench.widgets, &host, &opts, &s->bench.err);
    if (!s->wizard)
        fail_msg("%s", s->bench.err.text);
}

static void close_stage(stage *s)
{
    assert_string_equal(pj_bench_mistakes(&s->bench), "[]");
    pj_bench_free(&s->bench);
    fake_host_free(&s->fake);
    assert_int_equal(s->fake.released, 1);
}

/// The nth widget of a model with this text under `key`.
static pj_widget *find(stage *s, const char *model, const char *key, const char *text)
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

static pj_widget *named(stage *s, const char *model, const char *description)
{
    pj_widget *widget = find(s, model, "description", description);
    if (!widget)
        fail_msg("there is no %s \"%s\"", model, description);
    return widget;
}

static void click(stage *s, const char *button)
{
    assert_true(pj_bench_msg(&s->bench, named(s, "Button", button),
                             "{'method':'custom','content':{'event':'click'}}"));
}

static void change(stage *s, pj_widget *widget, const char *state)
{
    pj_auto_buf data = {0};
    pj_buf_addf(&data, "{'method':'update','state':%s}", state);
    assert_true(pj_bench_msg(&s->bench, widget, data.at));
}

static pj_widget *tabs(stage *s)
{
    for (pj_widget *w = NULL; (w = pj_widgets_next(s->bench.widgets, w));)
        if (strcmp(pj_widget_model(w)->name, "TabModel") == 0)
            return w;
    return NULL;
}

static void turn(stage *s, int page)
{
    pj_auto_buf state = {0};
    pj_buf_addf(&state, "{'selected_index': %d}", page);
    change(s, tabs(s), state.at);
}

static void turn_to(stage *s, const char *title)
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
static bool says(stage *s, const char *text)
{
    for (pj_widget *w = NULL; (w = pj_widgets_next(s->bench.widgets, w));) {
        const char *value = json_string_value(pj_widget_get(w, "value", NULL));
        if (strcmp(pj_widget_model(w)->name, "HTMLModel") == 0 && value && strstr(value, text))
            return true;
    }
    return false;
}

/// The same of any Output: what was written is told with a link.
static bool shows(stage *s, const char *text)
{
    for (pj_widget *w = NULL; (w = pj_widgets_next(s->bench.widgets, w));)
        if (strcmp(pj_widget_model(w)->name, "OutputModel") == 0 &&
            strstr(pj_bench_get(&s->bench, w, "outputs"), text))
            return true;
    return false;
}

static void analyse(stage *s)
{
    click(s, "Analyse");
    pj_widget *cancel = named(s, "Button", "Cancel");
    for (int i = 0; i < 1000 && fake_host_pump(&s->fake); i++)
        if (json_is_true(pj_widget_get(cancel, "disabled", NULL)))
            return;
    fail_msg("the analysis does not end");
}

static void holds(stage *s, pj_widget *widget, const char *text)
{
    const char *value = pj_bench_get(&s->bench, widget, "value");
    if (!strstr(value, text))
        fail_msg("%s is not in %s", text, value);
}

/// What a button of the nth finding does; a page that has none fails.
static void click_of_finding(stage *s, const char *button, int place)
{
    for (pj_widget *w = NULL; (w = pj_widgets_next(s->bench.widgets, w));) {
        const json_t *label = pj_widget_get(w, "description", NULL);
        if (label && strcmp(json_string_value(label), button) == 0 && place-- == 0) {
            assert_true(
                pj_bench_msg(&s->bench, w, "{'method':'custom','content':{'event':'click'}}"));
            return;
        }
    }
    fail_msg("there is no button \"%s\"", button);
}

static bool is_in_front(stage *s, const char *title)
{
    const json_t *all = pj_widget_get(tabs(s), "titles", NULL);
    json_int_t place = json_integer_value(pj_widget_get(tabs(s), "selected_index", NULL));
    return strcmp(json_string_value(json_array_get(all, (size_t)place)), title) == 0;
}

/// A real run, with an imbalance and late senders.
static const char *const stencil[] = {PJ_SOURCE_DIR "/notebooks/traces/stencil_8x1.prv.gz"};

static void open_findings(stage *s)
{
    open_stage(s, stencil, 1);
    analyse(s);
    turn_to(s, "Findings");
    for (int i = 0; i < 1000 && !says(s, "1. Load imbalance"); i++)
        assert_true(fake_host_pump(&s->fake));
}

static void findings_lead_to_their_views(void **state)
{
    (void)state;
    stage s;
    open_findings(&s);
    assert_true(says(&s, "2. Late senders"));
    assert_true(says(&s, "10.8 % of the run, 231 ms of all threads"));
    click_of_finding(&s, "Look", 0);
    assert_true(is_in_front(&s, "Inside a run"));
    assert_true(shows(&s, "Useful time by rank"));
    turn_to(&s, "Findings");
    pj_widget *code = find(&s, "Textarea", "tooltip", "Code of this page");
    change(&s, find(&s, "ToggleButton", "description", "Show code"), "{'value': true}");
    holds(&s, code, "findings(runs)");
    click_of_finding(&s, "Look", 1);
    assert_true(shows(&s, "Waits of each rank"));
    holds(&s, code, "by = \\'culprit\\'");
    click(&s, "Longest in the timeline");
    assert_true(is_in_front(&s, "Inside a run"));
    const char *range = pj_bench_get(&s.bench, named(&s, "Text", "Time"), "value");
    assert_non_null(strstr(range, "ms.."));
    turn_to(&s, "Findings");
    click(&s, "Steady iterations");
    assert_string_equal(pj_bench_get(&s.bench, named(&s, "Text", "Region"), "value"),
                        "'iterations'");
    close_stage(&s);
}

static void sliders_replay_the_run(void **state)
{
    (void)state;
    stage s;
    open_findings(&s);
    click_of_finding(&s, "Replay", 0);
    assert_true(is_in_front(&s, "What if"));
    assert_true(says(&s, "saves 28.9 ms")); // of 8 threads: as the finding says
    click(&s, "As it was");
    assert_true(says(&s, "Nothing is changed"));
    unsigned before = s.fake.loads;
    change(&s, named(&s, "IntSlider", "Computation %"), "{'value': 50}");
    assert_true(says(&s, "saves"));
    change(&s, named(&s, "SelectionSlider", "Latency"), "{'index': 7}");
    pj_widget *code = find(&s, "Textarea", "tooltip", "Code of this page");
    change(&s, find(&s, "ToggleButton", "description", "Show code"), "{'value': true}");
    holds(&s, code, "{change = \\'compute:2+latency:100us\\'}");
    change(&s, named(&s, "Text", "Other change"), "{'value': 'ranks:64'}");
    assert_true(says(&s, "popinjay model"));
    change(&s, named(&s, "Text", "Other change"), "{'value': 'rank:99:2'}");
    assert_true(says(&s, "whatif"));
    assert_int_equal(s.fake.loads, before); // nothing is read for a step
    close_stage(&s);
}

/// Runs that cannot be replayed say why; pages whose run is gone do nothing.
static void runs_without_events_have_no_causes(void **state)
{
    (void)state;
    stage s;
    static const char *const two[] = {"/traces/1x1.prv", "/traces/2x1.prv"};
    open_stage(&s, two, 2);
    analyse(&s);
    turn_to(&s, "What if");
    for (int i = 0; i < 1000 && !says(&s, "cannot be replayed"); i++)
        assert_true(fake_host_pump(&s.fake));
    change(&s, named(&s, "IntSlider", "Computation %"), "{'value': 50}");
    turn_to(&s, "Findings");
    assert_true(says(&s, "Nothing was found"));
    click_of_finding(&s, "Look", 3);
    click_of_finding(&s, "Replay", 3);
    assert_true(is_in_front(&s, "Findings"));
    close_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_lead_to_their_views),
        cmocka_unit_test(sliders_replay_the_run),
        cmocka_unit_test(runs_without_events_have_no_causes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
