// Telling a launcher the ports that were bound (JEP 66).
// [<IDS|MSG>, signature of the content, content] goes to the registration socket, a receipt of the
// same form comes back.
#include "kernel/jupyter/handshake.h"

#include "metrics/base/clock.h"
#include "metrics/base/err.h"
#include "metrics/base/num.h"
#include "metrics/base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <zmq.h>

enum { MOST_FRAMES = 8 };

#define DELIMITER PJ_S("<IDS|MSG>")

bool pj_handshake_port(pj_connection *connection, pj_port port, void *socket, pj_err *err)
{
    char endpoint[256];
    size_t size = sizeof endpoint;
    uint64_t number = 0;
    zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, endpoint, &size);
    pj_str text = pj_str_of(endpoint);
    if (!pj_parse_u64(pj_str_from(text, pj_str_find_last(text, ':') + 1), &number))
        return pj_fail(err, PJ_E_IO, endpoint, 0, "no port was found");
    connection->ports[port] = (int)number;
    return true;
}

/// The ports as texts, as the specification wants them.
static char *make_content(const pj_connection *c)
{
    json_t *content =
        json_pack("{s:s%}", "kernel_id", c->kernel_id.len ? c->kernel_id.at : "", c->kernel_id.len);
    for (int i = 0; i < PJ_PORTS; i++) {
        char key[32], number[16];
        snprintf(key, sizeof key, "%s_port", pj_connection_port_name((pj_port)i));
        snprintf(number, sizeof number, "%d", c->ports[i]);
        json_object_set_new(content, key, json_string(number));
    }
    char *text = json_dumps(content, JSON_COMPACT);
    json_decref(content);
    return text;
}

static void send_ports(const pj_connection *c, void *socket, pj_wire *wire)
{
    char *text = make_content(c), signature[PJ_WIRE_SIGNATURE];
    pj_str content = pj_str_of(text);
    size_t len = pj_wire_sign(wire, &content, 1, signature);
    zmq_send(socket, DELIMITER.at, DELIMITER.len, ZMQ_SNDMORE);
    zmq_send(socket, signature, len, ZMQ_SNDMORE);
    zmq_send(socket, content.at, content.len, 0);
    free(text);
}

/// Whether a message that came is a receipt: delimiter, right signature, anything.
static bool is_receipt(void *socket, pj_wire *wire)
{
    zmq_msg_t messages[MOST_FRAMES];
    pj_str frames[MOST_FRAMES];
    size_t count = 0, at = 0;
    for (int more = 1; more && count < MOST_FRAMES; count++) {
        zmq_msg_init(&messages[count]);
        if (zmq_msg_recv(&messages[count], socket, ZMQ_DONTWAIT) < 0)
            break;
        frames[count] = (pj_str){zmq_msg_data(&messages[count]), zmq_msg_size(&messages[count])};
        more = zmq_msg_more(&messages[count]);
    }
    while (at < count && !pj_str_equal(frames[at], DELIMITER))
        at++;
    bool right =
        at + 2 < count && pj_wire_verify(wire, frames[at + 1], frames + at + 2, count - at - 2);
    for (size_t i = 0; i < count; i++)
        zmq_msg_close(&messages[i]);
    return right;
}

static bool await_receipt(void *socket, pj_wire *wire, int patience_ms)
{
    zmq_pollitem_t item = {.socket = socket, .events = ZMQ_POLLIN};
    uint64_t until = pj_clock_ms() + (unsigned)patience_ms;
    for (uint64_t now; (now = pj_clock_ms()) < until;)
        if (zmq_poll(&item, 1, (long)(until - now)) > 0 && is_receipt(socket, wire))
            return true;
    return false;
}

bool pj_handshake_register(const pj_connection *c, void *context, pj_wire *wire, int patience_ms,
                           pj_err *err)
{
    char address[512];
    bool v6 = pj_str_find(c->registration_ip, ':') < c->registration_ip.len;
    snprintf(address, sizeof address, v6 ? "tcp://[" PJ_STR_FMT "]:%d" : "tcp://" PJ_STR_FMT ":%d",
             PJ_STR_ARG(c->registration_ip), c->registration_port);
    void *socket = zmq_socket(context, ZMQ_DEALER);
    int no_linger = 0, ipv6 = v6;
    zmq_setsockopt(socket, ZMQ_LINGER, &no_linger, sizeof no_linger);
    zmq_setsockopt(socket, ZMQ_IPV6, &ipv6, sizeof ipv6);
    bool received = false;
    if (zmq_connect(socket, address) == 0) {
        send_ports(c, socket, wire);
        received = await_receipt(socket, wire, patience_ms);
    }
    zmq_close(socket);
    return received || pj_fail(err, PJ_E_IO, address, 0,
                               "who started the kernel did not acknowledge its registration");
}
