// tcp and ipc, keys and digests, replayed messages, ports in use.
#include "tests/protocol/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

static void assert_speaks(client_opts opts)
{
    client c;
    client_start(&c, opts);
    answer a = client_execute(&c, "return 1");
    assert_string_equal(answer_status(&a), "ok");
    answer_free(&a);
    client_stop(&c);
}

static void test_transports(void **state)
{
    (void)state;
    assert_speaks((client_opts){.transport = "tcp"});
    assert_speaks((client_opts){.transport = "ipc"});
}

static void test_keys(void **state)
{
    (void)state;
    assert_speaks((client_opts){.key = ""});
    assert_speaks((client_opts){.digest = "sha512"});
    assert_speaks((client_opts){.digest = "sha1"});
}

static void assert_silent(client *c)
{
    assert_null(client_receive(c, SHELL, 100));
    assert_true(client_is_alive(c));
}

static void test_wrong_key(void **state)
{
    client *c = *state;
    char key[sizeof c->key];
    strcpy(key, c->key);
    strcpy(c->key, "another key");
    client_send(c, SHELL, "kernel_info_request", NULL);
    strcpy(c->key, key);
    assert_silent(c);
    client_send(c, SHELL, "kernel_info_request", NULL);
    message *m = client_receive(c, SHELL, 2000);
    assert_non_null(m);
    message_free(m);
}

static void test_replayed_message(void **state)
{
    client *c = *state;
    const char *const texts[4] = {"{\"msg_id\":\"r1\",\"msg_type\":\"execute_request\"}", "{}",
                                  "{}", "{\"code\":\"n = (n or 0) + 1\"}"};
    client_send_texts(c, SHELL, texts);
    message *m = client_receive(c, SHELL, 2000);
    assert_non_null(m);
    message_free(m);
    client_send_texts(c, SHELL, texts);
    client_send_texts(c, CONTROL, texts); // on any channel
    assert_silent(c);
    answer a = client_execute(c, "return n");
    const json_t *data = json_object_get(answer_output(&a, "execute_result", 0), "data");
    assert_string_equal(json_string_value(json_object_get(data, "text/plain")), "1");
    answer_free(&a);
}

static void test_port_in_use(void **state)
{
    (void)state;
    client c;
    client_start(&c, (client_opts){.transport = "tcp"});
    client second = c;
    char path[128], text[512] = "";
    pid_t first = c.pid;
    second.pid = 0;
    client_again(&second);
    int status = client_wait_end(&second, 5000);
    assert_int_equal(status, 1);
    snprintf(path, sizeof path, "%s/stderr", c.folder);
    FILE *errors = fopen(path, "r");
    assert_non_null(errors);
    assert_non_null(fgets(text, sizeof text, errors));
    fclose(errors);
    assert_non_null(strstr(text, "another program uses it"));
    c.pid = first;
    client_stop(&c);
}

/// Each front end gets its own replies; both see all publications.
static void test_two_front_ends(void **state)
{
    client *c = *state;
    char address[256];
    size_t size = sizeof address;
    zmq_getsockopt(c->sockets[SHELL], ZMQ_LAST_ENDPOINT, address, &size);
    void *mine = c->sockets[SHELL], *other = zmq_socket(c->context, ZMQ_DEALER);
    int zero = 0;
    zmq_setsockopt(other, ZMQ_LINGER, &zero, sizeof zero);
    zmq_connect(other, address);
    client_send(c, SHELL, "kernel_info_request", NULL);
    char first[64];
    strcpy(first, c->last_id);
    c->sockets[SHELL] = other;
    client_send(c, SHELL, "kernel_info_request", NULL);
    message *theirs = client_receive(c, SHELL, 2000);
    assert_non_null(theirs);
    assert_true(message_answers(theirs, c->last_id));
    c->sockets[SHELL] = mine;
    message *ours = client_receive(c, SHELL, 2000);
    assert_non_null(ours);
    assert_true(message_answers(ours, first));
    message_free(theirs);
    message_free(ours);
    zmq_close(other);
}

/// More than any socket's default limit, read only at the end.
static void test_unread_replies_are_kept(void **state)
{
    client *c = *state;
    enum { REQUESTS = 5000 };
    for (int i = 0; i < REQUESTS; i++)
        client_send(c, SHELL, "kernel_info_request", NULL);
    int idles = 0, replies = 0;
    for (message *m; idles < REQUESTS && (m = client_receive(c, IOPUB, 2000)); message_free(m))
        idles += strcmp(message_text(m, "execution_state"), "idle") == 0;
    for (message *m; replies < REQUESTS && (m = client_receive(c, SHELL, 2000)); message_free(m))
        replies++;
    assert_int_equal(idles, REQUESTS);
    assert_int_equal(replies, REQUESTS);
}

static void test_large_request(void **state)
{
    enum { SIZE = 4 << 20 };
    char *code = malloc(SIZE + 1);
    memset(code, ' ', SIZE);
    memcpy(code + SIZE - 9, "return 12", 9);
    code[SIZE] = 0;
    answer a = client_execute(*state, code);
    assert_string_equal(answer_status(&a), "ok");
    assert_non_null(answer_output(&a, "execute_result", 0));
    answer_free(&a);
    free(code);
}

int probe_transport(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transports),
        cmocka_unit_test(test_keys),
        PROBE(test_wrong_key),
        PROBE(test_replayed_message),
        cmocka_unit_test(test_port_in_use),
        PROBE(test_two_front_ends),
        PROBE(test_unread_replies_are_kept),
        PROBE(test_large_request),
    };
    return cmocka_run_group_tests_name("transport", tests, NULL, NULL);
}
