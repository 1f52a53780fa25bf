// What a user does in the wizard and sees there, by the messages that a front end sends for it.
#include "tests/support/wizard_user.h"

#include "metrics/base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

void pj_user_open(pj_user *user, const char *const *paths, size_t count)
{
    pj_user_open_with(user, paths, count, NULL);
}

void pj_user_open_with(pj_user *user, const char *const *paths, size_t count,
                       pj_user_record *record)
{
    user->bench = pj_bench_new(PJ_WIDGETS_8, true);
    fake_host_init(&user->fake);
    pj_wizard_host host = fake_host_of(&user->fake);
    host.record = record;
    pj_wizard_opts opts = {.folder = "/traces", .paths = paths, .path_count = count};
    user->wizard = pj_wizard_new(user->bench.widgets, &host, &opts, &user->bench.err);
    if (!user->wizard)
        fail_msg("%s", user->bench.err.text);
}

void pj_user_close(pj_user *user)
{
    assert_string_equal(pj_bench_mistakes(&user->bench), "[]");
    pj_bench_free(&user->bench);
    fake_host_free(&user->fake);
    assert_int_equal(user->fake.released, 1);
}

pj_widget *pj_user_find(pj_user *user, const char *model, const char *key, const char *text)
{
    for (pj_widget *w = NULL; (w = pj_widgets_next(user->bench.widgets, w));) {
        pj_str title = pj_model_title(pj_widget_model(w));
        if (!pj_str_equal(title, pj_str_of(model)))
            continue;
        const char *value = json_string_value(pj_widget_get(w, key, NULL));
        if (value && strcmp(value, text) == 0)
            return w;
    }
    return NULL;
}

pj_widget *pj_user_named(pj_user *user, const char *model, const char *description)
{
    pj_widget *widget = pj_user_find(user, model, "description", description);
    if (!widget)
        fail_msg("there is no %s \"%s\"", model, description);
    return widget;
}

void pj_user_click(pj_user *user, const char *button)
{
    assert_true(pj_bench_msg(&user->bench, pj_user_named(user, "Button", button),
                             "{'method':'custom','content':{'event':'click'}}"));
}

void pj_user_change(pj_user *user, pj_widget *widget, const char *state)
{
    pj_auto_buf data = {0};
    pj_buf_addf(&data, "{'method':'update','state':%s}", state);
    assert_true(pj_bench_msg(&user->bench, widget, data.at));
}

pj_widget *pj_user_tabs(pj_user *user)
{
    for (pj_widget *w = NULL; (w = pj_widgets_next(user->bench.widgets, w));)
        if (strcmp(pj_widget_model(w)->name, "TabModel") == 0)
            return w;
    return NULL;
}

void pj_user_turn(pj_user *user, int page)
{
    pj_auto_buf state = {0};
    pj_buf_addf(&state, "{'selected_index': %d}", page);
    pj_user_change(user, pj_user_tabs(user), state.at);
}

void pj_user_turn_to(pj_user *user, const char *title)
{
    const json_t *all = pj_widget_get(pj_user_tabs(user), "titles", NULL);
    for (size_t i = 0; i < json_array_size(all); i++)
        if (strcmp(json_string_value(json_array_get(all, i)), title) == 0) {
            pj_user_turn(user, (int)i);
            return;
        }
    fail_msg("there is no page \"%s\"", title);
}

bool pj_user_says(pj_user *user, const char *text)
{
    for (pj_widget *w = NULL; (w = pj_widgets_next(user->bench.widgets, w));) {
        const char *value = json_string_value(pj_widget_get(w, "value", NULL));
        if (strcmp(pj_widget_model(w)->name, "HTMLModel") == 0 && value && strstr(value, text))
            return true;
    }
    return false;
}

bool pj_user_shows(pj_user *user, const char *text)
{
    for (pj_widget *w = NULL; (w = pj_widgets_next(user->bench.widgets, w));)
        if (strcmp(pj_widget_model(w)->name, "OutputModel") == 0 &&
            strstr(pj_bench_get(&user->bench, w, "outputs"), text))
            return true;
    return false;
}

void pj_user_analyse(pj_user *user)
{
    pj_user_click(user, "Analyse");
    pj_widget *cancel = pj_user_named(user, "Button", "Cancel");
    for (int i = 0; i < 1000 && fake_host_pump(&user->fake); i++)
        if (json_is_true(pj_widget_get(cancel, "disabled", NULL)))
            return;
    fail_msg("the analysis does not end");
}

void pj_user_holds(pj_user *user, pj_widget *widget, const char *text)
{
    const char *value = pj_bench_get(&user->bench, widget, "value");
    if (!strstr(value, text))
        fail_msg("%s is not in %s", text, value);
}
