// Counters of one location. Ownership: borrow.
#ifndef PJ_OTF2_COUNTERS_H
#define PJ_OTF2_COUNTERS_H

#include "metrics/read/otf2/events/otf2_event.h"
#include "metrics/read/otf2/events/otf2_location.h"

/// A record of a metric: what was counted since the reading before is due with the next event.
void pj_otf2_counters_read(pj_otf2_location *location, uint64_t time, const pj_otf2_event *event);

#endif
