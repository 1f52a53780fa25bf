// Input and output in an archive: calls outside MPI are regions, what they move is told by records.
// Ownership: borrow.
#ifndef PJ_OTF2_FILES_H
#define PJ_OTF2_FILES_H

#include "metrics/read/otf2/events/otf2_event.h"
#include "metrics/read/otf2/events/otf2_location.h"

#include <stdint.h>

/// Of calls within others the outermost one is given out.
void pj_otf2_file_enter(pj_otf2_location *location, uint64_t time, uint32_t region);
void pj_otf2_file_leave(pj_otf2_location *location, uint64_t time);
/// IO_OPERATION_BEGIN, IO_OPERATION_COMPLETE.
void pj_otf2_file_record(pj_otf2_location *location, uint64_t time, const pj_otf2_event *event);

#endif
