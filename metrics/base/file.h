// A file as a whole. Ownership: borrow; bytes are appended to the caller's buffer.
#ifndef PJ_FILE_H
#define PJ_FILE_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"

/// Errors: PJ_E_IO with the system's reason; what was read before it stays in `out`.
PJ_CHECKED bool pj_file_read(const char *path, pj_buf *out, pj_err *err);

/// Opens a regular file and never waits; -1 with an error (PJ_E_IO), also for pipes and devices.
PJ_CHECKED int pj_file_open(const char *path, pj_err *err);
/// Whether there is a regular file.
bool pj_file_is_regular(const char *path);

#endif
