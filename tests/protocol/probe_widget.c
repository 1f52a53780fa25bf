// Widgets over comms: opening, updates with echoes, buffers in both directions, states for a page
// that comes back, handlers during a cell, and the ends of widgets.
#include "tests/protocol/probe.h"
#include "tests/support/rounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static json_t *output_at(const answer *a, size_t i)
{
    return json_array_get(a->outputs, i);
}

/// The i-th output of a type, whole; NULL when there is none.
static json_t *whole_output(const answer *a, const char *type, size_t n)
{
    for (size_t i = 0; i < json_array_size(a->outputs); i++)
        if (strcmp(text_of(output_at(a, i), "type"), type) == 0 && n-- == 0)
            return output_at(a, i);
    return NULL;
}

static size_t count_outputs(const answer *a, const char *type)
{
    size_t count = 0;
    while (whole_output(a, type, count))
        count++;
    return count;
}

static answer run(client *c, const char *code)
{
    answer a = client_execute(c, code);
    if (strcmp(answer_status(&a), "ok") != 0)
        fail_msg("%s: %s", code, message_text(a.reply, "evalue"));
    return a;
}

static void run_quietly(client *c, const char *code)
{
    answer a = run(c, code);
    answer_free(&a);
}

static void assert_value(client *c, const char *expression, const char *expected)
{
    answer a = run(c, expression);
    const json_t *data = json_object_get(answer_output(&a, "execute_result", 0), "data");
    assert_string_equal(text_of(data, "text/plain"), expected);
    answer_free(&a);
}

/// The comm id of the model that a cell opens first.
static void opened(const answer *a, const char *model, char id[64])
{
    json_t *open;
    id[0] = 0;
    for (size_t i = 0; (open = answer_output(a, "comm_open", i)); i++) {
        const json_t *state = json_object_get(json_object_get(open, "data"), "state");
        if (strcmp(text_of(state, "_model_name"), model) == 0)
            snprintf(id, 64, "%s", text_of(open, "comm_id"));
    }
    assert_true(id[0] != 0);
}

static void make(client *c, const char *code, const char *model, char id[64])
{
    answer a = run(c, code);
    opened(&a, model, id);
    answer_free(&a);
}

static answer touch(client *c, const char *id, json_t *data)
{
    return client_ask(c, "comm_msg", json_pack("{s:s, s:o}", "comm_id", id, "data", data));
}

static json_t *update(json_t *state)
{
    return json_pack("{s:s, s:o, s:[]}", "method", "update", "state", state, "buffer_paths");
}

static json_t *click(void)
{
    return json_pack("{s:s, s:{s:s}}", "method", "custom", "content", "event", "click");
}

static void test_open(void **state)
{
    answer a = run(*state, "slider = widget.IntSlider{value = 3, max = 10} return slider");
    assert_int_equal(count_outputs(&a, "comm_open"), 3); // layout and style before the slider
    const json_t *open = whole_output(&a, "comm_open", 2);
    assert_string_equal(text_of(json_object_get(open, "metadata"), "version"), "2.1.0");
    const json_t *content = json_object_get(open, "content");
    assert_string_equal(text_of(content, "target_name"), "jupyter.widget");
    const json_t *model = json_object_get(json_object_get(content, "data"), "state");
    assert_string_equal(text_of(model, "_model_name"), "IntSliderModel");
    assert_string_equal(text_of(model, "_model_module_version"), "2.0.0");
    assert_int_equal(json_integer_value(json_object_get(model, "value")), 3);
    const json_t *data = json_object_get(answer_output(&a, "execute_result", 0), "data");
    const json_t *view = json_object_get(data, "application/vnd.jupyter.widget-view+json");
    assert_string_equal(text_of(view, "model_id"), text_of(content, "comm_id"));
    assert_true(strlen(text_of(data, "text/plain")) > 0);
    assert_true(strlen(text_of(data, "text/html")) > 0);
    answer_free(&a);
    a = client_ask(*state, "comm_info_request",
                   json_pack("{s:s}", "target_name", "jupyter.widget"));
    assert_int_equal(json_object_size(json_object_get(a.reply->content, "comms")), 3);
    answer_free(&a);
}

