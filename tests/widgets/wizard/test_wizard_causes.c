// The pages of causes, driven as a front end drives them: findings lead to views, sliders replay.
#include "metrics/base/buf.h"
#include "tests/support/fake_host.h"
#include "tests/support/widget_bench.h"
#include "tests/support/wizard_user.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/// What a button of the nth finding does; a page that has none fails.
static void click_of_finding(pj_user *s, const char *button, int place)
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

static bool is_in_front(pj_user *s, const char *title)
{
    const json_t *all = pj_widget_get(pj_user_tabs(s), "titles", NULL);
    json_int_t place = json_integer_value(pj_widget_get(pj_user_tabs(s), "selected_index", NULL));
    return strcmp(json_string_value(json_array_get(all, (size_t)place)), title) == 0;
}

/// A real run, with an imbalance and late senders.
static const char *const stencil[] = {PJ_SOURCE_DIR "/notebooks/traces/stencil_8x1.prv.gz"};

static void open_findings(pj_user *s)
{
    pj_user_open(s, stencil, 1);
    pj_user_analyse(s);
    pj_user_turn_to(s, "Findings");
    for (int i = 0; i < 1000 && !pj_user_says(s, "1. Load imbalance"); i++)
        assert_true(fake_host_pump(&s->fake));
}

static void findings_lead_to_their_views(void **state)
{
    (void)state;
    pj_user s;
    open_findings(&s);
    assert_true(pj_user_says(&s, "2. Late senders"));
    assert_true(pj_user_says(&s, "10.8 % of the run, 231 ms of all threads"));
    click_of_finding(&s, "Look", 0);
    assert_true(is_in_front(&s, "Inside a run"));
    assert_true(pj_user_shows(&s, "Useful time by rank"));
    pj_user_turn_to(&s, "Findings");
    pj_widget *code = pj_user_find(&s, "Textarea", "tooltip", "Code of this page");
    pj_user_change(&s, pj_user_find(&s, "ToggleButton", "description", "Show code"),
                   "{'value': true}");
    pj_user_holds(&s, code, "findings(runs)");
    click_of_finding(&s, "Look", 1);
    assert_true(pj_user_shows(&s, "Waits of each rank"));
    pj_user_holds(&s, code, "by = \\'culprit\\'");
    pj_user_click(&s, "Longest in the timeline");
    assert_true(is_in_front(&s, "Inside a run"));
    const char *range = pj_bench_get(&s.bench, pj_user_named(&s, "Text", "Time"), "value");
    assert_non_null(strstr(range, "ms.."));
    pj_user_holds(&s, code, "waits = true");
    pj_widget *waits = pj_user_named(&s, "Checkbox", "Longest waits");
    for (int i = 0; i < 1000 && !pj_user_shows(&s, "waits for rank"); i++)
        assert_true(fake_host_pump(&s.fake));
    pj_user_change(&s, waits, "{'value': false}");
    pj_user_turn_to(&s, "Findings");
    pj_user_click(&s, "Steady iterations");
    assert_string_equal(pj_bench_get(&s.bench, pj_user_named(&s, "Text", "Region"), "value"),
                        "'iterations'");
    pj_user_close(&s);
}

/// Those of several sizes lead to the table of efficiencies and to the clusters of bursts.
static void findings_of_scaling_lead_to_their_views(void **state)
{
    (void)state;
    pj_user s;
    const char *const sizes[] = {PJ_SOURCE_DIR "/notebooks/traces/stencil_2x1.prv.gz",
                                 PJ_SOURCE_DIR "/notebooks/traces/stencil_16x1.prv.gz"};
    pj_user_open(&s, sizes, 2);
    pj_user_analyse(&s);
    pj_user_turn_to(&s, "Findings");
    for (int i = 0; i < 1000 && !pj_user_says(&s, "3. Lower IPC"); i++)
        assert_true(fake_host_pump(&s.fake));
    assert_true(pj_user_says(&s, "2. More instructions"));
    pj_widget *code = pj_user_find(&s, "Textarea", "tooltip", "Code of this page");
    pj_user_change(&s, pj_user_find(&s, "ToggleButton", "description", "Show code"),
                   "{'value': true}");
    click_of_finding(&s, "Look", 2);
    assert_true(is_in_front(&s, "Findings"));
    assert_true(pj_user_says(&s, "Clusters of bursts of stencil_16x1"));
    pj_user_holds(&s, code, "bursts{");
    click_of_finding(&s, "Look", 1);
    assert_true(is_in_front(&s, "Efficiencies"));
    pj_user_close(&s);
}

