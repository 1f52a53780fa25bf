// DLB names its versions "3.5", "3.5a", "3.6.0+beta1-2-c045-dirty".
#include "metrics/read/talp/talp_version.h"

enum { MAJOR = 3, FIRST_MINOR = 5, MOST = 10000 };

/// The number at the start; false when there is none.
static bool take_number(pj_str *rest, unsigned *out)
{
    size_t digits = 0;
    *out = 0;
    while (digits < rest->len && rest->at[digits] >= '0' && rest->at[digits] <= '9') {
        *out = *out < MOST ? *out * 10 + (unsigned)(rest->at[digits] - '0') : MOST;
        digits++;
    }
    *rest = pj_str_from(*rest, digits);
    return digits > 0;
}

bool pj_talp_version_check(const char *path, pj_str version, pj_err *err)
{
    enum { SHOWN = 60 };
    pj_str rest = version, shown = pj_str_head(version, version.len < SHOWN ? version.len : SHOWN);
    unsigned major = 0, minor = 0;
    bool told = take_number(&rest, &major) && pj_str_starts(rest, PJ_S("."));
    rest = pj_str_from(rest, rest.len ? 1 : 0);
    if (!told || !take_number(&rest, &minor))
        return pj_fail(err, PJ_E_FORMAT, path, 0,
                       "is a TALP file of an unknown version of DLB, \"" PJ_STR_FMT
                       "\"; those of DLB 3.5 and later 3.x are read",
                       PJ_STR_ARG(shown));
    if (major < MAJOR || (major == MAJOR && minor < FIRST_MINOR))
        return pj_fail(err, PJ_E_FORMAT, path, 0,
                       "is a TALP file of DLB " PJ_STR_FMT ", which is too old: those of DLB 3.5 "
                       "and later 3.x are read; measure again with a newer DLB",
                       PJ_STR_ARG(shown));
    return major == MAJOR ||
           pj_fail(err, PJ_E_FORMAT, path, 0,
                   "is a TALP file of DLB " PJ_STR_FMT ", which is newer than this program: those "
                   "of DLB 3.5 and later 3.x are read; update popinjay",
                   PJ_STR_ARG(shown));
}
