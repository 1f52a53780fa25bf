// The handshake of JEP 66: what the launcher gets, and that only a right receipt in time counts.
#include "kernel/jupyter/handshake.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <zmq.h>

enum { SHORT_MS = 200, AMPLE_MS = 60000 };

typedef enum answer { SILENCE, NONSENSE, RECEIPT } answer;

typedef struct launcher {
    void *context, *socket;
    pj_connection connection;
    pj_wire *wire;
    answer answer;
    json_t *content; // of what came
    bool is_signed;
} launcher;

static int set_up(void **state)
{
    launcher *l = calloc(1, sizeof *l);
    char endpoint[64];
    size_t size = sizeof endpoint;
    l->context = zmq_ctx_new();
    l->socket = zmq_socket(l->context, ZMQ_ROUTER);
    assert_int_equal(zmq_bind(l->socket, "tcp://127.0.0.1:*"), 0);
    zmq_getsockopt(l->socket, ZMQ_LAST_ENDPOINT, endpoint, &size);
    l->connection = (pj_connection){
        .kernel_id = PJ_S("the kernel"),
        .registration_ip = PJ_S("127.0.0.1"),
        .registration_port = (int)strtol(strrchr(endpoint, ':') + 1, NULL, 10),
    };
    for (int i = 0; i < PJ_PORTS; i++)
        l->connection.ports[i] = 5000 + i;
    l->wire = pj_wire_new(PJ_S("hmac-sha256"), PJ_S("key"), NULL);
    *state = l;
    return 0;
}

static int tear_down(void **state)
{
    launcher *l = *state;
    json_decref(l->content);
    pj_wire_free(l->wire);
    zmq_close(l->socket);
    zmq_ctx_term(l->context);
    free(l);
    return 0;
}

static bool take_registration(launcher *l, char *peer, size_t *peer_len, pj_wire *wire)
{
    char delimiter[16], signature[PJ_WIRE_SIGNATURE], content[1024];
    int patience = AMPLE_MS;
    zmq_setsockopt(l->socket, ZMQ_RCVTIMEO, &patience, sizeof patience);
    int n = zmq_recv(l->socket, peer, *peer_len, 0);
    if (n < 0 || zmq_recv(l->socket, delimiter, sizeof delimiter, 0) != 9)
        return false;
    *peer_len = (size_t)n;
    int digits = zmq_recv(l->socket, signature, sizeof signature, 0);
    int len = zmq_recv(l->socket, content, sizeof content, 0);
    if (digits < 0 || len < 0)
        return false;
    pj_str text = {content, (size_t)len};
    l->is_signed = pj_wire_verify(wire, (pj_str){signature, (size_t)digits}, &text, 1);
    l->content = json_loadb(content, (size_t)len, 0, NULL);
    return true;
}

/// The socket is this thread's until it ends.
static void *launch(void *context)
{
    launcher *l = context;
    char peer[256], signature[PJ_WIRE_SIGNATURE];
    size_t peer_len = sizeof peer;
    pj_wire *wire = pj_wire_new(PJ_S("hmac-sha256"), PJ_S("key"), NULL);
    if (take_registration(l, peer, &peer_len, wire) && l->answer != SILENCE) {
        pj_str ack = PJ_S("ACK");
        size_t digits = pj_wire_sign(wire, &ack, 1, signature);
        signature[0] = l->answer == NONSENSE ? 'x' : signature[0];
        zmq_send(l->socket, peer, peer_len, ZMQ_SNDMORE);
        zmq_send(l->socket, "<IDS|MSG>", 9, ZMQ_SNDMORE);
        zmq_send(l->socket, signature, digits, ZMQ_SNDMORE);
        zmq_send(l->socket, ack.at, ack.len, 0);
    }
    pj_wire_free(wire);
    return NULL;
}

static bool register_with(launcher *l, answer kind, int patience_ms, pj_err *err)
{
    pthread_t thread;
    l->answer = kind;
    pthread_create(&thread, NULL, launch, l);
    bool ok = pj_handshake_register(&l->connection, l->context, l->wire, patience_ms, err);
    pthread_join(thread, NULL);
    return ok;
}

static void the_launcher_gets_the_ports(void **state)
{
    launcher *l = *state;
    assert_true(register_with(l, RECEIPT, AMPLE_MS, NULL));
    assert_true(l->is_signed);
    char *text = json_dumps(l->content, JSON_SORT_KEYS | JSON_COMPACT);
    assert_string_equal(text, "{\"control_port\":\"5001\",\"hb_port\":\"5004\",\"iopub_port\":"
                              "\"5003\",\"kernel_id\":\"the kernel\",\"shell_port\":\"5000\","
                              "\"stdin_port\":\"5002\"}");
    free(text);
}

static void nobody_answers(void **state)
{
    pj_err err = {0};
    assert_false(register_with(*state, SILENCE, SHORT_MS, &err));
    assert_non_null(strstr(err.text, "did not acknowledge"));
}

static void a_wrong_receipt_is_none(void **state)
{
    pj_err err = {0};
    assert_false(register_with(*state, NONSENSE, SHORT_MS, &err));
    assert_int_equal(err.code, PJ_E_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_launcher_gets_the_ports, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nobody_answers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wrong_receipt_is_none, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
