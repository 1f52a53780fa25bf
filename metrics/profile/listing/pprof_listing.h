// The listing of TAU's pprof: functions and user events of every thread, then their totals and
// means. Ownership: bytes are appended.
#ifndef PJ_PPROF_LISTING_H
#define PJ_PPROF_LISTING_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/profile/profile.h"

/// Byte for byte but for blanks at the ends of lines. Errors: PJ_E_MISSING for a profile without
/// times of functions.
PJ_CHECKED bool pj_pprof_listing(const pj_profile *profile, pj_buf *out, pj_err *err);

#endif
