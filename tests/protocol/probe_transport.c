// tcp and ipc, keys and digests, replayed messages, ports in use.
#include "tests/protocol/probe.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
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
    message *m = client_receive(c, SHELL, client_patience());
    assert_non_null(m);
    message_free(m);
}

static void test_replayed_message(void **state)
{
    client *c = *state;
    const char *const texts[4] = {"{\"msg_id\":\"r1\",\"msg_type\":\"execute_request\"}", "{}",
                                  "{}", "{\"code\":\"n = (n or 0) + 1\"}"};
    client_send_texts(c, SHELL, texts);
    message *m = client_receive(c, SHELL, client_patience());
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
    char text[512];
    pid_t first = c.pid;
    second.pid = 0;
    client_again(&second);
    int status = client_wait_end(&second, client_patience());
    assert_int_equal(status, 1);
    assert_non_null(strstr(client_complaint(&c, text, sizeof text), "another program uses it"));
    c.pid = first;
    client_stop(&c);
}

static void test_addresses(void **state)
{
    (void)state;
    assert_speaks((client_opts){.ip = "*"});
    assert_speaks((client_opts){.ip = "0.0.0.0"});
}

static bool has_ipv6(void)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int fd = socket(AF_INET6, SOCK_STREAM, 0);
    bool has = fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0;
    close(fd);
    return has;
}

static void test_ipv6(void **state)
{
    (void)state;
    if (!has_ipv6()) {
        print_message("skipped: this machine has no IPv6\n");
        skip();
    }
    client c;
    client_start(&c, (client_opts){.ip = "::1"});
    client_stop(&c);
}

/// Who does not know the public key gets no answer, whatever it sends.
static void test_encryption(void **state)
{
    (void)state;
    client c;
    client_start(&c, (client_opts){.curve = true, .transport = "tcp"});
    answer a = client_execute(&c, "return 1");
    assert_string_equal(answer_status(&a), "ok");
    answer_free(&a);
    char address[256];
    size_t size = sizeof address;
    zmq_getsockopt(c.sockets[SHELL], ZMQ_LAST_ENDPOINT, address, &size);
    void *known = c.sockets[SHELL], *plain = zmq_socket(c.context, ZMQ_DEALER);
    int zero = 0;
    zmq_setsockopt(plain, ZMQ_LINGER, &zero, sizeof zero);
    zmq_connect(plain, address);
    c.sockets[SHELL] = plain;
    client_send(&c, SHELL, "kernel_info_request", NULL);
    assert_null(client_receive(&c, SHELL, 300));
    c.sockets[SHELL] = known;
    zmq_close(plain);
    client_stop(&c);
}

/// JEP 66: the kernel chooses its ports and tells them.
static void test_handshake(void **state)
{
    (void)state;
    assert_speaks((client_opts){.registers = true});
    assert_speaks((client_opts){.registers = true, .key = ""});
}

static void test_readable_connection_file(void **state)
{
    (void)state;
    client c;
    char text[512];
    client_start(&c, (client_opts){.open_file = true});
    assert_non_null(strstr(client_complaint(&c, text, sizeof text), "others can read"));
    client_stop(&c);
    client_start(&c, (client_opts){0});
    assert_string_equal(client_complaint(&c, text, sizeof text), "");
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
    message *theirs = client_receive(c, SHELL, client_patience());
    assert_non_null(theirs);
    assert_true(message_answers(theirs, c->last_id));
    c->sockets[SHELL] = mine;
    message *ours = client_receive(c, SHELL, client_patience());
    assert_non_null(ours);
    assert_true(message_answers(ours, first));
    message_free(theirs);
    message_free(ours);
    zmq_close(other);
}

/// Under its old name, before the kernel knows that the connection of before is gone.
static void test_front_end_that_comes_back(void **state)
{
    client *c = *state;
    char address[256];
    size_t size = sizeof address;
    zmq_getsockopt(c->sockets[SHELL], ZMQ_LAST_ENDPOINT, address, &size);
    client_catch_up(c);
    void *old = c->sockets[SHELL];
    int zero = 0;
    c->sockets[SHELL] = zmq_socket(c->context, ZMQ_DEALER);
    zmq_setsockopt(c->sockets[SHELL], ZMQ_LINGER, &zero, sizeof zero);
    zmq_setsockopt(c->sockets[SHELL], ZMQ_IDENTITY, c->session, strlen(c->session));
    assert_int_equal(zmq_connect(c->sockets[SHELL], address), 0);
    client_catch_up(c);
    zmq_close(old);
    client_catch_up(c);
}

/// More than any socket's default limit, read only at the end.
static void test_unread_replies_are_kept(void **state)
{
    client *c = *state;
    enum { REQUESTS = 5000 };
    for (int i = 0; i < REQUESTS; i++)
        client_send(c, SHELL, "kernel_info_request", NULL);
    int idles = 0, replies = 0;
    for (message *m; idles < REQUESTS && (m = client_receive(c, IOPUB, client_patience()));
         message_free(m))
        idles += strcmp(message_text(m, "execution_state"), "idle") == 0;
    for (message *m; replies < REQUESTS && (m = client_receive(c, SHELL, client_patience()));
         message_free(m))
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
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_ipv6),
        cmocka_unit_test(test_encryption),
        cmocka_unit_test(test_handshake),
        cmocka_unit_test(test_readable_connection_file),
        PROBE(test_two_front_ends),
        PROBE(test_front_end_that_comes_back),
        PROBE(test_unread_replies_are_kept),
        PROBE(test_large_request),
    };
    return cmocka_run_group_tests_name("transport", tests, NULL, NULL);
}
