// Passes over the records of a location that change nothing: functions of the program that inherit
// the state of their thread, and counters that are read again before anybody asks. Most of a trace
// is made of them. Ownership: borrow.
#ifndef PJ_OTF2_SKIM_H
#define PJ_OTF2_SKIM_H

#include "metrics/read/otf2/events/otf2_event.h"
#include "metrics/read/otf2/events/otf2_location.h"

/// Goes on to `limit` (ticks) at most. Leaves stack and records as if all had been taken; `ticks`
/// is the time of the last one. True with the last reading of counters among them, which is still
/// to be taken.
bool pj_otf2_skim(pj_otf2_location *location, uint64_t limit, pj_otf2_event *reading,
                  uint64_t *ticks);

#endif
