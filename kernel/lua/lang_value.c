// Access to objects: members first, then the fields of the value itself; what is unknown raises
// with the list of what there is.
#include "kernel/lua/lang_value.h"

#include "kernel/command/display.h"
#include "kernel/command/kind.h"
#include "kernel/lua/lang.h"
#include "kernel/lua/objects/lang_widget.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/base/suggest.h"
#include "metrics/table/table.h"

#define OBJECT "popinjay.object"

pj_err *pj_lang_err(lua_State *L)
{
    pj_lang *lang = pj_lang_of(L);
    lang->err = (pj_err){0};
    return &lang->err;
}

int pj_lang_raise(lua_State *L, const pj_err *err)
{
    pj_lang *lang = pj_lang_of(L);
    char *text = lang->err_text;
    pj_err_message(err, text, sizeof lang->err_text);
    return luaL_error(L, "%s", text);
}

pj_lang_object *pj_lang_object_at(lua_State *L, int index)
{
    return luaL_testudata(L, index, OBJECT);
}

pj_lang_object *pj_lang_object_check(lua_State *L, int index, const pj_lang_type *type)
{
    pj_lang_object *object = pj_lang_object_at(L, index);
    if (!object || object->type != type)
        luaL_typeerror(L, index, type->name);
    return object;
}

pj_lang_object *pj_lang_object_push(lua_State *L)
{
    pj_lang_object *object = lua_newuserdatauv(L, sizeof *object, 0);
    *object = (pj_lang_object){0};
    luaL_setmetatable(L, OBJECT);
    return object;
}

/// Of kinds without members of their own.
static const pj_lang_type shown_type = {.name = "value", .members = pj_lang_table_methods};

/// NULL = a value of Lua's own.
static const pj_lang_type *type_of(const pj_value *value)
{
    const pj_kind *kind = pj_kind_of(value);
    return kind->lang || !kind->table ? kind->lang : &shown_type;
}

void pj_lang_object_finish(lua_State *L)
{
    pj_lang_object *object = pj_lang_object_at(L, -1);
    object->type = type_of(&object->value);
    pj_lang_memory_note(L, pj_value_bytes(&object->value));
    if (object->type)
        return;
    const pj_value *value = &object->value;
    if (value->kind == PJ_VALUE_BOOL)
        lua_pushboolean(L, value->flag);
    else if (value->kind == PJ_VALUE_NUMBER)
        lua_pushnumber(L, value->number);
    else if (value->kind == PJ_VALUE_TEXT)
        lua_pushstring(L, value->text);
    else if (value->kind == PJ_VALUE_WIDGET)
        pj_lang_widget_push_id(L, value->text);
    else
        lua_pushnil(L);
    lua_remove(L, -2);
}

void pj_lang_part_push(lua_State *L, pj_value value, const pj_lang_type *type, size_t part)
{
    pj_lang_object *object = pj_lang_object_push(L);
    object->value = pj_value_hold(value);
    object->type = type;
    object->part = part;
}

void pj_lang_cell_push(lua_State *L, pj_cell cell)
{
    switch (cell.kind) {
    case PJ_CELL_EMPTY:
        lua_pushnil(L);
        return;
    case PJ_CELL_TEXT:
        lua_pushstring(L, cell.text);
        return;
    case PJ_CELL_INT:
        lua_pushinteger(L, cell.integer);
        return;
    case PJ_CELL_REAL:
        lua_pushnumber(L, cell.real);
        return;
    }
}

static int collect(lua_State *L)
{
    pj_lang_object *object = pj_lang_object_at(L, 1);
    if (object)
        pj_value_clear(&object->value);
    return 0;
}

const pj_lang_type *pj_lang_type_at(size_t index)
{
    static const pj_lang_type *const parts[] = {&pj_lang_type_column, &pj_lang_type_row};
    const pj_kind *kind;
    for (size_t i = 0; (kind = pj_kind_at(i)); i++)
        if (kind->lang && index-- == 0)
            return kind->lang;
    return index < sizeof parts / sizeof *parts ? parts[index] : NULL;
}

const pj_lang_member *pj_lang_member_at(const pj_lang_type *type, size_t index)
{
    const pj_lang_member *members = type->members;
    for (size_t i = 0; members;) {
        if (members[i].name && index-- == 0)
            return &members[i];
        if (members[i].name) {
            i++;
            continue;
        }
        members = members == type->members ? type->more : NULL;
        i = 0;
    }
    return NULL;
}

/// "a table has no field ...": with the nearest name and all of them.
static int unknown_field(lua_State *L, const pj_lang_object *object, pj_str key)
{
    const pj_lang_type *type = object->type;
    pj_buf *text = &pj_lang_of(L)->message;
    pj_suggest suggest = {.word = key};
    text->len = 0;
    const char *name;
    const pj_lang_member *m;
    for (size_t i = 0; (m = pj_lang_member_at(type, i)); i++)
        pj_suggest_try(&suggest, m->name);
    for (size_t i = 0; type->field_at && (name = type->field_at(object, i)); i++)
        pj_suggest_try(&suggest, name);
    pj_buf_addf(text, "a %s has no \"" PJ_STR_FMT "\"", type->name, PJ_STR_ARG(key));
    if (suggest.best)
        pj_buf_addf(text, "; did you mean %s?", suggest.best);
    pj_buf_puts(text, suggest.best ? " it has:" : "; it has:");
    for (size_t i = 0; type->field_at && (name = type->field_at(object, i)); i++)
        pj_buf_addf(text, " %s", name);
    for (size_t i = 0; (m = pj_lang_member_at(type, i)); i++)
        pj_buf_addf(text, m->property ? " %s" : " :%s", m->name);
    return luaL_error(L, "%s", text->at);
}

