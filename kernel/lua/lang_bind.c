// Verbs: Lua arguments become a pj_call by the same rules as words of the shell.
#include "kernel/lua/lang_bind.h"

#include "kernel/command/call.h"
#include "kernel/command/display.h"
#include "kernel/command/export.h"
#include "kernel/command/face.h"
#include "kernel/command/help.h"
#include "kernel/command/inputs.h"
#include "kernel/command/value.h"
#include "kernel/lua/lang_state.h"
#include "kernel/lua/objects/lang_widget.h"
#include "metrics/analyse/paths.h"
#include "metrics/analyse/trace_files.h"
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

/// The value at `index`, borrowed from the stack; false for what no command takes.
static bool value_at(lua_State *L, int index, pj_value *out)
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
    if (value_at(L, index, &value))
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

static int call_verb(lua_State *L)
{
    return pj_lang_call(L, lua_touserdata(L, lua_upvalueindex(1)));
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

int pj_lang_command_line(lua_State *L, pj_str line)
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
    for (size_t i = 0; ok && i < box->words.count; i++)
        if (strcmp(box->words.items[i], "--help") == 0 || strcmp(box->words.items[i], "-h") == 0)
            return push_help(L, command);
    ok = ok && pj_call_words(&box->call, box->words.count, box->words.items, &err);
    return finish(L, box, &err, ok);
}

static int run_line(lua_State *L)
{
    pj_str line;
    line.at = luaL_checklstring(L, 1, &line.len);
    return pj_lang_command_line(L, line);
}

static int display(lua_State *L);

/// A `%` line in the middle of a cell shows its value.
static int run_and_show(lua_State *L)
{
    run_line(L);
    if (lua_isnil(L, -1))
        return 1;
    lua_pushcfunction(L, display);
    lua_pushvalue(L, -2);
    lua_call(L, 1, 0);
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

/// set_next_input(TEXT, [REPLACE]): the front end makes a cell of the text.
static int set_next_input(lua_State *L)
{
    const pj_face *face = pj_lang_of(L)->face;
    pj_str text;
    text.at = luaL_checklstring(L, 1, &text.len);
    json_t *payload = json_pack("{s:s, s:o, s:b}", "source", "set_next_input", "text",
                                pj_lang_json(text), "replace", lua_toboolean(L, 2));
    face->payload(face->self, payload);
    json_decref(payload);
    return 0;
}

static int display(lua_State *L)
{
    pj_lang *lang = pj_lang_of(L);
    int count = lua_gettop(L);
    for (int i = 1; i <= count; i++) {
        pj_lang_bundle(L, i);
        pj_display shown = {.data = lang->data, .metadata = lang->metadata};
        lang->face->display(lang->face->self, &shown);
        pj_lang_bundle_clear(lang);
    }
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

static int clear_output(lua_State *L)
{
    const pj_face *face = pj_lang_of(L)->face;
    face->clear(face->self, lua_toboolean(L, 1));
    return 0;
}

static int save(lua_State *L)
{
    pj_value value;
    luaL_checkany(L, 1);
    const char *path = luaL_checkstring(L, 2);
    const pj_lang_object *object = pj_lang_object_at(L, 1);
    if (object && (object->type == &pj_lang_type_column || object->type == &pj_lang_type_row)) {
        lua_getfield(L, 1, "table");
        lua_replace(L, 1);
    }
    if (!value_at(L, 1, &value))
        return luaL_error(L, "save: a %s has no form in a file", luaL_typename(L, 1));
    pj_lang *lang = pj_lang_of(L);
    pj_err *err = pj_lang_err(L);
    bool aside = pj_lang_step_aside(lang);
    bool ok = pj_export(lang->session, &value, path, err);
    pj_lang_step_back(lang, aside);
    if (!ok)
        return pj_lang_raise(L, err);
    return 0;
}

/// Whether a text that is no Lua is rather the name of a file.
static bool is_name(const char *text)
{
    return text && *text &&
           text[strspn(text, "abcdefghijklmnopqrstuvwxyz"
                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-/~")] == 0;
}

/// Lua's own load in the globals of cells, or the verb when the argument names traces.
static int load(lua_State *L)
{
    bool traces = lua_istable(L, 1) || lua_isuserdata(L, 1) ||
                  (lua_type(L, 1) == LUA_TSTRING && pj_paths_is_path(lua_tostring(L, 1)));
    if (traces)
        return call_verb(L);
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

/// loadfile and dofile of the standard library in the globals of cells.
static int load_file(lua_State *L)
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

static int do_file(lua_State *L)
{
    lua_settop(L, 1);
    if (load_file(L) != 1)
        return lua_error(L);
    lua_call(L, 0, LUA_MULTRET);
    return lua_gettop(L) - 1;
}

const pj_lang_member pj_lang_verbs[] = {
    {"display", display, false, "display(VALUE, ...)", "Shows values in the middle of a cell."},
    {"save", save, false, "save(VALUE, FILE)",
     "Writes a value to a file, the format by suffix, as the option export of commands."},
    {"define_metrics", pj_lang_define_metrics, false,
     "define_metrics{name = ..., title = ..., metrics = {{key = ..., parent = ..., title = ..., "
     "formula = ..., explanation = ..., kind = ..., combine = ...}, ...}}",
     "Defines a metric set; a formula is text over measures of the run (useful_max / runtime) and "
     "of the reference run (ref.useful_sum), or a function of both. What the children of a row "
     "leave of it is shown as its residual; combine = 'sum' or 'product' says how they make it up "
     "(by default what leaves less), 'none' that they do not."},
    {"clear_output", clear_output, false, "clear_output([WAIT])",
     "Clears what the cell has shown; with true only when something new is shown."},
    {"set_next_input", set_next_input, false, "set_next_input(TEXT, [REPLACE])",
     "Puts the text into a new cell below this one, or with true in the place of this one."},
    {"interact", pj_lang_interact, false, "interact(FUNCTION, {NAME = VALUE, ...})",
     "Calls the function with a table of values whenever the user changes one, and shows what it "
     "prints and returns. A value makes its control: a number or {least, most[, step]} a slider, a "
     "text a field, true or false a box, a list of texts a menu, a widget itself."},
    {0},
};

static void bind_functions(lua_State *L)
{
    lua_pushcfunction(L, load_file);
    lua_setfield(L, -2, "loadfile");
    lua_pushcfunction(L, do_file);
    lua_setfield(L, -2, "dofile");
    lua_pushlightuserdata(L, (void *)pj_command_find(PJ_S("load"), PJ_IN_LUA));
    lua_pushcclosure(L, load, 1);
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
