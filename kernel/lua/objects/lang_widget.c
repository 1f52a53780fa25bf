// Making, reading, changing and showing widgets. What a widget of Lua holds besides its comm id -
// functions, values of options - is in a table of its own that lives as long as the widget is open.
#include "kernel/lua/objects/lang_widget.h"

#include "kernel/command/face.h"
#include "kernel/command/setting.h"
#include "kernel/lua/lang.h"
#include "kernel/lua/lang_stage.h"
#include "kernel/lua/lang_state.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "widgets/figure/escape.h"
#include "widgets/figure/figure_file.h"
#include "widgets/ipy/channel.h"
#include "widgets/ipy/trait_value.h"
#include "widgets/ipy/traits.h"
#include "widgets/ipy/widget_comm.h"
#include "widgets/ipy/widget_save.h"

#include <stdlib.h>

#define WIDGET "popinjay.widget"
#define WIDGETS "popinjay.widgets" // comm id -> userdata of the open ones

// What all who share the stage have

static void send_open(void *self, const pj_comm_message *message)
{
    const pj_comm_channel *to = &((pj_lang_stage *)self)->now->face->comms;
    if (to->open)
        to->open(to->self, message);
}

static void send_msg(void *self, const pj_comm_message *message)
{
    const pj_comm_channel *to = &((pj_lang_stage *)self)->now->face->comms;
    if (to->msg)
        to->msg(to->self, message);
}

static void send_close(void *self, const pj_comm_message *message)
{
    const pj_comm_channel *to = &((pj_lang_stage *)self)->now->face->comms;
    if (to->close)
        to->close(to->self, message);
}

pj_widgets *pj_lang_widgets(pj_lang_stage *stage)
{
    if (stage->widgets)
        return stage->widgets;
    const char *version = pj_setting_text(PJ_SETTING_WIDGETS);
    pj_dialect dialect = version && strcmp(version, "7") == 0 ? PJ_WIDGETS_7 : PJ_WIDGETS_8;
    stage->widgets = pj_widgets_new((pj_widgets_opts){
        .channel = {stage, send_open, send_msg, send_close},
        .dialect = dialect,
        .echo = pj_widgets_echo(getenv("JUPYTER_WIDGETS_ECHO"), dialect),
    });
    return stage->widgets;
}

void pj_lang_widgets_close_owner(pj_lang *lang, const char *owner)
{
    if (lang->stage->widgets)
        pj_widgets_close_owner(lang->stage->widgets, owner);
}

void pj_lang_widgets_forget(pj_lang *lang, const char *owner)
{
    pj_lang_enter(lang, PJ_LANG_PATIENT);
    pj_lang_widgets_close_owner(lang, owner);
    pj_lang_leave(lang);
}

/// Handlers make widgets for the owner of the widget that was touched.
static void own_as(pj_lang *lang, const char *id)
{
    const pj_widget *widget = pj_widgets_find(pj_lang_widgets(lang->stage), id);
    const char *owner = widget ? pj_widget_owner(widget) : NULL;
    snprintf(lang->owner, sizeof lang->owner, "%s", owner ? owner : "");
}

static void complain(pj_lang *lang, const pj_err *err)
{
    char text[1600];
    pj_auto_buf line = {0};
    pj_buf_addf(&line, "popinjay: %s\n", pj_err_message(err, text, sizeof text));
    pj_face_complain(lang->face, pj_buf_str(&line));
}

bool pj_lang_comm_open(pj_lang *lang, const pj_comm_message *message)
{
    pj_err err = {0};
    pj_lang_enter(lang, PJ_LANG_URGENT);
    bool taken = pj_widgets_take_open(pj_lang_widgets(lang->stage), message, &err);
    pj_lang_leave(lang);
    return taken;
}

void pj_lang_comm_message(pj_lang *lang, const pj_comm_message *message)
{
    pj_err err = {0};
    pj_lang_enter(lang, PJ_LANG_URGENT);
    lang->running = NULL;
    own_as(lang, message->id);
    bool taken = pj_widgets_take_msg(pj_lang_widgets(lang->stage), message, &err);
    lang->owner[0] = 0;
    pj_lang_leave(lang);
    if (!taken && err.code != PJ_E_MISSING)
        complain(lang, &err);
}

