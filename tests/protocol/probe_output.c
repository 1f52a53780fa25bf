// iopub: nothing is lost, cut or reordered, whoever reads or does not.
#include "tests/protocol/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zmq.h>

enum { LINES = 100000 };

#define FLOOD "for i = 1, 100000 do print('line ' .. i) end"

/// Whether `text` is what FLOOD prints.
static void assert_whole(const char *text)
{
    for (int i = 1; i <= LINES; i++) {
        char line[32];
        int len = snprintf(line, sizeof line, "line %d\n", i);
        if (strncmp(text, line, (size_t)len) != 0)
            fail_msg("line %d is not there", i);
        text += len;
    }
    assert_int_equal(*text, 0);
}

static size_t count_outputs(const answer *a, const char *type)
{
    size_t n = 0;
    while (answer_output(a, type, n))
        n++;
    return n;
}

static void test_flood(void **state)
{
    double began = client_now_ms();
    answer a = client_execute(*state, FLOOD);
    print_message("[ figure   ] %d lines: %.0f ms, %zu messages\n", LINES, a.idle_ms - began,
                  count_outputs(&a, "stream"));
    char *text = answer_stream(&a, "stdout");
    assert_whole(text);
    for (size_t n = 0; n < count_outputs(&a, "stream"); n++)
        assert_true(json_string_length(json_object_get(answer_output(&a, "stream", n), "text")) <=
                    64 << 10);
    free(text);
    answer_free(&a);
}

static void test_late_reader_loses_nothing(void **state)
{
    client *c = *state;
    client_send(c, SHELL, "execute_request", json_pack("{s:s}", "code", FLOOD));
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    answer a = client_collect(c, c->last_id, true);
    char *text = answer_stream(&a, "stdout");
    assert_whole(text);
    free(text);
    answer_free(&a);
}

static void test_beside_a_reader_that_never_reads(void **state)
{
    client *c = *state;
    void *stalled = client_subscribe(c, 1);
    for (int i = 0; i < 3; i++) {
        answer a = client_execute(c, FLOOD);
        char *text = answer_stream(&a, "stdout");
        assert_whole(text);
        free(text);
        answer_free(&a);
    }
    zmq_close(stalled);
}

/// More messages than any socket's default limit.
static void test_many_small_messages(void **state)
{
    answer a = client_execute(*state, "for i = 1, 5000 do clear_output(true) end");
    assert_int_equal(count_outputs(&a, "clear_output"), 5000);
    assert_true(json_is_true(json_object_get(answer_output(&a, "clear_output", 0), "wait")));
    answer_free(&a);
}

static void assert_prints(client *c, const char *code, const char *expected)
{
    answer a = client_execute(c, code);
    char *text = answer_stream(&a, "stdout");
    assert_string_equal(text, expected);
    free(text);
    answer_free(&a);
}

static void test_any_bytes(void **state)
{
    assert_prints(*state, "io.write('\\xE2') io.write('\\x82\\xAC')", "\xE2\x82\xAC");
    assert_prints(*state, "io.write('a\\xFFz')", "a\xEF\xBF\xBDz");
    assert_prints(*state, "io.write('cut \\xE2\\x82')", "cut \xEF\xBF\xBD\xEF\xBF\xBD");
    assert_prints(*state, "io.write(('\\u{1F99C}'):rep(3))",
                  "\xF0\x9F\xA6\x9C\xF0\x9F\xA6\x9C\xF0\x9F\xA6\x9C");
    answer a = client_execute(*state, "io.write('a\\0b')");
    const json_t *text = json_object_get(answer_output(&a, "stream", 0), "text");
    assert_int_equal(json_string_length(text), 3);
    answer_free(&a);
}

/// Output appears while the cell runs: this one never ends.
static void test_output_comes_at_once(void **state)
{
    client *c = *state;
    client_send(c, SHELL, "execute_request",
                json_pack("{s:s}", "code", "print 'now' while true do end"));
    bool seen = false;
    for (message *m; !seen && (m = client_receive(c, IOPUB, client_patience())); message_free(m))
        seen = strcmp(message_type(m), "stream") == 0;
    assert_true(seen);
    char id[64];
    strcpy(id, c->last_id);
    client_send(c, CONTROL, "interrupt_request", NULL);
    answer a = client_collect(c, id, true);
    answer_free(&a);
}

static void test_every_subscriber_is_welcomed(void **state)
{
    client *c = *state;
    for (int i = 0; i < 3; i++) {
        void *mine = c->sockets[IOPUB];
        c->sockets[IOPUB] = client_subscribe(c, 0);
        message *m = client_receive(c, IOPUB, client_patience());
        assert_non_null(m);
        assert_string_equal(message_type(m), "iopub_welcome");
        message_free(m);
        zmq_close(c->sockets[IOPUB]);
        c->sockets[IOPUB] = mine;
    }
}

