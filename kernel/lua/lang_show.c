// Lua values as text for people: what a cell shows when its value is no object of the product.
#include "kernel/command/display.h"
#include "kernel/command/value.h"
#include "kernel/lua/lang.h"
#include "kernel/lua/lang_lex.h"
#include "kernel/lua/lang_state.h"
#include "kernel/lua/lang_value.h"
#include "kernel/lua/objects/lang_widget.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"

enum { SHOW_DEPTH = 4, SHOW_ITEMS = 200, SHOW_BYTES = 8000 };

/// Whether no further item of a table is shown.
static bool is_enough(const pj_buf *out, int shown)
{
    return shown == SHOW_ITEMS || out->len > SHOW_BYTES;
}

static void show_value(lua_State *L, int index, int depth, bool quoted);

static void add_text(lua_State *L, pj_str text, bool quoted)
{
    pj_buf *out = &pj_lang_of(L)->text;
    if (quoted)
        pj_buf_addf(out, "\"" PJ_STR_FMT "\"", PJ_STR_ARG(text));
    else
        pj_buf_add(out, text);
}

static bool is_name(pj_str text)
{
    pj_lexer lexer = pj_lexer_of(text);
    pj_token token = pj_lexer_next(&lexer);
    return token.kind == PJ_TOKEN_NAME && token.text.len == text.len;
}

static void show_key(lua_State *L, int index)
{
    pj_buf *out = &pj_lang_of(L)->text;
    pj_str name = {0};
    if (lua_type(L, index) == LUA_TSTRING)
        name.at = lua_tolstring(L, index, &name.len);
    if (name.len && is_name(name)) {
        pj_buf_add(out, name);
    } else {
        pj_buf_puts(out, "[");
        show_value(L, index, 0, true);
        pj_buf_puts(out, "]");
    }
    pj_buf_puts(out, " = ");
}

/// The list part, then the other keys; long tables are cut with a remark.
static void show_items(lua_State *L, int table, int depth)
{
    pj_buf *out = &pj_lang_of(L)->text;
    lua_Integer length = (lua_Integer)lua_rawlen(L, table);
    int shown = 0;
    for (lua_Integer i = 1; i <= length && !is_enough(out, shown); i++, shown++) {
        pj_buf_puts(out, shown ? ", " : "");
        lua_rawgeti(L, table, i);
        show_value(L, lua_gettop(L), depth, true);
        lua_pop(L, 1);
    }
    lua_pushnil(L);
    while (lua_next(L, table)) {
        lua_Integer i = lua_isinteger(L, -2) ? lua_tointeger(L, -2) : 0;
        if (i >= 1 && i <= length) {
            lua_pop(L, 1);
            continue;
        }
        if (is_enough(out, shown)) {
            lua_pop(L, 2);
            pj_buf_puts(out, shown ? ", ..." : "...");
            return;
        }
        pj_buf_puts(out, shown++ ? ", " : "");
        show_key(L, lua_gettop(L) - 1);
        show_value(L, lua_gettop(L), depth, true);
        lua_pop(L, 1);
    }
    if (length > shown)
        pj_buf_puts(out, shown ? ", ..." : "...");
}

static bool has_text_form(lua_State *L, int index)
{
    if (luaL_getmetafield(L, index, "__tostring") == LUA_TNIL)
        return false;
    lua_pop(L, 1);
    return true;
}

static void show_value(lua_State *L, int index, int depth, bool quoted)
{
    luaL_checkstack(L, 8, "too deep to show");
    if (lua_type(L, index) == LUA_TTABLE && !has_text_form(L, index) && depth < SHOW_DEPTH) {
        pj_buf_puts(&pj_lang_of(L)->text, "{");
        show_items(L, index, depth + 1);
        pj_buf_puts(&pj_lang_of(L)->text, "}");
        return;
    }
    pj_str text;
    pj_lang_tostring(L, index);
    text.at = lua_tolstring(L, -1, &text.len);
    add_text(L, text, quoted && lua_type(L, index) == LUA_TSTRING);
    lua_pop(L, 1);
}

json_t *pj_lang_json(pj_str text)
{
    pj_auto_buf clean = {0};
    pj_utf8_clean(&clean, text);
    return json_stringn(clean.len ? clean.at : "", clean.len);
}

void pj_lang_text(lua_State *L, int index)
{
    pj_lang_of(L)->text.len = 0;
    show_value(L, lua_absindex(L, index), 0, false);
}

static void start_bundle(pj_lang *lang)
{
    pj_lang_bundle_clear(lang);
    lang->text.len = 0;
}

static void finish_bundle(pj_lang *lang)
{
    lang->data = json_object();
    json_object_set_new(lang->data, "text/plain", pj_lang_json(pj_buf_str(&lang->text)));
}

void pj_lang_bundle_clear(pj_lang *lang)
{
    json_decref(lang->data);
    json_decref(lang->metadata);
    lang->data = lang->metadata = NULL;
}

/// A table whose keys are all MIME types: {["text/html"] = "<b>bold</b>"}.
static bool is_bundle(lua_State *L, int index)
{
    if (!lua_istable(L, index))
        return false;
    bool all = false;
    lua_pushnil(L);
    while (lua_next(L, index)) {
        all = lua_type(L, -2) == LUA_TSTRING && strchr(lua_tostring(L, -2), '/') &&
              lua_type(L, -1) == LUA_TSTRING;
        lua_pop(L, all ? 1 : 2);
        if (!all)
            return false;
    }
    return all;
}

static void copy_bundle(lua_State *L, int index)
{
    pj_lang *lang = pj_lang_of(L);
    lang->data = json_object();
    lua_pushnil(L);
    while (lua_next(L, index)) {
        pj_str text;
        text.at = lua_tolstring(L, -1, &text.len);
        json_object_set_new(lang->data, lua_tostring(L, -2), pj_lang_json(text));
        lua_pop(L, 1);
    }
}

/// The value that an object is shown as: its own, or the table that its part is.
static const pj_value *shown_value(lua_State *L, const pj_lang_object *object)
{
    if (!object->type->part)
        return &object->value;
    lua_getfield(L, -1, "table");
    return &pj_lang_object_at(L, -1)->value;
}

void pj_lang_bundle(lua_State *L, int index, const atomic_bool *stop)
{
    pj_lang *lang = pj_lang_of(L);
    index = lua_absindex(L, index);
    int top = lua_gettop(L);
    const pj_lang_object *object = pj_lang_object_at(L, index);
    start_bundle(lang);
    if (pj_lang_widget_bundle(L, index)) {
        lua_settop(L, top);
        return;
    }
    if (object && lang->face->rich) {
        lua_pushvalue(L, index);
        const pj_value *value = shown_value(L, object);
        bool aside = pj_lang_step_aside(lang);
        pj_display_bundle(lang->session, value, stop, &lang->data, &lang->metadata);
        pj_lang_step_back(lang, aside);
        if (stop)
            pj_lang_guard_look(L); // a picture that was left is no answer
    } else if (is_bundle(L, index)) {
        copy_bundle(L, index);
    } else {
        show_value(L, index, 0, false);
        finish_bundle(lang);
    }
    lua_settop(L, top);
}

void pj_lang_show(lua_State *L, int first)
{
    pj_lang *lang = pj_lang_of(L);
    int last = lua_gettop(L);
    if (first == last) {
        pj_lang_bundle(L, first, lang->stop);
        return;
    }
    start_bundle(lang);
    for (int i = first; i <= last; i++) {
        if (i > first)
            pj_buf_add_char(&lang->text, '\t');
        show_value(L, i, 0, false);
    }
    finish_bundle(lang);
}
