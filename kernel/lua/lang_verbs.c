// Verbs that are no commands: what cells do with values and with the front end.
#include "kernel/lua/lang_bind.h"

#include "kernel/command/display.h"
#include "kernel/command/export.h"
#include "kernel/command/face.h"
#include "kernel/command/value.h"
#include "kernel/lua/lang.h"
#include "kernel/lua/lang_call.h"
#include "kernel/lua/lang_state.h"
#include "kernel/lua/lang_value.h"
#include "kernel/lua/objects/lang_widget.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

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

void pj_lang_display(lua_State *L, int index)
{
    pj_lang *lang = pj_lang_of(L);
    pj_lang_bundle(L, index, lang->stop);
    pj_display shown = {.data = lang->data, .metadata = lang->metadata};
    lang->face->display(lang->face->self, &shown);
    pj_lang_bundle_clear(lang);
}

static int display(lua_State *L)
{
    int count = lua_gettop(L);
    for (int i = 1; i <= count; i++)
        pj_lang_display(L, i);
    return 0;
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
    if (!pj_lang_value_at(L, 1, &value))
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
