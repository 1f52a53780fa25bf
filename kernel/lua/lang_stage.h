// The stage: what all shells of one language share - the Lua state, its globals, its widgets - and
// the lock that lets one of them at a time run Lua. Who computes without Lua steps aside; who
// computes in Lua gives way at intervals. Ownership: new/free by the first pj_lang.
#ifndef PJ_LANG_STAGE_H
#define PJ_LANG_STAGE_H

#include "kernel/lua/lang.h"

#include <jansson.h>
#include <lauxlib.h>
#include <pthread.h>

struct pj_lang_waiter;

typedef struct pj_lang_stage {
    lua_State *L;               // the main thread of Lua, which the first pj_lang uses
    pj_lang *now;               // whose turn it is; of the holder of the stage
    pj_lang *all;               // who shares it, the first one last; under `lock`
    luaL_Stream *streams[3];    // io.stdin, io.stdout, io.stderr: the files of the one on stage
    size_t lua_bytes;           // that the Lua state has
    size_t lua_large;           // of them, in large blocks
    size_t lua_granted;         // that it may have before the system is asked again
    uint64_t outside;           // bytes in C that the collector was not told of
    size_t claimed;             // bytes in C that may be taken before the system is asked again
    uint64_t trimmed;           // bytes resident when free memory was given back last
    size_t source_count;        // cells whose code was kept
    struct pj_widgets *widgets; // NULL = none was ever made
    pthread_mutex_t lock;       // of what follows
    json_t *names;              // of globals when the last cell ended; NULL = none yet
    struct pj_lang_waiter *first, **end;
    bool taken;
    pthread_t holder;
    uint64_t since; // ns: when it was taken
    pthread_t watcher;
    pthread_cond_t watch;
    bool watched, watch_sleeps, watch_ends;
    atomic_uint waiting, urgent;
} pj_lang_stage;

/// Around a Lua state without a user yet.
pj_lang_stage *pj_lang_stage_new(void);
void pj_lang_stage_free(pj_lang_stage *stage);
void pj_lang_stage_add(pj_lang_stage *stage, pj_lang *lang);
void pj_lang_stage_remove(pj_lang_stage *stage, pj_lang *lang);

/// How long somebody waits for the stage.
typedef enum pj_lang_haste {
    PJ_LANG_PATIENT, // in turn, without end
    PJ_LANG_URGENT,  // the same, but who runs a cell gives way at once
    PJ_LANG_BRIEF,   // urgent, and gives up after a while
} pj_lang_haste;

/// Takes the stage for `lang`; false only when a BRIEF wait was in vain.
bool pj_lang_enter(pj_lang *lang, pj_lang_haste haste);
void pj_lang_leave(pj_lang *lang);

/// Called at intervals while Lua runs.
void pj_lang_give_way(pj_lang *lang);

/// For callbacks that may come with or without the stage: the language of this thread, on stage;
/// NULL when the thread has none. `entered` is for pj_lang_stage_done.
pj_lang *pj_lang_stage_call(pj_lang_stage *stage, bool *entered);
void pj_lang_stage_done(pj_lang *lang, bool entered);

#endif
