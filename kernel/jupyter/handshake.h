// The handshake of JEP 66: a kernel that chose its ports itself tells them to who started it.
// Ownership: none.
#ifndef PJ_HANDSHAKE_H
#define PJ_HANDSHAKE_H

#include "kernel/jupyter/connection.h"
#include "kernel/jupyter/wire.h"
#include "metrics/base/err.h"

/// Notes the port that a socket was bound to.
PJ_CHECKED bool pj_handshake_port(pj_connection *connection, pj_port port, void *socket,
                                  pj_err *err);
enum { PJ_HANDSHAKE_MS = 10000 }; // that a launcher has for its receipt

/// Tells all ports to the launcher and waits for its receipt; false when none comes in time,
/// whatever else comes.
PJ_CHECKED bool pj_handshake_register(const pj_connection *connection, void *context, pj_wire *wire,
                                      int patience_ms, pj_err *err);

#endif
