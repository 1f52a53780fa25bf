// Widgets in the command language, with a strict front end behind them: it must find no mistake.
#include "kernel/lua/lang.h"
#include "tests/support/cell.h"
#include "widgets/ipy/traits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static int set_up(void **state)
{
    *state = cell_bench_new(true);
    return 0;
}

static int tear_down(void **state)
{
    return cell_bench_free(*state) ? 0 : 1;
}

/// A message of the front end to the widget that was opened last.
static void message(cell_bench *f, const char *data)
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
    cell_bench *f = *state;
    const pj_model *model;
    pj_auto_buf code = {0};
    for (size_t i = 0; (model = pj_model_at(i)); i++) {
        pj_str title = pj_model_title(model);
        code.len = 0;
        pj_buf_addf(&code, "local w = widget." PJ_STR_FMT "() return w.model", PJ_STR_ARG(title));
        char wanted[64];
        snprintf(wanted, sizeof wanted, PJ_STR_FMT, PJ_STR_ARG(title));
        cell_gives(f, code.at, wanted);
    }
    assert_true(json_object_size(f->front.states) > 69);
}

static void test_traits(void **state)
{
    cell_bench *f = *state;
    cell_does(
        f,
        "s = widget.IntSlider{max = 10, value = 3, description = 'n', layout = {width = '9em'}}");
    cell_gives(f, "s.value = 7 return s.value", "7");
    cell_gives(f, "s.value = 70 return s.value", "10");
    cell_gives(f, "return s.layout.width", "9em");
    cell_gives(f, "s.layout.width = '50%' return s.layout.width", "50%");
    cell_gives(f, "s.layout = {height = '1px'} return s.layout.height", "1px");
    cell_gives(f, "return s.tooltip == nil and s.traits ~= nil and s:traits().max", "10");
    cell_gives(f, "return tostring(s)", "IntSlider(description = \"n\", value = 10)");
    cell_gives(f, "return widget.Label 'text'.value", "text");
    cell_gives(f, "return widget.Button 'text'.description", "text");
    cell_gives(f, "return #widget.Image{value = '\\0\\255'}.value", "2");
    cell_gives(f,
               "m = metrics(load('" PJ_SOURCE_DIR "/notebooks/traces/stencil_*'))\n"
               "return widget.Image{value = plot(m, 'speedup')}.value:sub(2, 4)",
               "PNG");
    cell_gives(f, "b = widget.VBox{s, widget.Label 'x'} return #b.children .. b.children[1].model",
               "2IntSlider");
    cell_gives(f, "b.children = {} return #b.children", "0");
    cell_gives(f, "t = widget.Tab{children = {s}, titles = {'one'}} return t.titles[1]", "one");
    cell_fails(f, "s.valeu = 1", "did you mean value?");
    cell_fails(f, "s.value = 'x'", "value");
    cell_fails(f, "s.value = print", "cannot be sent");
    cell_fails(f, "widget.Buton()", "Button?");
    cell_fails(f, "widget.Button{descripton = 'x'}", "did you mean description?");
    cell_fails(f, "widget.Nope()", "valid: Box, VBox");
    cell_fails(f, "widget.Valid{foo = 1}", "valid: layout, ");
    cell_fails(f, "widget.Button(5)", "table expected");
    cell_fails(f, "local t = {} t[1] = t widget.VBox{children = t}", "deep");
    cell_fails(f, "local w = widget.Label 'x' w:close() w.value = 'y'", "closed");
}

static void test_choices(void **state)
{
    cell_bench *f = *state;
    cell_does(f, "d = widget.Dropdown{options = {'a', {'b', 42}, 3}, value = 42}");
    cell_gives(f, "return d.index .. d.label .. d.value", "1b42");
    cell_gives(f, "d.value = 3 return d.label", "3");
    cell_gives(f, "d.label = 'a' return d.index", "0");
    cell_gives(f, "d.value = nil return tostring(d.index)", "nil");
    cell_gives(f, "d.options = {'x', 'y'} return d.value", "x");
    cell_gives(f, "return #d.options", "2");
    cell_fails(f, "d.value = 'nothing'", "none of the options; valid: x, y");
    cell_gives(f, "return widget.Select{options = {'x', 'y'}, index = 1}.value", "y");
    cell_gives(f, "return widget.SelectMultiple{options = {'x', 'y'}, index = {1}}.value[1]", "y");
    cell_fails(f, "widget.Dropdown{options = {'x', 'y'}, index = 2}", "beyond the 2 entries");
    cell_does(f, "m = widget.SelectMultiple{options = {'x', 'y', 'z'}, value = {'z', 'x'}}");
    cell_gives(f, "return table.concat(m.value) .. #m.index", "zx2");
    cell_does(f, "seen = '' d = widget.RadioButtons{options = {{'one', 1}, {'two', 2}}}\n"
                 "d:observe(function(c) seen = seen .. c.name .. tostring(c.old) .. c.new end)");
    message(f, "{\"method\":\"update\",\"state\":{\"index\":1},\"buffer_paths\":[]}");
    cell_gives(f, "return seen", "value12");
}