static int index_object(lua_State *L)
{
    pj_lang_object *object = luaL_checkudata(L, 1, OBJECT);
    const pj_lang_type *type = object->type;
    int isnum = 0;
    lua_Integer item = lua_type(L, 2) == LUA_TNUMBER ? lua_tointegerx(L, 2, &isnum) : 0;
    if (isnum && type->item) {
        bool inside = item >= 1 && (size_t)item <= type->length(object);
        if (inside)
            type->item(L, object, (size_t)item);
        return inside;
    }
    pj_str key;
    key.at = luaL_checklstring(L, 2, &key.len);
    const pj_lang_member *m;
    for (size_t i = 0; (m = pj_lang_member_at(type, i)); i++) {
        if (!pj_str_equal(pj_str_of(m->name), key))
            continue;
        lua_pushcfunction(L, m->call);
        if (m->property) {
            lua_pushvalue(L, 1);
            lua_call(L, 1, 1);
        }
        return 1;
    }
    if (type->field && type->field(L, object, key))
        return 1;
    return unknown_field(L, object, key);
}

static int assign(lua_State *L)
{
    const pj_lang_object *object = luaL_checkudata(L, 1, OBJECT);
    pj_str key;
    key.at = luaL_tolstring(L, 2, &key.len);
    if (object->type->assign && object->type->assign(L, object, key))
        return 0;
    return luaL_error(L, "a %s cannot be changed; operations like :add make a new one",
                      object->type->name);
}

static int length(lua_State *L)
{
    const pj_lang_object *object = luaL_checkudata(L, 1, OBJECT);
    if (!object->type->length)
        return luaL_error(L, "a %s has no length", object->type->name);
    lua_pushinteger(L, (lua_Integer)object->type->length(object));
    return 1;
}

static int to_text(lua_State *L)
{
    pj_lang *lang = pj_lang_of(L);
    const pj_lang_object *object = luaL_checkudata(L, 1, OBJECT);
    pj_value value = object->value;
    if (object->type->part) {
        lua_getfield(L, 1, "table");
        const pj_lang_object *table = pj_lang_object_at(L, -1);
        value = table->value;
    }
    lang->message.len = 0;
    pj_display_text(lang->session, &value, &lang->message);
    if (lang->message.len && lang->message.at[lang->message.len - 1] == '\n')
        lang->message.len--;
    lua_pushlstring(L, lang->message.at ? lang->message.at : "", lang->message.len);
    return 1;
}

static int next_item(lua_State *L)
{
    const pj_lang_object *object = luaL_checkudata(L, 1, OBJECT);
    lua_Integer i = luaL_checkinteger(L, 2) + 1;
    if ((size_t)i > object->type->length(object))
        return 0;
    lua_pushinteger(L, i);
    object->type->item(L, object, (size_t)i);
    return 2;
}

static int pairs(lua_State *L)
{
    const pj_lang_object *object = luaL_checkudata(L, 1, OBJECT);
    if (!object->type->item)
        return luaL_error(L, "a %s has no items", object->type->name);
    lua_pushcfunction(L, next_item);
    lua_pushvalue(L, 1);
    lua_pushinteger(L, 0);
    return 3;
}

void pj_lang_value_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"__index", index_object},
        {"__newindex", assign},
        {"__len", length},
        {"__tostring", to_text},
        {"__pairs", pairs},
        {"__gc", collect},
        {NULL, NULL},
    };
    luaL_newmetatable(L, OBJECT);
    luaL_setfuncs(L, functions, 0);
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 1);
}

/// Adds the words of one text.
static void add_words(pj_lang *lang, pj_str text, size_t *count)
{
    static const char separators[] = " ,\t\n";
    while (text.len) {
        size_t len = 0;
        while (len < text.len && !strchr(separators, text.at[len]))
            len++;
        if (len) {
            pj_grow(lang->texts, &lang->text_cap, *count + 1);
            lang->texts[(*count)++] = pj_str_head(text, len);
        }
        text = pj_str_from(text, len + 1);
    }
}

const pj_str *pj_lang_texts(lua_State *L, int first, size_t *count)
{
    pj_lang *lang = pj_lang_of(L);
    int last = lua_gettop(L);
    *count = 0;
    for (int i = first; i <= last; i++) {
        size_t items = lua_istable(L, i) ? lua_rawlen(L, i) : 0;
        pj_str text;
        for (size_t k = 1; k <= items; k++) {
            lua_rawgeti(L, i, (lua_Integer)k);
            text.at = luaL_checklstring(L, -1, &text.len);
            add_words(lang, text, count);
            lua_pop(L, 1); // the list keeps the text alive
        }
        if (lua_istable(L, i))
            continue;
        text.at = luaL_checklstring(L, i, &text.len);
        add_words(lang, text, count);
    }
    return lang->texts;
}
