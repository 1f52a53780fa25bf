// What widgets are called and what they take, from the rows of their models: for Tab and Shift-Tab.
#include "kernel/lua/lang_value.h"
#include "kernel/lua/objects/lang_widget.h"
#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "widgets/ipy/traits.h"

static const char *const choice_fields[] = {"options", "value", "label"};
enum { CHOICE_FIELDS = sizeof choice_fields / sizeof *choice_fields };

const char *pj_lang_widget_field(const pj_model *model, size_t index)
{
    for (size_t i = 0; i < model->trait_count; i++)
        if (pj_trait_in(&model->traits[i], PJ_WIDGETS_8) && model->traits[i].key[0] != '_' &&
            index-- == 0)
            return model->traits[i].key;
    return pj_lang_choice_is(model) && index < CHOICE_FIELDS ? choice_fields[index] : NULL;
}

static const char *const kinds[] = {
    [PJ_TRAIT_BOOL] = "true or false",
    [PJ_TRAIT_INT] = "whole number",
    [PJ_TRAIT_FLOAT] = "number",
    [PJ_TRAIT_TEXT] = "text",
    [PJ_TRAIT_INT_OR_TEXT] = "whole number or text",
    [PJ_TRAIT_FLOAT_OR_TEXT] = "number or text",
    [PJ_TRAIT_BYTES] = "bytes",
    [PJ_TRAIT_DATE] = "{year, month from 0, date}",
    [PJ_TRAIT_DATETIME] = "{year, month from 0, date, hours, minutes, seconds, milliseconds}",
    [PJ_TRAIT_TIME] = "{hours, minutes, seconds, milliseconds}",
    [PJ_TRAIT_TEXTS] = "list of texts",
    [PJ_TRAIT_INTS] = "list of whole numbers",
    [PJ_TRAIT_FLOATS] = "list of numbers",
    [PJ_TRAIT_INT_PAIR] = "{least, most}, whole numbers",
    [PJ_TRAIT_FLOAT_PAIR] = "{least, most}",
    [PJ_TRAIT_OBJECTS] = "list of values",
    [PJ_TRAIT_BYTES_LIST] = "list of bytes",
    [PJ_TRAIT_UPLOADS] = "list of {name, type, size, last_modified, content}",
    [PJ_TRAIT_WIDGETS] = "list of widgets",
    [PJ_TRAIT_END] = "{widget, trait}",
    [PJ_TRAIT_REFERENCE] = "widget, or a table of its fields",
};

static void add_field(pj_buf *out, const pj_trait *trait)
{
    pj_buf_addf(out, "  %-20s %s", trait->key, kinds[trait->type]);
    if (trait->choices)
        pj_buf_addf(out, ": %s", trait->choices);
    if (trait->initial)
        pj_buf_addf(out, " (%s)", strcmp(trait->initial, "null") == 0 ? "nil" : trait->initial);
    pj_buf_puts(out, "\n");
}

static void add_methods(pj_buf *out, const char *only)
{
    for (const pj_lang_member *m = pj_lang_widget_methods; m->name; m++)
        if (!only || strcmp(only, m->name) == 0)
            pj_buf_addf(out, "  %-28s %s\n", m->usage, m->help);
}

static void add_model(pj_buf *out, const pj_model *model)
{
    pj_str title = pj_model_title(model);
    pj_buf_addf(out, "widget." PJ_STR_FMT "{FIELD = VALUE, ..., on_EVENT = FUNCTION}\n\n",
                PJ_STR_ARG(title));
    if (pj_lang_choice_is(model))
        pj_buf_puts(out, "  options              list of texts, or of {label, value}\n"
                         "  value                what was chosen; label is its text\n");
    for (size_t i = 0; i < model->trait_count; i++)
        if (pj_trait_in(&model->traits[i], PJ_WIDGETS_8) && model->traits[i].key[0] != '_')
            add_field(out, &model->traits[i]);
    pj_buf_puts(out, "\n");
    add_methods(out, NULL);
}

static void add_overview(pj_buf *out)
{
    pj_buf_puts(out,
                "widget: controls in the notebook, as in ipywidgets\n\n"
                "  b = widget.Button{description = \"Go\", on_click = function(b) ... end}\n"
                "  s = widget.IntSlider{max = 10}   s.value = 3   s:observe(function(c) ... end)\n"
                "  widget.VBox{b, s}                as the value of a cell it is shown\n\n"
                "Functions that a widget calls run while cells run. Running the cell again\n"
                "replaces its widgets. There are:\n\n ");
    const pj_model *model;
    size_t column = 1;
    for (size_t i = 0; (model = pj_model_at(i)); i++) {
        pj_str title = pj_model_title(model);
        if (column + title.len + 1 > 78) {
            pj_buf_puts(out, "\n ");
            column = 1;
        }
        pj_buf_addf(out, " " PJ_STR_FMT, PJ_STR_ARG(title));
        column += title.len + 1;
    }
    pj_buf_puts(out, "\n");
}

const pj_model *pj_lang_widget_model_named(pj_str title)
{
    const pj_model *model;
    for (size_t i = 0; (model = pj_model_at(i)); i++)
        if (pj_str_equal(pj_model_title(model), title))
            return model;
    return NULL;
}

bool pj_lang_widget_help(pj_str topic, pj_buf *out)
{
    if (pj_str_equal(topic, PJ_S("widget")) || pj_str_equal(topic, PJ_S("widgets"))) {
        add_overview(out);
        return true;
    }
    if (pj_str_starts(topic, PJ_S("widget.")))
        topic = pj_str_from(topic, strlen("widget."));
    const pj_model *model = pj_lang_widget_model_named(topic);
    if (model)
        add_model(out, model);
    return model;
}

bool pj_lang_widget_inspect(lua_State *L, int index, pj_str field, pj_buf *out)
{
    const pj_model *model = pj_lang_widget_model(L, index);
    if (!model)
        return false;
    for (size_t i = 0; i < model->trait_count; i++)
        if (pj_str_equal(pj_str_of(model->traits[i].key), field)) {
            add_field(out, &model->traits[i]);
            return true;
        }
    for (const pj_lang_member *m = pj_lang_widget_methods; m->name; m++)
        if (pj_str_equal(pj_str_of(m->name), field)) {
            add_methods(out, m->name);
            return true;
        }
    return false;
}
