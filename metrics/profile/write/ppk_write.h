// Profiles in TAU's formats. Ownership: bytes are appended.
#ifndef PJ_PPK_WRITE_H
#define PJ_PPK_WRITE_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/profile/profile.h"

/// Packed, version 2, as ParaProf packs them. Errors: PJ_E_MISSING when it has neither functions
/// nor values, PJ_E_STOPPED.
PJ_CHECKED bool pj_ppk_write(const pj_profile *profile, pj_job *job, pj_buf *out, pj_err *err);
/// Files profile.NODE.CONTEXT.THREAD in a folder, which is made where it is missing; of several
/// metrics, in folders MULTI__METRIC within it. Errors: PJ_E_MISSING as above, PJ_E_IO.
PJ_CHECKED bool pj_tau_write(const pj_profile *profile, const char *folder, pj_err *err);

#endif
