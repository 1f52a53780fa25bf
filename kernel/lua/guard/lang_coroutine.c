// Coroutines as in Lua's own library, so that it is known which of them runs: an interrupt sets the
// hook of that one.
#include "kernel/lua/lang.h"
#include "kernel/lua/lang_state.h"

int pj_lang_resume(lua_State *L, lua_State *co, int count, int *results)
{
    pj_lang *lang = pj_lang_of(L);
    lua_State *before = lang->running;
    lang->running = co;
    int status = lua_resume(co, L, count, results);
    lang->running = before;
    return status;
}

static lua_State *coroutine_at(lua_State *L, int index)
{
    lua_State *co = lua_tothread(L, index);
    luaL_argexpected(L, co, index, "coroutine");
    return co;
}

/// Moves `count` arguments from the top of the stack and the results to it: their number, or -1
/// with a message.
static int resume_moving(lua_State *L, lua_State *co, int count)
{
    int results = 0;
    if (!lua_checkstack(co, count)) {
        lua_pushliteral(L, "too many arguments to resume");
        return -1;
    }
    lua_xmove(L, co, count);
    int status = pj_lang_resume(L, co, count, &results);
    if (status != LUA_OK && status != LUA_YIELD) {
        lua_xmove(co, L, 1);
        return -1;
    }
    if (!lua_checkstack(L, results + 1)) {
        lua_pop(co, results);
        lua_pushliteral(L, "too many results to resume");
        return -1;
    }
    lua_xmove(co, L, results);
    return results;
}

static int resume(lua_State *L)
{
    lua_State *co = coroutine_at(L, 1);
    int results = resume_moving(L, co, lua_gettop(L) - 1);
    if (pj_lang_ending(pj_lang_of(L)))
        return pj_lang_guard_raise(L);
    lua_pushboolean(L, results >= 0);
    if (results < 0)
        results = 1;
    lua_insert(L, -results - 1);
    return results + 1;
}

/// The error of a coroutine, on top of the stack, goes on with the place of the call. What it has
/// left open is closed, but not when everything ends: it would run without hooks.
static int raise_error(lua_State *L, lua_State *co)
{
    if (pj_lang_ending(pj_lang_of(L)))
        return pj_lang_guard_raise(L);
    int status = lua_status(co);
    if (status != LUA_OK && status != LUA_YIELD) {
        status = lua_resetthread(co);
        lua_xmove(co, L, 1);
    }
    if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
        luaL_where(L, 1);
        lua_insert(L, -2);
        lua_concat(L, 2);
    }
    return lua_error(L);
}

static int call_wrapped(lua_State *L)
{
    lua_State *co = lua_tothread(L, lua_upvalueindex(1));
    int results = resume_moving(L, co, lua_gettop(L));
    return results < 0 ? raise_error(L, co) : results;
}

static int wrap(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_State *co = lua_newthread(L);
    lua_pushvalue(L, 1);
    lua_xmove(L, co, 1);
    lua_pushcclosure(L, call_wrapped, 1);
    return 1;
}

/// coroutine.close; upvalue 1 is Lua's own, which says why one cannot be closed.
static int close_coroutine(lua_State *L)
{
    lua_State *co = coroutine_at(L, 1);
    lua_Debug place;
    pj_lang *lang = pj_lang_of(L);
    if (co == L || (lua_status(co) == LUA_OK && lua_getstack(co, 0, &place))) {
        lua_pushvalue(L, lua_upvalueindex(1));
        lua_pushvalue(L, 1);
        lua_call(L, 1, LUA_MULTRET);
        return lua_gettop(L) - 1;
    }
    if (pj_lang_ending(lang))
        return pj_lang_guard_raise(L);
    lua_State *before = lang->running;
    lang->running = co;
    int status = lua_resetthread(co);
    lang->running = before;
    if (pj_lang_ending(lang))
        return pj_lang_guard_raise(L);
    lua_pushboolean(L, status == LUA_OK);
    if (status == LUA_OK)
        return 1;
    lua_xmove(co, L, 1);
    return 2;
}

void pj_lang_coroutine_open(lua_State *L)
{
    lua_getglobal(L, LUA_COLIBNAME);
    lua_pushcfunction(L, resume);
    lua_setfield(L, -2, "resume");
    lua_pushcfunction(L, wrap);
    lua_setfield(L, -2, "wrap");
    lua_getfield(L, -1, "close");
    lua_pushcclosure(L, close_coroutine, 1);
    lua_setfield(L, -2, "close");
    lua_pop(L, 1);
}
