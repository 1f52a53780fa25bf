// Profiles as tables: functions, call paths, modules, ranks; lines; callers and callees.
// Ownership: tables hold one reference; NULL with an error.
#ifndef PJ_PROFILE_TABLE_H
#define PJ_PROFILE_TABLE_H

#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_rows.h"
#include "metrics/table/table.h"

#include <stdatomic.h>

/// Which rows, and how they are shown.
typedef struct pj_profile_ask {
    pj_profile_grouping by;
    pj_str metric;  // key of a measure; "" = time, else the first one with values
    pj_str sort;    // keys, "a,-b"; numbers downwards, texts upwards, '-' turns; "" = by the metric
    pj_str match;   // extended regular expression on file:line(function); "" = all
    pj_str where;   // formula over the columns; "" = all
    uint64_t first; // rows; 0 = all
    double first_part; // of all rows, in place of `first`; 0 = all
    double least_part; // of the whole: rows with less are left out; 0 = none
    bool strip;        // files without folders
    bool skip_zero;    // rows whose value is 0 or absent are left out
    pj_str name;       // of the function; "" = all
    const char *unit;  // in which people see times: "s" (NULL too), "ms", "us", "ns"
    atomic_bool *stop; // NULL = never; PJ_E_STOPPED when it is raised meanwhile
} pj_profile_ask;

/// Errors: PJ_E_USAGE (unknown metric or key, with what there is; a bad expression), PJ_E_MISSING
/// (the profile has no call paths).
PJ_CHECKED pj_table *pj_profile_table(pj_profile *profile, const pj_profile_ask *ask, pj_err *err);

/// "time", "PAPI_TOT_INS": PJ_NO_ITEM with an error when there is none of that key.
PJ_CHECKED bool pj_profile_pick_measure(const pj_profile *profile, pj_str key, uint32_t *measure,
                                        pj_err *err);

#endif
