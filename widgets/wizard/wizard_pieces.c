// Making and changing the widgets of a page.
// Thin words over widget.h: every part is looked up by its id, for a front end may close any of
// them.
#include "widgets/wizard/wizard_pieces.h"

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/base/utf8.h"
#include "widgets/figure/escape.h"

#include <stdlib.h>

static pj_widget *find(const pj_pieces *parts, pj_piece part)
{
    return part ? pj_widgets_find(parts->widgets, part) : NULL;
}

void pj_pieces_close(pj_pieces *parts)
{
    for (size_t i = parts->made_count; i-- > 0;) {
        pj_widget *widget = find(parts, parts->made[i]);
        if (widget)
            pj_widget_close(widget);
    }
    parts->made_count = 0;
}

void pj_pieces_free(pj_pieces *parts)
{
    free((void *)parts->made);
}

pj_piece pj_piece_new(pj_pieces *parts, const char *model, json_t *take)
{
    pj_widget *widget = pj_widget_new(parts->widgets, model, take, &parts->err);
    json_decref(take);
    if (!widget)
        return NULL;
    pj_piece part = pj_arena_text(parts->arena, pj_str_of(pj_widget_id(widget)));
    parts->made = pj_grow_array((void *)parts->made, &parts->made_cap, parts->made_count + 1,
                                sizeof *parts->made);
    parts->made[parts->made_count++] = part;
    return part;
}

static json_t *references(const pj_pieces *parts, const pj_piece *children)
{
    json_t *list = json_array();
    for (; *children; children++) {
        const pj_widget *child = find(parts, *children);
        if (child)
            json_array_append_new(list, pj_widget_reference(child));
    }
    return list;
}

pj_piece pj_piece_box(pj_pieces *parts, const char *model, const pj_piece *children)
{
    json_t *traits = json_pack("{s:o}", "children", references(parts, children));
    if (strcmp(model, "HBox") == 0) // narrow pages break the row
        json_object_set_new(
            traits, "layout",
            json_pack("{s:s, s:s}", "flex_flow", "row wrap", "align_items", "center"));
    return pj_piece_new(parts, model, traits);
}

pj_piece pj_piece_html(pj_pieces *parts, const char *html)
{
    return pj_piece_new(parts, "HTML", json_pack("{s:s}", "value", html));
}

pj_piece pj_piece_button(pj_pieces *parts, const char *label, const char *icon, const char *tip)
{
    return pj_piece_new(parts, "Button",
                        json_pack("{s:s, s:s, s:s?, s:{s:s}}", "description", label, "icon", icon,
                                  "tooltip", tip, "layout", "width", "auto"));
}

pj_piece pj_piece_entry(pj_pieces *parts, const char *label, const char *placeholder)
{
    return pj_piece_new(parts, "Text",
                        json_pack("{s:s, s:s, s:b, s:{s:s}, s:{s:s, s:s}}", "description", label,
                                  "placeholder", placeholder, "continuous_update", 0, "style",
                                  "description_width", "8em", "layout", "width", "480px",
                                  "max_width", "100%"));
}

pj_piece pj_piece_live_entry(pj_pieces *parts, const char *label, const char *placeholder)
{
    pj_piece part = pj_piece_entry(parts, label, placeholder);
    pj_piece_set(parts, part, "continuous_update", json_true());
    return part;
}

pj_piece pj_piece_check(pj_pieces *parts, const char *label, bool on)
{
    return pj_piece_new(parts, "Checkbox",
                        json_pack("{s:s, s:b, s:b, s:{s:s}}", "description", label, "value", on,
                                  "indent", 0, "layout", "width", "auto"));
}

static json_t *texts(const char *const *labels)
{
    json_t *list = json_array();
    for (; *labels; labels++)
        json_array_append_new(list, json_string(*labels));
    return list;
}

pj_piece pj_piece_choice(pj_pieces *parts, const char *label, const char *const *labels)
{
    json_t *first = *labels ? json_integer(0) : json_null();
    return pj_piece_new(parts, "Dropdown",
                        json_pack("{s:s, s:o, s:o, s:{s:s}, s:{s:s}}", "description", label,
                                  "_options_labels", texts(labels), "index", first, "style",
                                  "description_width", "8em", "layout", "width", "320px"));
}

pj_piece pj_piece_number(pj_pieces *parts, const char *model, const char *label, json_t *take)
{
    json_object_set_new(take, "description", json_string(label));
    json_object_set_new(take, "continuous_update", json_false());
    json_object_set_new(take, "style", json_pack("{s:s}", "description_width", "8em"));
    return pj_piece_new(parts, model, take);
}

pj_piece pj_piece_output(pj_pieces *parts)
{
    return pj_piece_new(parts, "Output",
                        json_pack("{s:{s:s, s:s}}", "layout", "width", "100%", "overflow", "auto"));
}

pj_piece pj_piece_said(pj_pieces *parts)
{
    return pj_piece_new(
        parts, "Output",
        json_pack("{s:{s:s, s:s}}", "layout", "width", "auto", "max_width", "900px"));
}

// Callbacks

typedef struct listener {
    const pj_pieces *parts;
    void (*call)(void *context);
    void (*call_place)(void *context, size_t place);
    size_t place;
    int page;
} listener;

static bool is_click(const pj_widget_event *event)
{
    const char *name = json_string_value(json_object_get(event->content, "event"));
    return name && (strcmp(name, "click") == 0 || strcmp(name, "submit") == 0);
}