static void test_events(void **state)
{
    cell_bench *f = *state;
    cell_does(f,
              "log = {} local function add(...) log[#log + 1] = table.concat({...}, ' ') end\n"
              "note = add\n"
              "b = widget.Button{on_click = function(w, content) add(w.model, content.event) end}");
    message(f, click);
    cell_gives(f, "return log[1]", "Button click");
    cell_does(f, "b.on_click = function() note 'another' end");
    message(f, click);
    cell_gives(f, "return #log .. log[2]", "2another"); // in the place of the first
    cell_does(f, "b.on_click = nil");
    message(f, click);
    cell_gives(f, "return #log", "2");
    cell_does(f, "log = {} s = widget.IntSlider() f = function(c) note(c.name, c.old, c.new) end\n"
                 "s:observe('value', f) s:observe(f, 'max') s.value = 4 s.max = 50");
    cell_gives(f, "return table.concat(log, ', ')", "value 0 4, max 100 50");
    cell_gives(f, "s:unobserve(f) s.value = 5 s.max = 60 return #log", "2");
    cell_gives(f, "s:observe('*', f) s.min = -1 return log[3]", "min 0 -1");
    cell_gives(f, "s.on_close = function(w) note 'closed' end s:close() return log[4]", "closed");
    cell_fails(f, "widget.Label{on_click = 5}", "function");
    cell_fails(f, "widget.IntSlider():observe('valu', print)", "value?");
}

static void test_handler_errors(void **state)
{
    cell_bench *f = *state;
    cell_does(f, "b = widget.Button{on_click = function()\n  error 'wrong'\nend}");
    message(f, click);
    pj_str said = pj_buf_str(&f->face.err);
    assert_true(pj_str_find(said, 'w') < said.len && strstr(said.at, "Button") &&
                strstr(said.at, "wrong") && strstr(said.at, "cell 1, line 2"));
    cell_does(
        f,
        "n = 0 s = widget.IntSlider() s:observe(function() n = n + 1 s.value = s.value + 1 end)\n"
        "s.value = 1"); // an endless circle ends
    cell_gives(f, "return n > 10", "true");
}

static void test_links(void **state)
{
    cell_bench *f = *state;
    cell_does(f, "a = widget.IntSlider{value = 3} b = widget.IntText()\n"
                 "stop = widget.link(a, 'value', b, 'value')");
    cell_gives(f, "b.value = 8 return a.value", "8");
    cell_gives(f, "stop() b.value = 1 return a.value", "8");
    cell_gives(f, "a:link('value', b) return b.value", "8");
    cell_fails(f, "widget.link(a, 'value', b, 'valu')", "value?");
}

static void test_show(void **state)
{
    cell_bench *f = *state;
    pj_outcome o = cell_run(f, "return widget.HTML '<b>x</b>'", NULL);
    assert_true(o.ok);
    assert_non_null(json_object_get(o.data, "application/vnd.jupyter.widget-view+json"));
    assert_non_null(json_object_get(o.data, "text/html"));
    assert_non_null(json_object_get(o.data, "text/plain"));
    pj_outcome_clear(&o);
    cell_does(f, "display(widget.Label 'x')");
    assert_int_equal(json_array_size(f->face.displays), 1);
    cell_does(f, "out = widget.Output{outputs = {'one', widget.Label 'in'}}");
    cell_gives(f, "return #out.outputs .. out.outputs[1].data['text/plain']", "2one");
    cell_gives(f,
               "out:add({5}, {output_type = 'stream', name = 'stdout', text = 'z'})\n"
               "return out.outputs[3].data['text/plain'] .. out.outputs[4].text",
               "{5}z");
    cell_gives(f, "out:clear() return #out.outputs", "0");
    cell_fails(f, "widget.Label 'x':add(5)", "outputs");
}

static void test_owners(void **state)
{
    cell_bench *f = *state;
    pj_outcome o = cell_run(f, "first = widget.Label 'x'", "cell a");
    pj_outcome_clear(&o);
    o = cell_run(f, "other = widget.Button{on_click = function() made = widget.Label 'y' end}",
                 "cell b");
    pj_outcome_clear(&o);
    message(f, click); // what handlers make belongs to their cell
    o = cell_run(f, "second = widget.Label 'x'", "cell a");
    pj_outcome_clear(&o);
    cell_gives(f,
               "return tostring(first.closed) .. tostring(second.closed) .. tostring(made.closed)",
               "truefalsefalse");
    o = cell_run(f, "", "cell b");
    pj_outcome_clear(&o);
    cell_gives(f, "return tostring(other.closed) .. tostring(made.closed)", "truetrue");
    pj_lang_widgets_forget(f->lang, "cell a");
    cell_gives(f, "return second.closed", "true");
    assert_int_equal(json_object_size(f->front.states), 0);
}

static void test_interact(void **state)
{
    cell_bench *f = *state;
    cell_does(f, "n = 0 i = interact(function(v) n = n + 1 return v.x, v.name end,\n"
                 "  {x = {0, 10}, name = 'me', flag = true, pick = {'a', 'b'}, part = 0.5})");
    cell_gives(f,
               "local t = {} for k, c in ipairs(i.children) do t[k] = c.model end\n"
               "return table.concat(t, ' ')",
               "Checkbox Text FloatSlider Dropdown IntSlider Output");
    cell_gives(f, "return i.children[6].outputs[1].data['text/plain']", "5");
    cell_gives(f, "i.children[5].value = 9 return n .. i.children[6].outputs[1].data['text/plain']",
               "29");
    cell_fails(f, "interact(5, {})", "function expected");
}

static void test_help(void **state)
{
    cell_bench *f = *state;
    cell_does(f, "s = widget.IntSlider()");
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
