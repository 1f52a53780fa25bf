// From files to one profile: read side by side, numbered by rank, put together in their order.
// Ownership: the caller gets one reference.
#ifndef PJ_LOAD_PROFILE_H
#define PJ_LOAD_PROFILE_H

#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/profile/profile.h"

typedef struct pj_load_profile_opts {
    /// Told of each file that cannot be read while others can; NULL = the first one ends it all.
    void (*complain)(void *context, const pj_err *err);
    void *context;
    const char *const *names; // of their locations; NULL = none
    bool align;               // as in profile_merge.h
} pj_load_profile_opts;

/// One profile with the locations of all files, in the order of their ranks: what the file says,
/// else the last number in the names that tells the files of its format apart, else the place.
PJ_CHECKED pj_profile *pj_load_profile(const char *const *paths, size_t count,
                                       pj_load_profile_opts opts, pj_job *job, pj_err *err);

/// Ranks that file names tell; `ranks` has one number for each.
void pj_load_profile_ranks(const char *const *paths, size_t count, int64_t *ranks);

#endif
