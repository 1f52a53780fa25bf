// Which states make which kind of time.
#include "metrics/run/scene.h"

#include "metrics/trace/event.h"

const char *pj_scene_kind_title(pj_scene_kind kind)
{
    static const char *const titles[] = {
#define KIND(name, title) title,
#include "metrics/run/scene_kinds.def"
#undef KIND
    };
    return titles[kind];
}

pj_scene_kind pj_scene_kind_of(unsigned state)
{
    static const uint8_t kinds[] = {
        [PJ_STATE_IDLE] = PJ_SCENE_idle,
        [PJ_STATE_RUNNING] = PJ_SCENE_running,
        [PJ_STATE_NOT_CREATED] = PJ_SCENE_idle,
        [3] = PJ_SCENE_message, // waiting for a message
        [4] = PJ_SCENE_message, // blocking send
        [5] = PJ_SCENE_synchronisation,
        [6] = PJ_SCENE_message,         // test, probe
        [7] = PJ_SCENE_synchronisation, // scheduling, fork and join
        [8] = PJ_SCENE_message,         // wait
        [9] = PJ_SCENE_synchronisation, // blocked
        [10] = PJ_SCENE_message,        // immediate send
        [11] = PJ_SCENE_message,        // immediate receive
        [12] = PJ_SCENE_io,
        [13] = PJ_SCENE_collective,
        [PJ_STATE_DISABLED] = PJ_SCENE_disabled,
        [PJ_STATE_OTHERS] = PJ_SCENE_other,
        [16] = PJ_SCENE_message, // send and receive
    };
    return state < sizeof kinds ? (pj_scene_kind)kinds[state] : PJ_SCENE_other;
}
