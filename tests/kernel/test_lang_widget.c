// Widgets in the command language, with a strict front end behind them: it must find no mistake.
#include "kernel/lang.h"
#include "tests/support/recording_face.h"
#include "tests/support/strict_front.h"
#include "widgets/traits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct fixture {
    pj_recording face;
    pj_front front;
    atomic_bool stop;
    pj_lang *lang;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    pj_recording_open(&f->face);
    f->front = pj_front_new();
    f->face.face.comms = pj_front_channel(&f->front);
    f->face.face.rich = true;
    f->lang = pj_lang_new(&f->face.face, &f->stop);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    char *mistakes = json_dumps(f->front.mistakes, 0);
    pj_lang_free(f->lang);
    pj_front_free(&f->front);
    pj_recording_close(&f->face);
    free(f);
    bool clean = strcmp(mistakes, "[]") == 0;
    if (!clean)
        print_error("%s\n", mistakes);
    free(mistakes);
    return clean ? 0 : 1;
}

static pj_outcome run_as(fixture *f, const char *code, const char *owner)
{
    pj_recording_reset(&f->face);
    return pj_lang_run(f->lang, pj_str_of(code), (pj_cell_opts){.name = "cell 1", .owner = owner});
}

static void gives(fixture *f, const char *code, const char *wanted)
{
    pj_outcome o = run_as(f, code, NULL);
    const char *error = json_string_value(json_object_get(o.error, "evalue"));
    const char *value = json_string_value(json_object_get(o.data, "text/plain"));
    if (error)
        fail_msg("%s: %s", code, error);
    if (strcmp(value ? value : "nil", wanted) != 0)
        fail_msg("%s gave %s, not %s", code, value ? value : "nil", wanted);
    pj_outcome_clear(&o);
}

static void does(fixture *f, const char *code)
{
    pj_outcome o = run_as(f, code, NULL);
    const char *error = json_string_value(json_object_get(o.error, "evalue"));
    if (error)
        fail_msg("%s: %s", code, error);
    pj_outcome_clear(&o);
}

static void fails(fixture *f, const char *code, const char *part)
{
    pj_outcome o = run_as(f, code, NULL);
    const char *error = json_string_value(json_object_get(o.error, "evalue"));
    if (!error || !strstr(error, part))
        fail_msg("%s: %s, not %s", code, error ? error : "(fine)", part);
    pj_outcome_clear(&o);
}

/// A message of the front end to the widget that was opened last.
static void message(fixture *f, const char *data)
{
    const char *id = NULL, *kind;
    for (long i = 1; !id && pj_front_at(&f->front, -i); i++) {
        kind = json_string_value(json_object_get(pj_front_at(&f->front, -i), "kind"));
        if (strcmp(kind, "open") == 0)
            id = json_string_value(json_object_get(pj_front_at(&f->front, -i), "id"));
    }
    json_t *sent = json_loads(data, 0, NULL);
    assert_non_null(sent);
    pj_lang_comm_message(f->lang, &(pj_comm_message){.id = id, .data = sent});
    json_decref(sent);
}

static const char *const click = "{\"method\":\"custom\",\"content\":{\"event\":\"click\"}}";

static void test_every_model(void **state)
{
    fixture *f = *state;
    const pj_model *model;
    pj_auto_buf code = {0};
    for (size_t i = 0; (model = pj_model_at(i)); i++) {
        pj_str title = pj_model_title(model);
        code.len = 0;
        pj_buf_addf(&code, "local w = widget." PJ_STR_FMT "() return w.model", PJ_STR_ARG(title));
        char wanted[64];
        snprintf(wanted, sizeof wanted, PJ_STR_FMT, PJ_STR_ARG(title));
        gives(f, code.at, wanted);
    }
    assert_true(json_object_size(f->front.states) > 69);
}

