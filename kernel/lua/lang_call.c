// Lua arguments become a pj_call by the same rules as words of the shell.
#include "kernel/lua/lang_call.h"

#include "kernel/command/call.h"
#include "kernel/command/help.h"
#include "kernel/lua/lang.h"
#include "kernel/lua/lang_state.h"
#include "kernel/lua/lang_value.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"

#include <stdlib.h>

#define CALL "popinjay.call"

/// Owns a call while Lua may raise.
typedef struct call_box {
    pj_call call;
    pj_texts words;
} call_box;

static int end_call(lua_State *L)
{
    call_box *box = lua_touserdata(L, 1);
    pj_call_end(&box->call);
    free(box->words.items);
    box->words = (pj_texts){0};
    return 0;
}

static call_box *push_call(lua_State *L, const pj_command *command)
{
    call_box *box = lua_newuserdatauv(L, sizeof *box, 0);
    *box = (call_box){0};
    if (luaL_newmetatable(L, CALL)) {
        lua_pushcfunction(L, end_call);
        lua_setfield(L, -2, "__gc");
    }
    lua_setmetatable(L, -2);
    pj_call_begin(&box->call, pj_lang_of(L)->session, command);
    return box;
}

bool pj_lang_value_at(lua_State *L, int index, pj_value *out)
{
    const pj_lang_object *object;
    switch (lua_type(L, index)) {
    case LUA_TBOOLEAN:
        *out = pj_value_flag(lua_toboolean(L, index));
        return true;
    case LUA_TNUMBER:
        *out = pj_value_number(lua_tonumber(L, index));
        return true;
    case LUA_TSTRING:
        *out = pj_value_borrow_text(lua_tostring(L, index));
        return true;
    case LUA_TUSERDATA:
        object = pj_lang_object_at(L, index);
        if (object)
            *out = object->value;
        return object != NULL;
    default:
        return false;
    }
}

static bool refuse(lua_State *L, const pj_call *call, int index, pj_err *err)
{
    return pj_fail(err, PJ_E_USAGE, NULL, 0, "%s: a %s is no argument of it", call->command->name,
                   luaL_typename(L, index));
}

/// One value of the option `name`, or by its place where that is NULL; a list gives its items.
static bool give(lua_State *L, pj_call *call, const pj_str *name, int index, pj_err *err)
{
    pj_value value;
    if (pj_lang_value_at(L, index, &value))
        return name ? pj_call_option(call, *name, value, err)
                    : pj_call_place(call, PJ_IN_LUA, value, err);
    if (!lua_istable(L, index))
        return refuse(L, call, index, err);
    bool ok = true;
    size_t count = lua_rawlen(L, index);
    for (size_t i = 1; ok && i <= count; i++) {
        lua_rawgeti(L, index, (lua_Integer)i);
        ok = give(L, call, name, lua_gettop(L), err);
        lua_pop(L, 1); // the list keeps the value alive
    }
    return ok;
}

static bool options(lua_State *L, pj_call *call, int index, pj_err *err)
{
    bool ok = true;
    lua_pushnil(L);
    while (ok && lua_next(L, index)) {
        if (lua_type(L, -2) == LUA_TSTRING) {
            pj_str name;
            name.at = lua_tolstring(L, -2, &name.len);
            ok = give(L, call, &name, lua_gettop(L), err);
        }
        lua_pop(L, 1);
    }
    return ok;
}

static bool bind(lua_State *L, pj_call *call, int count, pj_err *err)
{
    bool ok = true;
    int absent = 0;
    luaL_checkstack(L, 16, "too many arguments");
    for (int i = 1; ok && i <= count; i++) {
        bool last_table = i == count && lua_istable(L, i);
        if (!lua_isnil(L, i))
            ok = give(L, call, NULL, i, err);
        else if (!absent)
            absent = i;
        if (ok && last_table)
            ok = options(L, call, i, err);
    }
    pj_err missing = {0};
    if (ok && absent && !pj_call_check(call, &missing))
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "%s: argument %d is nil", call->command->name,
                       absent);
    return ok;
}

/// Runs the bound call; its value replaces the box on the stack.
static int finish(lua_State *L, call_box *box, pj_err *err, bool ok)
{
    pj_lang *lang = pj_lang_of(L);
    lua_State *before = lang->running;
    pj_lang_object *slot = pj_lang_object_push(L);
    lang->running = L;
    bool aside = pj_lang_step_aside(lang);
    ok = ok && pj_call_run(&box->call, &slot->value, err);
    pj_lang_step_back(lang, aside);
    lang->running = before;
    pj_call_end(&box->call);
    if (!ok)
        return pj_lang_raise(L, err);
    pj_lang_object_finish(L);
    return 1;
}

int pj_lang_call(lua_State *L, const pj_command *command)
{
    int count = lua_gettop(L);
    call_box *box = push_call(L, command);
    // The error lives on the stack of C: nested verbs have their own.
    pj_err err = {0};
    return finish(L, box, &err, bind(L, &box->call, count, &err));
}

/// Help asked for on a `%` line.
static int push_help(lua_State *L, const pj_command *command)
{
    pj_lang_object *slot = pj_lang_object_push(L);
    pj_lang *lang = pj_lang_of(L);
    lang->help.len = 0;
    pj_help_command(command, lang->session, &lang->help);
    slot->value = pj_value_text(lang->help.at);
    pj_lang_object_finish(L);
    return 1;
}

int pj_lang_command_line(lua_State *L, pj_str line, pj_str body)
{
    pj_err err = {0};
    size_t blank = 0;
    while (blank < line.len && line.at[blank] != ' ' && line.at[blank] != '\t')
        blank++;
    pj_str name = pj_str_head(line, blank);
    const pj_command *command = pj_command_find(name, PJ_IN_LUA);
    if (!command) {
        pj_command_unknown(name, PJ_IN_LUA, &err);
        return pj_lang_raise(L, &err);
    }
    call_box *box = push_call(L, command);
    bool ok = pj_call_split(pj_str_from(line, blank), box->call.arena, &box->words, &err);
    if (ok && pj_call_asks_help(command, box->words.count, box->words.items))
        return push_help(L, command);
    pj_param place;
    if (ok && body.len && pj_command_body(command, &place))
        ok = pj_call_option(&box->call, pj_str_of(place.name),
                            pj_value_borrow_text(pj_arena_text(box->call.arena, body)), &err);
    ok = ok && pj_call_words(&box->call, box->words.count, box->words.items, &err);
    return finish(L, box, &err, ok);
}
