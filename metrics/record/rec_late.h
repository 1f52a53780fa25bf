// Calls that the handler of a signal makes while its thread writes an event: kept, and written
// behind that event with the times at which they were. Ownership: borrow.
#ifndef PJ_REC_LATE_H
#define PJ_REC_LATE_H

#include "metrics/record/rec_event.h"
#include "metrics/record/rec_export.h"
#include "metrics/record/rec_thread.h"

/// The thread is held (pj_rec_hold). false: there is no room for the call, of which nothing more is
/// to be kept.
PJ_REC_API bool pj_rec_late_enter(pj_rec_thread *thread, uint32_t region);
PJ_REC_API void pj_rec_late_event(pj_rec_thread *thread, pj_rec_event_type type,
                                  const uint64_t *members);
PJ_REC_API void pj_rec_late_leave(pj_rec_thread *thread, uint32_t region);

#endif
