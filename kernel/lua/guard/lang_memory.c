// The memory of cells: what Lua asks for is refused before the system ends the whole kernel for it.
#include "kernel/lua/lang.h"
#include "kernel/lua/lang_stage.h"
#include "kernel/lua/lang_state.h"
#include "metrics/base/buf.h"
#include "metrics/base/memory.h"
#include "metrics/base/num.h"

#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    STEP = 64 << 20,           // looked at once per step
    RESERVE = 32 << 20,        // left for everything else
    TOLD_FROM = 64 << 10,      // bytes in C: the collector is told of so many at once
    LARGE_FROM = 8 << 20,      // bytes of a block
    FEW = 32 << 20,            // bytes of other blocks that are collected at once
    CLAIM_STEP = 8 << 20,      // looked at once per step, of memory in C
    TRIMMED_FROM = 64ull << 20 // bytes that were taken since, before free ones are looked for
};

/// `more` and what may be taken without a further look stay above the reserve.
static bool may_grow(pj_lang_stage *stage, size_t more)
{
    if (stage->lua_bytes + more <= stage->lua_granted)
        return true;
    uint64_t left = pj_memory_look("").left;
    if (left < more || left - more < RESERVE)
        return false;
    uint64_t beyond = left - more - RESERVE;
    stage->lua_granted = stage->lua_bytes + more + (beyond < STEP ? (size_t)beyond / 2 : STEP);
    return true;
}

/// Whoever copies a long string cannot look at the interrupt meanwhile, and nearly all that it
/// takes is the system handing out pages: of large ones (2 MB) there are few. They begin with the
/// page of the block's header, as the system moves only what is alike throughout.
static void want_large_pages(void *block, size_t size)
{
    size_t into = (size_t)((uintptr_t)block % (uintptr_t)sysconf(_SC_PAGESIZE));
    madvise((char *)block - into, size + into, MADV_HUGEPAGE);
}

/// Whether garbage is collected at once.
static bool has_few_objects(const pj_lang_stage *stage)
{
    return stage->lua_bytes - stage->lua_large < FEW;
}

/// What a cell that ends would fill for nothing: what was read of a device, the next long string.
/// Lua collects its garbage before it gives up.
static bool comes_late(const pj_lang_stage *stage, size_t size)
{
    return size >= LARGE_FROM && has_few_objects(stage) && stage->now && pj_lang_ending(stage->now);
}

static size_t large_part(size_t size)
{
    return size >= LARGE_FROM ? size : 0;
}

/// As lua_Alloc wants it: Lua collects its garbage and asks again before it gives up.
static void *allocate(void *context, void *old, size_t had, size_t size)
{
    pj_lang_stage *stage = context;
    size_t before = old ? had : 0; // of a new block it tells the kind
    if (!size) {
        free(old);
        stage->lua_bytes -= before;
        stage->lua_large -= large_part(before);
        return NULL;
    }
    if (size > before && (comes_late(stage, size) || !may_grow(stage, size - before)))
        return NULL;
    void *block = realloc(old, size);
    if (!block)
        return NULL;
    stage->lua_bytes += size - before;
    stage->lua_large += large_part(size) - large_part(before);
    if (size >= LARGE_FROM && size > before)
        want_large_pages(block, size);
    return block;
}

void pj_lang_memory_open(pj_lang_stage *stage)
{
    stage->lua_bytes =
        (size_t)lua_gc(stage->L, LUA_GCCOUNT) * 1024 + (size_t)lua_gc(stage->L, LUA_GCCOUNTB);
    stage->lua_granted = STEP;
    lua_setallocf(stage->L, allocate, stage);
}

void pj_lang_memory_note(lua_State *L, uint64_t bytes)
{
    pj_lang_stage *stage = pj_lang_of(L)->stage;
    stage->outside += bytes;
    if (stage->outside < TOLD_FROM || !lua_gc(L, LUA_GCISRUNNING))
        return;
    uint64_t kilobytes = stage->outside >> 10;
    stage->outside = 0;
    lua_gc(L, LUA_GCSTEP, kilobytes < INT_MAX ? (int)kilobytes : INT_MAX);
}

/// For `bytes` in C, and as much as may follow without a further look.
static bool has_room(size_t bytes)
{
    uint64_t left = pj_memory_look("").left;
    return left >= RESERVE && left - RESERVE >= bytes + CLAIM_STEP;
}

void pj_lang_memory_claim(lua_State *L, size_t bytes)
{
    pj_lang_stage *stage = pj_lang_of(L)->stage;
    if (bytes <= stage->claimed) {
        stage->claimed -= bytes;
        return;
    }
    stage->claimed = 0;
    if (!has_room(bytes) && lua_gc(L, LUA_GCISRUNNING)) {
        lua_gc(L, LUA_GCCOLLECT);
        malloc_trim(0);
    }
    if (!has_room(bytes))
        luaL_error(L, "not enough memory");
    stage->claimed = CLAIM_STEP;
}

void pj_lang_memory_trim(pj_lang_stage *stage)
{
    uint64_t resident = pj_memory_resident();
    if (resident >= stage->trimmed + TRIMMED_FROM) {
        if (stage->lua_large > 0 && has_few_objects(stage) && lua_gc(stage->L, LUA_GCISRUNNING))
            lua_gc(stage->L, LUA_GCCOLLECT);
        malloc_trim(0);
        resident = pj_memory_resident();
    } else if (resident >= stage->trimmed) {
        return;
    }
    stage->trimmed = resident;
}

void pj_lang_memory_explain(pj_lang *lang, bool anywhere)
{
    pj_memory_room room = pj_memory_look("");
    char left[32], limit[32];
    left[pj_format_bytes(room.left, left)] = 0;
    limit[pj_format_bytes(room.limit, limit)] = 0;
    lang->message.len = 0;
    lang->frame_count = anywhere ? 0 : lang->frame_count;
    if (pj_lang_ending(lang)) {
        pj_buf_add(&lang->message, PJ_S("interrupted"));
        return;
    }
    pj_buf_addf(&lang->message,
                "not enough memory: %s are left of the %s that %s allows; set what is not needed "
                "to nil, or work in parts",
                left, limit, room.what);
}
