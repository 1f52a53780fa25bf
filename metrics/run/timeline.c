// The kinds of time that a timeline tells apart.
// Which states make which kind of time.
#include "metrics/run/timeline.h"

#include "metrics/trace/event.h"

const char *pj_timeline_kind_title(pj_timeline_kind kind)
{
    static const char *const titles[] = {
#define KIND(name, title) title,
#include "metrics/run/timeline_kinds.def"
#undef KIND
    };
    return titles[kind];
}

pj_timeline_kind pj_timeline_kind_of(unsigned state)
{
    static const uint8_t kinds[] = {
        [PJ_STATE_IDLE] = PJ_TIMELINE_idle,
        [PJ_STATE_RUNNING] = PJ_TIMELINE_running,
        [PJ_STATE_NOT_CREATED] = PJ_TIMELINE_idle,
        [3] = PJ_TIMELINE_message, // waiting for a message
        [4] = PJ_TIMELINE_message, // blocking send
        [5] = PJ_TIMELINE_synchronisation,
        [6] = PJ_TIMELINE_message,         // test, probe
        [7] = PJ_TIMELINE_synchronisation, // scheduling, fork and join
        [8] = PJ_TIMELINE_message,         // wait
        [9] = PJ_TIMELINE_synchronisation, // blocked
        [10] = PJ_TIMELINE_message,        // immediate send
        [11] = PJ_TIMELINE_message,        // immediate receive
        [12] = PJ_TIMELINE_io,
        [13] = PJ_TIMELINE_collective,
        [PJ_STATE_DISABLED] = PJ_TIMELINE_disabled,
        [PJ_STATE_OTHERS] = PJ_TIMELINE_other,
        [16] = PJ_TIMELINE_message, // send and receive
        [PJ_STATE_COPY] = PJ_TIMELINE_transfer,
    };
    if (state == PJ_STATE_LAUNCH)
        return PJ_TIMELINE_launch;
    return state < sizeof kinds ? (pj_timeline_kind)kinds[state] : PJ_TIMELINE_other;
}
