// The fingerprint of a trace: of a file, or of an archive (a folder or an .otf2 anchor) the
// fingerprints of all its files by name, hashed once more. Ownership: list/free.
#ifndef PJ_FINGERPRINT_TRACE_H
#define PJ_FINGERPRINT_TRACE_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/fingerprint.h"
#include "metrics/base/job.h"
#include "metrics/base/process_group.h"

typedef struct pj_fingerprint_part { // a file
    const char *path, *name;
    int64_t stamp[3]; // size in bytes; time of change: seconds, ns; 0 of what is no file
    uint64_t value, bytes;
    bool known; // both of them
} pj_fingerprint_part;

typedef struct pj_fingerprint_parts {
    pj_fingerprint_part *items; // in an order that depends on their names alone
    size_t count, cap;
    bool archive;
} pj_fingerprint_parts;

/// The files of a trace, not read yet; names are arena. Error: PJ_E_IO.
PJ_CHECKED bool pj_fingerprint_list(const char *path, pj_arena *arena, pj_fingerprint_parts *out,
                                    pj_err *err);
void pj_fingerprint_free(pj_fingerprint_parts *parts);

/// Reads those that fall to this member of a process group (NULL = all), which are about as many
/// bytes for each. Exchanges nothing. Errors: PJ_E_IO, PJ_E_STOPPED. `job` may be NULL.
PJ_CHECKED bool pj_fingerprint_read(pj_fingerprint_parts *parts, const pj_process_group *group,
                                    pj_job *job, pj_err *err);
/// All members together: the leader learns what the others have read.
PJ_CHECKED bool pj_fingerprint_gather(pj_fingerprint_parts *parts, pj_process_group *group,
                                      pj_err *err);
/// When all are known; `bytes` (may be NULL) is the size of all.
uint64_t pj_fingerprint_fold(const pj_fingerprint_parts *parts, uint64_t *bytes);

/// All of it at once.
PJ_CHECKED bool pj_fingerprint_trace(const char *path, pj_job *job, uint64_t *out, uint64_t *bytes,
                                     pj_err *err);
/// Sizes and times of change of the same files, hashed: the bytes are not read.
PJ_CHECKED bool pj_fingerprint_stamp(const char *path, uint64_t *out, pj_err *err);

#endif
