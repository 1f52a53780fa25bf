// How any input is read: a trace into a pass, a profile into a builder.
// Ownership: borrow; what is read belongs to the pass and the builder.
#ifndef PJ_READ_H
#define PJ_READ_H

#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/read/pass.h"
#include "metrics/read/reader.h"

/// Reads the file `path` (pass->run->path) into pass->run and ends the sinks. Errors: PJ_E_IO,
/// PJ_E_FORMAT (no known format, or nothing in it can be used), PJ_E_USAGE (it is a profile),
/// PJ_E_STOPPED, PJ_E_MEMORY.
PJ_CHECKED bool pj_read_file(const char *path, pj_pass *pass, pj_err *err);
/// The same for bytes in memory.
PJ_CHECKED bool pj_read_memory(const char *name, pj_str bytes, pj_pass *pass, pj_err *err);

/// Reads the file or folder `path` into a builder; the row that did, NULL with an error
/// (PJ_E_USAGE: it is a trace).
PJ_CHECKED const pj_reader *pj_read_profile(const char *path, pj_job *job, struct pj_build *build,
                                            pj_err *err);
/// The same for bytes in memory.
PJ_CHECKED const pj_reader *pj_read_profile_memory(const char *name, pj_str bytes, pj_job *job,
                                                   struct pj_build *build, pj_err *err);

#endif
