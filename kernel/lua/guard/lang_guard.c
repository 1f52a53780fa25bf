// An interrupt ends the cell whatever the cell does: a hook on every thread of Lua looks at the
// flag, and the functions that catch errors raise it again while the flag stands. The same hook
// lets others onto the stage. Where Lua runs code without hooks, other code stands around it.
// Beside it: lang_watch calls who does not heed, lang_coroutine knows which thread of Lua runs,
// lang_match and lang_long are functions of Lua that look, lang_file and lang_process wait and
// look.
#include "kernel/lua/lang.h"
#include "kernel/lua/lang_stage.h"
#include "kernel/lua/lang_state.h"

enum { INSTRUCTIONS_BETWEEN_LOOKS = 10000 };

#define FINALISER "popinjay.finaliser" // the thread that finalisers run on

int pj_lang_guard_raise(lua_State *L)
{
    return luaL_error(L, pj_lang_of(L)->exiting ? "os.exit was called" : "interrupted");
}

void pj_lang_guard_look(lua_State *L)
{
    pj_lang *lang = pj_lang_of(L);
    pj_lang_give_way(lang);
    if (pj_lang_ending(lang))
        pj_lang_guard_raise(L);
}

static void look(lua_State *L, lua_Debug *activation)
{
    (void)activation;
    if (lua_gethookcount(L) == 1 && !pj_lang_ending(pj_lang_of(L)))
        lua_sethook(L, look, LUA_MASKCOUNT, INSTRUCTIONS_BETWEEN_LOOKS); // what alarmed it is over
    pj_lang_guard_look(L);
}

/// Of Lua's functions a handler of signals may call this one alone (lua_sethook in the manual).
void pj_lang_guard_alert(pj_lang *lang)
{
    lua_State *L = lang->running ? lang->running : lang->L;
    if (L && pj_lang_ending(lang))
        lua_sethook(L, look, LUA_MASKCALL | LUA_MASKCOUNT, 1);
}

// What catches errors

static int caught(lua_State *L, int status, lua_KContext context)
{
    (void)status, (void)context;
    return pj_lang_ending(pj_lang_of(L)) ? pj_lang_guard_raise(L) : lua_gettop(L);
}

/// Calls upvalue 1, a function that catches errors.
static int catch_guarded(lua_State *L)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_callk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, caught);
    return caught(L, LUA_OK, 0);
}

/// A handler of errors runs without hooks where the error came from a hook. The call at its end
/// leaves the levels that debug.traceback counts as they are.
static const char handler_maker[] = "local ending = ...\n"
                                    "return function(handler)\n"
                                    "  return function(message)\n"
                                    "    if ending() then return message end\n"
                                    "    return handler(message)\n"
                                    "  end\n"
                                    "end";

static int is_ending(lua_State *L)
{
    lua_pushboolean(L, pj_lang_ending(pj_lang_of(L)));
    return 1;
}

/// xpcall; upvalue 2 makes handlers that do not hold up an interrupt.
static int catch_handled(lua_State *L)
{
    if (lua_isfunction(L, 2) && !lua_iscfunction(L, 2)) {
        lua_pushvalue(L, lua_upvalueindex(2));
        lua_pushvalue(L, 2);
        lua_call(L, 1, 1);
        lua_replace(L, 2);
    }
    return catch_guarded(L);
}

// Finalisers, which Lua runs without hooks: on a thread of their own they have them

static lua_State *push_finaliser_thread(lua_State *L)
{
    if (lua_getfield(L, LUA_REGISTRYINDEX, FINALISER) == LUA_TTHREAD) {
        lua_State *co = lua_tothread(L, -1);
        lua_Debug place;
        bool at_rest = lua_status(co) == LUA_OK && !lua_getstack(co, 0, &place);
        if (at_rest && lua_gettop(co) == 0)
            return co;
    }
    lua_pop(L, 1);
    return lua_newthread(L);
}

/// Calls upvalue 1.
static int finalise(lua_State *L)
{
    int count = lua_gettop(L), results = 0;
    lua_State *co = push_finaliser_thread(L);
    lua_insert(L, 1);
    lua_checkstack(co, count + 1);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_xmove(L, co, 1);
    lua_xmove(L, co, count);
    int status = pj_lang_resume(L, co, count, &results);
    if (status == LUA_YIELD)
        return luaL_error(L, "attempt to yield across a C-call boundary");
    if (status != LUA_OK) {
        pj_lang_guard_alert(pj_lang_of(L)); // Lua makes a warning of the error
        lua_xmove(co, L, 1);
        return lua_error(L);
    }
    lua_settop(co, 0);
    lua_setfield(L, LUA_REGISTRYINDEX, FINALISER);
    return 0;
}

/// setmetatable, of both libraries: upvalue 1. Lua reads __gc itself, so that it is put in there.
static int set_metatable(lua_State *L)
{
    if (lua_istable(L, 2)) {
        lua_pushliteral(L, "__gc");
        lua_pushliteral(L, "__gc");
        lua_rawget(L, 2);
        if (lua_isfunction(L, -1) && !lua_iscfunction(L, -1)) {
            lua_pushcclosure(L, finalise, 1);
            lua_rawset(L, 2);
        } else {
            lua_pop(L, 2);
        }
    }
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

/// debug.sethook: the hook of this state belongs to the interrupt.
static int set_hook(lua_State *L)
{
    int first = lua_isthread(L, 1) ? 2 : 1;
    if (lua_isnoneornil(L, first))
        return 0;
    return luaL_error(L, "debug.sethook: the hook is taken by the interrupt of cells");
}

static void guard_field(lua_State *L, const char *name, lua_CFunction with)
{
    lua_getfield(L, -1, name);
    lua_pushcclosure(L, with, 1);
    lua_setfield(L, -2, name);
}

static void guard_xpcall(lua_State *L)
{
    lua_getfield(L, -1, "xpcall");
    luaL_loadstring(L, handler_maker);
    lua_pushcfunction(L, is_ending);
    lua_call(L, 1, 1);
    lua_pushcclosure(L, catch_handled, 2);
    lua_setfield(L, -2, "xpcall");
}

void pj_lang_guard_open(lua_State *L)
{
    lua_sethook(L, look, LUA_MASKCOUNT, INSTRUCTIONS_BETWEEN_LOOKS);
    lua_pushglobaltable(L);
    guard_field(L, "pcall", catch_guarded);
    guard_field(L, "setmetatable", set_metatable);
    guard_xpcall(L);
    lua_getfield(L, -1, LUA_DBLIBNAME);
    guard_field(L, "setmetatable", set_metatable);
    lua_pushcfunction(L, set_hook);
    lua_setfield(L, -2, "sethook");
    lua_pop(L, 2);
    pj_lang_coroutine_open(L);
}