static void test_update_and_echo(void **state)
{
    char id[64];
    make(*state,
         "log = {} s = widget.IntSlider{max = 10}\n"
         "s:observe(function(c) log[#log + 1] = c.old .. '>' .. c.new end)",
         "IntSliderModel", id);
    answer a = touch(*state, id, update(json_pack("{s:i}", "value", 5)));
    const json_t *echo = json_object_get(answer_output(&a, "comm_msg", 0), "data");
    assert_string_equal(text_of(echo, "method"), "echo_update");
    answer_free(&a);
    a = touch(*state, id, update(json_pack("{s:i}", "value", 500))); // clamped, and told so
    const json_t *told = json_object_get(answer_output(&a, "comm_msg", 1), "data");
    assert_string_equal(text_of(told, "method"), "update");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(told, "state"), "value")),
                     10);
    answer_free(&a);
    assert_value(*state, "return table.concat(log, ' ')", "0>5 5>10");
    a = run(*state, "s.value = 2"); // from here: an update, no echo
    told = json_object_get(answer_output(&a, "comm_msg", 0), "data");
    assert_string_equal(text_of(told, "method"), "update");
    answer_free(&a);
}

static void test_many_updates(void **state)
{
    enum { UPDATES = 1000 };
    char id[64];
    make(*state,
         "count = 0 s = widget.IntSlider{max = 5000}\n"
         "s:observe(function(c) assert(c.new == c.old + 1) count = count + 1 end)",
         "IntSliderModel", id);
    client *c = *state;
    double began = client_now_ms();
    for (int i = 1; i <= UPDATES; i++)
        client_send(
            c, SHELL, "comm_msg",
            json_pack("{s:s, s:o}", "comm_id", id, "data", update(json_pack("{s:i}", "value", i))));
    answer a = client_collect(c, c->last_id, false);
    print_message("[ figure   ] %d updates of a slider: %.0f ms\n", UPDATES, a.idle_ms - began);
    answer_free(&a);
    assert_value(c, "return count .. ' ' .. s.value", "1000 1000");
}

static void test_buffers(void **state)
{
    client *c = *state;
    answer a = run(c, "return widget.Image{value = '\\0\\255raw'}");
    const json_t *open = whole_output(&a, "comm_open", 1);
    const json_t *data = json_object_get(json_object_get(open, "content"), "data");
    char *paths = json_dumps(json_object_get(data, "buffer_paths"), JSON_COMPACT);
    assert_string_equal(paths, "[[\"value\"]]");
    free(paths);
    const json_t *bytes = json_array_get(json_object_get(open, "buffers"), 0);
    assert_int_equal(json_string_length(bytes), 5);
    assert_memory_equal(json_string_value(bytes), "\0\377raw", 5);
    answer_free(&a);
    char id[64];
    make(c, "f = widget.FileUpload()", "FileUploadModel", id);
    c->buffer = "\1\0\2";
    c->buffer_len = 3;
    json_t *state_json = json_pack("{s:[{s:s, s:s, s:i, s:i}]}", "value", "name", "a.bin", "type",
                                   "", "size", 3, "last_modified", 1);
    a = touch(c, id,
              json_pack("{s:s, s:o, s:[[s, i, s]]}", "method", "update", "state", state_json,
                        "buffer_paths", "value", 0, "content"));
    assert_int_equal(count_outputs(&a, "comm_msg"), 0); // never echoed
    answer_free(&a);
    assert_value(c, "return f.value[1].name .. #f.value[1].content .. f.value[1].content:byte(3)",
                 "a.bin32");
}

