// Messages between widgets and front ends.
// Widget messaging protocol 2.1.0 and control protocol 1.0.0
// (packages/schema/messages.md of ipywidgets).
#include "widgets/ipy/widget_comm.h"

#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "widgets/ipy/channel.h"
#include "widgets/ipy/trait_value.h"
#include "widgets/ipy/traits.h"
#include "widgets/ipy/widget_pack.h"
#include "widgets/ipy/widget_record.h"

#include <stdlib.h>

enum { MOST_CONTROLS = 64 }; // pages that went away without closing their comm

static const char *version(pj_dialect dialect)
{
    return dialect == PJ_WIDGETS_7 ? "2.0.0" : "2.1.0";
}

static pj_dialect dialect_of(const pj_widget *widget)
{
    return widget->home->opts.dialect;
}

static bool is(const char *text, const char *word)
{
    return text && strcmp(text, word) == 0;
}

static void set_text(json_t *object, const char *key, const char *text)
{
    json_object_set_new(object, key, text ? json_string(text) : json_null());
}

/// The keys that say which classes of the front end make the model and its view.
static void pack_identity(pj_widget_pack *pack, const pj_model *model)
{
    set_text(pack->state, "_model_module", pj_module_name(model->module));
    set_text(pack->state, "_model_module_version", pj_module_version(model->module, pack->dialect));
    set_text(pack->state, "_model_name", model->name);
    set_text(pack->state, "_view_module", pj_module_name(model->view_module));
    set_text(pack->state, "_view_module_version",
             pj_module_version(model->view_module, pack->dialect));
    set_text(pack->state, "_view_name", model->view);
}

void pj_widget_pack_state(const pj_widget *widget, pj_widget_pack *pack, bool css)
{
    pack_identity(pack, widget->model);
    for (size_t i = 0; i < widget->model->trait_count; i++) {
        const pj_trait *trait = &widget->model->traits[i];
        bool assumed = trait->css && !css && json_is_null(widget->values[i]) &&
                       strcmp(pj_trait_initial(trait, pack->dialect), "null") == 0;
        if (widget->values[i] && !assumed)
            pj_widget_pack_add(pack, trait, widget->values[i]);
    }
}

static void send_pack(pj_widget *widget, const char *method, const pj_widget_pack *pack)
{
    json_t *data = json_pack("{s:s, s:O, s:O}", "method", method, "state", pack->state,
                             "buffer_paths", pack->paths);
    const pj_comm_channel *channel = &widget->home->opts.channel;
    channel->msg(channel->self, &(pj_comm_message){.id = widget->id,
                                                   .data = data,
                                                   .buffers = pack->buffers,
                                                   .buffer_count = pack->buffer_count});
    json_decref(data);
}

void pj_widget_send_open(pj_widget *widget)
{
    pj_auto_pack pack = pj_widget_pack_new(dialect_of(widget));
    pj_widget_pack_state(widget, &pack, false);
    json_t *data = json_pack("{s:O, s:O}", "state", pack.state, "buffer_paths", pack.paths);
    json_t *metadata = json_pack("{s:s}", "version", version(pack.dialect));
    const pj_comm_channel *channel = &widget->home->opts.channel;
    channel->open(channel->self, &(pj_comm_message){.id = widget->id,
                                                    .target = PJ_WIDGET_TARGET,
                                                    .data = data,
                                                    .metadata = metadata,
                                                    .buffers = pack.buffers,
                                                    .buffer_count = pack.buffer_count});
    json_decref(data);
    json_decref(metadata);
}

void pj_widget_send_update(pj_widget *widget, const bool *which)
{
    pj_auto_pack pack = pj_widget_pack_new(dialect_of(widget));
    if (!which)
        pj_widget_pack_state(widget, &pack, true);
    else
        for (size_t i = 0; i < widget->model->trait_count; i++)
            if (which[i] && widget->values[i])
                pj_widget_pack_add(&pack, &widget->model->traits[i], widget->values[i]);
    if (json_object_size(pack.state) || pack.buffer_count)
        send_pack(widget, "update", &pack);
}

void pj_widget_send_close(pj_widget *widget)
{
    const pj_comm_channel *channel = &widget->home->opts.channel;
    channel->close(channel->self, &(pj_comm_message){.id = widget->id});
}

void pj_widget_send(pj_widget *widget, json_t *content, const pj_str *buffers, size_t count)
{
    json_t *data = json_pack("{s:s, s:O?}", "method", "custom", "content", content);
    const pj_comm_channel *channel = &widget->home->opts.channel;
    channel->msg(channel->self,
                 &(pj_comm_message){
                     .id = widget->id, .data = data, .buffers = buffers, .buffer_count = count});
    json_decref(data);
}

static size_t control_place(const pj_widgets *widgets, const char *id)
{
    size_t i;
    json_t *known;
    json_array_foreach(widgets->controls, i, known)
    {
        if (strcmp(json_string_value(known), id) == 0)
            return i;
    }
    return SIZE_MAX;
}

