// Profiles of files and of bytes, and single values of them. Ownership: new/release.
#ifndef PJ_READ_PROFILE_H
#define PJ_READ_PROFILE_H

#include "metrics/base/err.h"
#include "metrics/profile/profile.h"

/// NULL with the error.
pj_profile *read_profile_bytes(const char *name, pj_str bytes, pj_err *err);
/// Fails the test when it cannot be read.
pj_profile *read_profile_file(const char *path);
/// That the file is refused, with an error that contains `part`.
void refuse_profile_file(const char *path, const char *part);

/// The region of that name, and that file unless it is NULL; PJ_NO_ITEM when there is none.
uint32_t region_called(const pj_profile *profile, pj_str name, const pj_str *file);
/// A value; of calls, `key` is NULL. NaN where it is absent.
double profile_value(const pj_profile *profile, pj_site site, pj_value_part part, const char *key,
                     uint32_t item, uint32_t location);
/// That two values are equal to 1e-9 of the larger, or both absent.
void same_value(double a, double b);

#endif
