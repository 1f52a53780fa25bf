// Widgets in the command language: widget.Button{description = "Go", on_click = f}. One userdata
// per open widget, found by its comm id. Used on stage alone. Ownership: JSON results are new
// references; texts of ids are borrowed from the userdata.
#ifndef PJ_LANG_WIDGET_H
#define PJ_LANG_WIDGET_H

#include "kernel/lua/lang_stage.h"
#include "kernel/lua/lang_value.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "widgets/ipy/traits.h"
#include "widgets/ipy/widget.h"

/// The widgets of all who share the stage, made when they are first asked for.
pj_widgets *pj_lang_widgets(pj_lang_stage *stage);
/// Puts the table `widget` into the table on top of the stack.
void pj_lang_widget_open(lua_State *L);

/// The comm id of the widget at `index`; NULL when the value is none.
const char *pj_lang_widget_id(lua_State *L, int index);
/// Raises when the value is no widget or the widget is closed.
pj_widget *pj_lang_widget_check(lua_State *L, int index);
/// Pushes the one userdata of an open widget.
void pj_lang_widget_push(lua_State *L, pj_widget *widget);
/// The same by its comm id; nil when it is closed.
void pj_lang_widget_push_id(lua_State *L, const char *id);
/// Pushes the table that belongs to the widget at `index`: fields of the files below.
void pj_lang_widget_fields(lua_State *L, int index);
/// Sets a trait; takes the value. Raises.
void pj_lang_widget_set_take(lua_State *L, pj_widget *widget, const char *key, json_t *take);
/// The bundle of the widget at `index` in lang->data; false when the value is none.
bool pj_lang_widget_bundle(lua_State *L, int index);

/// Methods of widgets; ends with a row without a name.
extern const pj_lang_member pj_lang_widget_methods[];

/// lang_json.c: the value at `index`; NULL with PJ_E_USAGE for what JSON cannot hold. An empty
/// table is {} or, as `list` says, []. Never raises.
PJ_CHECKED json_t *pj_lang_json_of(lua_State *L, int index, bool list, pj_err *err);
/// Pushes a JSON value; null is nil, "IPY_MODEL_<id>" the widget.
void pj_lang_json_push(lua_State *L, const json_t *value);

/// lang_widget_event.c
int pj_lang_widget_observe(lua_State *L);
int pj_lang_widget_unobserve(lua_State *L);
int pj_lang_widget_link(lua_State *L);
int pj_lang_widget_unlink(lua_State *L);
/// `on_click = f`: the function on top of the stack (popped) is called at that event, in the place
/// of one that was; nil = none.
void pj_lang_widget_on(lua_State *L, int index, const char *name);

/// lang_widget_choice.c: options, value and label of widgets to choose from. False when the widget
/// at `index` has no such field.
bool pj_lang_choice_get(lua_State *L, int index, pj_widget *widget, const char *key);
/// The value is on top of the stack, popped.
bool pj_lang_choice_set(lua_State *L, int index, pj_widget *widget, const char *key);
/// Pushes what the value of the trait index stands for.
void pj_lang_choice_push(lua_State *L, int index, pj_widget *widget, const json_t *place);
/// Whether the model has options to choose from.
bool pj_lang_choice_is(const pj_model *model);

/// lang_widget_output.c: Output's outputs from any values.
int pj_lang_output_add(lua_State *L);
int pj_lang_output_clear(lua_State *L);
/// The list at `index` as outputs; raises.
json_t *pj_lang_outputs(lua_State *L, int index);

/// lang_interact.c
int pj_lang_interact(lua_State *L);

/// lang_widget_help.c: names for Tab and text for Shift-Tab.
/// Fields of a model by position; NULL past the end.
const char *pj_lang_widget_field(const pj_model *model, size_t index);
/// The model that a place in the code speaks of: the widget at `index`, or one by its title.
const pj_model *pj_lang_widget_model(lua_State *L, int index);
const pj_model *pj_lang_widget_model_named(pj_str title);
/// Help on "widget", "widget.Button", "Button"; false when there is no such thing.
bool pj_lang_widget_help(pj_str topic, pj_buf *out);
/// Help on a field or method of the widget at `index`; false when it is none or has none.
bool pj_lang_widget_inspect(lua_State *L, int index, pj_str field, pj_buf *out);

#endif
