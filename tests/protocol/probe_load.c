// Much output: paced to what servers accept, whole beside a client that never reads.
#include "tests/protocol/probe.h"
#include "tests/support/rounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zmq.h>

/// A Jupyter server as it is configured by default: it discards what is beyond 1 MB/s of streams
/// or 1000 messages/s, over the last 3 s, and forgets when the kernel turns idle.
typedef struct server {
    struct {
        double at_ms;
        size_t bytes;
    } window[8192];
    size_t first, end; // of the ring
    size_t bytes, most_bytes, most_messages;
} server;

enum { WINDOW_MS = 3000, BYTES_PER_WINDOW = 3000000, MESSAGES_PER_WINDOW = 3000, RING = 8192 };

static void pass_through(server *s, const message *m)
{
    const char *type = message_type(m);
    if (strcmp(type, "status") == 0 || strcmp(type, "execute_input") == 0)
        return;
    while (s->first < s->end && s->window[s->first % RING].at_ms <= m->at_ms - WINDOW_MS)
        s->bytes -= s->window[s->first++ % RING].bytes;
    size_t bytes = strcmp(type, "stream") == 0 ? m->bytes : 0;
    s->window[s->end % RING].at_ms = m->at_ms;
    s->window[s->end++ % RING].bytes = bytes;
    s->bytes += bytes;
    s->most_bytes = s->bytes > s->most_bytes ? s->bytes : s->most_bytes;
    s->most_messages = s->end - s->first > s->most_messages ? s->end - s->first : s->most_messages;
    assert_true(s->end - s->first < RING);
}

/// Reads until the request turned idle; the bytes of its stdout.
static size_t read_all(client *c, const char *id, server *s)
{
    size_t bytes = 0;
    for (bool idle = false; !idle;) {
        message *m = client_receive(c, IOPUB, client_patience());
        assert_non_null(m);
        if (s)
            pass_through(s, m);
        bool ours = message_answers(m, id);
        if (ours && strcmp(message_text(m, "name"), "stdout") == 0)
            bytes += json_string_length(json_object_get(m->content, "text"));
        idle = ours && strcmp(message_text(m, "execution_state"), "idle") == 0;
        message_free(m);
    }
    return bytes;
}

static const char *start_cell(client *c, const char *code)
{
    client_send(c, SHELL, "execute_request", json_pack("{s:s}", "code", code));
    return c->last_id;
}

static void test_nothing_for_a_server_to_discard(void **state)
{
    client *c = *state;
    server s = {0};
    double began = client_now_ms();
    const char *id = start_cell(c, "local s = ('x'):rep(98) .. '\\n' "
                                   "for i = 1, 60000 do io.write(s) end");
    assert_int_equal(read_all(c, id, &s), 60000 * 99);
    print_message("[ figure   ] 6 MB paced: %.1f s, at most %zu bytes and %zu messages in 3 s\n",
                  (client_now_ms() - began) / 1e3, s.most_bytes, s.most_messages);
    assert_true(s.most_bytes <= BYTES_PER_WINDOW);
    assert_true(s.most_messages <= MESSAGES_PER_WINDOW);
}

static void wait_for_output(client *c)
{
    bool seen = false;
    for (message *m; !seen && (m = client_receive(c, IOPUB, client_patience())); message_free(m))
        seen = strcmp(message_type(m), "stream") == 0;
    assert_true(seen);
}

/// One write of many megabytes is no exception, and neither is what a child prints.
static void test_interrupt_of_what_is_paced(void **state)
{
    static const char *const codes[] = {
        "local s = ('x'):rep(1000) while true do io.write(s) end",
        "local s = ('x'):rep(10000000) while true do io.write(s) end",
    };
    client *c = *state;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        const char *id = start_cell(c, codes[i]);
        wait_for_output(c);
        nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
        double began = client_now_ms();
        client_send(c, CONTROL, "interrupt_request", NULL);
        message *m = client_receive(c, SHELL, client_patience());
        assert_non_null(m);
        assert_string_equal(message_text(m, "ename"), "KeyboardInterrupt");
        print_message("[ figure   ] interrupt to reply: %.1f ms\n", m->at_ms - began);
        assert_true(m->at_ms - began < 10000);
        message_free(m);
        read_all(c, id, NULL);
        assert_true(client_now_ms() - began < 20000);
    }
}

/// Short: 100 MB, long: 1 GB, in lines of 10 kB; less with sanitizers.
static void test_beside_a_client_that_never_reads(void **state)
{
    (void)state;
    bool is_long = pj_extent_is("long");
    size_t lines = is_long ? 100000 : client_is_sanitized() ? 2000 : 10000;
    client c;
    client_start(&c, (client_opts){.settings = {"POPINJAY_RATE=0", "POPINJAY_TIMEOUT=1"}});
    void *stalled = client_subscribe(&c, 1);
    char code[128];
    snprintf(code, sizeof code,
             "local s = ('x'):rep(9999) .. '\\n' for i = 1, %zu do io.write(s) end", lines);
    double began = client_now_ms();
    assert_int_equal(read_all(&c, start_cell(&c, code), NULL), 10000 * lines);
    print_message("[ figure   ] %zu MB: %.1f s, kernel at most %zu MB\n", lines / 100,
                  (client_now_ms() - began) / 1e3, client_memory(&c) >> 20);
    assert_true(client_memory(&c) < (size_t)400 << 20);
    zmq_close(stalled);
    client_stop(&c);
}

/// The others are told of a client that was disconnected.
static void test_the_loss_is_announced(void **state)
{
    (void)state;
    client c;
    client_start(&c, (client_opts){.settings = {"POPINJAY_RATE=0", "POPINJAY_TIMEOUT=1"}});
    void *stalled = client_subscribe(&c, 1);
    answer a = client_execute(&c, "for i = 1, 2500 do clear_output() print(i) end");
    char *text = answer_stream(&a, "stderr");
    assert_non_null(strstr(text, "was disconnected"));
    free(text);
    text = answer_stream(&a, "stdout");
    assert_non_null(strstr(text, "\n2500\n"));
    free(text);
    answer_free(&a);
    zmq_close(stalled);
    client_stop(&c);
}

static void test_wrong_settings(void **state)
{
    (void)state;
    client c;
    client_launch(&c, (client_opts){.settings = {"POPINJAY_RATE=fast"}});
    assert_int_not_equal(client_wait_end(&c, client_patience()), 0);
    client_stop(&c);
}

int probe_load(void)
{
    const struct CMUnitTest tests[] = {
        PROBE(test_nothing_for_a_server_to_discard),
        PROBE(test_interrupt_of_what_is_paced),
        cmocka_unit_test(test_beside_a_client_that_never_reads),
        cmocka_unit_test(test_the_loss_is_announced),
        cmocka_unit_test(test_wrong_settings),
    };
    return cmocka_run_group_tests_name("load", tests, NULL, NULL);
}
