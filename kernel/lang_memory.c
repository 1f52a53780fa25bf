// The memory of cells: what Lua asks for is refused before the system ends the whole kernel for it.
#include "kernel/lang_state.h"
#include "metrics/base/memory.h"
#include "metrics/base/num.h"

#include <stdlib.h>

enum { STEP = 64 << 20, RESERVE = 32 << 20 }; // looked at once per step; left for everything else

static bool may_grow(pj_lang_stage *stage, size_t more)
{
    if (stage->lua_bytes + more <= stage->lua_granted)
        return true;
    uint64_t left = pj_memory_look("").left;
    if (left < more || left - more < RESERVE)
        return false;
    stage->lua_granted = stage->lua_bytes + more + (left - more < STEP ? 0 : STEP);
    return true;
}

/// As lua_Alloc wants it: Lua collects its garbage and asks again before it gives up.
static void *allocate(void *context, void *old, size_t had, size_t size)
{
    pj_lang_stage *stage = context;
    size_t before = old ? had : 0; // of a new block it tells the kind
    if (!size) {
        free(old);
        stage->lua_bytes -= before;
        return NULL;
    }
    if (size > before && !may_grow(stage, size - before))
        return NULL;
    void *block = realloc(old, size);
    if (block)
        stage->lua_bytes += size - before;
    return block;
}

void pj_lang_memory_open(pj_lang_stage *stage)
{
    stage->lua_bytes =
        (size_t)lua_gc(stage->L, LUA_GCCOUNT) * 1024 + (size_t)lua_gc(stage->L, LUA_GCCOUNTB);
    stage->lua_granted = STEP;
    lua_setallocf(stage->L, allocate, stage);
}

void pj_lang_memory_explain(pj_lang *lang, bool anywhere)
{
    pj_memory_room room = pj_memory_look("");
    char left[32], limit[32];
    left[pj_format_bytes(room.left, left)] = 0;
    limit[pj_format_bytes(room.limit, limit)] = 0;
    lang->message.len = 0;
    lang->frame_count = anywhere ? 0 : lang->frame_count;
    pj_buf_addf(&lang->message,
                "not enough memory: %s are left of the %s that %s allows; set what is not needed "
                "to nil, or work in parts",
                left, limit, room.what);
}