static void test_page_comes_back(void **state)
{
    client *c = *state;
    run_quietly(c, "i = widget.Image{value = 'abc'}");
    answer a = client_ask(c, "comm_open",
                          json_pack("{s:s, s:s, s:{}}", "comm_id", "page", "target_name",
                                    "jupyter.widget.control", "data"));
    assert_int_equal(count_outputs(&a, "comm_close"), 0);
    answer_free(&a);
    a = touch(c, "page", json_pack("{s:s}", "method", "request_states"));
    const json_t *told = whole_output(&a, "comm_msg", 0);
    const json_t *data = json_object_get(json_object_get(told, "content"), "data");
    assert_string_equal(text_of(data, "method"), "update_states");
    assert_int_equal(json_object_size(json_object_get(data, "states")), 2);
    const json_t *path = json_array_get(json_object_get(data, "buffer_paths"), 0);
    assert_string_equal(json_string_value(json_array_get(path, 1)), "state");
    assert_int_equal(json_array_size(json_object_get(told, "buffers")), 1);
    answer_free(&a);
    a = client_ask(c, "comm_open", // known: left alone
                   json_pack("{s:s, s:s, s:{}}", "comm_id", "page", "target_name",
                             "jupyter.widget.control", "data"));
    assert_int_equal(count_outputs(&a, "comm_close"), 0);
    answer_free(&a);
    a = client_ask(
        c, "comm_open",
        json_pack("{s:s, s:s, s:{}}", "comm_id", "other", "target_name", "unknown", "data"));
    assert_int_equal(count_outputs(&a, "comm_close"), 1);
    answer_free(&a);
}

/// Handlers run while a cell computes; what they make belongs to the widget's own cell.
static void test_handlers_live(void **state)
{
    client *c = *state;
    char id[64], cell[64];
    make(c, "clicks = 0 b = widget.Button{on_click = function() clicks = clicks + 1 end}",
         "ButtonModel", id);
    client_send(c, SHELL, "execute_request",
                json_pack("{s:s}", "code", "while clicks < 20 do end return clicks"));
    strcpy(cell, c->last_id);
    sleep_ms(20);
    double slowest = 0;
    for (int i = 0; i < 19; i++) {
        double began = client_now_ms();
        answer a = touch(c, id, click());
        slowest = a.idle_ms - began > slowest ? a.idle_ms - began : slowest;
        answer_free(&a);
    }
    print_message("[ figure   ] click beside a busy cell, slowest: %.1f ms\n", slowest);
    client_send(c, SHELL, "comm_msg", json_pack("{s:s, s:o}", "comm_id", id, "data", click()));
    answer a = client_collect(c, cell, true);
    assert_string_equal(answer_status(&a), "ok");
    answer_free(&a);
}

/// Whether a stream says it under a message before long.
static bool told_under(client *c, const char *id, const char *stream, const char *text)
{
    bool told = false;
    for (message *m; !told && (m = client_receive(c, IOPUB, client_patience())); message_free(m))
        told = message_answers(m, id) && strcmp(message_type(m), "stream") == 0 &&
               strcmp(message_text(m, "name"), stream) == 0 &&
               strstr(message_text(m, "text"), text);
    return told;
}

/// What a handler prints, and its error, are told under the cell that made the widget: a front end
/// keeps what answers a comm in a log.
static void test_handlers_tell(void **state)
{
    client *c = *state;
    char id[64];
    answer a = run(c, "b = widget.Button{on_click = function() print('hi') local x = nil + 1 end}");
    opened(&a, "ButtonModel", id);
    char maker[64];
    snprintf(maker, sizeof maker, "%s", text_of(a.reply->parent, "msg_id"));
    answer_free(&a);
    client_send(c, SHELL, "comm_msg", json_pack("{s:s, s:o}", "comm_id", id, "data", click()));
    assert_true(told_under(c, maker, "stdout", "hi"));
    assert_true(told_under(c, maker, "stderr", "arithmetic"));
    assert_value(c, "return b.description == ''", "true");
}

static void test_endless_handler(void **state)
{
    client *c = *state;
    char id[64];
    make(c, "b = widget.Button{on_click = function() started = true while true do end end}",
         "ButtonModel", id);
    client_send(c, SHELL, "comm_msg", json_pack("{s:s, s:o}", "comm_id", id, "data", click()));
    char touched[64];
    strcpy(touched, c->last_id);
    assert_value(c, "repeat until started return started", "true"); // cells run beside it
    client_send(c, CONTROL, "interrupt_request", NULL);
    message_free(client_receive(c, CONTROL, client_patience()));
    answer a = client_collect(c, touched, false);
    answer_free(&a);
}

