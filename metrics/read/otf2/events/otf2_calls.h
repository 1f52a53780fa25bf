// The call tree of a location, as its regions are entered and left. Ownership: borrow.
#ifndef PJ_OTF2_CALLS_H
#define PJ_OTF2_CALLS_H

#include "metrics/read/otf2/events/otf2_event.h"
#include "metrics/read/otf2/events/otf2_location.h"

/// A region that is an index in the definitions.
void pj_otf2_calls_enter(pj_otf2_location *location, uint64_t time, uint32_t region);
/// `innermost`: none is open above it.
void pj_otf2_calls_leave(pj_otf2_location *location, uint64_t time, uint32_t region,
                         bool innermost);
/// The region that was just entered is told apart by the value of a parameter.
void pj_otf2_calls_parameter(pj_otf2_location *location, const pj_otf2_event *event);
/// The call is about the file of that handle.
void pj_otf2_calls_file(pj_otf2_location *location, uint64_t handle);
/// What is open ends with the last record; nodes have the numbers of pj_run.regions from then on.
void pj_otf2_calls_end(pj_otf2_location *location);

#endif
