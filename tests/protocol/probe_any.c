// What every kernel should do, whatever its language: what is run comes from snippets.def.
#include "tests/protocol/probe.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zmq.h>

typedef struct snippets {
    const char *language;
    const char *value, *nothing, *flood, *endless, *brief, *fail_later, *fail, *ask, *child;
    const char *complete, *incomplete, *invalid;
} snippets;

static const snippets rows[] = {
#define SNIPPETS(name, ...) {.language = name, __VA_ARGS__},
#include "tests/protocol/snippets.def"
#undef SNIPPETS
};

enum { LINES = 20000, QUEUED = 20 };

static const snippets *code(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].language, client_language()) == 0)
            return &rows[i];
    fail_msg("no snippets of %s", client_language());
    return NULL;
}

static void start_cell(client *c, const char *text, char id[64])
{
    client_send(c, SHELL, "execute_request",
                json_pack("{s:s, s:b, s:b, s:b, s:{}, s:b}", "code", text, "silent", 0,
                          "store_history", 1, "allow_stdin", 1, "user_expressions", "stop_on_error",
                          1));
    strcpy(id, c->last_id);
}

/// Nothing is left out of the request: only test_code_alone is about kernels that need all of it.
static void assert_works(client *c)
{
    char id[64];
    assert_true(client_is_alive(c));
    start_cell(c, code()->value, id);
    answer a = client_collect(c, id, true);
    assert_string_equal(answer_status(&a), "ok");
    answer_free(&a);
}

static void wait_until_busy(client *c, const char *id)
{
    bool runs = false;
    for (message *m; !runs && (m = client_receive(c, IOPUB, client_patience())); message_free(m))
        runs = message_answers(m, id) && strcmp(message_type(m), "execute_input") == 0;
    assert_true(runs);
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
}

static void test_value(void **state)
{
    client *c = *state;
    char id[64];
    start_cell(c, code()->value, id);
    answer a = client_collect(c, id, true);
    const json_t *data = json_object_get(answer_output(&a, "execute_result", 0), "data");
    assert_string_equal(json_string_value(json_object_get(data, "text/plain")), "42");
    answer_free(&a);
}

/// The specification gives defaults for everything but the code.
static void test_code_alone(void **state)
{
    client *c = *state;
    client_send(c, SHELL, "execute_request", json_pack("{s:s}", "code", code()->value));
    message *m = client_receive(c, SHELL, client_patience());
    assert_non_null(m);
    message_free(m);
}

static void test_silent(void **state)
{
    answer a = client_ask(*state, "execute_request",
                          json_pack("{s:s, s:b, s:b, s:b, s:{}, s:b}", "code", code()->value,
                                    "silent", 1, "store_history", 0, "allow_stdin", 0,
                                    "user_expressions", "stop_on_error", 1));
    assert_null(answer_output(&a, "execute_result", 0));
    assert_null(answer_output(&a, "execute_input", 0));
    answer_free(&a);
}

static void test_expressions(void **state)
{
    answer a =
        client_ask(*state, "execute_request",
                   json_pack("{s:s, s:b, s:b, s:b, s:{s:s, s:s}, s:b}", "code", code()->nothing,
                             "silent", 0, "store_history", 1, "allow_stdin", 0, "user_expressions",
                             "good", "x * 2", "bad", "nothing.here", "stop_on_error", 1));
    const json_t *values = json_object_get(a.reply->content, "user_expressions");
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(values, "good"), "status")), "ok");
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(values, "bad"), "status")), "error");
    answer_free(&a);
}

static void test_is_complete(void **state)
{
    const char *const cases[][2] = {{code()->complete, "complete"},
                                    {code()->incomplete, "incomplete"},
                                    {code()->invalid, "invalid"}};
    for (int i = 0; i < 3; i++) {
        answer a =
            client_ask(*state, "is_complete_request", json_pack("{s:s}", "code", cases[i][0]));
        assert_string_equal(answer_status(&a), cases[i][1]);
        answer_free(&a);
    }
}

static void test_control_while_busy(void **state)
{
    client *c = *state;
    char id[64];
    start_cell(c, code()->endless, id);
    wait_until_busy(c, id);
    double began = client_now_ms();
    client_send(c, CONTROL, "kernel_info_request", NULL);
    message *m = client_receive(c, CONTROL, client_patience());
    assert_non_null(m);
    print_message("[ figure   ] control while busy: %.1f ms\n", m->at_ms - began);
    message_free(m);
    zmq_send(c->sockets[HEARTBEAT], "ping", 4, 0);
    zmq_pollitem_t item = {.socket = c->sockets[HEARTBEAT], .events = ZMQ_POLLIN};
    assert_int_equal(zmq_poll(&item, 1, client_patience()), 1);
    kill(c->pid, SIGINT);
    answer a = client_collect(c, id, true);
    assert_string_equal(message_text(a.reply, "ename"), "KeyboardInterrupt");
    answer_free(&a);
    assert_works(c);
}

static void test_idle_interrupt(void **state)
{
    client *c = *state;
    kill(c->pid, SIGINT);
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    assert_works(c);
}