static void test_traits(void **state)
{
    fixture *f = *state;
    does(f,
         "s = widget.IntSlider{max = 10, value = 3, description = 'n', layout = {width = '9em'}}");
    gives(f, "s.value = 7 return s.value", "7");
    gives(f, "s.value = 70 return s.value", "10");
    gives(f, "return s.layout.width", "9em");
    gives(f, "s.layout.width = '50%' return s.layout.width", "50%");
    gives(f, "s.layout = {height = '1px'} return s.layout.height", "1px");
    gives(f, "return s.tooltip == nil and s.traits ~= nil and s:traits().max", "10");
    gives(f, "return tostring(s)", "IntSlider(description = \"n\", value = 10)");
    gives(f, "return widget.Label 'text'.value", "text");
    gives(f, "return widget.Button 'text'.description", "text");
    gives(f, "return #widget.Image{value = '\\0\\255'}.value", "2");
    gives(f,
          "m = metrics(load('" PJ_SOURCE_DIR "/notebooks/traces/stencil_*'))\n"
          "return widget.Image{value = plot(m, 'speedup')}.value:sub(2, 4)",
          "PNG");
    gives(f, "b = widget.VBox{s, widget.Label 'x'} return #b.children .. b.children[1].model",
          "2IntSlider");
    gives(f, "b.children = {} return #b.children", "0");
    gives(f, "t = widget.Tab{children = {s}, titles = {'one'}} return t.titles[1]", "one");
    fails(f, "s.valeu = 1", "did you mean value?");
    fails(f, "s.value = 'x'", "value");
    fails(f, "s.value = print", "cannot be sent");
    fails(f, "widget.Buton()", "Button?");
    fails(f, "widget.Button{descripton = 'x'}", "did you mean description?");
    fails(f, "widget.Button(5)", "table expected");
    fails(f, "local t = {} t[1] = t widget.VBox{children = t}", "deep");
    fails(f, "local w = widget.Label 'x' w:close() w.value = 'y'", "closed");
}

static void test_choices(void **state)
{
    fixture *f = *state;
    does(f, "d = widget.Dropdown{options = {'a', {'b', 42}, 3}, value = 42}");
    gives(f, "return d.index .. d.label .. d.value", "1b42");
    gives(f, "d.value = 3 return d.label", "3");
    gives(f, "d.label = 'a' return d.index", "0");
    gives(f, "d.value = nil return tostring(d.index)", "nil");
    gives(f, "d.options = {'x', 'y'} return d.value", "x");
    gives(f, "return #d.options", "2");
    fails(f, "d.value = 'nothing'", "none of the options");
    does(f, "m = widget.SelectMultiple{options = {'x', 'y', 'z'}, value = {'z', 'x'}}");
    gives(f, "return table.concat(m.value) .. #m.index", "zx2");
    does(f, "seen = '' d = widget.RadioButtons{options = {{'one', 1}, {'two', 2}}}\n"
            "d:observe(function(c) seen = seen .. c.name .. tostring(c.old) .. c.new end)");
    message(f, "{\"method\":\"update\",\"state\":{\"index\":1},\"buffer_paths\":[]}");
    gives(f, "return seen", "value12");
}

static void test_events(void **state)
{
    fixture *f = *state;
    does(f, "log = {} local function add(...) log[#log + 1] = table.concat({...}, ' ') end\n"
            "note = add\n"
            "b = widget.Button{on_click = function(w, content) add(w.model, content.event) end}");
    message(f, click);
    gives(f, "return log[1]", "Button click");
    does(f, "b.on_click = function() note 'another' end");
    message(f, click);
    gives(f, "return #log .. log[2]", "2another"); // in the place of the first
    does(f, "b.on_click = nil");
    message(f, click);
    gives(f, "return #log", "2");
    does(f, "log = {} s = widget.IntSlider() f = function(c) note(c.name, c.old, c.new) end\n"
            "s:observe('value', f) s:observe(f, 'max') s.value = 4 s.max = 50");
    gives(f, "return table.concat(log, ', ')", "value 0 4, max 100 50");
    gives(f, "s:unobserve(f) s.value = 5 s.max = 60 return #log", "2");
    gives(f, "s:observe('*', f) s.min = -1 return log[3]", "min 0 -1");
    gives(f, "s.on_close = function(w) note 'closed' end s:close() return log[4]", "closed");
    fails(f, "widget.Label{on_click = 5}", "function");
    fails(f, "widget.IntSlider():observe('valu', print)", "value?");
}

static void test_handler_errors(void **state)
{
    fixture *f = *state;
    does(f, "b = widget.Button{on_click = function()\n  error 'wrong'\nend}");
    message(f, click);
    pj_str said = pj_buf_str(&f->face.err);
    assert_true(pj_str_find(said, 'w') < said.len && strstr(said.at, "Button") &&
                strstr(said.at, "wrong") && strstr(said.at, "cell 1, line 2"));
    does(f,
         "n = 0 s = widget.IntSlider() s:observe(function() n = n + 1 s.value = s.value + 1 end)\n"
         "s.value = 1"); // an endless circle ends
    gives(f, "return n > 10", "true");
}

static void test_links(void **state)
{
    fixture *f = *state;
    does(f, "a = widget.IntSlider{value = 3} b = widget.IntText()\n"
            "stop = widget.link(a, 'value', b, 'value')");
    gives(f, "b.value = 8 return a.value", "8");
    gives(f, "stop() b.value = 1 return a.value", "8");
    gives(f, "a:link('value', b) return b.value", "8");
    fails(f, "widget.link(a, 'value', b, 'valu')", "value?");
}