static void test_topics(void **state)
{
    client *c = *state;
    client_send(c, SHELL, "execute_request", json_pack("{s:s}", "code", "print 'x'"));
    bool stream = false, status = false, idle = false;
    for (message *m; !idle && (m = client_receive(c, IOPUB, client_patience())); message_free(m)) {
        idle = message_answers(m, c->last_id) &&
               strcmp(message_text(m, "execution_state"), "idle") == 0;
        stream = stream || strcmp(m->topic, "stream.stdout") == 0;
        status = status || (strncmp(m->topic, "kernel.", 7) == 0 && strstr(m->topic, ".status"));
    }
    assert_true(stream && status);
}

/// Of every one of many queued cells: one busy first, one idle last, and all between.
static void test_idle_is_the_last_word(void **state)
{
    enum { CELLS = 60, PARTS = 6 };
    client *c = *state;
    unsigned first = c->serial + 1, seen[CELLS] = {0}, idles = 0;
    static const char *const parts[PARTS] = {"busy",         "execute_input",  "stream",
                                             "display_data", "execute_result", "idle"};
    for (int i = 0; i < CELLS; i++)
        client_send(c, SHELL, "execute_request",
                    json_pack("{s:s}", "code", "print 'a' display 'b' return 'c'"));
    for (message *m; (m = client_receive(c, IOPUB, idles < CELLS ? 10000 : 200)); message_free(m)) {
        const char *parent = json_string_value(json_object_get(m->parent, "msg_id"));
        const char *type = message_type(m), *status = message_text(m, "execution_state");
        unsigned at =
            parent ? (unsigned)strtoul(strrchr(parent, '_') + 1, NULL, 10) - first : CELLS;
        if (at >= CELLS)
            continue;
        assert_string_equal(*status ? status : type, parts[seen[at]]);
        idles += ++seen[at] == PARTS;
    }
    assert_int_equal(idles, CELLS);
}

/// What a cell put out can be shown again, as outputs of another one.
static void test_missed(void **state)
{
    client *c = *state;
    answer a = client_execute(c, "print 'a' io.stderr:write 'e' os.execute 'echo child' return 7");
    answer_free(&a);
    a = client_execute(c, "error 'broken'");
    answer_free(&a);
    static const char *const codes[] = {"missed(1)", "%missed 1"};
    for (int i = 0; i < 2; i++) {
        a = client_execute(c, codes[i]);
        assert_string_equal(answer_status(&a), "ok");
        char *text = answer_stream(&a, "stdout");
        assert_string_equal(text, "a\nchild\n");
        free(text);
        const json_t *data = json_object_get(answer_output(&a, "display_data", 0), "data");
        assert_string_equal(json_string_value(json_object_get(data, "text/plain")), "7");
        answer_free(&a);
    }
    a = client_execute(c, "missed(2)");
    char *text = answer_stream(&a, "stderr");
    assert_non_null(strstr(text, "broken"));
    free(text);
    answer_free(&a);
    a = client_execute(c, "missed(77)");
    assert_string_equal(answer_status(&a), "error");
    answer_free(&a);
}

/// A front end that was away while a cell ran sees it all when it comes back.
static void test_missed_after_reconnecting(void **state)
{
    client *c = *state;
    void *old = c->sockets[IOPUB];
    client_send(c, SHELL, "execute_request",
                json_pack("{s:s}", "code", "for i = 1, 5 do print(i) os.execute 'sleep 0.05' end"));
    char address[256];
    size_t size = sizeof address;
    zmq_getsockopt(old, ZMQ_LAST_ENDPOINT, address, &size);
    assert_int_equal(zmq_disconnect(old, address), 0);
    message *reply = client_receive(c, SHELL, client_patience());
    assert_non_null(reply);
    message_free(reply);
    c->sockets[IOPUB] = client_subscribe(c, 0);
    zmq_close(old);
    message *welcome = client_receive(c, IOPUB, client_patience());
    assert_non_null(welcome);
    message_free(welcome);
    answer a = client_execute(c, "missed()");
    char *text = answer_stream(&a, "stdout");
    assert_string_equal(text, "1\n2\n3\n4\n5\n");
    free(text);
    answer_free(&a);
}

int probe_output(void)
{
    const struct CMUnitTest tests[] = {
        PROBE(test_flood),
        PROBE(test_late_reader_loses_nothing),
        PROBE(test_beside_a_reader_that_never_reads),
        PROBE(test_many_small_messages),
        PROBE(test_any_bytes),
        PROBE(test_output_comes_at_once),
        PROBE(test_every_subscriber_is_welcomed),
        PROBE(test_topics),
        PROBE(test_idle_is_the_last_word),
        PROBE(test_missed),
        PROBE(test_missed_after_reconnecting),
    };
    return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
