// Lua values as JSON and back, for what goes to front ends.
#include "kernel/lua/objects/lang_widget.h"

#include "metrics/base/err.h"
#include "widgets/ipy/trait_value.h"

enum { DEEPEST = 40 };

static json_t *value_of(lua_State *L, int index, bool list, int depth, pj_err *err);

static json_t *refuse(lua_State *L, int index, pj_err *err)
{
    pj_fail(err, PJ_E_USAGE, NULL, 0, "a %s cannot be sent to a front end",
            luaL_typename(L, index));
    return NULL;
}

static json_t *list_of(lua_State *L, int table, size_t count, int depth, pj_err *err)
{
    json_t *list = json_array();
    for (size_t i = 1; i <= count; i++) {
        lua_rawgeti(L, table, (lua_Integer)i);
        json_t *item = value_of(L, lua_gettop(L), false, depth, err);
        lua_pop(L, 1);
        if (!item) {
            json_decref(list);
            return NULL;
        }
        json_array_append_new(list, item);
    }
    return list;
}

static json_t *object_of(lua_State *L, int table, int depth, pj_err *err)
{
    json_t *object = json_object();
    lua_pushnil(L);
    while (lua_next(L, table)) {
        size_t len = 0;
        const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tolstring(L, -2, &len) : NULL;
        json_t *item = key ? value_of(L, lua_gettop(L), false, depth, err) : NULL;
        if (!key)
            pj_fail(err, PJ_E_USAGE, NULL, 0, "a table with both items and %s keys is no JSON",
                    luaL_typename(L, -2));
        if (!item) {
            lua_pop(L, 2);
            json_decref(object);
            return NULL;
        }
        json_object_setn_new(object, key, len, item);
        lua_pop(L, 1);
    }
    return object;
}

static json_t *table_of(lua_State *L, int index, bool list, int depth, pj_err *err)
{
    if (depth == DEEPEST || !lua_checkstack(L, 6)) {
        pj_fail(err, PJ_E_USAGE, NULL, 0, "a table is too deep to be sent");
        return NULL;
    }
    size_t count = lua_rawlen(L, index);
    if (count || list)
        return list_of(L, index, count, depth + 1, err);
    return object_of(L, index, depth + 1, err);
}

static json_t *reference_of(lua_State *L, int index)
{
    const char *id = pj_lang_widget_id(L, index);
    return id ? json_sprintf("IPY_MODEL_%s", id) : NULL;
}

static json_t *value_of(lua_State *L, int index, bool list, int depth, pj_err *err)
{
    size_t len;
    const char *text;
    json_t *reference;
    switch (lua_type(L, index)) {
    case LUA_TNIL:
        return json_null();
    case LUA_TBOOLEAN:
        return json_boolean(lua_toboolean(L, index));
    case LUA_TNUMBER:
        if (lua_isinteger(L, index))
            return json_integer(lua_tointeger(L, index));
        // JSON has no infinity: a front end takes null for "no number"
        return lua_tonumber(L, index) - lua_tonumber(L, index) == 0
                   ? json_real(lua_tonumber(L, index))
                   : json_null();
    case LUA_TSTRING:
        text = lua_tolstring(L, index, &len);
        return json_stringn_nocheck(text, len);
    case LUA_TTABLE:
        return table_of(L, index, list, depth, err);
    case LUA_TUSERDATA:
        reference = reference_of(L, index);
        return reference ? reference : refuse(L, index, err);
    default:
        return refuse(L, index, err);
    }
}

json_t *pj_lang_json_of(lua_State *L, int index, bool list, pj_err *err)
{
    return value_of(L, lua_absindex(L, index), list, 0, err);
}

static void push_text(lua_State *L, const json_t *value)
{
    const char *id = pj_trait_value_reference(value);
    if (id)
        pj_lang_widget_push_id(L, id);
    else
        lua_pushlstring(L, json_string_value(value), json_string_length(value));
}

void pj_lang_json_push(lua_State *L, const json_t *value)
{
    const char *key;
    json_t *item;
    luaL_checkstack(L, 6, "too deep");
    switch (json_typeof(value)) {
    case JSON_NULL:
        lua_pushnil(L);
        return;
    case JSON_TRUE:
    case JSON_FALSE:
        lua_pushboolean(L, json_is_true(value));
        return;
    case JSON_INTEGER:
        lua_pushinteger(L, json_integer_value(value));
        return;
    case JSON_REAL:
        lua_pushnumber(L, json_real_value(value));
        return;
    case JSON_STRING:
        push_text(L, value);
        return;
    case JSON_ARRAY:
        lua_newtable(L);
        for (size_t i = 0; i < json_array_size(value); i++) {
            pj_lang_json_push(L, json_array_get(value, i));
            lua_rawseti(L, -2, (lua_Integer)i + 1);
        }
        return;
    case JSON_OBJECT:
        lua_newtable(L);
        json_object_foreach((json_t *)value, key, item)
        {
            pj_lang_json_push(L, item);
            lua_setfield(L, -2, key);
        }
        return;
    }
}
