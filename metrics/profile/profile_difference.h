// What changed from one profile to another, function by function.
// Ownership: tables hold one reference; NULL with an error.
#ifndef PJ_PROFILE_DIFFERENCE_H
#define PJ_PROFILE_DIFFERENCE_H

#include "metrics/base/err.h"
#include "metrics/profile/profile.h"
#include "metrics/table/table.h"

/// Functions of both, the largest difference of exclusive values first. A function is the same by
/// module, name and line; without the line where each has only one of that module and name.
PJ_CHECKED pj_table *pj_profile_difference(pj_profile *before, pj_profile *after, pj_err *err);

#endif
