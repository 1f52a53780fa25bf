// Tables of the parts of a profile: edges, lines, events, series, metrics, and what is known of it.
// Ownership: tables hold one reference; NULL with an error.
#ifndef PJ_PROFILE_PARTS_H
#define PJ_PROFILE_PARTS_H

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/profile/profile.h"
#include "metrics/profile/profile_table.h"
#include "metrics/table/table.h"

typedef enum pj_profile_side {
    PJ_ALL_EDGES,
    PJ_CALLERS, // of the functions that are asked for
    PJ_CALLEES,
} pj_profile_side;

/// Calls between functions, over all locations; `functions` (an extended regular expression on
/// file:line(function)) says whose; of `ask` counts the metric ("" = time, or the first) that is
/// told beside calls, and the stop flag. Errors: PJ_E_MISSING (there are none), PJ_E_USAGE,
/// PJ_E_STOPPED.
PJ_CHECKED pj_table *pj_profile_edges(pj_profile *profile, pj_profile_side side, pj_str functions,
                                      const pj_profile_ask *ask, pj_err *err);
/// Lines with hits and time, or memory, by rank; `stop` NULL = never. Errors: PJ_E_MISSING,
/// PJ_E_STOPPED.
PJ_CHECKED pj_table *pj_profile_lines(const pj_profile *profile, atomic_bool *stop, pj_err *err);
pj_table *pj_profile_events(const pj_profile *profile);
pj_table *pj_profile_series_table(const pj_profile *profile);
/// "memory of child 12: at most 62.0 MiB, 1.25 s after the start", a line for each of the first
/// curves.
void pj_profile_peaks(const pj_profile *profile, pj_buf *out);
pj_table *pj_profile_metrics(const pj_profile *profile);
/// Format, shape, sizes, findings and remarks.
pj_table *pj_profile_info(const pj_profile *profile);

#endif
