// The page of recording, driven as a front end drives it: what is asked for, what is told while it
// goes on, where the runs go.
#include "metrics/base/buf.h"
#include "tests/support/fake_host.h"
#include "tests/support/widget_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

typedef struct scene {
    pj_bench bench;
    fake_host fake;
    pj_wizard *wizard;
} scene;

static char asked[512]; // of the recorder, word by word

/// "slow" goes on until it is stopped, "bad" fails.
static bool record(void *self, const char *const *words, size_t count, pj_job *job, pj_err *err)
{
    (void)self;
    const char *command = words[count - 1];
    asked[0] = 0;
    for (size_t i = 0; i < count; i++)
        snprintf(asked + strlen(asked), sizeof asked - strlen(asked), "%s%s", i ? "|" : "",
                 words[i]);
    job->progress(job->progress_context, "1 of 4: <app>: 20 events", 1, 4);
    while (strstr(command, "slow") && !pj_job_stopped(job))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    if (pj_job_stopped(job))
        return pj_fail(err, PJ_E_STOPPED, NULL, 0, "interrupted");
    return !strstr(command, "bad") || pj_fail(err, PJ_E_IO, NULL, 0, "popinjay failed: no <luck>");
}

static void open_scene(scene *s)
{
    s->bench = pj_bench_new(PJ_WIDGETS_8, true);
    fake_host_init(&s->fake);
    pj_wizard_host host = fake_host_of(&s->fake);
    host.record = record;
    pj_wizard_opts opts = {.folder = "/traces"};
    s->wizard = pj_wizard_new(s->bench.widgets, &host, &opts, &s->bench.err);
    assert_non_null(s->wizard);
}

static void close_scene(scene *s)
{
    assert_string_equal(pj_bench_mistakes(&s->bench), "[]");
    pj_bench_free(&s->bench);
    fake_host_free(&s->fake);
}

static pj_widget *find(scene *s, const char *model, const char *key, const char *text)
{
    for (pj_widget *w = NULL; (w = pj_widgets_next(s->bench.widgets, w));) {
        const char *value = json_string_value(pj_widget_get(w, key, NULL));
        if (strcmp(pj_widget_model(w)->name, model) == 0 && value && strcmp(value, text) == 0)
            return w;
    }
    fail_msg("there is no %s \"%s\"", model, text);
    return NULL;
}

static void change(scene *s, pj_widget *widget, const char *state)
{
    pj_auto_buf data = {0};
    pj_buf_addf(&data, "{'method':'update','state':%s}", state);
    assert_true(pj_bench_msg(&s->bench, widget, data.at));
}

static void fill(scene *s, const char *field, const char *text)
{
    char state[128];
    snprintf(state, sizeof state, "{'value': '%s'}", text);
    change(s, find(s, "TextModel", "description", field), state);
}

static void click(scene *s, const char *button)
{
    assert_true(pj_bench_msg(&s->bench, find(s, "ButtonModel", "description", button),
                             "{'method':'custom','content':{'event':'click'}}"));
}

static pj_widget *tabs(scene *s)
{
    for (pj_widget *w = NULL; (w = pj_widgets_next(s->bench.widgets, w));)
        if (strcmp(pj_widget_model(w)->name, "TabModel") == 0)
            return w;
    return NULL;
}

static bool says(scene *s, const char *text)
{
    for (pj_widget *w = NULL; (w = pj_widgets_next(s->bench.widgets, w));) {
        const char *value = json_string_value(pj_widget_get(w, "value", NULL));
        if (strcmp(pj_widget_model(w)->name, "HTMLModel") == 0 && value && strstr(value, text))
            return true;
    }
    return false;
}

/// Until the recording at work has ended.
static void await(scene *s)
{
    const pj_widget *button = find(s, "ButtonModel", "description", "Record");
    for (int i = 0; i < 100 && json_is_true(pj_widget_get(button, "disabled", NULL)); i++)
        assert_true(fake_host_pump(&s->fake));
}

static void a_study_is_asked_for_and_its_runs_are_chosen(void **state)
{
    (void)state;
    scene s;
    open_scene(&s);
    assert_string_equal(pj_bench_get(&s.bench, tabs(&s), "titles"), "['Files','Record']");
    change(&s, tabs(&s), "{'selected_index': 1}");
    pj_widget *start = find(&s, "ButtonModel", "description", "Record");
    assert_string_equal(pj_bench_get(&s.bench, start, "disabled"), "true");
    fill(&s, "Command", "python3 app.py --ranks x");
    assert_string_equal(pj_bench_get(&s.bench, start, "disabled"), "false");
    fill(&s, "Ranks", "1, 2 4;");
    fill(&s, "Into", "/tmp");
    click(&s, "Record");
    click(&s, "Record"); // it is at work already
    await(&s);
    assert_string_equal(asked, "--out=/tmp|--ranks=1,2,4|--repeat=1|--|python3 app.py --ranks x");
    assert_true(says(&s, "1 run of /tmp is on the page Files"));
    assert_string_equal(pj_bench_get(&s.bench, tabs(&s), "selected_index"), "0");
    pj_widget *list = find(&s, "SelectMultipleModel", "tooltip", "The chosen runs");
    assert_non_null(strstr(pj_bench_get(&s.bench, list, "_options_labels"), "1. tmp"));
    close_scene(&s);
}

static void what_goes_wrong_is_told(void **state)
{
    (void)state;
    scene s;
    open_scene(&s);
    change(&s, tabs(&s), "{'selected_index': 1}");
    fill(&s, "Into", "/none/such");
    fill(&s, "Command", "slow");
    click(&s, "Record");
    assert_true(fake_host_pump(&s.fake));
    assert_true(says(&s, "1 of 4: &lt;app&gt;: 20 events"));
    click(&s, "Interrupt");
    await(&s);
    assert_true(says(&s, "Cancelled; 0 runs of /none/such"));
    fill(&s, "Command", "bad");
    click(&s, "Record");
    await(&s);
    assert_true(says(&s, "no &lt;luck&gt;; 0 runs"));
    assert_string_equal(pj_bench_get(&s.bench, tabs(&s), "selected_index"), "1");
    fill(&s, "Command", "slow"); // ended with the wizard
    click(&s, "Record");
    close_scene(&s);
}

static void the_code_does_the_same(void **state)
{
    (void)state;
    scene s;
    open_scene(&s);
    change(&s, tabs(&s), "{'selected_index': 1}");
    fill(&s, "Command", "python3 app.py");
    fill(&s, "Ranks", "1,2");
    fill(&s, "Threads", "1,2");
    change(&s, find(&s, "BoundedIntTextModel", "description", "Repetitions"), "{'value': 3}");
    pj_auto_buf code = {0};
    pj_wizard_code(s.wizard, &code);
    assert_string_equal(code.at,
                        "runs = record{\"python3 app.py\", ranks = {1,2}, threads = {1,2}, "
                        "repetitions = 3, out = \"recording\"}\nmetrics(runs)\n");
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_study_is_asked_for_and_its_runs_are_chosen),
        cmocka_unit_test(what_goes_wrong_is_told),
        cmocka_unit_test(the_code_does_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
