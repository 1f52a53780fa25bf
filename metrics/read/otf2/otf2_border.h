// Borders of a region of interest in the readings of counters: between them readings are summed up
// to the next change of state, but those next to a border stand alone, so that no more than one
// interval is divided by it. Ownership: borrow.
#ifndef PJ_OTF2_BORDER_H
#define PJ_OTF2_BORDER_H

#include "metrics/read/otf2/events/otf2_location.h"

/// Comes with every reading at `time`, before it is added to those before it.
void pj_otf2_border_read(pj_otf2_location *location, uint64_t time);
/// What the two below ask where there are borders.
bool pj_otf2_border_is_behind(const pj_otf2_location *location);
uint64_t pj_otf2_border_next(pj_otf2_location *location);
/// Whether records may be passed over; not between a border and the first reading behind it.
static inline bool pj_otf2_border_lets_skim(const pj_otf2_location *location)
{
    return !location->borders.count || pj_otf2_border_is_behind(location);
}
/// Ticks of the location up to which its next border is not crossed; UINT64_MAX = there is none.
static inline uint64_t pj_otf2_border_limit(pj_otf2_location *location)
{
    return location->borders.count ? pj_otf2_border_next(location) : UINT64_MAX;
}

#endif