static void test_abort(void **state)
{
    client *c = *state;
    char ids[QUEUED + 1][64];
    start_cell(c, code()->fail_later, ids[0]);
    for (int i = 1; i <= QUEUED; i++)
        start_cell(c, code()->nothing, ids[i]);
    for (int i = 0; i <= QUEUED; i++) {
        message *m = client_receive(c, SHELL, client_patience());
        assert_non_null(m);
        assert_true(message_answers(m, ids[i]));
        assert_string_equal(message_text(m, "status"), i ? "aborted" : "error");
        message_free(m);
    }
}

static void test_flood_to_a_late_reader(void **state)
{
    client *c = *state;
    char id[64];
    start_cell(c, code()->flood, id);
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    answer a = client_collect(c, id, true);
    char *text = answer_stream(&a, "stdout"), *at = text;
    for (int i = 1; i <= LINES; i++) {
        char line[32];
        int len = snprintf(line, sizeof line, "line %d\n", i);
        if (strncmp(at, line, (size_t)len) != 0)
            fail_msg("line %d is not there", i);
        at += len;
    }
    free(text);
    answer_free(&a);
}

static void test_child_output(void **state)
{
    client *c = *state;
    char id[64];
    start_cell(c, code()->child, id);
    answer a = client_collect(c, id, true);
    char *text = answer_stream(&a, "stdout");
    assert_non_null(strstr(text, "child"));
    free(text);
    answer_free(&a);
}

static void test_question(void **state)
{
    client *c = *state;
    char id[64];
    start_cell(c, code()->ask, id);
    message *m = client_receive(c, STDIN, client_patience());
    assert_non_null(m);
    message_free(m);
    client_send(c, STDIN, "input_reply", json_pack("{s:s, s:s}", "status", "ok", "value", "reply"));
    answer a = client_collect(c, id, true);
    char *text = answer_stream(&a, "stdout");
    assert_string_equal(text, "reply");
    free(text);
    answer_free(&a);
}

static void test_nonsense(void **state)
{
    client *c = *state;
    static const char *const messages[][7] = {
        {"", NULL},
        {"<IDS|MSG>", NULL},
        {"<IDS|MSG>", "", "", "", "", "", NULL},
        {"junk", NULL},
        {"a", "b", "c", "d", "e", "f", NULL},
    };
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        size_t lengths[7], count = 0;
        for (; messages[i][count]; count++)
            lengths[count] = strlen(messages[i][count]);
        client_send_frames(c, SHELL, messages[i], lengths, count);
        client_send_frames(c, CONTROL, messages[i], lengths, count);
    }
    assert_works(c);
    client_send(c, CONTROL, "kernel_info_request", NULL);
    message *m = client_receive(c, CONTROL, client_patience());
    assert_non_null(m);
    message_free(m);
}

/// Signed, and sent twice: the second one is ignored.
static void test_replay(void **state)
{
    client *c = *state;
    static const char header[] =
        "{\"msg_id\":\"r1\",\"msg_type\":\"kernel_info_request\",\"session\":\"s\",\"username\":"
        "\"u\",\"date\":\"2024-01-01T00:00:00Z\",\"version\":\"5.3\"}";
    const char *const texts[4] = {header, "{}", "{}", "{}"};
    client_send_texts(c, SHELL, texts);
    message *m = client_receive(c, SHELL, client_patience());
    assert_non_null(m);
    message_free(m);
    client_send_texts(c, SHELL, texts);
    assert_null(client_receive(c, SHELL, 300));
}

static void test_unsigned(void **state)
{
    (void)state;
    client c;
    client_start(&c, (client_opts){.key = ""});
    assert_works(&c);
    client_stop(&c);
}

/// The process is gone soon, and the reply came, whether a cell runs or not.
static void end_kernel(client *c, bool busy)
{
    char id[64];
    if (busy) {
        start_cell(c, code()->endless, id);
        wait_until_busy(c, id);
    }
    double began = client_now_ms();
    client_send(c, CONTROL, "shutdown_request", json_pack("{s:b}", "restart", 1));
    int status = client_wait_end(c, client_patience());
    print_message("[ figure   ] %s kernel ends: %.0f ms\n", busy ? "busy" : "idle",
                  client_now_ms() - began);
    if (status < 0) {
        kill(c->pid, SIGKILL);
        client_wait_end(c, client_patience());
    }
    assert_int_equal(status, 0);
    message *m = client_receive(c, CONTROL, client_patience());
    assert_non_null(m);
    assert_true(json_is_true(json_object_get(m->content, "restart")));
    message_free(m);
}

static void test_end(void **state)
{
    end_kernel(*state, false);
}

static void test_end_while_busy(void **state)
{
    end_kernel(*state, true);
}

int probe_any(void)
{
    const struct CMUnitTest tests[] = {
        PROBE(test_value),
        PROBE(test_code_alone),
        PROBE(test_silent),
        PROBE(test_expressions),
        PROBE(test_is_complete),
        PROBE(test_control_while_busy),
        PROBE(test_idle_interrupt),
        PROBE(test_abort),
        PROBE(test_flood_to_a_late_reader),
        PROBE(test_child_output),
        PROBE(test_question),
        PROBE(test_nonsense),
        PROBE(test_replay),
        cmocka_unit_test(test_unsigned),
        PROBE(test_end),
        PROBE(test_end_while_busy),
    };
    return cmocka_run_group_tests_name("any", tests, NULL, NULL);
}