static void hear(void *context, const pj_widget_event *event)
{
    const listener *to = context;
    bool meant = event->kind == PJ_WIDGET_MESSAGE ? is_click(event) : event->by_front_end;
    const pj_pieces *parts = to->parts;
    if (!meant || (parts->awake && !parts->awake(parts->context, to->page)))
        return;
    if (to->call)
        to->call(parts->context);
    else if (to->call_place)
        to->call_place(parts->context, to->place);
    if (parts->after)
        parts->after(parts->context);
}

static void listen(pj_pieces *parts, pj_piece part, const char *key, listener to)
{
    pj_widget *widget = find(parts, part);
    if (!widget)
        return;
    listener *kept = pj_new(parts->arena, listener);
    *kept = to;
    kept->page = parts->page;
    pj_ignore(
        pj_widget_observe(widget,
                          (pj_widget_watch){.kind = key ? PJ_WIDGET_CHANGE : PJ_WIDGET_MESSAGE,
                                            .key = key,
                                            .call = hear,
                                            .context = kept},
                          &parts->err));
}

void pj_piece_on(pj_pieces *parts, pj_piece part, const char *key, void (*call)(void *context))
{
    listen(parts, part, key, (listener){.parts = parts, .call = call});
}

void pj_piece_on_key_place(pj_pieces *parts, pj_piece part, const char *key,
                           void (*call)(void *context, size_t place), size_t place)
{
    listen(parts, part, key, (listener){.parts = parts, .call_place = call, .place = place});
}

void pj_piece_on_place(pj_pieces *parts, pj_piece part, void (*call)(void *context, size_t place),
                       size_t place)
{
    pj_piece_on_key_place(parts, part, NULL, call, place);
}

// Changes

json_t *pj_piece_string(const char *text)
{
    pj_auto_buf shown = {0};
    pj_utf8_show(&shown, pj_str_of(text));
    return json_stringn(shown.len ? shown.at : "", shown.len);
}

void pj_piece_set(const pj_pieces *parts, pj_piece part, const char *key, json_t *take)
{
    pj_widget *widget = find(parts, part);
    if (widget)
        pj_ignore(pj_widget_set_one(widget, key, take, NULL));
    json_decref(take);
}

void pj_piece_layout(const pj_pieces *parts, pj_piece part, const char *key, const char *value)
{
    pj_piece_set(parts, part, "layout", json_pack("{s:s?}", key, value));
}

void pj_piece_show(const pj_pieces *parts, pj_piece part, bool shown)
{
    pj_piece_layout(parts, part, "display", shown ? NULL : "none");
}

void pj_piece_enable(const pj_pieces *parts, pj_piece part, bool enabled)
{
    pj_piece_set(parts, part, "disabled", json_boolean(!enabled));
}

void pj_piece_say(const pj_pieces *parts, pj_piece part, const char *value)
{
    json_t *text = json_string(value);
    pj_piece_set(parts, part, "value", text ? text : pj_piece_string(value));
}

void pj_piece_tell(const pj_pieces *parts, pj_piece part, const char *text)
{
    pj_auto_buf html = {0};
    pj_escape_html(&html, pj_str_of(text));
    pj_piece_say(parts, part, html.len ? html.at : "");
}

void pj_piece_children(const pj_pieces *parts, pj_piece part, const pj_piece *children)
{
    pj_piece_set(parts, part, "children", references(parts, children));
}

void pj_piece_options(const pj_pieces *parts, pj_piece part, json_t *take, int index)
{
    pj_widget *widget = find(parts, part);
    if (widget) {
        bool several = json_is_array(pj_widget_get(widget, "index", NULL));
        json_t *at = several ? json_array() : json_null();
        if (index >= 0 && several)
            json_array_append_new(at, json_integer(index));
        else if (index >= 0)
            at = json_integer(index);
        json_t *traits = json_pack("{s:O, s:o}", "_options_labels", take, "index", at);
        pj_ignore(pj_widget_set(widget, traits, NULL));
        json_decref(traits);
    }
    json_decref(take);
}

void pj_piece_display(const pj_pieces *parts, pj_piece part, json_t *data, json_t *metadata)
{
    json_t *outputs = json_array();
    json_t *about = metadata ? json_incref(metadata) : json_object();
    if (data)
        json_array_append_new(outputs, json_pack("{s:s, s:O, s:O}", "output_type", "display_data",
                                                 "data", data, "metadata", about));
    json_decref(about);
    pj_piece_set(parts, part, "outputs", outputs);
}

// What they hold

static const json_t *get(const pj_pieces *parts, pj_piece part, const char *key)
{
    const pj_widget *widget = find(parts, part);
    return widget ? pj_widget_get(widget, key, NULL) : NULL;
}

const char *pj_piece_text(const pj_pieces *parts, pj_piece part)
{
    const char *text = json_string_value(get(parts, part, "value"));
    return text ? text : "";
}

bool pj_piece_is_on(const pj_pieces *parts, pj_piece part)
{
    return json_is_true(get(parts, part, "value"));
}

long long pj_piece_value(const pj_pieces *parts, pj_piece part)
{
    return json_integer_value(get(parts, part, "value"));
}

int pj_piece_index(const pj_pieces *parts, pj_piece part)
{
    const json_t *index = get(parts, part, "index");
    return json_is_integer(index) ? (int)json_integer_value(index) : -1;
}

size_t pj_piece_pick(const pj_pieces *parts, pj_piece part, size_t count)
{
    int index = pj_piece_index(parts, part);
    return index >= 0 && (size_t)index < count ? (size_t)index : 0;
}

bool pj_piece_has(const pj_pieces *parts, pj_piece part, size_t place)
{
    size_t i;
    const json_t *one;
    const json_t *index = get(parts, part, "index");
    json_array_foreach(index, i, one)
    {
        if ((size_t)json_integer_value(one) == place)
            return true;
    }
    return false;
}
