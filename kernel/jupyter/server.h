// The kernel process: sockets, threads, start and end. Ownership: none.
#ifndef PJ_SERVER_H
#define PJ_SERVER_H

#include "metrics/base/err.h"

#include <stdatomic.h>

/// Serves the front end of a connection file until it asks for the end or goes away. `stop` is
/// raised to interrupt the running cell, by a signal handler too. Must be called by the thread
/// that may run the language; does not return when that is stuck at the end.
PJ_CHECKED bool pj_server_run(const char *connection_file, atomic_bool *stop, pj_err *err);

#endif
