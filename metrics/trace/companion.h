// The files beside a Paraver trace: trace.prv or trace.prv.gz has labels in trace.pcf and names in
// trace.row. Ownership: borrow; texts are appended to the caller's buffer.
#ifndef PJ_COMPANION_H
#define PJ_COMPANION_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"

/// Path of the companion of `trace` that ends with `suffix`: ".pcf", ".row".
void pj_companion_path(const char *trace, const char *suffix, pj_buf *out);
/// Its text, of which nobody needs more than the first 64 MiB. False when there is none, and with
/// an error (PJ_E_IO) when it cannot be read.
PJ_CHECKED bool pj_companion_read(const char *trace, const char *suffix, pj_buf *out, pj_err *err);
/// Whether two traces are one file or have the same companions: who writes one harms the other.
bool pj_companion_shared(const char *a, const char *b);
/// Whether a file is called as companions are, compressed or not.
bool pj_companion_named(const char *path);
/// Whether it is one of that trace, by name.
bool pj_companion_belongs(const char *path, const char *trace);

#endif
