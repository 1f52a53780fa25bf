// What happens to widgets, told to functions of Lua. A function's error ends nobody else's call: it
// is told where the widget was made.
#include "kernel/command/face.h"
#include "kernel/lua/lang.h"
#include "kernel/lua/lang_stage.h"
#include "kernel/lua/lang_state.h"
#include "kernel/lua/lang_value.h"
#include "kernel/lua/objects/lang_widget.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "widgets/ipy/traits.h"
#include "widgets/ipy/widget.h"

#include <stdlib.h>

/// A function that waits for events; its Lua function is in the registry.
typedef struct handler {
    pj_lang_stage *stage;
    int function;
    bool choice;       // told of `index`, asked for `value`
    const char *event; // of a custom message; NULL = any
    char name[];       // storage of the event
} handler;

/// What a protected call of a handler gets.
typedef struct told {
    const handler *handler;
    const pj_widget_event *event;
} told;

static void push_side(lua_State *L, const told *t, const json_t *value)
{
    if (t->handler->choice)
        pj_lang_choice_push(L, 2, t->event->widget, value);
    else
        pj_lang_json_push(L, value);
}

static int tell(lua_State *L)
{
    const told *t = lua_touserdata(L, 1);
    const pj_widget_event *event = t->event;
    lua_rawgeti(L, LUA_REGISTRYINDEX, t->handler->function);
    lua_replace(L, 1);
    pj_lang_widget_push(L, event->widget); // 2
    lua_pushvalue(L, 1);
    if (event->kind == PJ_WIDGET_CHANGE) {
        lua_newtable(L);
        lua_pushvalue(L, 2);
        lua_setfield(L, -2, "owner");
        lua_pushstring(L, t->handler->choice ? "value" : event->key);
        lua_setfield(L, -2, "name");
        push_side(L, t, event->before);
        lua_setfield(L, -2, "old");
        push_side(L, t, event->now);
        lua_setfield(L, -2, "new");
        lua_call(L, 1, 0);
        return 0;
    }
    lua_pushvalue(L, 2);
    if (event->content)
        pj_lang_json_push(L, event->content);
    else
        lua_pushnil(L);
    lua_call(L, 2, 0);
    return 0;
}

static void report(pj_lang *lang, const pj_widget_event *event)
{
    bool stopped = lang->stop && atomic_load(lang->stop);
    json_t *error = pj_lang_error_json(lang, stopped ? "KeyboardInterrupt" : "Error");
    json_t *lines = json_object_get(error, "traceback");
    pj_auto_buf text = {0};
    pj_str title = pj_model_title(pj_widget_model(event->widget));
    pj_buf_addf(&text, "in a handler of " PJ_STR_FMT ":\n", PJ_STR_ARG(title));
    for (size_t i = 0; i < json_array_size(lines); i++)
        pj_buf_addf(&text, "%s\n", json_string_value(json_array_get(lines, i)));
    pj_face_complain(lang->face, pj_buf_str(&text));
    json_decref(error);
}

static bool is_for(const handler *h, const pj_widget_event *event)
{
    if (event->kind != PJ_WIDGET_MESSAGE || !h->event)
        return true;
    const char *name = json_string_value(json_object_get(event->content, "event"));
    return name && strcmp(name, h->event) == 0;
}

static void on_event(void *context, const pj_widget_event *event)
{
    const handler *h = context;
    pj_lang *lang = h->stage->now;
    lua_State *L = lang->running ? lang->running : lang->L;
    if (!is_for(h, event) || !lua_checkstack(L, 8))
        return;
    told t = {h, event};
    int top = lua_gettop(L);
    lua_pushcfunction(L, pj_lang_error_handler);
    lua_pushcfunction(L, tell);
    lua_pushlightuserdata(L, &t);
    lua_State *before = lang->running;
    if (lua_pcall(L, 1, 0, top + 1) != LUA_OK)
        report(lang, event);
    lang->running = before;
    lua_settop(L, top);
}

static void end_handler(void *context)
{
    handler *h = context;
    luaL_unref(h->stage->L, LUA_REGISTRYINDEX, h->function);
    free(h);
}

/// Watches with the function on top of the stack, which is popped. The number of the watch.
static unsigned watch(lua_State *L, int index, pj_widget_watch w, const char *event)
{
    pj_widget *widget = pj_lang_widget_check(L, index);
    bool choice =
        pj_lang_choice_is(pj_widget_model(widget)) && w.key && strcmp(w.key, "value") == 0;
    int function = luaL_ref(L, LUA_REGISTRYINDEX);
    size_t size = event ? strlen(event) + 1 : 0;
    handler *h = pj_take_memory(sizeof *h + size);
    *h = (handler){.stage = pj_lang_of(L)->stage, .function = function, .choice = choice};
    if (event)
        h->event = memcpy(h->name, event, size);
    w.key = choice ? "index" : w.key;
    w.call = on_event;
    w.release = end_handler;
    w.context = h;
    pj_err *err = pj_lang_err(L);
    unsigned number = pj_widget_observe(widget, w, err);
    if (number)
        return number;
    end_handler(h);
    pj_lang_raise(L, err);
    return 0;
}

