// A file as a whole. Ownership: borrow; bytes are appended to the caller's buffer.
#ifndef PJ_FILE_H
#define PJ_FILE_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"

#include <stdatomic.h>

/// Errors: PJ_E_IO with the system's reason; what was read before it stays in `out`.
PJ_CHECKED bool pj_file_read(const char *path, pj_buf *out, pj_err *err);

/// The same of a file that people name: a pipe is waited for. PJ_E_STOPPED when `stop` (NULL =
/// never) is set meanwhile.
PJ_CHECKED bool pj_file_await(const char *path, const atomic_bool *stop, pj_buf *out, pj_err *err);

/// Opens a regular file and never waits; -1 with an error (PJ_E_IO), also for pipes and devices.
PJ_CHECKED int pj_file_open(const char *path, pj_err *err);
/// Whether there is a regular file.
bool pj_file_is_regular(const char *path);
/// Whether what is open has a name. A pipe without one, as the shell makes them, is written into
/// from the start or never.
bool pj_file_has_name(int fd);

#endif
