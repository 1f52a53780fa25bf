// The page of recording, driven as a front end drives it: what is asked for, what is told while it
// goes on, where the runs go.
#include "metrics/base/buf.h"
#include "tests/support/fake_host.h"
#include "tests/support/widget_bench.h"
#include "tests/support/wizard_user.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

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

static void fill(pj_user *s, const char *field, const char *text)
{
    char state[128];
    snprintf(state, sizeof state, "{'value': '%s'}", text);
    pj_user_change(s, pj_user_named(s, "Text", field), state);
}

/// Until the recording at work has ended.
static void await(pj_user *s)
{
    const pj_widget *button = pj_user_named(s, "Button", "Record");
    for (int i = 0; i < 100 && json_is_true(pj_widget_get(button, "disabled", NULL)); i++)
        assert_true(fake_host_pump(&s->fake));
}

static void a_study_is_asked_for_and_its_runs_are_chosen(void **state)
{
    (void)state;
    pj_user s;
    pj_user_open_with(&s, NULL, 0, record);
    assert_string_equal(pj_bench_get(&s.bench, pj_user_tabs(&s), "titles"), "['Files','Record']");
    pj_user_change(&s, pj_user_tabs(&s), "{'selected_index': 1}");
    pj_widget *start = pj_user_named(&s, "Button", "Record");
    assert_string_equal(pj_bench_get(&s.bench, start, "disabled"), "true");
    fill(&s, "Command", "python3 app.py --ranks x");
    assert_string_equal(pj_bench_get(&s.bench, start, "disabled"), "false");
    fill(&s, "Ranks", "1, 2 4;");
    fill(&s, "Into", "/tmp");
    pj_user_click(&s, "Record");
    pj_user_click(&s, "Record"); // it is at work already
    await(&s);
    assert_string_equal(asked, "--out=/tmp|--ranks=1,2,4|--repeat=1|--|python3 app.py --ranks x");
    assert_true(pj_user_says(&s, "1 run of /tmp is on the page Files"));
    assert_string_equal(pj_bench_get(&s.bench, pj_user_tabs(&s), "selected_index"), "0");
    pj_widget *list = pj_user_find(&s, "SelectMultiple", "tooltip", "The chosen runs");
    assert_non_null(strstr(pj_bench_get(&s.bench, list, "_options_labels"), "1. tmp"));
    pj_user_close(&s);
}

static void what_goes_wrong_is_told(void **state)
{
    (void)state;
    pj_user s;
    pj_user_open_with(&s, NULL, 0, record);
    pj_user_change(&s, pj_user_tabs(&s), "{'selected_index': 1}");
    fill(&s, "Into", "/none/such");
    fill(&s, "Command", "slow");
    pj_user_click(&s, "Record");
    assert_true(fake_host_pump(&s.fake));
    assert_true(pj_user_says(&s, "1 of 4: &lt;app&gt;: 20 events"));
    pj_user_click(&s, "Interrupt");
    await(&s);
    assert_true(pj_user_says(&s, "Cancelled; 0 runs of /none/such"));
    fill(&s, "Command", "bad");
    pj_user_click(&s, "Record");
    await(&s);
    assert_true(pj_user_says(&s, "no &lt;luck&gt;; 0 runs"));
    assert_string_equal(pj_bench_get(&s.bench, pj_user_tabs(&s), "selected_index"), "1");
    fill(&s, "Command", "slow"); // ended with the wizard
    pj_user_click(&s, "Record");
    pj_user_close(&s);
}

static void the_code_does_the_same(void **state)
{
    (void)state;
    pj_user s;
    pj_user_open_with(&s, NULL, 0, record);
    pj_user_change(&s, pj_user_tabs(&s), "{'selected_index': 1}");
    fill(&s, "Command", "python3 app.py");
    fill(&s, "Ranks", "1,2");
    fill(&s, "Threads", "1,2");
    pj_user_change(&s, pj_user_named(&s, "BoundedIntText", "Repetitions"), "{'value': 3}");
    pj_auto_buf code = {0};
    pj_wizard_code(s.wizard, &code);
    assert_string_equal(code.at,
                        "runs = record{\"python3 app.py\", ranks = {1,2}, threads = {1,2}, "
                        "repetitions = 3, out = \"recording\"}\nmetrics(runs)\n");
    pj_user_close(&s);
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