/// Pushes the table function -> number of the observers of the widget at `index`.
static void push_observers(lua_State *L, int index)
{
    pj_lang_widget_fields(L, index);
    if (lua_getfield(L, -1, "observers") == LUA_TNIL) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_setfield(L, -3, "observers");
    }
    lua_remove(L, -2);
}

/// observe("value", f), observe(f, "value"), observe(f)
int pj_lang_widget_observe(lua_State *L)
{
    lua_settop(L, 3);
    if (lua_isfunction(L, 2))
        lua_rotate(L, 2, 1);
    luaL_checktype(L, 3, LUA_TFUNCTION);
    const char *key = luaL_optstring(L, 2, "value");
    pj_widget_watch w = {.kind = PJ_WIDGET_CHANGE, .key = strcmp(key, "*") == 0 ? NULL : key};
    lua_pushvalue(L, 3);
    unsigned number = watch(L, 1, w, NULL);
    push_observers(L, 1);
    lua_pushinteger(L, number);
    lua_pushvalue(L, 3);
    lua_rawset(L, -3);
    return 0;
}

int pj_lang_widget_unobserve(lua_State *L)
{
    pj_widget *widget = pj_lang_widget_check(L, 1);
    lua_settop(L, 2);
    push_observers(L, 1);
    lua_pushnil(L);
    while (lua_next(L, 3)) {
        if (lua_isnil(L, 2) || lua_rawequal(L, 2, -1)) {
            pj_widget_unobserve(widget, (unsigned)lua_tointeger(L, -2));
            lua_pushvalue(L, -2);
            lua_pushnil(L);
            lua_rawset(L, 3);
        }
        lua_pop(L, 1);
    }
    return 0;
}

/// "on_click" = a message {event = "click"}; on_change, on_msg and on_close are what they say.
void pj_lang_widget_on(lua_State *L, int index, const char *name)
{
    luaL_argexpected(L, lua_isfunction(L, -1) || lua_isnil(L, -1), index, "function");
    int top = lua_gettop(L);
    pj_widget_watch w = {.kind = PJ_WIDGET_MESSAGE};
    const char *event = name + strlen("on_");
    if (strcmp(event, "change") == 0)
        w = (pj_widget_watch){.kind = PJ_WIDGET_CHANGE, .key = "value"};
    else if (strcmp(event, "close") == 0)
        w.kind = PJ_WIDGET_CLOSE;
    bool named = w.kind == PJ_WIDGET_MESSAGE && strcmp(event, "msg") != 0;
    pj_lang_widget_fields(L, index);
    lua_pushvalue(L, top);
    lua_setfield(L, -2, name); // what reading it gives
    lua_pushfstring(L, "number of %s", name);
    lua_pushvalue(L, -1);
    if (lua_rawget(L, top + 1) != LUA_TNIL)
        pj_widget_unobserve(pj_lang_widget_check(L, index), (unsigned)lua_tointeger(L, -1));
    lua_pop(L, 1);
    if (lua_isnil(L, top)) {
        lua_pushnil(L);
    } else {
        lua_pushvalue(L, top);
        lua_pushinteger(L, watch(L, index, w, named ? event : NULL));
    }
    lua_rawset(L, top + 1);
    lua_settop(L, top - 1);
}

/// link(a, "value", b, "value"), a:link("value", b, "value")
int pj_lang_widget_link(lua_State *L)
{
    pj_widget_end source = {pj_lang_widget_check(L, 1), luaL_checkstring(L, 2)};
    pj_widget_end target = {pj_lang_widget_check(L, 3), luaL_optstring(L, 4, source.key)};
    pj_lang *lang = pj_lang_of(L);
    pj_err err = {0};
    lua_State *before = lang->running;
    lang->running = L;
    unsigned number = pj_widget_link(source, target, true, &err);
    lang->running = before;
    if (!number)
        return pj_lang_raise(L, &err);
    lua_pushinteger(L, number);
    lua_pushcclosure(L, pj_lang_widget_unlink, 1);
    return 1;
}

int pj_lang_widget_unlink(lua_State *L)
{
    pj_widgets_unlink(pj_lang_widgets(pj_lang_of(L)->stage),
                      (unsigned)lua_tointeger(L, lua_upvalueindex(1)));
    return 0;
}
