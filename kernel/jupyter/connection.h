// The connection file a front end writes: where to listen and how to sign. Or a registration file:
// the kernel chooses its ports and tells them (JEP 66). Ownership: new/free; the texts are views.
#ifndef PJ_CONNECTION_H
#define PJ_CONNECTION_H

#include "metrics/base/err.h"
#include "metrics/base/str.h"

#include <jansson.h>

typedef enum pj_port {
    PJ_PORT_SHELL,
    PJ_PORT_CONTROL,
    PJ_PORT_STDIN,
    PJ_PORT_IOPUB,
    PJ_PORT_HEARTBEAT,
    PJ_PORTS
} pj_port;

typedef struct pj_connection {
    json_t *file;
    const char *path;
    pj_str transport; // "tcp" or "ipc"
    pj_str ip;        // address, "*", or the path before the dash of ipc
    pj_str key;       // empty = unsigned
    pj_str scheme;
    pj_str curve_secret; // Z85, 40 characters; empty = not encrypted
    int ports[PJ_PORTS]; // 0 = any that is free
    bool open_to_others; // others may read the file and with it the key
    bool registers;      // a registration file, and then
    pj_str kernel_id;
    pj_str registration_ip;
    int registration_port;
} pj_connection;

/// "shell", "hb", ...
const char *pj_connection_port_name(pj_port port);

/// `path` is borrowed for the life of the connection.
PJ_CHECKED bool pj_connection_read(pj_connection *connection, const char *path, pj_err *err);
/// Writes the connection file of a kernel that has registered, for its user alone, where Jupyter
/// looks for such files.
PJ_CHECKED bool pj_connection_write(const pj_connection *connection, pj_err *err);
void pj_connection_free(pj_connection *connection);
/// The address of a port as libzmq wants it: "tcp://127.0.0.1:5555", "tcp://127.0.0.1:*",
/// "ipc:///run/k-1".
void pj_connection_address(const pj_connection *connection, pj_port port, char *out, size_t size);

#endif
