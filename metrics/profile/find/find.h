// The functions of the rows of profile_findings.def: each appends sentences of a line each.
// Ownership: text is appended.
#ifndef PJ_FIND_H
#define PJ_FIND_H

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/profile/find/profile_facts.h"
#include "metrics/profile/profile.h"

/// `facts` is NULL when the profile has no values of functions.
#define FINDING(name, topic, headline)                                                             \
    void pj_find_##name(const pj_profile *profile, const pj_profile_facts *facts, pj_buf *out);
#include "metrics/profile/find/profile_findings.def"
#undef FINDING

/// The function's name for people on one line and not too long for a sentence; arena.
const char *pj_find_name(const pj_profile *profile, uint32_t region, pj_arena *arena);
/// Appends ": " and the text of a source line, cut in the same way; nothing when there is none.
void pj_find_add_text(pj_str text, pj_buf *out);

#endif
