// What a client must not be able to do: kill, hang or bloat the kernel with messages that are
// signed rightly. Everything is seeded, so that a failure comes again.
#include "tests/protocol/probe.h"
#include "tests/support/rounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zmq.h>

enum { MOST_BYTES = 1000 << 20, TEXT = 4096, SECONDS = 15 };

/// The first cell only waits for what is queued: a cell that fails there aborts those behind it.
static void assert_works(client *c)
{
    assert_true(client_is_alive(c));
    answer a = client_execute(c, "");
    answer_free(&a);
    a = client_execute(c, "return 1");
    assert_string_equal(answer_status(&a), "ok");
    answer_free(&a);
    print_message("[ figure   ] kernel at most %zu MB\n", client_memory(c) >> 20);
    assert_true(client_memory(c) < MOST_BYTES);
}

/// Takes in what has come, so that replies do not pile up here.
static void drain(client *c, channel from)
{
    for (int more = 1; more;) {
        zmq_msg_t part;
        zmq_msg_init(&part);
        more = zmq_msg_recv(&part, c->sockets[from], ZMQ_DONTWAIT) >= 0;
        zmq_msg_close(&part);
    }
}

/// Waits until the kernel has read what was sent to it (cells may still be queued).
static void catch_up(client *c)
{
    static const channel channels[] = {SHELL, CONTROL};
    drain(c, IOPUB);
    for (size_t i = 0; i < sizeof channels / sizeof *channels; i++) {
        client_send(c, channels[i], "kernel_info_request", NULL);
        char id[64];
        strcpy(id, c->last_id);
        bool seen = false;
        for (message *m; !seen && (m = client_receive(c, channels[i], client_patience()));
             message_free(m))
            seen = message_answers(m, id);
        assert_true(seen);
    }
}

static unsigned seed = 1;

static unsigned dice(unsigned sides)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 8) % sides;
}

static const char *const types[] = {
    "execute_request",
    "complete_request",
    "inspect_request",
    "is_complete_request",
    "history_request",
    "comm_info_request",
    "kernel_info_request",
    "comm_open",
    "comm_msg",
    "comm_close",
    "input_reply",
    "interrupt_request",
    "debug_request",
    "connect_request",
    "create_subshell_request",
    "delete_subshell_request",
    "list_subshell_request",
};

static const char *const contents[] = {
    "{\"code\":\"x = "
    "1\",\"silent\":false,\"store_history\":true,\"user_expressions\":{\"a\":\"1\"},"
    "\"allow_stdin\":false,\"stop_on_error\":true}",
    "{\"code\":\"metr\",\"cursor_pos\":4,\"detail_level\":0}",
    "{\"hist_access_type\":\"range\",\"output\":true,\"raw\":true,\"session\":0,\"start\":1,"
    "\"stop\":3,\"n\":4,\"pattern\":\"a*\",\"unique\":true}",
    "{\"comm_id\":\"c1\",\"target_name\":\"jupyter.widget\",\"data\":{\"method\":\"update\","
    "\"state\":{\"value\":[1,2.5,null,true,\"t\"]},\"buffer_paths\":[[\"a\",0]]}}",
    "{\"value\":\"v\",\"status\":\"ok\",\"restart\":false,\"subshell_id\":\"s\"}",
    "{\"command\":\"inspectVariables\",\"arguments\":{\"variablesReference\":0},\"seq\":1,"
    "\"type\":\"request\"}",
};