void pj_lang_comm_close(pj_lang *lang, const pj_comm_message *message)
{
    pj_lang_enter(lang, PJ_LANG_URGENT);
    lang->running = NULL;
    own_as(lang, message->id);
    pj_widgets_take_close(pj_lang_widgets(lang->stage), message);
    lang->owner[0] = 0;
    pj_lang_leave(lang);
}

// Userdata

const char *pj_lang_widget_id(lua_State *L, int index)
{
    return luaL_testudata(L, index, WIDGET);
}

static pj_widget *find(lua_State *L, int index)
{
    const char *id = pj_lang_widget_id(L, index);
    return id ? pj_widgets_find(pj_lang_widgets(pj_lang_of(L)->stage), id) : NULL;
}

pj_widget *pj_lang_widget_check(lua_State *L, int index)
{
    pj_widget *widget = find(L, index);
    if (!widget && pj_lang_widget_id(L, index))
        luaL_error(L, "this widget is closed: it was closed by hand, or its cell ran again");
    if (!widget)
        luaL_typeerror(L, index, "widget");
    return widget;
}

/// The last event of a widget.
static void forget(void *context, const pj_widget_event *event)
{
    lua_State *L = ((pj_lang_stage *)context)->L;
    if (!lua_checkstack(L, 4))
        return;
    lua_getfield(L, LUA_REGISTRYINDEX, WIDGETS);
    lua_pushstring(L, pj_widget_id(event->widget));
    lua_pushnil(L);
    lua_rawset(L, -3);
    lua_pop(L, 1);
}

void pj_lang_widget_push(lua_State *L, pj_widget *widget)
{
    const char *id = pj_widget_id(widget);
    lua_getfield(L, LUA_REGISTRYINDEX, WIDGETS);
    if (lua_getfield(L, -1, id) == LUA_TNIL) {
        lua_pop(L, 1);
        size_t size = strlen(id) + 1;
        memcpy(lua_newuserdatauv(L, size, 1), id, size);
        luaL_setmetatable(L, WIDGET);
        lua_newtable(L);
        lua_setiuservalue(L, -2, 1);
        lua_pushvalue(L, -1);
        lua_setfield(L, -3, id);
        pj_widget_watch watch = {
            .kind = PJ_WIDGET_CLOSE, .call = forget, .context = pj_lang_of(L)->stage};
        pj_ignore(pj_widget_observe(widget, watch, NULL));
    }
    lua_remove(L, -2);
}

void pj_lang_widget_push_id(lua_State *L, const char *id)
{
    pj_widget *widget = pj_widgets_find(pj_lang_widgets(pj_lang_of(L)->stage), id);
    if (widget)
        pj_lang_widget_push(L, widget);
    else
        lua_pushnil(L);
}

void pj_lang_widget_fields(lua_State *L, int index)
{
    lua_getiuservalue(L, index, 1);
}

// Traits

void pj_lang_widget_set_take(lua_State *L, pj_widget *widget, const char *key, json_t *take)
{
    pj_lang *lang = pj_lang_of(L);
    lua_State *before = lang->running;
    pj_err err = {0};  // handlers have their own
    lang->running = L; // where these run
    bool ok = pj_widget_set_one(widget, key, take, &err);
    lang->running = before;
    json_decref(take);
    if (!ok)
        pj_lang_raise(L, &err);
}

static bool is_event(const char *key)
{
    return strncmp(key, "on_", 3) == 0;
}

/// Whether an empty table is an empty list for the trait; NULL = no trait.
static bool is_list(const pj_trait *trait)
{
    return trait && trait->type >= PJ_TRAIT_TEXTS && trait->type != PJ_TRAIT_REFERENCE;
}

static const pj_trait *trait_of(lua_State *L, const pj_model *model, const char *key)
{
    pj_widgets *widgets = pj_lang_widgets(pj_lang_of(L)->stage);
    return pj_model_trait(model, key, pj_widgets_dialect(widgets));
}

