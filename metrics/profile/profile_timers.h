// Timed regions as programs print them themselves: total time, calls, average of a call.
// Ownership: tables hold one reference; NULL with an error.
#ifndef PJ_PROFILE_TIMERS_H
#define PJ_PROFILE_TIMERS_H

#include "metrics/base/err.h"
#include "metrics/profile/profile.h"
#include "metrics/table/table.h"

/// A row for each region, the longest first: its time with callees over all ranks, calls, time of a
/// call; of several ranks also the least and the most of one. PJ_E_MISSING where no times of
/// regions are told.
PJ_CHECKED pj_table *pj_profile_timers(pj_profile *profile, pj_err *err);

#endif
