// What cells call: commands as functions, verbs, and the lines that begin with % and ?.
#include "kernel/lua/lang_bind.h"

#include "kernel/command/command.h"
#include "kernel/command/display.h"
#include "kernel/command/face.h"
#include "kernel/lua/lang_call.h"
#include "kernel/lua/lang_load.h"
#include "kernel/lua/lang_state.h"
#include "kernel/lua/lang_value.h"
#include "kernel/lua/objects/lang_widget.h"
#include "metrics/base/str.h"

static int call_verb(lua_State *L)
{
    return pj_lang_call(L, lua_touserdata(L, lua_upvalueindex(1)));
}

static int run_line(lua_State *L)
{
    pj_str line, body;
    line.at = luaL_checklstring(L, 1, &line.len);
    body.at = luaL_optlstring(L, 2, "", &body.len);
    return pj_lang_command_line(L, line, body);
}

/// A `%` line in the middle of a cell shows its value.
static int run_and_show(lua_State *L)
{
    run_line(L);
    if (lua_isnil(L, -1))
        return 1;
    pj_lang_display(L, lua_gettop(L));
    return 1;
}

static int ask_help(lua_State *L)
{
    pj_lang *lang = pj_lang_of(L);
    pj_str topic;
    topic.at = luaL_checklstring(L, 1, &topic.len);
    lang->help.len = 0;
    if (!pj_lang_explain(L, topic, &lang->help))
        return luaL_error(L, "no help on \"%s\"", topic.at);
    json_t *payload = json_pack("{s:s, s:{s:s}, s:i}", "source", "page", "data", "text/plain",
                                lang->help.at, "start", 0);
    lang->face->payload(lang->face->self, payload);
    json_decref(payload);
    return 0;
}

/// An expression in the middle of a cell shows its value as one at the end does.
static int show_value(lua_State *L)
{
    pj_lang *lang = pj_lang_of(L);
    int count = lua_gettop(L);
    if (count == 0 || (count == 1 && lua_isnil(L, 1)))
        return 0;
    pj_lang_show(L, 1);
    pj_display shown = {.data = lang->data, .metadata = lang->metadata};
    lang->face->display(lang->face->self, &shown);
    pj_lang_bundle_clear(lang);
    return 0;
}

/// A call in the middle of a cell shows what was made to be looked at; other calls are made for
/// what they do.
static int show_made(lua_State *L)
{
    return pj_lang_object_at(L, 1) ? show_value(L) : 0;
}

static void bind_functions(lua_State *L)
{
    lua_pushcfunction(L, pj_lang_load_file);
    lua_setfield(L, -2, "loadfile");
    lua_pushcfunction(L, pj_lang_do_file);
    lua_setfield(L, -2, "dofile");
    lua_pushcfunction(L, pj_lang_load);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, "load");
    lua_setfield(L, -2, "loadstring");
}

void pj_lang_bind_open(lua_State *L)
{
    const pj_command *command;
    for (size_t i = 0; (command = pj_command_at(i)); i++) {
        if (!(command->faces & PJ_IN_LUA))
            continue;
        lua_pushlightuserdata(L, (void *)command);
        lua_pushcclosure(L, call_verb, 1);
        lua_setfield(L, -2, command->name);
    }
    for (const pj_lang_member *v = pj_lang_verbs; v->name; v++) {
        lua_pushcfunction(L, v->call);
        lua_setfield(L, -2, v->name);
    }
    bind_functions(L);
    pj_lang_widget_open(L);
    lua_newtable(L);
    lua_pushcfunction(L, run_line);
    lua_setfield(L, -2, "%");
    lua_pushcfunction(L, run_and_show);
    lua_setfield(L, -2, "%display");
    lua_pushcfunction(L, show_value);
    lua_setfield(L, -2, "%value");
    lua_pushcfunction(L, show_made);
    lua_setfield(L, -2, "%made");
    lua_pushcfunction(L, ask_help);
    lua_setfield(L, -2, "?");
    lua_setfield(L, LUA_REGISTRYINDEX, PJ_LANG_LINES);
}