/// A plot as the bytes of a PNG; NULL when the value is none.
static json_t *picture(lua_State *L, int index, pj_err *err)
{
    pj_lang *lang = pj_lang_of(L);
    const pj_lang_object *object = pj_lang_object_at(L, index);
    if (!object || object->value.kind != PJ_VALUE_DRAWING)
        return NULL;
    pj_auto_buf png = {0};
    bool aside = pj_lang_step_aside(lang);
    bool ok = pj_figure_file(object->value.drawing->figure, PJ_S("png"), lang->stop, &png, err);
    pj_lang_step_back(lang, aside);
    return ok ? json_stringn_nocheck(png.at, png.len) : NULL;
}

/// The value at `index` for a trait (NULL = none of the model); NULL with an error.
static json_t *json_for(lua_State *L, const pj_trait *trait, int index, pj_err *err)
{
    json_t *bytes = trait && trait->type == PJ_TRAIT_BYTES ? picture(L, index, err) : NULL;
    return bytes ? bytes : pj_lang_json_of(L, index, is_list(trait), err);
}

/// Asks for the memory that JSON of the value at `index` takes, roughly.
static void claim(lua_State *L, int index)
{
    enum { EACH = 64 };
    size_t len = lua_rawlen(L, index);
    pj_lang_memory_claim(L, EACH + len * (lua_istable(L, index) ? EACH : 1));
}

/// widget[key] = the value on top, which is popped.
static void set_field(lua_State *L, int index, const char *key)
{
    pj_widget *widget = pj_lang_widget_check(L, index);
    if (is_event(key)) {
        pj_lang_widget_on(L, index, key);
        return;
    }
    claim(L, -1);
    if (pj_lang_choice_set(L, index, widget, key))
        return;
    pj_err *err = pj_lang_err(L);
    const pj_trait *trait = trait_of(L, pj_widget_model(widget), key);
    json_t *value;
    if (strcmp(key, "outputs") == 0 && lua_istable(L, -1))
        value = pj_lang_outputs(L, lua_gettop(L));
    else
        value = json_for(L, trait, -1, err);
    if (!value)
        pj_lang_raise(L, err);
    pj_lang_widget_set_take(L, widget, key, value);
    lua_pop(L, 1);
}

static int assign(lua_State *L)
{
    const char *key = luaL_checkstring(L, 2);
    lua_settop(L, 3);
    set_field(L, 1, key);
    return 0;
}

static int index_widget(lua_State *L)
{
    const char *key = luaL_checkstring(L, 2);
    for (const pj_lang_member *m = pj_lang_widget_methods; m->name; m++)
        if (strcmp(m->name, key) == 0) {
            lua_pushcfunction(L, m->call);
            return 1;
        }
    if (strcmp(key, "closed") == 0) {
        lua_pushboolean(L, find(L, 1) == NULL);
        return 1;
    }
    pj_widget *widget = pj_lang_widget_check(L, 1);
    if (strcmp(key, "model") == 0) {
        pj_str title = pj_model_title(pj_widget_model(widget));
        lua_pushlstring(L, title.at, title.len);
        return 1;
    }
    if (is_event(key)) {
        pj_lang_widget_fields(L, 1);
        lua_getfield(L, -1, key);
        return 1;
    }
    if (pj_lang_choice_get(L, 1, widget, key))
        return 1;
    pj_err *err = pj_lang_err(L);
    const json_t *value = pj_widget_get(widget, key, err);
    if (!value)
        return pj_lang_raise(L, err);
    pj_lang_json_push(L, value);
    return 1;
}

// Making

/// The traits in the table at 1 that are plain; the others are set once the widget is there.
static json_t *plain_traits(lua_State *L, const pj_model *model, pj_err *err)
{
    json_t *traits = json_object();
    if (lua_rawlen(L, 1)) {
        json_t *children = pj_lang_json_of(L, 1, true, err);
        json_object_set_new(traits, "children", children);
    }
    lua_pushnil(L);
    while (err->code == PJ_E_NONE && lua_next(L, 1)) {
        const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
        const pj_trait *trait = key ? trait_of(L, model, key) : NULL;
        bool later = !key || is_event(key) || strcmp(key, "outputs") == 0 ||
                     (pj_lang_choice_is(model) && (!trait || strcmp(key, "index") == 0));
        if (!later)
            json_object_set_new_nocheck(traits, key, json_for(L, trait, -1, err));
        lua_pop(L, 1);
    }
    return traits;
}