static void sliders_replay_the_run(void **state)
{
    (void)state;
    pj_user s;
    open_findings(&s);
    click_of_finding(&s, "Replay", 0);
    assert_true(is_in_front(&s, "What if"));
    assert_true(pj_user_says(&s, "saves 28.9 ms")); // of 8 threads: as the finding says
    pj_user_click(&s, "As it was");
    assert_true(pj_user_says(&s, "Nothing is changed"));
    unsigned before = s.fake.loads;
    pj_user_change(&s, pj_user_named(&s, "IntSlider", "Computation %"), "{'value': 50}");
    assert_true(pj_user_says(&s, "saves"));
    pj_user_change(&s, pj_user_named(&s, "SelectionSlider", "Latency"), "{'index': 7}");
    pj_widget *code = pj_user_find(&s, "Textarea", "tooltip", "Code of this page");
    pj_user_change(&s, pj_user_find(&s, "ToggleButton", "description", "Show code"),
                   "{'value': true}");
    pj_user_holds(&s, code, "{change = \\'compute:2+latency:100us\\'}");
    pj_user_change(&s, pj_user_named(&s, "Text", "Other change"), "{'value': 'ranks:64'}");
    assert_true(pj_user_says(&s, "popinjay model"));
    pj_user_change(&s, pj_user_named(&s, "Text", "Other change"), "{'value': 'rank:99:2'}");
    assert_true(pj_user_says(&s, "whatif"));
    assert_int_equal(s.fake.loads, before); // nothing is read for a step
    pj_user_close(&s);
}

/// Runs that cannot be replayed say why; pages whose run is gone do nothing.
static void runs_without_events_have_no_causes(void **state)
{
    (void)state;
    pj_user s;
    static const char *const two[] = {"/traces/1x1.prv", "/traces/2x1.prv"};
    pj_user_open(&s, two, 2);
    pj_user_analyse(&s);
    pj_user_turn_to(&s, "What if");
    for (int i = 0; i < 1000 && !pj_user_says(&s, "cannot be replayed"); i++)
        assert_true(fake_host_pump(&s.fake));
    pj_user_change(&s, pj_user_named(&s, "IntSlider", "Computation %"), "{'value': 50}");
    pj_user_turn_to(&s, "Findings");
    assert_true(pj_user_says(&s, "The run cannot be replayed"));
    click_of_finding(&s, "Look", 3);
    click_of_finding(&s, "Replay", 3);
    assert_true(is_in_front(&s, "Findings"));
    pj_user_close(&s);
}

static void findings_of_ai_runs_lead_to_devices(void **state)
{
    (void)state;
    static const char *const ranks[] = {PJ_SOURCE_DIR "/notebooks/ai/rank0.pt.trace.json.gz"};
    pj_user s;
    pj_user_open(&s, ranks, 1);
    pj_user_analyse(&s);
    pj_user_turn_to(&s, "Findings");
    for (int i = 0; i < 1000 && !pj_user_says(&s, "Mending it brings"); i++)
        assert_true(fake_host_pump(&s.fake));
    click_of_finding(&s, "Look", 0);
    assert_true(is_in_front(&s, "Devices"));
    pj_user_close(&s);
}

/// All ranks in one: the page of devices is the first, with bars, tree, what costs most, and steps.
static void an_ai_run_begins_with_its_devices(void **state)
{
    (void)state;
    static const char *const ranks[] = {PJ_SOURCE_DIR
                                        "/notebooks/ai/rank{0,1,2,3}.pt.trace.json.gz"};
    pj_user s;
    pj_user_open(&s, ranks, 1);
    pj_user_analyse(&s);
    assert_true(is_in_front(&s, "Devices"));
    assert_true(pj_user_shows(&s, "Time of each device"));
    assert_true(pj_user_says(&s, "Device serialisation efficiency"));
    assert_true(pj_user_says(&s, "rank 2 makes others wait 16.0 %</b>: its data loading"));
    assert_true(pj_user_says(&s, "Data loading 9.4 %</b>: most: rank 2"));
    assert_true(pj_user_says(&s, "Steps of "));
    pj_user_change(&s, pj_user_named(&s, "Dropdown", "Numbers"), "{'index': 1}");
    assert_true(pj_user_says(&s, "Devices of "));
    pj_user_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_lead_to_their_views),
        cmocka_unit_test(findings_of_scaling_lead_to_their_views),
        cmocka_unit_test(findings_of_ai_runs_lead_to_devices),
        cmocka_unit_test(an_ai_run_begins_with_its_devices),
        cmocka_unit_test(sliders_replay_the_run),
        cmocka_unit_test(runs_without_events_have_no_causes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
