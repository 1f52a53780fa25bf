// A profile that has something for every page: a call graph over ranks, lines, memory and events.
// Ownership: the caller gets one reference.
#ifndef PJ_PROFILE_FOR_PAGES_H
#define PJ_PROFILE_FOR_PAGES_H

#include "metrics/profile/profile.h"

/// A rank for each path; the last one of several waits.
pj_profile *profile_for_pages(const char *const *paths, size_t count);

#endif
