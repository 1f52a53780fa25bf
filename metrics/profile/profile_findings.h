// What a profile shows that its tables do not say at once. Ownership: text is appended.
#ifndef PJ_PROFILE_FINDINGS_H
#define PJ_PROFILE_FINDINGS_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"
#include "metrics/table/table.h"

/// Which ranks do not share the work of the others, if any: one line, which is whole up to its ';'
/// too, "20 of 32 ranks work; the others, 20 to 31, do nothing but wait".
void pj_profile_findings(const pj_profile *profile, pj_buf *out);
/// Oddities, one line each: "warning: times are negative (12 times)".
void pj_profile_remarks(const pj_profile *profile, pj_buf *out);

/// What a profile may have something of, a row of find/profile_topics.def.
typedef struct pj_profile_topic {
    const char *key;   // "functions"
    const char *title; // "Functions"
    bool (*has)(const pj_profile *profile);
} pj_profile_topic;

/// NULL past the end.
const pj_profile_topic *pj_profile_topic_at(size_t index);
/// What the numbers say of a topic or, "summary", of all; one sentence a line; none when they say
/// nothing. A sentence stands in one place only. Fails with PJ_E_USAGE, naming all topics.
PJ_CHECKED bool pj_profile_findings_about(const pj_profile *profile, pj_str topic, pj_buf *out,
                                          pj_err *err);

/// The summary as a table: topic and sentence. New; never without rows, for that nothing stands out
/// is one.
pj_table *pj_profile_findings_table(const pj_profile *profile);

/// The function with most time of its own of those that do not wait: what is worth being looked at
/// over ranks. PJ_NO_ITEM = there is none.
uint32_t pj_profile_telling_function(const pj_profile *profile);

#endif
