// Which of the threads that the header of a Paraver trace promises are streams of devices: the .row
// file names them; without it their events tell, in a pass of their own. Ownership: the run's
// arena; what a pass has seen is new/free.
#ifndef PJ_PRV_STREAMS_H
#define PJ_PRV_STREAMS_H

#include "metrics/read/paraver/prv_header.h"
#include "metrics/run/run.h"
#include "metrics/trace/event.h"
#include "metrics/trace/layout.h"

/// What the threads of a trace without names have been seen to do, in the order of the header.
typedef struct pj_prv_deeds {
    size_t count;
    uint8_t of[]; // bits by PJ_DEVICE_*
} pj_prv_deeds;

/// Takes the streams out of run->layout. They are those of `known`, a run of the same trace, else
/// those that the names tell, else those of `deeds` (may be NULL). Does nothing when there are
/// none.
void pj_prv_streams_settle(pj_run *run, pj_prv_header *header, const pj_layout *known,
                           const pj_prv_deeds *deeds);

/// Whether the trace names its threads: then their events do not tell.
bool pj_prv_streams_are_named(const pj_layout *layout);

/// Adds what `batch` shows, of a trace whose layout holds all threads of the header.
void pj_prv_streams_watch(pj_prv_deeds **deeds, const pj_layout *layout, const pj_batch *batch);
/// Whether any thread did what only streams do.
bool pj_prv_streams_seen(const pj_prv_deeds *deeds);

#endif
