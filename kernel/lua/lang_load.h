// Code that cells load themselves. Ownership: nothing is held across a raise.
#ifndef PJ_LANG_LOAD_H
#define PJ_LANG_LOAD_H

#include "kernel/lua/lang_state.h"

/// Lua's own load in the globals of cells, or the verb when the argument names traces.
int pj_lang_load(lua_State *L);
/// loadfile and dofile of the standard library in the globals of cells.
int pj_lang_load_file(lua_State *L);
int pj_lang_do_file(lua_State *L);

#endif
