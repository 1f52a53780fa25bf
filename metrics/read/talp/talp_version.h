// Which versions of DLB wrote TALP files that are read. Ownership: plain data.
#ifndef PJ_TALP_VERSION_H
#define PJ_TALP_VERSION_H

#include "metrics/base/err.h"
#include "metrics/base/str.h"

/// False with PJ_E_FORMAT, which names the version: before 3.5, of a later major version than 3, or
/// no version at all.
PJ_CHECKED bool pj_talp_version_check(const char *path, pj_str version, pj_err *err);

#endif
