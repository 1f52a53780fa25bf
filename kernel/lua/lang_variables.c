// The user's variables for panels of front ends: name, type, a short text; one of them as bundle.
#include "kernel/command/kind.h"
#include "kernel/lua/lang.h"
#include "kernel/lua/lang_bind.h"
#include "kernel/lua/lang_stage.h"
#include "kernel/lua/lang_state.h"
#include "kernel/lua/lang_value.h"
#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"

#include <stdlib.h>

enum { SHORT_BYTES = 120 };

/// One line of at most SHORT_BYTES about the value on top of the stack.
static json_t *short_text(lua_State *L)
{
    pj_lang *lang = pj_lang_of(L);
    const pj_lang_object *object = pj_lang_object_at(L, -1);
    if (object && !object->type->part) {
        lang->text.len = 0;
        const pj_kind *kind = pj_kind_of(&object->value);
        if (kind->brief)
            kind->brief(&object->value, &lang->text);
        else
            pj_buf_puts(&lang->text, kind->name);
    } else {
        pj_lang_text(L, -1);
    }
    pj_str text = pj_buf_str(&lang->text);
    pj_str line = pj_str_head(text, pj_str_find(text, '\n'));
    pj_auto_buf cut = {0};
    pj_str head = pj_str_head(line, SHORT_BYTES);
    pj_buf_add(&cut, pj_str_head(head, pj_utf8_whole(head)));
    pj_buf_puts(&cut, cut.len < text.len ? "\u2026" : "");
    return pj_lang_json(pj_buf_str(&cut));
}

/// Whether the key and value on top of the stack are the user's own: no verb, nothing of Lua's.
static bool is_own(lua_State *L)
{
    if (lua_type(L, -2) != LUA_TSTRING || lua_iscfunction(L, -1))
        return false;
    const char *name = lua_tostring(L, -2);
    lua_pushglobaltable(L);
    lua_pushvalue(L, -3);
    lua_rawget(L, -2);
    bool stock = lua_rawequal(L, -1, -3) || strcmp(name, "_G") == 0 || strcmp(name, "widget") == 0;
    lua_pop(L, 2);
    return !stock;
}

static int collect(lua_State *L)
{
    pj_lang *lang = pj_lang_of(L);
    lua_getfield(L, LUA_REGISTRYINDEX, PJ_LANG_ENV);
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        if (is_own(L)) {
            const pj_lang_object *object = pj_lang_object_at(L, -1);
            json_t *item = json_pack(
                "{s:o, s:s, s:i}", "name", pj_lang_json(pj_str_of(lua_tostring(L, -2))), "type",
                object ? object->type->name : luaL_typename(L, -1), "variablesReference", 0);
            json_array_append_new(lang->matches, item);
            json_object_set_new(item, "value", short_text(L));
        }
        lua_settop(L, 2);
    }
    return 0;
}

static int by_name(const void *a, const void *b)
{
    const json_t *const *x = a, *const *y = b;
    return strcmp(json_string_value(json_object_get(*x, "name")),
                  json_string_value(json_object_get(*y, "name")));
}

static json_t *sorted_take(json_t *list)
{
    size_t count = json_array_size(list);
    json_t **items = pj_take_memory((count + 1) * sizeof *items);
    for (size_t i = 0; i < count; i++)
        items[i] = json_array_get(list, i);
    qsort(items, count, sizeof *items, by_name);
    json_t *result = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append(result, items[i]);
    free(items);
    json_decref(list);
    return result;
}

json_t *pj_lang_variables(pj_lang *lang)
{
    lang->matches = json_array();
    if (pj_lang_enter(lang, PJ_LANG_BRIEF)) {
        lua_settop(lang->L, 0);
        lua_pushcfunction(lang->L, collect);
        lua_pcall(lang->L, 0, 0, 0);
        lua_settop(lang->L, 0);
        pj_lang_leave(lang);
    }
    json_t *list = sorted_take(lang->matches);
    lang->matches = NULL;
    return list;
}

static int show_one(lua_State *L)
{
    lua_getfield(L, LUA_REGISTRYINDEX, PJ_LANG_ENV);
    lua_pushvalue(L, 1);
    if (lua_rawget(L, -2) != LUA_TNIL)
        pj_lang_bundle(L, -1, NULL); // the flag of the last cell may still stand
    return 0;
}

json_t *pj_lang_variable(pj_lang *lang, pj_str name)
{
    json_t *reply = NULL;
    if (!pj_lang_enter(lang, PJ_LANG_BRIEF))
        return NULL;
    lua_State *L = lang->L;
    lua_settop(L, 0);
    pj_lang_bundle_clear(lang);
    lua_pushcfunction(L, show_one);
    lua_pushlstring(L, name.len ? name.at : "", name.len);
    if (lua_pcall(L, 1, 0, 0) == LUA_OK && lang->data)
        reply = json_pack("{s:O, s:O?}", "data", lang->data, "metadata", lang->metadata);
    pj_lang_bundle_clear(lang);
    lua_settop(L, 0);
    pj_lang_leave(lang);
    return reply;
}
