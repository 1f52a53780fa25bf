// What changed from one profile to another, function by function.
// Ownership: tables hold one reference; NULL with an error.
#ifndef PJ_PROFILE_DIFFERENCE_H
#define PJ_PROFILE_DIFFERENCE_H

#include "metrics/base/err.h"
#include "metrics/profile/profile.h"
#include "metrics/table/table.h"

/// Functions of both, the largest difference of exclusive values first. A function is the same by
/// name, file and line, else as in same_function.h. `normalised`: the first as if it had taken as
/// long as the second.
PJ_CHECKED pj_table *pj_profile_difference(pj_profile *before, pj_profile *after, bool normalised,
                                           pj_err *err);

#endif