/// Fields that need the widget, in an order that serves them: options before value.
static void set_later(lua_State *L, int widget)
{
    static const char *const first[] = {"outputs", "options", "index", "value", "label"};
    const pj_model *model = pj_widget_model(pj_lang_widget_check(L, widget));
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if ((pj_lang_choice_is(model) || i == 0) && lua_getfield(L, 1, first[i]) != LUA_TNIL)
            set_field(L, widget, first[i]);
        else
            lua_settop(L, widget);
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        if (lua_type(L, -2) == LUA_TSTRING && is_event(lua_tostring(L, -2)))
            set_field(L, widget, lua_tostring(L, -2));
        else
            lua_pop(L, 1);
    }
}

/// widget.Label "text": the value, or what the widget says.
static void wrap_text(lua_State *L, const pj_model *model)
{
    const pj_trait *value = trait_of(L, model, "value");
    lua_newtable(L);
    lua_insert(L, 1);
    lua_setfield(L, 1, value && value->type == PJ_TRAIT_TEXT ? "value" : "description");
}

static int make(lua_State *L)
{
    enum { WIDGET_BYTES = 16 << 10 }; // of its state and of the message that opens it
    pj_lang *lang = pj_lang_of(L);
    const pj_model *model = lua_touserdata(L, lua_upvalueindex(1));
    pj_widgets *widgets = pj_lang_widgets(lang->stage);
    luaL_checkstack(L, 20, "too deep");
    lua_settop(L, 1);
    if (lua_isnil(L, 1)) {
        lua_newtable(L);
        lua_replace(L, 1);
    }
    if (lua_type(L, 1) == LUA_TSTRING)
        wrap_text(L, model);
    luaL_checktype(L, 1, LUA_TTABLE);
    pj_lang_memory_claim(L, WIDGET_BYTES);
    pj_err err = {0};
    json_t *traits = plain_traits(L, model, &err);
    lua_settop(L, 1);
    pj_widgets_own(widgets, lang->owner[0] ? lang->owner : NULL);
    pj_widget *widget =
        err.code == PJ_E_NONE ? pj_widget_new(widgets, model->name, traits, &err) : NULL;
    json_decref(traits);
    if (!widget)
        return pj_lang_raise(L, &err);
    pj_lang_widget_push(L, widget);
    set_later(L, 2);
    lua_settop(L, 2);
    return 1;
}

const pj_model *pj_lang_widget_model(lua_State *L, int index)
{
    const pj_widget *widget = find(L, index);
    return widget ? pj_widget_model(widget) : NULL;
}

// Methods

static int close_widget(lua_State *L)
{
    pj_lang *lang = pj_lang_of(L);
    pj_widget *widget = find(L, 1);
    lua_State *before = lang->running;
    lang->running = L;
    if (widget)
        pj_widget_close(widget);
    lang->running = before;
    return 0;
}

static int send(lua_State *L)
{
    pj_widget *widget = pj_lang_widget_check(L, 1);
    pj_err *err = pj_lang_err(L);
    json_t *content = pj_lang_json_of(L, 2, false, err);
    if (!content)
        return pj_lang_raise(L, err);
    pj_widget_send(widget, content, NULL, 0);
    json_decref(content);
    return 0;
}

static int traits(lua_State *L)
{
    json_t *all = pj_widget_traits(pj_lang_widget_check(L, 1));
    pj_lang_json_push(L, all);
    json_decref(all);
    return 1;
}

