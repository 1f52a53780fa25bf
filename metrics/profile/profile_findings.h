// What a profile shows that its tables do not say at once. Ownership: text is appended.
#ifndef PJ_PROFILE_FINDINGS_H
#define PJ_PROFILE_FINDINGS_H

#include "metrics/base/buf.h"
#include "metrics/profile/profile.h"

/// One sentence a line: "20 of 32 ranks work; 20 to 31 do nothing but wait".
void pj_profile_findings(const pj_profile *profile, pj_buf *out);
/// Oddities, one line each: "warning: times are negative (12 times)".
void pj_profile_remarks(const pj_profile *profile, pj_buf *out);

#endif
