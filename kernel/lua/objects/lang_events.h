// Questions about the events of a run, asked step by step. Ownership: Lua's.
#ifndef PJ_LANG_EVENTS_H
#define PJ_LANG_EVENTS_H

#include "kernel/lua/lang_state.h"

/// The method run:events{...}; pushes a question with the methods where, by, limit, count, sum,
/// mean, min, max, histogram and rows.
int pj_lang_events(lua_State *L);

#endif