static void test_cell_again(void **state)
{
    client *c = *state;
    static const char code[] = "s = widget.IntSlider() return s";
    answer a = run(c, code);
    assert_int_equal(count_outputs(&a, "comm_close"), 0);
    answer_free(&a);
    a = run(c, code); // no front end names the cell: its code does
    assert_int_equal(count_outputs(&a, "comm_close"), 3);
    assert_int_equal(count_outputs(&a, "comm_open"), 3);
    answer_free(&a);
    strcpy(c->metadata, "{\"cellId\":\"one\"}");
    a = run(c, code); // another cell
    assert_int_equal(count_outputs(&a, "comm_close"), 0);
    answer_free(&a);
    a = run(c, "return widget.Label 'edited'");
    assert_int_equal(count_outputs(&a, "comm_close"), 3);
    answer_free(&a);
    strcpy(c->metadata, "{\"cellId\":\"two\",\"deletedCells\":[\"one\"]}");
    a = run(c, "return 1");
    assert_int_equal(count_outputs(&a, "comm_close"), 3);
    answer_free(&a);
}

static size_t count_comms(client *c)
{
    answer a = client_ask(c, "comm_info_request", NULL);
    size_t count = json_object_size(json_object_get(a.reply->content, "comms"));
    answer_free(&a);
    return count;
}

/// Kilobytes that the kernel holds after a collection.
static long resident(client *c)
{
    answer a = run(c, "collectgarbage() collectgarbage()\n"
                      "for line in io.lines('/proc/self/status') do\n"
                      "  local kb = line:match 'VmRSS:%s*(%d+)'\n"
                      "  if kb then return tonumber(kb) end\nend");
    const json_t *data = json_object_get(answer_output(&a, "execute_result", 0), "data");
    long kilobytes = strtol(text_of(data, "text/plain"), NULL, 10);
    answer_free(&a);
    return kilobytes;
}

/// Runs the cell "cycle". Silent, since history and outputs of cells are kept on purpose.
static void turn(client *c, const char *code)
{
    strcpy(c->metadata, "{\"cellId\":\"cycle\"}");
    answer a = client_ask(c, "execute_request", json_pack("{s:s, s:b}", "code", code, "silent", 1));
    assert_string_equal(answer_status(&a), "ok");
    answer_free(&a);
    strcpy(c->metadata, "{\"cellId\":\"beside\"}");
}

/// Runs a cell again and again, each time in place of what it made before: neither comms are left
/// behind nor, but for noise (about 500 to 1,000 kB at first), memory.
static void cycle(client *c, const char *code, int cycles, long most_grown)
{
    const int warm = cycles / 5;
    for (int i = 0; i < warm; i++)
        turn(c, code);
    const long before = resident(c);
    const size_t comms = count_comms(c);
    assert_true(comms > 0);
    for (int i = warm; i < cycles; i++)
        turn(c, code);
    const long grown = resident(c) - before;
    print_message("[ figure   ] %d cycles, %zu comms: %+ld kB\n", cycles - warm, comms, grown);
    assert_int_equal(count_comms(c), comms);
    if (!client_is_sanitized()) // these keep what was freed
        assert_true(grown < most_grown);
    turn(c, "");
    assert_int_equal(count_comms(c), 0);
}

static void test_cycles(void **state)
{
    cycle(*state,
          "b = widget.VBox{widget.Button{on_click = print}, widget.IntSlider()}\n"
          "b.children[2]:observe(print) return b",
          client_is_sanitized() ? 200 : (int)pj_rounds(1000, 1000), 1200);
}

static void test_wizard_cycles(void **state)
{
    cycle(*state, "wizard '" PJ_SOURCE_DIR "/notebooks/traces/stencil_*.prv.gz'",
          client_is_sanitized() ? 10 : (int)pj_rounds(100, 1000), 3000);
}

/// What the wizard shows, as a cell below.
static void test_wizard_code(void **state)
{
    client *c = *state;
    answer a = client_execute(c, "wizard{code = true}");
    assert_string_equal(answer_status(&a), "error");
    assert_non_null(strstr(message_text(a.reply, "evalue"), "no wizard is open"));
    answer_free(&a);
    run_quietly(c, "wizard '" PJ_SOURCE_DIR "/notebooks/traces/stencil_1x1.prv.gz'");
    a = run(c, "wizard{code = true}");
    const json_t *payload = json_array_get(json_object_get(a.reply->content, "payload"), 0);
    assert_string_equal(text_of(payload, "source"), "set_next_input");
    assert_non_null(strstr(text_of(payload, "text"), "load"));
    assert_non_null(strstr(text_of(payload, "text"), "stencil_1x1.prv.gz"));
    assert_true(json_is_false(json_object_get(payload, "replace")));
    run_quietly(c, text_of(payload, "text"));
    answer_free(&a);
}

