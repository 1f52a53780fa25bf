// Input and output by file and rank, of call paths that tell files apart ("read (file=/data)").
// Ownership: tables hold one reference; NULL with an error.
#ifndef PJ_PROFILE_FILES_H
#define PJ_PROFILE_FILES_H

#include "metrics/base/err.h"
#include "metrics/profile/profile.h"
#include "metrics/table/table.h"

/// A row for each file of each rank, the one that takes longest first: calls and seconds in them,
/// of reading, writing and the rest. A call from one file into another counts for the latter.
/// PJ_E_MISSING where no call paths tell files.
PJ_CHECKED pj_table *pj_profile_files(pj_profile *profile, pj_err *err);

#endif
