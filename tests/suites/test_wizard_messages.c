// Every widget of every page of the wizard against every message that a front end can send, before
// there are results, with them, and when they are gone.
#include "metrics/base/buf.h"
#include "tests/support/rounds.h"
#include "tests/support/wizard_stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/// Values for any trait that a front end may set, and for those that it may not.
static const char *const values[] = {
    "null",
    "-1",
    "0",
    "1",
    "7",
    "4000",
    "1e308",
    "true",
    "''",
    "'x'",
    "'/'",
    "'../..'",
    "'*'",
    "'1s..0s'",
    "[0,4000]",
    "[0,0,0,1,1]",
    "[-1,'x',{}]",
    "'%n%s'",
    "{}",
    "[]",
    "'10%..20%'",
    "2147483648",
    "-9223372036854775808",
};

/// The widgets that are open now; a message may open and close others.
typedef struct ids {
    pj_arena *arena;
    const char **items;
    size_t count;
} ids;

static ids ids_of(const pj_stage *stage)
{
    ids all = {.arena = pj_arena_new(NULL)};
    all.items = pj_new_n(all.arena, const char *, pj_widgets_count(stage->bench.widgets) + 1);
    for (const pj_widget *w = NULL; (w = pj_widgets_next(stage->bench.widgets, w));)
        all.items[all.count++] = pj_arena_text(all.arena, pj_str_of(pj_widget_id(w)));
    return all;
}

/// What no front end may change stays as it is.
static void try_trait(pj_stage *stage, const char *id, const pj_trait *trait, const char *value)
{
    pj_auto_buf data = {0};
    pj_widget *widget = pj_widgets_find(stage->bench.widgets, id);
    json_t *before = widget ? json_incref(pj_widget_get(widget, trait->key, NULL)) : NULL;
    pj_buf_addf(&data, "{'method':'update','state':{'%s':%s}}", trait->key, value);
    pj_stage_send(stage, id, data.at);
    widget = pj_widgets_find(stage->bench.widgets, id);
    if (widget && !trait->input)
        assert_true(json_equal(before, pj_widget_get(widget, trait->key, NULL)));
    json_decref(before);
}

static void try_widget(pj_stage *stage, const char *id)
{
    const pj_widget *widget = pj_widgets_find(stage->bench.widgets, id);
    const pj_model *model = widget ? pj_widget_model(widget) : NULL;
    for (size_t i = 0; model && i < model->trait_count; i++) {
        const pj_trait *trait = &model->traits[i];
        if (!pj_trait_in(trait, PJ_WIDGETS_8))
            continue;
        size_t step = trait->input ? 1 : sizeof values / sizeof *values / 2;
        for (size_t v = 0; v < sizeof values / sizeof *values; v += step)
            try_trait(stage, id, trait, values[v]);
    }
    pj_stage_send(stage, id, "{'method':'custom','content':{'event':'click'}}");
    pj_stage_send(stage, id, "{'method':'custom','content':{'event':'submit'}}");
    pj_stage_send(stage, id, "{'method':'custom','content':[7]}");
    pj_stage_send(stage, id, "{'method':'request_state'}");
}

static void at(pj_stage_point point)
{
    pj_stage stage;
    pj_stage_open(&stage, point);
    ids all = ids_of(&stage);
    const size_t step = pj_extent_is("quick") ? 7 : 1; // then a seventh of them, others each time
    for (size_t i = all.count; i-- > 0;) {             // the page that chooses runs last
        if ((i + (size_t)point) % step)
            continue;
        try_widget(&stage, all.items[i]);
        fake_host_drain(&stage.fake, false);
    }
    assert_true(pj_widgets_count(stage.bench.widgets) > 0);
    pj_arena_free(all.arena);
    pj_stage_free(&stage);
}

static void any_message_comes_before_there_are_runs(void **state)
{
    (void)state;
    at(PJ_STAGE_EMPTY);
    at(PJ_STAGE_CHOSEN);
}

static void any_message_comes_with_results(void **state)
{
    (void)state;
    at(PJ_STAGE_RESULTS);
}

static void any_message_comes_when_results_are_gone(void **state)
{
    (void)state;
    at(PJ_STAGE_REMOVED);
}

/// A list that a page made longer is not read beyond what the wizard put there.
static void a_longer_list_of_a_page_is_no_list(void **state)
{
    (void)state;
    pj_stage stage;
    pj_stage_open(&stage, PJ_STAGE_RESULTS);
    pj_auto_buf data = {0};
    pj_buf_puts(&data, "{'method':'update','state':{'_options_labels':['x'");
    for (int i = 0; i < 5000; i++)
        pj_buf_puts(&data, ",'x'");
    pj_buf_puts(&data, "],'index':4000}}");
    ids all = ids_of(&stage);
    for (size_t i = 0; i < all.count; i++) {
        const pj_widget *widget = pj_widgets_find(stage.bench.widgets, all.items[i]);
        if (widget && pj_model_trait(pj_widget_model(widget), "_options_labels", PJ_WIDGETS_8))
            pj_stage_send(&stage, all.items[i], data.at);
        if (widget)
            assert_true(json_array_size(pj_widget_get(widget, "_options_labels", NULL)) < 5000);
    }
    for (size_t i = all.count; i-- > 0;) {
        const pj_widget *widget = pj_widgets_find(stage.bench.widgets, all.items[i]);
        if (widget && strcmp(pj_widget_model(widget)->name, "ButtonModel") == 0)
            pj_stage_click(&stage, widget);
        fake_host_drain(&stage.fake, false);
    }
    pj_arena_free(all.arena);
    pj_stage_free(&stage);
}

/// Any of its widgets may be closed by a page: what is left goes on.
static void any_widget_may_be_closed(void **state)
{
    (void)state;
    pj_stage probe;
    pj_stage_open(&probe, PJ_STAGE_RESULTS);
    size_t count = pj_widgets_count(probe.bench.widgets);
    pj_stage_free(&probe);
    size_t step = count / pj_rounds(80, (unsigned)count);
    for (size_t i = 0; i < count; i += step) {
        pj_stage stage;
        pj_stage_open(&stage, PJ_STAGE_RESULTS);
        const pj_widget *closed = pj_stage_widget(&stage, i);
        char id[64];
        snprintf(id, sizeof id, "%s", pj_widget_id(closed));
        pj_widgets_take_close(stage.bench.widgets, &(pj_comm_message){.id = id});
        assert_null(pj_widgets_find(stage.bench.widgets, id));
        ids all = ids_of(&stage);
        for (size_t w = 0; w < all.count; w++) {
            const pj_widget *widget = pj_widgets_find(stage.bench.widgets, all.items[w]);
            if (widget && strcmp(pj_widget_model(widget)->name, "ButtonModel") == 0)
                pj_stage_click(&stage, widget);
        }
        fake_host_drain(&stage.fake, false);
        pj_arena_free(all.arena);
        pj_stage_free(&stage);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_message_comes_before_there_are_runs),
        cmocka_unit_test(any_message_comes_with_results),
        cmocka_unit_test(any_message_comes_when_results_are_gone),
        cmocka_unit_test(a_longer_list_of_a_page_is_no_list),
        cmocka_unit_test(any_widget_may_be_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
