// MPI calls of a location, and the operations in them that tie it to other ranks. Ownership:
// borrow.
#ifndef PJ_OTF2_TRAFFIC_H
#define PJ_OTF2_TRAFFIC_H

#include "metrics/read/otf2/events/otf2_event.h"
#include "metrics/read/otf2/events/otf2_location.h"

/// Enters an MPI region (index in defs->regions); only the outermost one is a call.
void pj_otf2_begin_call(pj_otf2_location *location, uint64_t time, uint32_t region);
void pj_otf2_end_call(pj_otf2_location *location, uint64_t time);
/// MPI_SEND and MPI_ISEND.
void pj_otf2_send(pj_otf2_location *location, uint64_t time, const pj_otf2_event *event);
/// MPI_ISEND_COMPLETE, where a sink wants to know.
void pj_otf2_sent(pj_otf2_location *location, uint64_t time, uint64_t request);
/// MPI_RECV and MPI_IRECV.
void pj_otf2_receive(pj_otf2_location *location, uint64_t time, const pj_otf2_event *event);
/// MPI_IRECV_REQUEST.
void pj_otf2_post(pj_otf2_location *location, uint64_t time, uint64_t request);
/// MPI_COLLECTIVE_BEGIN and MPI_COLLECTIVE_END.
void pj_otf2_begin_collective(pj_otf2_location *location, uint64_t time);
void pj_otf2_collective(pj_otf2_location *location, uint64_t time, const pj_otf2_event *event);
/// RMA_COLLECTIVE_END.
void pj_otf2_window_collective(pj_otf2_location *location, uint64_t time,
                               const pj_otf2_event *event);
/// RMA_GROUP_SYNC.
void pj_otf2_window_signal(pj_otf2_location *location, uint64_t time, const pj_otf2_event *event);
/// RMA_REQUEST_LOCK, RMA_ACQUIRE_LOCK and RMA_RELEASE_LOCK.
void pj_otf2_window_lock(pj_otf2_location *location, uint64_t time, const pj_otf2_event *event);
/// NON_BLOCKING_COLLECTIVE_REQUEST.
void pj_otf2_collective_request(pj_otf2_location *location, uint64_t time, uint64_t request);
/// NON_BLOCKING_COLLECTIVE_COMPLETE.
void pj_otf2_collective_complete(pj_otf2_location *location, uint64_t time,
                                 const pj_otf2_event *event);

#endif
