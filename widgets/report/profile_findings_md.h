// What the numbers of a profile say about a topic, as Markdown: a list, a sentence an item.
// Ownership: text is appended.
#ifndef PJ_PROFILE_FINDINGS_MD_H
#define PJ_PROFILE_FINDINGS_MD_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"

/// Topics are those of profile_findings.h; PJ_E_USAGE names them.
PJ_CHECKED bool pj_profile_findings_md(const pj_profile *profile, pj_str topic, pj_buf *out,
                                       pj_err *err);

#endif