static void open_control(pj_widgets *widgets, const char *id)
{
    if (json_array_size(widgets->controls) >= MOST_CONTROLS)
        json_array_remove(widgets->controls, 0);
    json_array_append_new(widgets->controls, json_string(id));
}

json_t *pj_widget_model_entry(const pj_widget *widget, json_t *state)
{
    const pj_model *model = widget->model;
    return json_pack("{s:s, s:s, s:s, s:O}", "model_name", model->name, "model_module",
                     pj_module_name(model->module), "model_module_version",
                     pj_module_version(model->module, dialect_of(widget)), "state", state);
}

/// Paths of buffers lead into the entries, past their "state": so do ipywidgets' kernel and page,
/// whatever the protocol's text says.
static void send_states(pj_widgets *widgets, const char *control)
{
    pj_auto_pack pack = pj_widget_pack_new(widgets->opts.dialect);
    json_t *states = json_object();
    for (pj_widget *widget = widgets->first; widget; widget = widget->after) {
        pack.id = widget->id;
        json_decref(pack.state);
        pack.state = json_object();
        pj_widget_pack_state(widget, &pack, false);
        json_object_set_new(states, widget->id, pj_widget_model_entry(widget, pack.state));
    }
    json_t *data = json_pack("{s:s, s:o, s:O}", "method", "update_states", "states", states,
                             "buffer_paths", pack.paths);
    const pj_comm_channel *channel = &widgets->opts.channel;
    channel->msg(channel->self, &(pj_comm_message){.id = control,
                                                   .data = data,
                                                   .buffers = pack.buffers,
                                                   .buffer_count = pack.buffer_count});
    json_decref(data);
}

/// Handlers make widgets for the owner of the widget that was touched.
static char *borrow_owner(pj_widget *widget)
{
    char *own = widget->home->owner;
    widget->home->owner = NULL;
    pj_widgets_own(widget->home, widget->owner);
    return own;
}

static void return_owner(pj_widgets *widgets, char *own)
{
    free(widgets->owner);
    widgets->owner = own;
}

static bool is_open(void *context, const char *id)
{
    return id && pj_widgets_find(context, id);
}

/// What other views of the same widget are to show, also before a handler has ended. They would
/// wait for ever for a widget that is closed.
static void send_echo(pj_widget *widget, json_t *traits)
{
    pj_auto_pack pack = pj_widget_pack_new(dialect_of(widget));
    const char *key;
    json_t *value;
    json_object_foreach(traits, key, value)
    {
        const pj_trait *trait = pj_model_trait(widget->model, key, pack.dialect);
        if (!trait->no_echo && pj_trait_value_references(trait, value, is_open, widget->home))
            pj_widget_pack_add(&pack, trait, value);
    }
    if (json_object_size(pack.state) || pack.buffer_count)
        send_pack(widget, "echo_update", &pack);
}

/// The front end shows a value that was refused: tells it the one that holds.
static void correct(pj_widget *widget, json_t *traits)
{
    bool refused[PJ_MODEL_MOST_TRAITS];
    for (size_t i = 0; i < widget->model->trait_count; i++)
        refused[i] = json_object_get(traits, widget->model->traits[i].key) != NULL;
    if (!widget->closed)
        pj_widget_send_update(widget, refused);
}

/// Whether a link in the browser, made by the program, moves the trait.
static bool is_linked(const pj_widget *widget, const pj_trait *trait)
{
    for (pj_widget *link = widget->home->first; link; link = link->after)
        for (size_t i = 0; i < link->model->trait_count && !link->adopted; i++) {
            const json_t *end = link->values[i];
            bool ours = link->model->traits[i].type == PJ_TRAIT_END && json_array_size(end) &&
                        is(pj_trait_value_reference(json_array_get(end, 0)), widget->id);
            const char *key = ours ? json_string_value(json_array_get(end, 1)) : NULL;
            if (key && pj_model_wire_trait(widget->model, key, dialect_of(widget)) == trait)
                return true;
        }
    return false;
}

/// Takes what no front end may change (labels, children, bounds) out of the traits; new reference,
/// NULL when there is none of it. A page does as it likes with widgets that it has made itself.
static json_t *take_out(const pj_widget *widget, json_t *traits)
{
    json_t *refused = NULL, *value;
    const char *key;
    void *next;
    json_object_foreach_safe(traits, next, key, value)
    {
        const pj_trait *trait = pj_model_trait(widget->model, key, dialect_of(widget));
        if (widget->adopted || trait->input || is_linked(widget, trait))
            continue;
        refused = refused ? refused : json_object();
        json_object_set(refused, key, value);
        json_object_del(traits, key);
    }
    return refused;
}

