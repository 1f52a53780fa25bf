// Lua's load, loadfile and dofile, whose chunks see the globals of cells.
#include "kernel/lua/lang_load.h"

#include "kernel/command/command.h"
#include "kernel/lua/lang_call.h"
#include "kernel/lua/lang_state.h"
#include "metrics/analyse/paths.h"
#include "metrics/analyse/trace_files.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"

#include <string.h>

/// Whether a text that is no Lua is rather the name of a file.
static bool is_name(const char *text)
{
    return text && *text &&
           text[strspn(text, "abcdefghijklmnopqrstuvwxyz"
                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-/~")] == 0;
}

int pj_lang_load(lua_State *L)
{
    bool traces = lua_istable(L, 1) || lua_isuserdata(L, 1) ||
                  (lua_type(L, 1) == LUA_TSTRING && pj_paths_is_path(lua_tostring(L, 1)));
    if (traces)
        return pj_lang_call(L, pj_command_find(PJ_S("load"), PJ_IN_LUA));
    if (lua_gettop(L) < 4) {
        lua_settop(L, 3);
        lua_getfield(L, LUA_REGISTRYINDEX, PJ_LANG_ENV);
    }
    lua_getglobal(L, "load");
    lua_insert(L, 1);
    const char *text = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL;
    lua_pushvalue(L, 2); // which the call takes
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 2, LUA_MULTRET);
    if (lua_isnil(L, 2) && is_name(text)) {
        pj_buf *known = &pj_lang_of(L)->help; // the stage's, as what raises owns nothing
        known->len = 0;
        pj_trace_files_suffixes(known);
        lua_pushfstring(L, "%s: is neither Lua nor a trace (%s) that is here", text, known->at);
        lua_replace(L, 3);
    }
    return lua_gettop(L) - 1;
}

int pj_lang_load_file(lua_State *L)
{
    const char *path = luaL_optstring(L, 1, NULL);
    const char *mode = luaL_optstring(L, 2, NULL);
    bool own = !lua_isnone(L, 3);
    if (luaL_loadfilex(L, path, mode) != LUA_OK) {
        lua_pushnil(L);
        lua_insert(L, -2);
        return 2;
    }
    if (own)
        lua_pushvalue(L, 3);
    else
        lua_getfield(L, LUA_REGISTRYINDEX, PJ_LANG_ENV);
    if (!lua_setupvalue(L, -2, 1))
        lua_pop(L, 1);
    return 1;
}

int pj_lang_do_file(lua_State *L)
{
    lua_settop(L, 1);
    if (pj_lang_load_file(L) != 1)
        return lua_error(L);
    lua_call(L, 0, LUA_MULTRET);
    return lua_gettop(L) - 1;
}
