// Locks and critical sections of OpenMP: from regions and records to PJ_LOCK. Ownership: borrow.
#ifndef PJ_OTF2_LOCKS_H
#define PJ_OTF2_LOCKS_H

#include "metrics/read/otf2/events/otf2_event.h"
#include "metrics/read/otf2/events/otf2_location.h"

/// A region in which a lock may be asked for is entered.
void pj_otf2_lock_asked(pj_otf2_location *location, uint64_t time);
/// A record says that a lock is taken or given free.
void pj_otf2_lock_record(pj_otf2_location *location, uint64_t time, const pj_otf2_event *event);
/// The body of a critical section. Where no record has said which lock it has, all such sections
/// are taken to have the same one, as those without a name do.
void pj_otf2_lock_enter_body(pj_otf2_location *location, uint64_t time);
void pj_otf2_lock_leave_body(pj_otf2_location *location, uint64_t time);

#endif
