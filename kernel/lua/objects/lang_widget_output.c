// Output widgets: any value as one of their outputs, in the form that notebooks keep them.
#include "kernel/lua/lang.h"
#include "kernel/lua/lang_state.h"
#include "kernel/lua/lang_value.h"
#include "kernel/lua/objects/lang_widget.h"
#include "metrics/base/err.h"
#include "widgets/ipy/widget.h"

/// Owns JSON while Lua may raise.
#define HELD "popinjay.held"

static int drop(lua_State *L)
{
    json_t **held = lua_touserdata(L, 1);
    json_decref(*held);
    *held = NULL;
    return 0;
}

/// Pushes the owner of a list.
static json_t **push_list(lua_State *L, json_t *take)
{
    json_t **held = lua_newuserdatauv(L, sizeof *held, 0);
    *held = take;
    if (luaL_newmetatable(L, HELD)) {
        lua_pushcfunction(L, drop);
        lua_setfield(L, -2, "__gc");
    }
    lua_setmetatable(L, -2);
    return held;
}

/// {output_type = "stream", ...} goes as it is.
static bool is_output(lua_State *L, int index)
{
    if (!lua_istable(L, index))
        return false;
    bool given = lua_getfield(L, index, "output_type") == LUA_TSTRING;
    lua_pop(L, 1);
    return given;
}

static void append(lua_State *L, int index, json_t *outputs)
{
    pj_lang *lang = pj_lang_of(L);
    if (is_output(L, index)) {
        pj_err *err = pj_lang_err(L);
        json_t *output = pj_lang_json_of(L, index, false, err);
        if (!output)
            pj_lang_raise(L, err);
        json_array_append_new(outputs, output);
        return;
    }
    pj_lang_bundle(L, index, lang->stop);
    json_t *metadata = lang->metadata ? json_incref(lang->metadata) : json_object();
    json_array_append_new(outputs, json_pack("{s:s, s:O, s:o}", "output_type", "display_data",
                                             "data", lang->data, "metadata", metadata));
    pj_lang_bundle_clear(lang);
}

json_t *pj_lang_outputs(lua_State *L, int index)
{
    json_t **held = push_list(L, json_array());
    lua_Integer count = (lua_Integer)lua_rawlen(L, index);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, index, i);
        append(L, lua_gettop(L), *held);
        lua_pop(L, 1);
    }
    json_t *outputs = json_incref(*held);
    lua_pop(L, 1);
    return outputs;
}

int pj_lang_output_add(lua_State *L)
{
    int last = lua_gettop(L);
    pj_widget *widget = pj_lang_widget_check(L, 1);
    pj_err *err = pj_lang_err(L);
    json_t *now = pj_widget_get(widget, "outputs", err);
    if (!now)
        return pj_lang_raise(L, err);
    json_t **held = push_list(L, json_array());
    for (int i = 2; i <= last; i++)
        append(L, i, *held);
    json_t *outputs = json_copy(pj_widget_get(pj_lang_widget_check(L, 1), "outputs", NULL));
    json_array_extend(outputs, *held);
    pj_lang_widget_set_take(L, pj_lang_widget_check(L, 1), "outputs", outputs);
    return 0;
}

int pj_lang_output_clear(lua_State *L)
{
    pj_lang_widget_set_take(L, pj_lang_widget_check(L, 1), "outputs", json_array());
    return 0;
}
