// An interrupt ends the cell whatever the cell does: a count hook on every thread looks at the
// flag, and the functions that catch errors raise it again while the flag stands. The same hook
// lets others onto the stage.
#include "kernel/lang_state.h"

enum { INSTRUCTIONS_BETWEEN_LOOKS = 10000 };

static int raise_again(lua_State *L)
{
    return luaL_error(L, pj_lang_of(L)->exiting ? "os.exit was called" : "interrupted");
}

static void look(lua_State *L, lua_Debug *activation)
{
    (void)activation;
    pj_lang *lang = pj_lang_of(L);
    pj_lang_give_way(lang);
    if (pj_lang_ending(lang))
        raise_again(L);
}

static int caught(lua_State *L, int status, lua_KContext context)
{
    (void)status, (void)context;
    return pj_lang_ending(pj_lang_of(L)) ? raise_again(L) : lua_gettop(L);
}

/// Calls upvalue 1, a function that catches errors.
static int catch_guarded(lua_State *L)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_callk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, caught);
    return caught(L, LUA_OK, 0);
}

/// debug.sethook: the hook of this state belongs to the interrupt.
static int set_hook(lua_State *L)
{
    int first = lua_isthread(L, 1) ? 2 : 1;
    if (lua_isnoneornil(L, first))
        return 0;
    return luaL_error(L, "debug.sethook: the hook is taken by the interrupt of cells");
}

static void guard_field(lua_State *L, const char *name)
{
    lua_getfield(L, -1, name);
    lua_pushcclosure(L, catch_guarded, 1);
    lua_setfield(L, -2, name);
}

void pj_lang_guard_open(lua_State *L)
{
    lua_sethook(L, look, LUA_MASKCOUNT, INSTRUCTIONS_BETWEEN_LOOKS);
    lua_pushglobaltable(L);
    guard_field(L, "pcall");
    guard_field(L, "xpcall");
    lua_getfield(L, -1, LUA_COLIBNAME);
    guard_field(L, "resume");
    guard_field(L, "close");
    lua_pop(L, 1);
    lua_getfield(L, -1, LUA_DBLIBNAME);
    lua_pushcfunction(L, set_hook);
    lua_setfield(L, -2, "sethook");
    lua_pop(L, 2);
}