const pj_lang_member pj_lang_widget_methods[] = {
    {"observe", pj_lang_widget_observe, false, ":observe([TRAIT,] FUNCTION)",
     "Calls the function with {name, old, new, owner} whenever the trait changes (value, when none "
     "is named; \"*\" = any), whoever changed it."},
    {"unobserve", pj_lang_widget_unobserve, false, ":unobserve([FUNCTION])",
     "Ends the calls of an observer, or of all."},
    {"link", pj_lang_widget_link, false, ":link(TRAIT, WIDGET, TRAIT)",
     "Keeps two traits equal; a function that ends the link is the result."},
    {"close", close_widget, false, ":close()", "Takes the widget off the page."},
    {"send", send, false, ":send(TABLE)", "Sends a message of the widget's own kind to its views."},
    {"traits", traits, false, ":traits()", "A table of all its traits."},
    {"add", pj_lang_output_add, false, ":add(VALUE, ...)",
     "Output: shows further values: texts, tables, plots, widgets."},
    {"clear", pj_lang_output_clear, false, ":clear()", "Output: empties it."},
    {0},
};

// Showing

bool pj_lang_widget_bundle(lua_State *L, int index)
{
    pj_lang *lang = pj_lang_of(L);
    pj_widget *widget = find(L, index);
    if (!widget || !lang->face->rich)
        return false;
    lang->data = pj_widget_view(widget, NULL);
    pj_auto_buf html = {0};
    pj_buf_puts(&html, "<p>");
    pj_escape_html(&html, pj_str_of(json_string_value(json_object_get(lang->data, "text/plain"))));
    pj_buf_puts(&html, "</p>");
    json_object_set_new(lang->data, "text/html", pj_lang_json(pj_buf_str(&html)));
    return true;
}

static void add_value(lua_State *L, luaL_Buffer *text, const json_t *value)
{
    if (json_is_array(value)) {
        lua_pushfstring(L, "%d of them", (int)json_array_size(value));
    } else if (json_is_string(value)) {
        lua_pushfstring(L, "\"%s\"", json_string_value(value));
    } else {
        pj_lang_json_push(L, value);
        luaL_tolstring(L, -1, NULL);
        lua_remove(L, -2);
    }
    luaL_addvalue(text);
}

/// IntSlider(description = "speed", value = 5)
static int to_text(lua_State *L)
{
    static const char *const told[] = {"description", "value", "selected_index", "children"};
    pj_widget *widget = find(L, 1);
    if (!widget) {
        lua_pushliteral(L, "closed widget");
        return 1;
    }
    pj_str title = pj_model_title(pj_widget_model(widget));
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    luaL_addlstring(&text, title.at, title.len);
    const char *separator = "(";
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        const json_t *value = pj_widget_get(widget, told[i], NULL);
        if (!value || json_is_null(value) || (json_is_string(value) && !json_string_length(value)))
            continue;
        luaL_addstring(&text, separator);
        luaL_addstring(&text, told[i]);
        luaL_addstring(&text, " = ");
        add_value(L, &text, value);
        separator = ", ";
    }
    luaL_addstring(&text, *separator == '(' ? "" : ")");
    luaL_pushresult(&text);
    return 1;
}

/// widget.Buton: says what is near.
static int no_model(lua_State *L)
{
    pj_err err = {0};
    pj_ignore(pj_model_find(luaL_checkstring(L, 2), PJ_WIDGETS_8, &err));
    return pj_lang_raise(L, &err);
}

void pj_lang_widget_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"__index", index_widget}, {"__newindex", assign}, {"__tostring", to_text}, {NULL, NULL}};
    luaL_newmetatable(L, WIDGET);
    luaL_setfuncs(L, functions, 0);
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 1);
    lua_newtable(L);
    lua_setfield(L, LUA_REGISTRYINDEX, WIDGETS);
    lua_newtable(L);
    const pj_model *model;
    for (size_t i = 0; (model = pj_model_at(i)); i++) {
        pj_str title = pj_model_title(model);
        lua_pushlstring(L, title.at, title.len);
        lua_pushlightuserdata(L, (void *)model);
        lua_pushcclosure(L, make, 1);
        lua_rawset(L, -3);
    }
    lua_pushcfunction(L, pj_lang_widget_link);
    lua_setfield(L, -2, "link");
    lua_pushcfunction(L, pj_lang_interact);
    lua_setfield(L, -2, "interact");
    lua_newtable(L);
    lua_pushcfunction(L, no_model);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_setfield(L, -2, "widget");
}
