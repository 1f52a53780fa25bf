// What panels of variables and debuggers are told.
#include "kernel/jupyter/variables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static json_t *ask(pj_lang *lang, atomic_bool *started, const char *request)
{
    json_t *content = json_loads(request, 0, NULL);
    assert_non_null(content);
    json_t *reply = pj_variables_answer(lang, started, content);
    json_decref(content);
    return reply;
}

static pj_lang *filled(void)
{
    pj_lang *lang = pj_lang_new(&pj_face_silent, NULL);
    pj_outcome o = pj_lang_run(
        lang,
        PJ_S("runs = load '" PJ_SOURCE_DIR "/notebooks/traces/stencil_[12]x1.prv.gz'\n"
             "m = metrics(runs)\ns = runs[1].stats\nx = 0.1\nlong = ('ab\\n'):rep(200)\n"
             "list = {1, 2}\nfunction own() end\nsetmetatable(_G, {__index = error});"),
        (pj_cell_opts){0});
    assert_true(o.ok);
    pj_outcome_clear(&o);
    return lang;
}

static void variables_have_short_values(void **state)
{
    (void)state;
    static const struct {
        const char *name, *type, *value;
    } wanted[] = {
        {"list", "table", "{1, 2}"},
        {"long", "string", "ab\u2026"},
        {"m", "metrics", "POP efficiencies: MPI (additive): 2 runs"},
        {"own", "function", "function: "},
        {"runs", "list of runs", "2 items: stencil_1x1, stencil_2x1"},
        {"s", "table", "Statistics of stencil_1x1: 1 rows, "},
        {"x", "number", "0.1"},
    };
    pj_lang *lang = filled();
    json_t *list = pj_lang_variables(lang);
    assert_int_equal(json_array_size(list), sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const json_t *item = json_array_get(list, i);
        const char *value = json_string_value(json_object_get(item, "value"));
        assert_string_equal(json_string_value(json_object_get(item, "name")), wanted[i].name);
        assert_string_equal(json_string_value(json_object_get(item, "type")), wanted[i].type);
        assert_int_equal(strncmp(value, wanted[i].value, strlen(wanted[i].value)), 0);
    }
    json_decref(list);
    pj_lang_free(lang);
}

static void debuggers_are_answered_or_refused(void **state)
{
    (void)state;
    atomic_bool started = false;
    pj_lang *lang = filled();
    static const char *const asked[] = {
        "{\"command\":\"debugInfo\",\"seq\":1}", "{\"command\":\"initialize\",\"seq\":2}",
        "{\"command\":\"attach\",\"seq\":3}", "{\"command\":\"debugInfo\",\"seq\":4}",
        "{\"command\":\"disconnect\",\"seq\":5}"};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        json_t *reply = ask(lang, &started, asked[i]);
        assert_true(json_is_true(json_object_get(reply, "success")));
        assert_int_equal(json_integer_value(json_object_get(reply, "request_seq")), i + 1);
        const json_t *is = json_object_get(json_object_get(reply, "body"), "isStarted");
        if (is)
            assert_int_equal(json_is_true(is), i == 3);
        json_decref(reply);
    }
    json_t *reply = ask(lang, &started, "{\"command\":\"next\"}");
    assert_true(json_is_false(json_object_get(reply, "success")));
    assert_true(json_is_string(json_object_get(reply, "message")));
    json_decref(reply);
    reply = ask(lang, &started, "{\"command\":[],\"seq\":\"x\",\"arguments\":3}");
    assert_true(json_is_false(json_object_get(reply, "success")));
    json_decref(reply);
    reply = ask(lang, &started,
                "{\"command\":\"richInspectVariables\",\"arguments\":{\"variableName\":\"s\"}}");
    const json_t *data = json_object_get(json_object_get(reply, "body"), "data");
    assert_non_null(strstr(json_string_value(json_object_get(data, "text/plain")), "Statistics"));
    json_decref(reply);
    pj_lang_free(lang);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_have_short_values),
        cmocka_unit_test(debuggers_are_answered_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