static void test_show(void **state)
{
    fixture *f = *state;
    pj_outcome o = run_as(f, "return widget.HTML '<b>x</b>'", NULL);
    assert_true(o.ok);
    assert_non_null(json_object_get(o.data, "application/vnd.jupyter.widget-view+json"));
    assert_non_null(json_object_get(o.data, "text/html"));
    assert_non_null(json_object_get(o.data, "text/plain"));
    pj_outcome_clear(&o);
    does(f, "display(widget.Label 'x')");
    assert_int_equal(json_array_size(f->face.displays), 1);
    does(f, "out = widget.Output{outputs = {'one', widget.Label 'in'}}");
    gives(f, "return #out.outputs .. out.outputs[1].data['text/plain']", "2one");
    gives(f,
          "out:add({5}, {output_type = 'stream', name = 'stdout', text = 'z'})\n"
          "return out.outputs[3].data['text/plain'] .. out.outputs[4].text",
          "{5}z");
    gives(f, "out:clear() return #out.outputs", "0");
    fails(f, "widget.Label 'x':add(5)", "outputs");
}

static void test_owners(void **state)
{
    fixture *f = *state;
    pj_outcome o = run_as(f, "first = widget.Label 'x'", "cell a");
    pj_outcome_clear(&o);
    o = run_as(f, "other = widget.Button{on_click = function() made = widget.Label 'y' end}",
               "cell b");
    pj_outcome_clear(&o);
    message(f, click); // what handlers make belongs to their cell
    o = run_as(f, "second = widget.Label 'x'", "cell a");
    pj_outcome_clear(&o);
    gives(f, "return tostring(first.closed) .. tostring(second.closed) .. tostring(made.closed)",
          "truefalsefalse");
    o = run_as(f, "", "cell b");
    pj_outcome_clear(&o);
    gives(f, "return tostring(other.closed) .. tostring(made.closed)", "truetrue");
    pj_lang_widgets_forget(f->lang, "cell a");
    gives(f, "return second.closed", "true");
    assert_int_equal(json_object_size(f->front.states), 0);
}

static void test_interact(void **state)
{
    fixture *f = *state;
    does(f, "n = 0 i = interact(function(v) n = n + 1 return v.x, v.name end,\n"
            "  {x = {0, 10}, name = 'me', flag = true, pick = {'a', 'b'}, part = 0.5})");
    gives(f,
          "local t = {} for k, c in ipairs(i.children) do t[k] = c.model end\n"
          "return table.concat(t, ' ')",
          "Checkbox Text FloatSlider Dropdown IntSlider Output");
    gives(f, "return i.children[6].outputs[1].data['text/plain']", "5");
    gives(f, "i.children[5].value = 9 return n .. i.children[6].outputs[1].data['text/plain']",
          "29");
    fails(f, "interact(5, {})", "function expected");
}

static void test_help(void **state)
{
    fixture *f = *state;
    does(f, "s = widget.IntSlider()");
    static const struct {
        const char *code, *match;
    } completed[] = {{"widget.IntSl", "IntSlider"},
                     {"s.val", "value"},
                     {"s:obs", "observe"},
                     {"widget.Button{desc", "description = "},
                     {"widget.Dropdown{opt", "options = "}};
    for (size_t i = 0; i < sizeof completed / sizeof *completed; i++) {
        const char *code = completed[i].code;
        json_t *reply = pj_lang_complete(f->lang, pj_str_of(code), strlen(code));
        const json_t *first = json_array_get(json_object_get(reply, "matches"), 0);
        assert_string_equal(json_string_value(first), completed[i].match);
        json_decref(reply);
    }
    static const struct {
        const char *code, *part;
    } inspected[] = {{"widget.Button", "on_EVENT"},
                     {"widget", "IntSlider"},
                     {"s.value", "whole number"},
                     {"s:observe", "FUNCTION"},
                     {"interact", "slider"}};
    for (size_t i = 0; i < sizeof inspected / sizeof *inspected; i++) {
        const char *code = inspected[i].code;
        json_t *reply = pj_lang_inspect(f->lang, pj_str_of(code), strlen(code), 0);
        const char *text =
            json_string_value(json_object_get(json_object_get(reply, "data"), "text/plain"));
        if (!text || !strstr(text, inspected[i].part))
            fail_msg("%s: %s", code, text ? text : "(nothing)");
        json_decref(reply);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_every_model), TEST(test_traits), TEST(test_choices),        TEST(test_events),
        TEST(test_links),       TEST(test_show),   TEST(test_handler_errors), TEST(test_owners),
        TEST(test_interact),    TEST(test_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
