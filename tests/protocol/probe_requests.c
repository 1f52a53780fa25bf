// The other requests of the shell channel: information, history, completion, comms.
#include "tests/protocol/probe.h"

#include <string.h>

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static void assert_info(const json_t *info)
{
    assert_string_equal(text_of(info, "status"), "ok");
    assert_string_equal(text_of(info, "protocol_version"), "5.6");
    assert_string_equal(text_of(info, "implementation"), "popinjay");
    assert_true(strlen(text_of(info, "implementation_version")) > 0);
    assert_true(strlen(text_of(info, "banner")) > 0);
    const json_t *language = json_object_get(info, "language_info");
    assert_string_equal(text_of(language, "name"), "lua");
    assert_string_equal(text_of(language, "version"), "5.4");
    assert_string_equal(text_of(language, "file_extension"), ".lua");
    assert_string_equal(text_of(language, "mimetype"), "text/x-lua");
    const json_t *links = json_object_get(info, "help_links");
    assert_true(json_array_size(links) > 0);
    assert_true(strlen(text_of(json_array_get(links, 0), "url")) > 0);
    assert_true(json_is_array(json_object_get(info, "supported_features")));
    assert_true(json_is_boolean(json_object_get(info, "debugger")));
}

static void test_kernel_info(void **state)
{
    answer a = client_ask(*state, "kernel_info_request", NULL);
    assert_info(a.reply->content);
    assert_true(a.busy_ms > 0);
    answer_free(&a);
    client *c = *state;
    client_send(c, CONTROL, "kernel_info_request", NULL);
    message *m = client_receive(c, CONTROL, client_patience());
    assert_non_null(m);
    assert_string_equal(message_type(m), "kernel_info_reply");
    assert_info(m->content);
    message_free(m);
}

static void test_headers(void **state)
{
    client *c = *state;
    client_send(c, SHELL, "kernel_info_request", NULL);
    char id[64];
    strcpy(id, c->last_id);
    message *first = client_receive(c, SHELL, client_patience());
    client_send(c, SHELL, "kernel_info_request", NULL);
    message *second = client_receive(c, SHELL, client_patience());
    assert_non_null(first);
    assert_non_null(second);
    assert_string_equal(text_of(first->parent, "msg_id"), id);
    assert_non_null(json_object_get(first->parent, "unknown")); // copied whole
    assert_string_equal(text_of(first->header, "session"), text_of(second->header, "session"));
    assert_string_not_equal(text_of(first->header, "msg_id"), text_of(second->header, "msg_id"));
    assert_string_equal(text_of(first->header, "version"), "5.6");
    const char *date = text_of(first->header, "date");
    assert_int_equal(strlen(date), strlen("2024-01-01T00:00:00.000000Z"));
    assert_int_equal(date[strlen(date) - 1], 'Z');
    message_free(first);
    message_free(second);
}

static void test_unknown_type(void **state)
{
    answer a = client_ask(*state, "never_heard_of", NULL); // waits for idle
    assert_true(a.busy_ms > 0);
    assert_int_equal(json_array_size(a.outputs), 0);
    answer_free(&a);
    client *c = *state;
    assert_null(client_receive(c, SHELL, 100));
}

static size_t history_size(client *c, json_t *request)
{
    answer a = client_ask(c, "history_request", request);
    assert_string_equal(answer_status(&a), "ok");
    size_t size = json_array_size(json_object_get(a.reply->content, "history"));
    answer_free(&a);
    return size;
}

static void test_history(void **state)
{
    static const char *const cells[] = {"a = 1", "return a", "b = 2", "return a"};
    for (int i = 0; i < 4; i++) {
        answer a = client_execute(*state, cells[i]);
        answer_free(&a);
    }
    assert_int_equal(
        history_size(*state, json_pack("{s:s, s:i}", "hist_access_type", "tail", "n", 3)), 3);
    assert_int_equal(history_size(*state, json_pack("{s:s, s:i, s:i, s:i}", "hist_access_type",
                                                    "range", "session", 0, "start", 2, "stop", 3)),
                     1);
    assert_int_equal(history_size(*state, json_pack("{s:s, s:s, s:b}", "hist_access_type", "search",
                                                    "pattern", "return*", "unique", 1)),
                     1);
    answer a =
        client_ask(*state, "history_request",
                   json_pack("{s:s, s:i, s:b}", "hist_access_type", "tail", "n", 1, "output", 1));
    json_t *entry = json_array_get(json_object_get(a.reply->content, "history"), 0);
    assert_string_equal(json_string_value(json_array_get(json_array_get(entry, 2), 1)), "1");
    answer_free(&a);
}

