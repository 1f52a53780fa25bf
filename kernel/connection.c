// Reading and checking the connection file.
#include "kernel/connection.h"

#include "kernel/jsontext.h"

#include <errno.h>
#include <stdio.h>

static const char *const port_names[PJ_PORTS] = {
    [PJ_PORT_SHELL] = "shell", [PJ_PORT_CONTROL] = "control", [PJ_PORT_STDIN] = "stdin",
    [PJ_PORT_IOPUB] = "iopub", [PJ_PORT_HEARTBEAT] = "hb",
};

const char *pj_connection_port_name(pj_port port)
{
    return port_names[port];
}

static bool read_ports(pj_connection *c, pj_err *err)
{
    for (int i = 0; i < PJ_PORTS; i++) {
        char key[32];
        snprintf(key, sizeof key, "%s_port", port_names[i]);
        json_int_t port = pj_jsontext_int(c->file, key, 0);
        if (port < 1 || port > 65535)
            return pj_fail(err, PJ_E_FORMAT, c->path, 0,
                           "%s is missing or not a port (1 to 65535); the file is written by the "
                           "front end that starts the kernel",
                           key);
        c->ports[i] = (int)port;
    }
    return true;
}

static bool read_fields(pj_connection *c, pj_err *err)
{
    c->transport = pj_jsontext_str(c->file, "transport");
    c->ip = pj_jsontext_str(c->file, "ip");
    c->key = pj_jsontext_str(c->file, "key");
    c->scheme = pj_jsontext_str(c->file, "signature_scheme");
    if (!c->transport.len)
        c->transport = PJ_S("tcp");
    if (!c->scheme.len)
        c->scheme = PJ_S("hmac-sha256");
    if (!pj_str_equal(c->transport, PJ_S("tcp")) && !pj_str_equal(c->transport, PJ_S("ipc")))
        return pj_fail(err, PJ_E_FORMAT, c->path, 0,
                       "transport '" PJ_STR_FMT "' is not known; use tcp or ipc",
                       PJ_STR_ARG(c->transport));
    if (!c->ip.len)
        return pj_fail(err, PJ_E_FORMAT, c->path, 0, "ip is missing");
    return read_ports(c, err);
}

bool pj_connection_read(pj_connection *connection, const char *path, pj_err *err)
{
    json_error_t why;
    *connection = (pj_connection){.path = path, .file = json_load_file(path, 0, &why)};
    if (!connection->file && json_error_code(&why) == json_error_cannot_open_file)
        return pj_fail(err, PJ_E_IO, path, 0, "the connection file cannot be read: %s",
                       strerror(errno));
    if (!connection->file)
        return pj_fail(err, PJ_E_FORMAT, path, why.line > 0 ? (uint64_t)why.line : 0,
                       "the connection file is not JSON: %s", why.text);
    if (json_is_object(connection->file) && read_fields(connection, err))
        return true;
    pj_fail(err, PJ_E_FORMAT, path, 0, "the connection file is not a JSON object");
    pj_connection_free(connection);
    return false;
}

void pj_connection_free(pj_connection *connection)
{
    json_decref(connection->file);
    connection->file = NULL;
}

void pj_connection_address(const pj_connection *c, pj_port port, char *out, size_t size)
{
    int number = c->ports[port];
    if (pj_str_equal(c->transport, PJ_S("ipc")))
        snprintf(out, size, "ipc://" PJ_STR_FMT "-%d", PJ_STR_ARG(c->ip), number);
    else if (pj_str_find(c->ip, ':') < c->ip.len && c->ip.at[0] != '[')
        snprintf(out, size, "tcp://[" PJ_STR_FMT "]:%d", PJ_STR_ARG(c->ip), number);
    else
        snprintf(out, size, "tcp://" PJ_STR_FMT ":%d", PJ_STR_ARG(c->ip), number);
}
