// Parts of a profile as profiles: one rank, what lies below a function.
// Ownership: new references; NULL with an error.
#ifndef PJ_PROFILE_FILTER_H
#define PJ_PROFILE_FILTER_H

#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"

/// The locations of one rank; items that no other rank has stay, without values. Errors:
/// PJ_E_MISSING with the ranks there are.
PJ_CHECKED pj_profile *pj_profile_of_rank(pj_profile *profile, int64_t rank, pj_err *err);
/// The locations of the files that `of` (by index of `files`) names, as above; at least one.
PJ_CHECKED pj_profile *pj_profile_of_files(pj_profile *profile, const bool *of, pj_err *err);
/// Of a tree: the nodes at and below the functions that match (extended regular expression on
/// file:line(function)), which become roots. Of a graph: the functions that they reach, with all
/// their values. Errors: PJ_E_MISSING, PJ_E_USAGE.
PJ_CHECKED pj_profile *pj_profile_below(pj_profile *profile, pj_str functions, pj_err *err);

#endif
