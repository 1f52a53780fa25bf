// run:events{type = "MPI_Send"}:by "partner":sum "bytes": a question about events that grows by
// every method and is asked by the last one, or at once where the options ask already. It is a Lua
// table of the run and of the options that the verb `events` takes.
#include "kernel/lua/objects/lang_events.h"

#include "kernel/command/command.h"
#include "kernel/lua/lang_bind.h"
#include "kernel/lua/lang_call.h"
#include "kernel/lua/lang_value.h"

#define EVENTS "popinjay.events"

/// A method puts its arguments into an option; some then ask.
typedef struct events_method {
    const char *name, *option;
    bool list, asks;
} events_method;

static const events_method methods[] = {
    {"where", "where", false, false}, {"by", "by", true, false},
    {"limit", "limit", false, false}, {"count", "count", false, true},
    {"sum", "sum", true, true},       {"mean", "mean", true, true},
    {"min", "min", true, true},       {"max", "max", true, true},
    {"rows", NULL, false, true},      {"histogram", "histogram", false, true},
};
enum { METHODS = sizeof methods / sizeof *methods };

/// Pushes a copy of the table at `index`.
static void push_copy(lua_State *L, int index)
{
    lua_newtable(L);
    lua_pushnil(L);
    while (lua_next(L, index)) {
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_settable(L, -4);
    }
}

/// Takes run and options from the top of the stack.
static void push_question(lua_State *L)
{
    lua_createtable(L, 0, 2);
    lua_insert(L, -3);
    lua_setfield(L, -3, "options");
    lua_setfield(L, -2, "run");
    luaL_setmetatable(L, EVENTS);
}

/// The arguments behind the question become the option; several tests must all hold.
static void set_option(lua_State *L, const events_method *method, int options, int count)
{
    if (method->list) {
        lua_createtable(L, count, 0);
        for (int i = 0; i < count; i++) {
            lua_pushvalue(L, 2 + i);
            lua_rawseti(L, -2, i + 1);
        }
    } else if (strcmp(method->name, "count") == 0) {
        lua_pushboolean(L, 1);
    } else if (strcmp(method->name, "where") == 0 &&
               lua_getfield(L, options, "where") == LUA_TSTRING) {
        lua_pushfstring(L, "(%s) and (%s)", lua_tostring(L, -1), luaL_checkstring(L, 2));
    } else {
        luaL_checkany(L, 2);
        lua_pushvalue(L, 2);
    }
    lua_setfield(L, options, method->option);
}

static void check_question(lua_State *L)
{
    bool is_one = lua_getmetatable(L, 1) && (luaL_getmetatable(L, EVENTS), lua_rawequal(L, -1, -2));
    if (!is_one)
        luaL_error(L, "call it with a colon: run:events{...}:count()");
    lua_pop(L, 2);
}

static int call_method(lua_State *L)
{
    const events_method *method = lua_touserdata(L, lua_upvalueindex(1));
    int count = lua_gettop(L) - 1;
    check_question(L);
    lua_getfield(L, 1, "options");
    push_copy(L, lua_gettop(L));
    lua_remove(L, -2);
    int options = lua_gettop(L);
    if (method->option)
        set_option(L, method, options, count);
    lua_getfield(L, 1, "run");
    lua_replace(L, 1);
    if (!method->asks) {
        lua_settop(L, options);
        lua_pushvalue(L, 1);
        lua_insert(L, -2);
        push_question(L);
        return 1;
    }
    lua_pushvalue(L, options);
    lua_replace(L, 2);
    lua_settop(L, 2);
    return pj_lang_call(L, pj_command_find(PJ_S("events"), PJ_IN_LUA));
}

static int to_text(lua_State *L)
{
    lua_getfield(L, 1, "options");
    lua_pushliteral(L, "a question about events:");
    lua_pushnil(L);
    while (lua_next(L, 2)) {
        lua_pushvalue(L, 3);
        lua_pushfstring(L, " %s", lua_tostring(L, 4));
        lua_concat(L, 2);
        lua_replace(L, 3);
        lua_pop(L, 1);
    }
    lua_pushliteral(L, "; ask it with :count(), :sum, :mean, :min, :max, :histogram or :rows()");
    lua_concat(L, 2);
    return 1;
}

static void open_questions(lua_State *L)
{
    luaL_newmetatable(L, EVENTS);
    lua_pushcfunction(L, to_text);
    lua_setfield(L, -2, "__tostring");
    lua_createtable(L, 0, METHODS);
    for (size_t i = 0; i < METHODS; i++) {
        lua_pushlightuserdata(L, (void *)&methods[i]);
        lua_pushcclosure(L, call_method, 1);
        lua_setfield(L, -2, methods[i].name);
    }
    lua_setfield(L, -2, "__index");
}

int pj_lang_events(lua_State *L)
{
    lua_settop(L, 2);
    if (luaL_getmetatable(L, EVENTS) == LUA_TNIL)
        open_questions(L);
    lua_settop(L, 2);
    if (lua_isnil(L, 2)) {
        lua_newtable(L);
        lua_replace(L, 2);
    }
    luaL_checktype(L, 2, LUA_TTABLE);
    for (size_t i = 0; i < METHODS; i++)
        if (methods[i].asks && methods[i].option &&
            (lua_getfield(L, 2, methods[i].option), lua_toboolean(L, -1))) {
            lua_settop(L, 2);
            return pj_lang_call(L, pj_command_find(PJ_S("events"), PJ_IN_LUA));
        }
    lua_settop(L, 2);
    push_question(L);
    return 1;
}
