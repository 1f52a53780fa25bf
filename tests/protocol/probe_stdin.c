// Questions of a cell: answered, refused, interrupted; late answers are discarded.
#include "tests/protocol/probe.h"

#include <stdlib.h>
#include <string.h>

static void start_asking(client *c, const char *code, char id[64])
{
    client_send(c, SHELL, "execute_request",
                json_pack("{s:s, s:b}", "code", code, "allow_stdin", 1));
    strcpy(id, c->last_id);
}

static message *wait_for_question(client *c, const char *id)
{
    message *m = client_receive(c, STDIN, client_patience());
    assert_non_null(m);
    assert_string_equal(message_type(m), "input_request");
    assert_true(message_answers(m, id));
    assert_true(json_is_string(json_object_get(m->content, "prompt")));
    assert_true(json_is_boolean(json_object_get(m->content, "password")));
    return m;
}

static void reply_with(client *c, const char *value)
{
    client_send(c, STDIN, "input_reply", json_pack("{s:s, s:s}", "status", "ok", "value", value));
}

static void assert_answer_is(client *c, const char *id, const char *expected)
{
    answer a = client_collect(c, id, true);
    assert_string_equal(answer_status(&a), "ok");
    char *text = answer_stream(&a, "stdout");
    assert_string_equal(text, expected);
    free(text);
    answer_free(&a);
}

static void test_answer(void **state)
{
    client *c = *state;
    char id[64];
    start_asking(c, "io.write('<' .. io.read() .. '>')", id);
    message_free(wait_for_question(c, id));
    reply_with(c, "gr\xC3\xBC\xC3\x9F");
    assert_answer_is(c, id, "<gr\xC3\xBC\xC3\x9F>");
}

static void test_not_allowed(void **state)
{
    answer a = client_ask(*state, "execute_request",
                          json_pack("{s:s, s:b}", "code", "return io.read()", "allow_stdin", 0));
    assert_string_equal(answer_status(&a), "error");
    assert_true(strlen(message_text(a.reply, "evalue")) > 0);
    client *c = *state;
    assert_null(client_receive(c, STDIN, 50));
    answer_free(&a);
}

static void interrupt_question(client *c)
{
    char id[64];
    start_asking(c, "return io.read()", id);
    message_free(wait_for_question(c, id));
    client_send(c, CONTROL, "interrupt_request", NULL);
    answer a = client_collect(c, id, true);
    assert_string_equal(answer_status(&a), "error");
    assert_string_equal(message_text(a.reply, "ename"), "KeyboardInterrupt");
    answer_free(&a);
}

static void test_interrupt(void **state)
{
    interrupt_question(*state);
    answer a = client_execute(*state, "return 1");
    assert_string_equal(answer_status(&a), "ok");
    answer_free(&a);
}

/// What a cell reads when an answer without question was sent before it.
static char *read_after_stale_answer(client *c)
{
    interrupt_question(c);
    reply_with(c, "stale");
    client_catch_up(c);
    char id[64];
    start_asking(c, "io.write(io.read())", id);
    message_free(wait_for_question(c, id));
    reply_with(c, "fresh");
    answer a = client_collect(c, id, true);
    assert_string_equal(answer_status(&a), "ok");
    char *text = answer_stream(&a, "stdout");
    answer_free(&a);
    return text;
}

/// Channels are connections of their own: on a busy machine the answer may arrive behind the cell.
static void test_stale_answer(void **state)
{
    enum { TRIES = 5 };
    bool fresh = false;
    for (int i = 0; i < TRIES && !fresh; i++) {
        char *text = read_after_stale_answer(*state);
        fresh = strcmp(text, "fresh") == 0;
        free(text);
    }
    assert_true(fresh);
}

/// The kernel still answers on shell while a cell waits for its user.
static void test_shell_while_waiting(void **state)
{
    client *c = *state;
    char id[64];
    start_asking(c, "io.write(io.read())", id);
    message_free(wait_for_question(c, id));
    client_send(c, SHELL, "kernel_info_request", NULL);
    message *m = client_receive(c, SHELL, client_patience());
    assert_non_null(m);
    assert_string_equal(message_type(m), "kernel_info_reply");
    message_free(m);
    reply_with(c, "x");
    assert_answer_is(c, id, "x");
}

int probe_stdin(void)
{
    const struct CMUnitTest tests[] = {
        PROBE(test_answer),       PROBE(test_not_allowed),         PROBE(test_interrupt),
        PROBE(test_stale_answer), PROBE(test_shell_while_waiting),
    };
    return cmocka_run_group_tests_name("stdin", tests, NULL, NULL);
}
