// Widgets to choose from, as people think of them: options with values. The protocol knows labels
// and an index; options = {"a", "b"} or {{"label", value}, ...} and value stand above these.
#include "kernel/lua/objects/lang_widget.h"

#include "kernel/lua/lang_value.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "widgets/ipy/traits.h"
#include "widgets/ipy/widget.h"

#define LABELS "_options_labels"
#define VALUES "values" // field of the widget's table: what its labels stand for

bool pj_lang_choice_is(const pj_model *model)
{
    return pj_model_trait(model, LABELS, PJ_WIDGETS_8) != NULL;
}

/// Pushes the value of option `at` from 0: what it stands for, or its label; nil beyond the last.
static void push_option(lua_State *L, int index, pj_widget *widget, json_int_t at)
{
    const json_t *labels = pj_widget_get(widget, LABELS, NULL);
    const json_t *label = at < 0 ? NULL : json_array_get(labels, (size_t)at);
    if (!label) {
        lua_pushnil(L);
        return;
    }
    pj_lang_widget_fields(L, index);
    if (lua_getfield(L, -1, VALUES) == LUA_TTABLE) {
        lua_rawgeti(L, -1, at + 1);
        lua_replace(L, -3);
        lua_pop(L, 1);
        if (!lua_isnil(L, -1))
            return;
        lua_pop(L, 1);
    } else {
        lua_pop(L, 2);
    }
    pj_lang_json_push(L, label);
}

void pj_lang_choice_push(lua_State *L, int index, pj_widget *widget, const json_t *place)
{
    if (!json_is_array(place)) {
        push_option(L, index, widget, json_is_integer(place) ? json_integer_value(place) : -1);
        return;
    }
    lua_newtable(L);
    for (size_t i = 0; i < json_array_size(place); i++) {
        push_option(L, index, widget, json_integer_value(json_array_get(place, i)));
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static void push_options(lua_State *L, int index, pj_widget *widget)
{
    size_t count = json_array_size(pj_widget_get(widget, LABELS, NULL));
    lua_newtable(L);
    for (size_t i = 0; i < count; i++) {
        push_option(L, index, widget, (json_int_t)i);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
}

static void push_label(lua_State *L, pj_widget *widget)
{
    const json_t *place = pj_widget_get(widget, "index", NULL);
    const json_t *labels = pj_widget_get(widget, LABELS, NULL);
    const json_t *label = NULL;
    if (json_is_integer(place))
        label = json_array_get(labels, (size_t)json_integer_value(place));
    if (label)
        pj_lang_json_push(L, label);
    else
        lua_pushnil(L);
}

bool pj_lang_choice_get(lua_State *L, int index, pj_widget *widget, const char *key)
{
    if (!pj_lang_choice_is(pj_widget_model(widget)))
        return false;
    if (strcmp(key, "options") == 0)
        push_options(L, index, widget);
    else if (strcmp(key, "value") == 0)
        pj_lang_choice_push(L, index, widget, pj_widget_get(widget, "index", NULL));
    else if (strcmp(key, "label") == 0)
        push_label(L, widget);
    else
        return false;
    return true;
}

/// Appends the label of the option on top of the stack to the list below it, and its value, with
/// which it is replaced, to the one below that.
static void take_option(lua_State *L, int values, int labels, lua_Integer i)
{
    if (lua_istable(L, -1)) {
        lua_rawgeti(L, -1, 2);
        lua_rawgeti(L, -2, 1);
    } else {
        lua_pushvalue(L, -1);
        lua_pushvalue(L, -1);
    }
    luaL_tolstring(L, -1, NULL);
    lua_rawseti(L, labels, i);
    lua_pop(L, 1);
    lua_rawseti(L, values, i);
    lua_pop(L, 1);
}

static void set_options(lua_State *L, int index, pj_widget *widget)
{
    int options = lua_gettop(L);
    luaL_checktype(L, options, LUA_TTABLE);
    lua_newtable(L);
    lua_newtable(L);
    lua_Integer count = (lua_Integer)lua_rawlen(L, options);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, options, i);
        take_option(L, options + 1, options + 2, i);
    }
    pj_lang_widget_fields(L, index);
    lua_pushvalue(L, options + 1);
    lua_setfield(L, -2, VALUES);
    lua_pop(L, 1);
    pj_err *err = pj_lang_err(L);
    json_t *labels = pj_lang_json_of(L, options + 2, true, err);
    if (!labels)
        pj_lang_raise(L, err);
    pj_lang_widget_set_take(L, widget, LABELS, labels);
    lua_settop(L, options - 1);
}

/// Raises an error that lists the options.
static void refuse_option(lua_State *L, int wanted, const json_t *labels)
{
    enum { LISTED = 12 };
    size_t count = json_array_size(labels);
    const char *text = luaL_tolstring(L, wanted, NULL);
    luaL_Buffer list;
    luaL_buffinit(L, &list);
    for (size_t i = 0; i < count && i < LISTED; i++) {
        luaL_addstring(&list, i ? ", " : "");
        luaL_addstring(&list, json_string_value(json_array_get(labels, i)));
    }
    luaL_addstring(&list, count > LISTED ? ", ..." : "");
    luaL_pushresult(&list);
    luaL_error(L, "%s is none of the options; valid: %s", text, lua_tostring(L, -1));
}

/// Index of the option whose value, or label for `by_label`, is on top of the stack (popped).
static json_int_t find_option(lua_State *L, int index, pj_widget *widget, bool by_label)
{
    const json_t *labels = pj_widget_get(widget, LABELS, NULL);
    json_int_t count = (json_int_t)json_array_size(labels);
    int wanted = lua_gettop(L);
    for (json_int_t i = 0; i < count; i++) {
        if (by_label)
            pj_lang_json_push(L, json_array_get(labels, (size_t)i));
        else
            push_option(L, index, widget, i);
        bool same = lua_compare(L, wanted, -1, LUA_OPEQ);
        lua_pop(L, 1);
        if (same) {
            lua_pop(L, 1);
            return i;
        }
    }
    refuse_option(L, wanted, labels);
    return -1;
}

static json_t *places_of(lua_State *L, int index, pj_widget *widget, bool by_label)
{
    int list = lua_gettop(L);
    lua_Integer count = (lua_Integer)lua_rawlen(L, list);
    lua_createtable(L, (int)count, 0); // found before JSON is held
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, list, i);
        lua_pushinteger(L, find_option(L, index, widget, by_label));
        lua_rawseti(L, list + 1, i);
    }
    pj_err *err = pj_lang_err(L);
    return pj_lang_json_of(L, list + 1, true, err);
}

static void choose(lua_State *L, int index, pj_widget *widget, bool by_label)
{
    int top = lua_gettop(L);
    json_t *place;
    if (lua_isnil(L, top))
        place = json_is_array(pj_widget_get(widget, "index", NULL)) ? json_array() : json_null();
    else if (lua_istable(L, top) && json_is_array(pj_widget_get(widget, "index", NULL)))
        place = places_of(L, index, widget, by_label);
    else
        place = json_integer(find_option(L, index, widget, by_label));
    pj_lang_widget_set_take(L, widget, "index", place);
    lua_settop(L, top - 1);
}

bool pj_lang_choice_set(lua_State *L, int index, pj_widget *widget, const char *key)
{
    if (!pj_lang_choice_is(pj_widget_model(widget)))
        return false;
    if (strcmp(key, "options") == 0)
        set_options(L, index, widget);
    else if (strcmp(key, "value") == 0 || strcmp(key, "label") == 0)
        choose(L, index, widget, *key == 'l');
    else
        return false;
    return true;
}
