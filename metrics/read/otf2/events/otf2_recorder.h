// Records of locations that hold readings of meters. Ownership: borrow.
#ifndef PJ_OTF2_RECORDER_H
#define PJ_OTF2_RECORDER_H

#include "metrics/read/otf2/events/otf2_event.h"
#include "metrics/read/otf2/events/otf2_location.h"

/// Gives out what each meter of a record reads.
void pj_otf2_recorder_record(pj_otf2_location *location, uint64_t time, const pj_otf2_event *event);

#endif
