// Profiles as files of other tools, one row a format. Ownership: bytes are appended.
#ifndef PJ_PROFILE_WRITE_H
#define PJ_PROFILE_WRITE_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"

typedef struct pj_profile_writer {
    const char *suffixes; // "prof pstats", without points
    const char *title;
    /// Errors: PJ_E_MISSING where the profile lacks what the format must have, PJ_E_STOPPED.
    bool (*write)(pj_profile *profile, pj_job *job, pj_buf *out, pj_err *err);
} pj_profile_writer;

#define PROFILE_WRITER(name) extern const pj_profile_writer pj_profile_writer_##name;
#include "metrics/profile/write/profile_writers.def"
#undef PROFILE_WRITER

/// For formats of stacks: the measure whose call paths are written, the usual one. PJ_E_MISSING
/// where there are no call paths.
PJ_CHECKED bool pj_profile_write_stacks(const pj_profile *profile, uint32_t *measure, pj_err *err);
/// The row that writes files of this suffix; NULL when there is none.
const pj_profile_writer *pj_profile_writer_of(pj_str suffix);
/// All suffixes; ends with NULL.
extern const char *const pj_profile_suffixes[];

#endif