/// Positions are code points: the parrot is one, though two UTF-16 units and four bytes.
static void test_complete(void **state)
{
    const char *code = "x = '\xF0\x9F\xA6\x9C' .. tostr";
    answer a = client_ask(*state, "complete_request",
                          json_pack("{s:s, s:i}", "code", code, "cursor_pos", 16));
    assert_string_equal(answer_status(&a), "ok");
    const json_t *content = a.reply->content;
    assert_string_equal(json_string_value(json_array_get(json_object_get(content, "matches"), 0)),
                        "tostring");
    assert_int_equal(json_integer_value(json_object_get(content, "cursor_start")), 11);
    assert_int_equal(json_integer_value(json_object_get(content, "cursor_end")), 16);
    assert_true(json_is_object(json_object_get(content, "metadata")));
    answer_free(&a);
}

static void test_inspect(void **state)
{
    for (int detail = 0; detail < 2; detail++) {
        answer a = client_ask(
            *state, "inspect_request",
            json_pack("{s:s, s:i, s:i}", "code", "print", "cursor_pos", 3, "detail_level", detail));
        assert_string_equal(answer_status(&a), "ok");
        assert_true(json_is_true(json_object_get(a.reply->content, "found")));
        assert_true(strlen(text_of(json_object_get(a.reply->content, "data"), "text/plain")) > 0);
        answer_free(&a);
    }
    answer a = client_ask(*state, "inspect_request",
                          json_pack("{s:s, s:i}", "code", "no_such_name", "cursor_pos", 3));
    assert_string_equal(answer_status(&a), "ok");
    assert_true(json_is_false(json_object_get(a.reply->content, "found")));
    answer_free(&a);
}

static void assert_is_complete(client *c, const char *code, const char *status)
{
    answer a = client_ask(c, "is_complete_request", json_pack("{s:s}", "code", code));
    assert_string_equal(answer_status(&a), status);
    bool indent = json_is_string(json_object_get(a.reply->content, "indent"));
    assert_true(indent == (strcmp(status, "incomplete") == 0));
    answer_free(&a);
}

static void test_is_complete(void **state)
{
    assert_is_complete(*state, "x = 1", "complete");
    assert_is_complete(*state, "function foo(", "incomplete");
    assert_is_complete(*state, "x = = 1", "invalid");
}

static void test_comms(void **state)
{
    answer a = client_ask(
        *state, "comm_open",
        json_pack("{s:s, s:s, s:{}}", "comm_id", "c1", "target_name", "no.such.target", "data"));
    assert_null(a.reply);
    json_t *closed = answer_output(&a, "comm_close", 0);
    assert_non_null(closed);
    assert_string_equal(text_of(closed, "comm_id"), "c1");
    answer_free(&a);
    a = client_ask(*state, "comm_msg", json_pack("{s:s, s:{}}", "comm_id", "c1", "data"));
    assert_int_equal(json_array_size(a.outputs), 0);
    answer_free(&a);
    a = client_ask(*state, "comm_close", json_pack("{s:s}", "comm_id", "c1"));
    answer_free(&a);
    a = client_ask(*state, "comm_info_request", json_pack("{s:s}", "target_name", "x"));
    assert_string_equal(answer_status(&a), "ok");
    assert_int_equal(json_object_size(json_object_get(a.reply->content, "comms")), 0);
    answer_free(&a);
}

int probe_requests(void)
{
    const struct CMUnitTest tests[] = {
        PROBE(test_kernel_info), PROBE(test_headers), PROBE(test_unknown_type), PROBE(test_history),
        PROBE(test_complete),    PROBE(test_inspect), PROBE(test_is_complete),  PROBE(test_comms),
    };
    return cmocka_run_group_tests_name("requests", tests, NULL, NULL);
}