static const char *const tokens[] = {
    "\\ud83d",
    "\\u0000",
    "\\udc00\\ud800",
    "NaN",
    "-1",
    "1e999",
    "99999999999999999999999",
    "[[[[[[[[[[[[[[",
    "{\"a\":",
    "null",
    "\"",
    "\\",
    "\xFF",
    "\xC0\xAF",
    "}",
    "]",
    "\t\r\n",
    "true,",
    "-9223372036854775808",
    "\"code\":\"x\",",
    "0.1e-400",
    "\x7F",
    "{}",
    "[]",
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/// One change of a text: a byte, a piece doubled or left out, a token put in.
static void mutate(char *text)
{
    size_t len = strlen(text), at = len ? dice((unsigned)len) : 0;
    size_t piece = len ? dice((unsigned)(len - at)) % 16 : 0;
    const char *token = tokens[dice(COUNT(tokens))];
    switch (dice(4)) {
    case 0:
        if (len)
            text[at] = (char)(1 + dice(255));
        return;
    case 1:
        memmove(text + at, text + at + piece, len - at - piece + 1);
        return;
    case 2:
        if (len + piece < TEXT) {
            memmove(text + at + piece, text + at, len - at + 1);
        }
        return;
    case 3:
        if (len + strlen(token) < TEXT) {
            memmove(text + at + strlen(token), text + at, len - at + 1);
            for (size_t i = 0; token[i]; i++)
                text[at + i] = token[i];
        }
        return;
    }
}

static void send_mutant(client *c, unsigned number)
{
    static const channel channels[] = {SHELL, SHELL, SHELL, SHELL, CONTROL, STDIN};
    char header[TEXT], parent[TEXT] = "{\"msg_id\":\"p\"}", metadata[TEXT] = "{}", content[TEXT];
    snprintf(header, sizeof header,
             "{\"msg_id\":\"f%u\",\"msg_type\":\"%s\",\"session\":\"s\",\"username\":\"u\","
             "\"date\":\"2024-01-01T00:00:00Z\",\"version\":\"5.4\"%s}",
             number, types[dice(COUNT(types))], dice(8) ? "" : ",\"subshell_id\":\"s\"");
    snprintf(content, sizeof content, "%s", contents[dice(COUNT(contents))]);
    char *const parts[] = {content, content, content, content, header, parent, metadata};
    for (unsigned n = dice(4); n > 0; n--)
        mutate(parts[dice(COUNT(parts))]);
    client_send_texts(c, channels[dice(COUNT(channels))],
                      (const char *const[4]){header, parent, metadata, content});
}

/// Short: 100,000 of them, or as many as 15 s allow; long: a million.
static void test_mutants(void **state)
{
    client *c = *state;
    bool is_long = pj_extent_is("long");
    unsigned wanted = is_long ? 1000000 : 100000, sent = 0;
    double until = client_now_ms() + SECONDS * 1e3;
    while (sent < wanted && (is_long || client_now_ms() < until)) {
        for (int i = 0; i < 200; i++)
            send_mutant(c, sent++);
        catch_up(c);
    }
    print_message("[ figure   ] %u mutants\n", sent);
    assert_works(c);
}

/// Widgets that are opened and never closed, messages to none, messages while a cell runs.
static void test_comm_flood(void **state)
{
    client *c = *state;
    enum { FLOOD = 3000 };
    for (int i = 0; i < FLOOD; i++) {
        char id[32];
        snprintf(id, sizeof id, "c%d", i);
        client_send(c, SHELL, "comm_open",
                    json_pack("{s:s, s:s, s:{}}", "comm_id", id, "target_name",
                              i % 2 ? "jupyter.widget" : "none", "data"));
        client_send(c, SHELL, "comm_msg",
                    json_pack("{s:s, s:{s:s, s:{s:i}}}", "comm_id", id, "data", "method", "update",
                              "state", "value", i));
        if (i % 500 == 0)
            catch_up(c);
    }
    catch_up(c);
    assert_works(c);
}

/// Nested as deep as is accepted, and deeper.
static void test_nesting(void **state)
{
    client *c = *state;
    static const size_t depths[] = {1000, 2040, 2047, 2048, 2049, 5000, 1000000};
    for (size_t i = 0; i < COUNT(depths); i++) {
        size_t depth = depths[i], at = 0;
        char *text = malloc(2 * depth + 64), header[128];
        at += (size_t)sprintf(text, "{\"data\":");
        memset(text + at, '[', depth);
        memset(text + at + depth, ']', depth);
        strcpy(text + at + 2 * depth, "}");
        snprintf(header, sizeof header, "{\"msg_id\":\"n%zu\",\"msg_type\":\"comm_msg\"}", i);
        client_send_texts(c, SHELL, (const char *const[4]){header, "{}", "{}", text});
        free(text);
    }
    catch_up(c);
    assert_works(c);
}

static void send_large(client *c, size_t bytes, bool as_text)
{
    char *large = malloc(bytes + 3);
    memset(large, as_text ? ',' : 'x', bytes);
    large[0] = '[';
    large[bytes] = 0;
    const char *const texts[4] = {"{\"msg_id\":\"l\",\"msg_type\":\"comm_msg\"}", "{}", "{}", "{}"};
    const char *const bloated[4] = {"{\"msg_id\":\"b\",\"msg_type\":\"comm_msg\"}", "{}", "{}",
                                    large};
    if (as_text) {
        client_send_texts(c, SHELL, bloated);
    } else {
        char signature[129];
        client_sign(c, texts, signature);
        const char *frames[] = {"<IDS|MSG>", signature, texts[0], texts[1],
                                texts[2],    texts[3],  large};
        size_t lengths[7];
        for (int i = 0; i < 7; i++)
            lengths[i] = i < 6 ? strlen(frames[i]) : bytes;
        client_send_frames(c, SHELL, frames, lengths, 7);
    }
    free(large);
}

/// A large buffer is fine, a text of millions of values is refused, and beyond 256 MB the
/// connection is closed: the client has to make another one.
static void test_large_messages(void **state)
{
    client *c = *state;
    send_large(c, 50 << 20, false);
    assert_works(c);
    send_large(c, 20 << 20, true);
    assert_works(c);
    send_large(c, (256 << 20) + 1, false);
    nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
    assert_works(c);
}

/// Requests that pile up behind a cell are left in the socket beyond some size.
static void test_requests_behind_a_cell(void **state)
{
    client *c = *state;
    client_send(c, SHELL, "execute_request", json_pack("{s:s}", "code", "while true do end"));
    char id[64], *padding = malloc((1 << 20) + 1);
    strcpy(id, c->last_id);
    bool runs = false;
    for (message *m; !runs && (m = client_receive(c, IOPUB, client_patience())); message_free(m))
        runs = strcmp(message_type(m), "execute_input") == 0;
    assert_true(runs);
    memset(padding, ' ', 1 << 20);
    padding[1 << 20] = 0;
    int requests = client_is_sanitized() ? 10 : 100; // ten times slower
    for (int i = 0; i < requests; i++)
        client_send(c, SHELL, "execute_request", json_pack("{s:s}", "code", padding));
    free(padding);
    nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
    client_send(c, CONTROL, "kernel_info_request", NULL);
    message *m = client_receive(c, CONTROL, client_patience());
    assert_non_null(m);
    message_free(m);
    client_send(c, CONTROL, "interrupt_request", NULL);
    answer a = client_collect(c, id, true);
    answer_free(&a);
    catch_up(c);
    assert_works(c);
}

int probe_hostile(void)
{
    const struct CMUnitTest tests[] = {
        PROBE(test_mutants),
        PROBE(test_comm_flood),
        PROBE(test_nesting),
        PROBE(test_large_messages),
        PROBE(test_requests_behind_a_cell),
    };
    return cmocka_run_group_tests_name("hostile", tests, NULL, NULL);
}