static bool take_update(pj_widget *widget, const pj_comm_message *message, pj_err *err)
{
    json_t *traits = pj_widget_unpack(widget->model, dialect_of(widget), message, err);
    if (!traits)
        return false;
    if (widget->home->opts.echo) // pages take no other value before they have heard their own
        send_echo(widget, traits);
    json_t *refused = take_out(widget, traits);
    bool good = pj_widget_apply(widget, traits, true, err);
    if (!good)
        correct(widget, traits);
    if (refused)
        correct(widget, refused);
    json_decref(refused);
    json_decref(traits);
    return good;
}

static void take_custom(pj_widget *widget, const pj_comm_message *message)
{
    pj_widget_notify(widget, &(pj_widget_event){
                                 .kind = PJ_WIDGET_MESSAGE,
                                 .widget = widget,
                                 .by_front_end = true,
                                 .content = json_object_get(message->data, "content"),
                                 .buffers = message->buffers,
                                 .buffer_count = message->buffer_count,
                             });
}

static bool take_widget_msg(pj_widget *widget, const pj_comm_message *message, pj_err *err)
{
    const char *method = json_string_value(json_object_get(message->data, "method"));
    bool good = true;
    if (is(method, "update"))
        good = take_update(widget, message, err);
    else if (is(method, "request_state"))
        pj_widget_send_update(widget, NULL);
    else if (is(method, "custom"))
        take_custom(widget, message);
    else
        good = pj_fail(err, PJ_E_FORMAT, NULL, 0, "a widget's message has no known method");
    return good;
}

bool pj_widgets_take_msg(pj_widgets *widgets, const pj_comm_message *message, pj_err *err)
{
    if (control_place(widgets, message->id) < SIZE_MAX) {
        if (!is(json_string_value(json_object_get(message->data, "method")), "request_states"))
            return pj_fail(err, PJ_E_FORMAT, NULL, 0, "a control message has no known method");
        send_states(widgets, message->id);
        return true;
    }
    pj_widget *widget = pj_widgets_find(widgets, message->id);
    if (!widget)
        return pj_fail(err, PJ_E_MISSING, NULL, 0, "no comm %.64s is open", message->id);
    pj_widgets_enter(widgets);
    char *own = borrow_owner(widget);
    bool good = take_widget_msg(widget, message, err);
    return_owner(widgets, own);
    pj_widgets_leave(widgets);
    return good;
}

/// A widget that the page has made: it is known here with what the page says about it.
static bool adopt(pj_widgets *widgets, const pj_comm_message *message, pj_err *err)
{
    json_t *state = json_object_get(message->data, "state");
    const char *name = json_string_value(json_object_get(state, "_model_name"));
    if (!name)
        return pj_fail(err, PJ_E_FORMAT, NULL, 0, "a new widget does not say its _model_name");
    pj_dialect dialect = widgets->opts.dialect;
    const pj_model *model = pj_model_find(name, dialect, err);
    json_t *traits = model ? pj_widget_unpack(model, dialect, message, err) : NULL;
    pj_widget *widget = traits ? pj_widget_build(widgets, model, message->id, traits, err) : NULL;
    json_decref(traits);
    if (!widget)
        return false;
    pj_widget_open(widget, true);
    pj_widget_send_update(widget, NULL);
    return true;
}

bool pj_widgets_take_open(pj_widgets *widgets, const pj_comm_message *message, pj_err *err)
{
    bool known =
        pj_widgets_find(widgets, message->id) || control_place(widgets, message->id) < SIZE_MAX;
    if (known)
        return true;
    if (is(message->target, PJ_WIDGET_CONTROL_TARGET)) {
        open_control(widgets, message->id);
        return true;
    }
    if (is(message->target, PJ_WIDGET_TARGET))
        return adopt(widgets, message, err);
    return pj_fail(err, PJ_E_MISSING, NULL, 0, "there is no comm target %.64s",
                   message->target ? message->target : "without a name");
}

void pj_widgets_take_close(pj_widgets *widgets, const pj_comm_message *message)
{
    size_t control = control_place(widgets, message->id);
    pj_widget *widget = pj_widgets_find(widgets, message->id);
    if (control < SIZE_MAX)
        json_array_remove(widgets->controls, control);
    else if (widget)
        pj_widget_shut(widget, true);
}

json_t *pj_widgets_comms(const pj_widgets *widgets, const char *target)
{
    json_t *comms = json_object();
    if (!target || is(target, PJ_WIDGET_TARGET))
        for (pj_widget *widget = widgets->first; widget; widget = widget->after)
            json_object_set_new(comms, widget->id,
                                json_pack("{s:s}", "target_name", PJ_WIDGET_TARGET));
    bool pages = !target || is(target, PJ_WIDGET_CONTROL_TARGET);
    for (size_t i = 0; pages && i < json_array_size(widgets->controls); i++)
        json_object_set_new(comms, json_string_value(json_array_get(widgets->controls, i)),
                            json_pack("{s:s}", "target_name", PJ_WIDGET_CONTROL_TARGET));
    return comms;
}
