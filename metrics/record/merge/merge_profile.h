// Call paths of all processes as profile.cubex, and those of each process as a file of cProfile's.
// Ownership: borrow.
#ifndef PJ_MERGE_PROFILE_H
#define PJ_MERGE_PROFILE_H

#include "metrics/base/err.h"
#include "metrics/record/merge/unite.h"

typedef struct pj_merged_profile {
    uint64_t visits, paths;
} pj_merged_profile;

/// Writes `folder`/profile.cubex and `folder`/prof/<place>.prof. Errors: PJ_E_IO, PJ_E_FORMAT where
/// no clock of a process is known.
PJ_CHECKED bool pj_merge_profile(const pj_united_part *parts, size_t count, const char *folder,
                                 pj_merged_profile *out, pj_err *err);

#endif