static void test_hostile(void **state)
{
    char id[64];
    make(*state, "s = widget.IntSlider{max = 10}", "IntSliderModel", id);
    static const char *const data[] = {
        "{}",
        "{\"method\":5}",
        "{\"method\":\"update\"}",
        "{\"method\":\"update\",\"state\":7}",
        "{\"method\":\"update\",\"state\":{\"value\":\"x\"},\"buffer_paths\":[]}",
        "{\"method\":\"update\",\"state\":{},\"buffer_paths\":[[\"value\"]]}",
        "{\"method\":\"custom\"}",
    };
    for (size_t i = 0; i < sizeof data / sizeof *data; i++) {
        answer a = touch(*state, id, json_loads(data[i], 0, NULL));
        answer_free(&a);
    }
    static const char *const contents[] = {"{}", "{\"comm_id\":5}", "{\"comm_id\":\"\"}",
                                           "{\"comm_id\":\"gone\"}"};
    static const char *const types[] = {"comm_open", "comm_msg", "comm_close"};
    for (size_t i = 0; i < 12; i++) {
        answer a = client_ask(*state, types[i % 3], json_loads(contents[i / 3], 0, NULL));
        answer_free(&a);
    }
    assert_value(*state, "return s.value", "0");
}

static void test_output_and_interact(void **state)
{
    client *c = *state;
    answer a = run(c, "o = widget.Output() o.outputs = {'text', {1, 2}, widget.Label 'in it'}");
    json_t *last = NULL, *sent;
    for (size_t i = 0; (sent = answer_output(&a, "comm_msg", i)); i++)
        last = sent;
    json_t *outputs =
        json_object_get(json_object_get(json_object_get(last, "data"), "state"), "outputs");
    assert_int_equal(json_array_size(outputs), 3);
    const json_t *first = json_array_get(outputs, 0);
    assert_string_equal(text_of(first, "output_type"), "display_data");
    assert_string_equal(text_of(json_object_get(first, "data"), "text/plain"), "text");
    assert_non_null(json_object_get(json_object_get(json_array_get(outputs, 2), "data"),
                                    "application/vnd.jupyter.widget-view+json"));
    answer_free(&a);
    char id[64];
    make(c, "seen = {} i = interact(function(v) seen[#seen + 1] = v.x return v.x * 2 end, {x = 4})",
         "IntSliderModel", id);
    a = touch(c, id, update(json_pack("{s:i}", "value", 6)));
    answer_free(&a);
    assert_value(c, "return table.concat(seen, ' ')", "4 6");
}

static void test_dialect_7(void **state)
{
    client *c = *state;
    client_stop(c);
    setenv("POPINJAY_WIDGETS", "7", 1);
    client_start(c, (client_opts){0});
    unsetenv("POPINJAY_WIDGETS");
    answer a = run(c, "return widget.IntSlider()");
    const json_t *open = answer_output(&a, "comm_open", 2);
    const json_t *model = json_object_get(json_object_get(open, "data"), "state");
    assert_string_equal(text_of(model, "_model_module_version"), "1.5.0");
    answer_free(&a);
}

int probe_widget(void)
{
    const struct CMUnitTest tests[] = {
        PROBE(test_open),          PROBE(test_update_and_echo),     PROBE(test_many_updates),
        PROBE(test_buffers),       PROBE(test_page_comes_back),     PROBE(test_handlers_live),
        PROBE(test_handlers_tell), PROBE(test_endless_handler),     PROBE(test_cell_again),
        PROBE(test_cycles),        PROBE(test_wizard_cycles),       PROBE(test_wizard_code),
        PROBE(test_hostile),       PROBE(test_output_and_interact), PROBE(test_dialect_7),
    };
    return cmocka_run_group_tests_name("widget", tests, NULL, NULL);
}
