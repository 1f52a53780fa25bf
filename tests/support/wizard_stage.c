// Every point is reached by messages alone, as a user reaches it.
#include "tests/support/wizard_stage.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char *const paths[] = {"/traces/1x1.prv", "/traces/2x1.prv", "/traces/4x2.prv",
                                    "/traces/a_0.prof", "/traces/a_1.prof"};

pj_widget *pj_stage_widget(const pj_stage *stage, size_t place)
{
    pj_widget *widget = NULL;
    while ((widget = pj_widgets_next(stage->bench.widgets, widget)) && place--)
        continue;
    return widget;
}

pj_widget *pj_stage_find(const pj_stage *stage, const char *model, const char *key,
                         const char *text)
{
    for (pj_widget *w = NULL; (w = pj_widgets_next(stage->bench.widgets, w));) {
        const json_t *value = pj_str_equal(pj_model_title(pj_widget_model(w)), pj_str_of(model))
                                  ? pj_widget_get(w, key, NULL)
                                  : NULL;
        if (json_is_string(value) && strcmp(json_string_value(value), text) == 0)
            return w;
    }
    return NULL;
}

bool pj_stage_send(pj_stage *stage, const char *id, const char *data)
{
    return pj_bench_msg_with(&stage->bench, id, data, NULL, 0);
}

bool pj_stage_click(pj_stage *stage, const pj_widget *widget)
{
    return pj_stage_send(stage, pj_widget_id(widget),
                         "{'method':'custom','content':{'event':'click'}}");
}

static void press(pj_stage *stage, const char *button)
{
    const pj_widget *widget = pj_stage_find(stage, "Button", "description", button);
    bool good = widget && pj_stage_click(stage, widget);
    assert(good);
    (void)good;
}

static void read_runs(pj_stage *stage)
{
    press(stage, "Analyse");
    pj_widget *cancel = pj_stage_find(stage, "Button", "description", "Cancel");
    while (!json_is_true(pj_widget_get(cancel, "disabled", NULL)) && fake_host_pump(&stage->fake))
        continue;
}

/// Every page in front once, so that each has drawn what it draws.
static void turn_pages(pj_stage *stage)
{
    const pj_widget *tabs = NULL;
    for (pj_widget *w = NULL; (w = pj_widgets_next(stage->bench.widgets, w));)
        if (strcmp(pj_widget_model(w)->name, "TabModel") == 0)
            tabs = w;
    size_t count = json_array_size(pj_widget_get(tabs, "titles", NULL));
    for (size_t i = 0; i < count; i++) {
        char data[96];
        snprintf(data, sizeof data, "{'method':'update','state':{'selected_index':%zu}}", i);
        pj_stage_send(stage, pj_widget_id(tabs), data);
    }
}

static void remove_runs(pj_stage *stage)
{
    const pj_widget *list = pj_stage_find(stage, "SelectMultiple", "tooltip", "The chosen runs");
    pj_stage_send(stage, pj_widget_id(list), "{'method':'update','state':{'index':[0,1,2,3,4]}}");
    press(stage, "Remove");
}

/// At once, and every second command fails.
static bool record(void *self, const char *const *words, size_t count, pj_job *job, pj_err *err)
{
    (void)self;
    job->progress(job->progress_context, "1 of 2: app: 20 events", 1, 2);
    return strlen(words[count - 1]) % 2 || pj_fail(err, PJ_E_IO, NULL, 0, "popinjay failed");
}

void pj_stage_open(pj_stage *stage, pj_stage_point point)
{
    stage->bench = pj_bench_new(PJ_WIDGETS_8, true);
    fake_host_init(&stage->fake);
    pj_wizard_host host = fake_host_of(&stage->fake);
    host.record = record;
    pj_wizard_opts opts = {.folder = "/traces",
                           .paths = paths,
                           .path_count =
                               point == PJ_STAGE_EMPTY ? 0 : sizeof paths / sizeof *paths};
    stage->wizard = pj_wizard_new(stage->bench.widgets, &host, &opts, &stage->bench.err);
    if (point < PJ_STAGE_RESULTS)
        return;
    read_runs(stage);
    turn_pages(stage);
    if (point == PJ_STAGE_REMOVED)
        remove_runs(stage);
}

void pj_stage_free(pj_stage *stage)
{
    pj_bench_free(&stage->bench);
    fake_host_free(&stage->fake);
}
