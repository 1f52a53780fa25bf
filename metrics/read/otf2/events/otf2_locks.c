// Score-P says by a record between a critical section and its body that the lock is there, others
// by the body alone.
#include "metrics/read/otf2/events/otf2_locks.h"

#include "metrics/read/otf2/events/otf2_event.h"
#include "metrics/read/otf2/events/otf2_give.h"
#include "metrics/read/otf2/events/otf2_region.h"
#include "metrics/trace/event.h"

enum { UNNAMED = 1, NAMES = 2 }; // names of locks, as events give them

static void give(pj_otf2_location *location, uint64_t time, uint64_t what, uint64_t name)
{
    pj_otf2_settle(location, time);
    pj_event *event = pj_otf2_give(location, time, PJ_EV_OTHER);
    event->code = PJ_LOCK;
    event->a = what;
    event->b = name;
}

void pj_otf2_lock_asked(pj_otf2_location *location, uint64_t time)
{
    if (!location->locks)
        return;
    location->now.asks = true;
    give(location, time, PJ_LOCK_ASKED, 0);
}

void pj_otf2_lock_record(pj_otf2_location *location, uint64_t time, const pj_otf2_event *event)
{
    bool of_thread =
        event->type == PJ_OTF2_THREAD_ACQUIRE_LOCK || event->type == PJ_OTF2_THREAD_RELEASE_LOCK;
    bool taken =
        event->type == PJ_OTF2_THREAD_ACQUIRE_LOCK || event->type == PJ_OTF2_OMP_ACQUIRE_LOCK;
    if (!location->locks || (of_thread && event->field[0] != PJ_OTF2_PARADIGM_OPENMP))
        return;
    location->now.asks = false;
    give(location, time, taken ? PJ_LOCK_ACQUIRED : PJ_LOCK_RELEASED,
         NAMES + event->field[of_thread]);
}

void pj_otf2_lock_enter_body(pj_otf2_location *location, uint64_t time)
{
    if (!location->locks || !location->now.asks)
        return;
    location->now.asks = false;
    location->now.unnamed++;
    give(location, time, PJ_LOCK_ACQUIRED, UNNAMED);
}

void pj_otf2_lock_leave_body(pj_otf2_location *location, uint64_t time)
{
    if (!location->locks || !location->now.unnamed)
        return;
    location->now.unnamed--;
    give(location, time, PJ_LOCK_RELEASED, UNNAMED);
}
