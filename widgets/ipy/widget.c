// Making, changing and closing widgets. Every change is a draft first: checked as a whole, then
// taken over, sent and told to watchers.
#include "widgets/ipy/widget_record.h"

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "widgets/ipy/trait_value.h"

#include <stdlib.h>

enum { MOST_NESTED = 50 };

static void draft_open(pj_widget_draft *draft, pj_widget *widget)
{
    *draft = (pj_widget_draft){.widget = widget};
    for (size_t i = 0; i < widget->model->trait_count; i++)
        draft->values[i] = json_incref(widget->values[i]);
}

static void draft_close(pj_widget_draft *draft)
{
    for (size_t i = 0; i < draft->widget->model->trait_count; i++) {
        json_decref(draft->values[i]);
        json_decref(draft->given[i]);
    }
}

typedef struct mention {
    const pj_widget *widget;
    const pj_trait *trait;
    const char *id; // the one that is wrong
} mention;

/// Containers take what can be shown, layouts and styles are of the row's model, links take all.
static bool is_fit(void *context, const char *id)
{
    mention *m = context;
    pj_dialect dialect = m->widget->home->opts.dialect;
    const pj_widget *other = pj_widgets_find(m->widget->home, id);
    bool fit = other != NULL;
    if (other && m->trait->type == PJ_TRAIT_REFERENCE)
        fit = other->model == pj_model_find(m->trait->model, dialect, NULL);
    else if (other && m->trait->type == PJ_TRAIT_WIDGETS)
        fit = other->model->view && pj_model_trait(other->model, "layout", dialect);
    if (!fit)
        m->id = id;
    return fit;
}

static bool check_mentions(const pj_widget *widget, const pj_trait *trait, json_t *value,
                           pj_err *err)
{
    mention m = {widget, trait, NULL};
    if (pj_trait_value_references(trait, value, is_fit, &m))
        return true;
    pj_str title = pj_model_title(widget->model);
    const pj_widget *other = pj_widgets_find(widget->home, m.id);
    if (!other)
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       PJ_STR_FMT ".%s mentions a widget that is closed or was never open",
                       PJ_STR_ARG(title), trait->key);
    pj_str what = pj_model_title(other->model);
    if (trait->type == PJ_TRAIT_REFERENCE)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, PJ_STR_FMT ".%s must be a %.*s, not a " PJ_STR_FMT,
                       PJ_STR_ARG(title), trait->key, (int)(strlen(trait->model) - strlen("Model")),
                       trait->model, PJ_STR_ARG(what));
    return pj_fail(err, PJ_E_USAGE, NULL, 0,
                   PJ_STR_FMT ".%s takes what can be shown, and a " PJ_STR_FMT " cannot",
                   PJ_STR_ARG(title), trait->key, PJ_STR_ARG(what));
}

/// A link's end must name a trait that the widget has.
static bool check_end(const pj_widget *widget, const pj_trait *trait, json_t *value, pj_err *err)
{
    const json_t *reference = json_array_get(value, 0);
    if (trait->type != PJ_TRAIT_END || !reference)
        return true;
    const pj_widget *other = pj_widgets_find(widget->home, pj_trait_value_reference(reference));
    const char *key = json_string_value(json_array_get(value, 1));
    pj_dialect dialect = widget->home->opts.dialect;
    return pj_model_wire_trait(other->model, key, dialect) ||
           pj_model_no_trait(other->model, key, dialect, err);
}

static bool draft_take_one(pj_widget_draft *draft, const pj_trait *trait, json_t *value,
                           pj_err *err)
{
    const pj_widget *widget = draft->widget;
    json_t *kept = pj_trait_value(widget->model, trait, value, err);
    if (!kept)
        return false;
    if (!check_mentions(widget, trait, kept, err) || !check_end(widget, trait, kept, err)) {
        json_decref(kept);
        return false;
    }
    size_t place = pj_widget_place(widget, trait);
    json_decref(draft->values[place]);
    json_decref(draft->given[place]);
    draft->values[place] = kept;
    draft->given[place] = json_incref(kept);
    return true;
}

/// A name of the other dialect that stands for several traits of this one, as Layout.border does.
static bool draft_take_short(pj_widget_draft *draft, const char *key, json_t *value, pj_err *err)
{
    const pj_model *model = draft->widget->model;
    pj_dialect dialect = draft->widget->home->opts.dialect;
    pj_dialect other = dialect == PJ_WIDGETS_8 ? PJ_WIDGETS_7 : PJ_WIDGETS_8;
    const pj_trait *brief = pj_model_trait(model, key, other);
    if (!brief || !brief->sets)
        return pj_model_no_trait(model, key, dialect, err);
    for (pj_str rest = pj_str_of(brief->sets); rest.len;) {
        pj_str name = pj_str_cut(&rest, '|');
        for (size_t i = 0; i < model->trait_count; i++)
            if (pj_str_equal(name, pj_str_of(model->traits[i].key)) &&
                !draft_take_one(draft, &model->traits[i], value, err))
                return false;
    }
    return true;
}

static bool draft_take(pj_widget_draft *draft, json_t *traits, pj_err *err)
{
    const pj_widget *widget = draft->widget;
    const char *key;
    json_t *value;
    json_object_foreach(traits, key, value)
    {
        const pj_trait *trait = pj_model_trait(widget->model, key, widget->home->opts.dialect);
        bool nested = trait && trait->type == PJ_TRAIT_REFERENCE && json_is_object(value);
        if (nested) // its widget is in the draft already
            continue;
        if (!(trait ? draft_take_one(draft, trait, value, err)
                    : draft_take_short(draft, key, value, err)))
            return false;
    }
    return pj_widget_rules(draft, err);
}

static void keep(pj_widget *widget, pj_widget_draft *draft)
{
    for (size_t i = 0; i < widget->model->trait_count; i++) {
        json_t *old = widget->values[i];
        widget->values[i] = draft->values[i];
        draft->values[i] = old;
    }
}

static bool build_reference(pj_widget *widget, const pj_trait *trait, json_t *traits, pj_err *err)
{
    pj_widgets *home = widget->home;
    const pj_model *model = pj_model_find(trait->model, home->opts.dialect, err);
    pj_widget *made = model ? pj_widget_build(home, model, NULL, traits, err) : NULL;
    if (!made)
        return false;
    made->maker = widget;
    json_t **value = &widget->values[pj_widget_place(widget, trait)];
    json_decref(*value);
    *value = pj_widget_reference(made);
    return true;
}

static bool build_values(pj_widget *widget, json_t *traits, pj_err *err)
{
    pj_dialect dialect = widget->home->opts.dialect;
    for (size_t i = 0; i < widget->model->trait_count; i++) {
        const pj_trait *trait = &widget->model->traits[i];
        if (!pj_trait_in(trait, dialect))
            continue;
        widget->values[i] = pj_trait_value_initial(trait, dialect);
        json_t *given = json_object_get(traits, trait->key);
        bool made_here = trait->type == PJ_TRAIT_REFERENCE && (!given || json_is_object(given));
        if (made_here && !build_reference(widget, trait, given, err))
            return false;
    }
    pj_widget_draft draft;
    draft_open(&draft, widget);
    bool good = draft_take(&draft, traits, err);
    if (good)
        keep(widget, &draft);
    draft_close(&draft);
    return good;
}

/// Calls `each` for the layouts and styles that were made for the widget.
static void for_made(pj_widget *widget, void (*each)(pj_widget *made))
{
    for (size_t i = 0; i < widget->model->trait_count; i++) {
        const char *id = pj_trait_value_reference(widget->values[i]);
        pj_widget *made = id ? pj_widgets_find(widget->home, id) : NULL;
        if (made && made->maker == widget)
            each(made);
    }
}

static void discard(pj_widget *widget)
{
    for_made(widget, discard);
    pj_widgets_remove(widget);
}

pj_widget *pj_widget_build(pj_widgets *widgets, const pj_model *model, const char *id,
                           json_t *traits, pj_err *err)
{
    pj_widgets_enter(widgets);
    pj_widget *widget = pj_widgets_add(widgets, model, id);
    if (build_values(widget, traits, err)) {
        pj_widgets_append(widget); // after what it needs
    } else {
        discard(widget);
        widget = NULL;
    }
    pj_widgets_leave(widgets);
    return widget;
}

static void open_made(pj_widget *widget)
{
    pj_widget_open(widget, false);
}

void pj_widget_open(pj_widget *widget, bool by_front_end)
{
    for_made(widget, open_made);
    widget->opened = true;
    widget->adopted = by_front_end;
    if (!by_front_end)
        pj_widget_send_open(widget);
}

pj_widget *pj_widget_new(pj_widgets *widgets, const char *model, json_t *traits, pj_err *err)
{
    const pj_model *row = pj_model_find(model, widgets->opts.dialect, err);
    pj_widget *widget = row ? pj_widget_build(widgets, row, NULL, traits, err) : NULL;
    if (widget)
        pj_widget_open(widget, false);
    return widget;
}

/// `layout` and `style` given as objects: changes the widget that was made for this one, or makes
/// one and puts it into the draft.
static bool change_references(pj_widget_draft *draft, json_t *traits, pj_err *err)
{
    pj_widget *widget = draft->widget;
    for (size_t i = 0; i < widget->model->trait_count; i++) {
        const pj_trait *trait = &widget->model->traits[i];
        json_t *given = json_object_get(traits, trait->key);
        if (trait->type != PJ_TRAIT_REFERENCE || !json_is_object(given))
            continue;
        pj_widget *now = pj_widgets_find(widget->home, pj_trait_value_reference(widget->values[i]));
        if (now && now->maker == widget) {
            if (!pj_widget_apply(now, given, false, err))
                return false;
            continue;
        }
        pj_widget *made = pj_widget_new(widget->home, trait->model, given, err);
        if (!made)
            return false;
        made->maker = widget;
        json_decref(draft->values[i]);
        draft->values[i] = pj_widget_reference(made);
    }
    return true;
}

/// Which traits got another value, and which the front end does not know yet.
static bool compare(const pj_widget_draft *draft, bool by_front_end, bool *changed, bool *unknown)
{
    const pj_widget *widget = draft->widget;
    bool any = false;
    for (size_t i = 0; i < widget->model->trait_count; i++) {
        json_t *now = draft->values[i];
        changed[i] = now && !json_equal(now, widget->values[i]);
        unknown[i] = changed[i];
        if (by_front_end && draft->given[i])
            unknown[i] = !json_equal(now, draft->given[i]);
        any = any || unknown[i];
    }
    return any;
}

static void tell_watchers(pj_widget *widget, const pj_widget_draft *old, const bool *changed,
                          bool by_front_end)
{
    for (size_t i = 0; i < widget->model->trait_count && !widget->closed; i++) {
        if (!changed[i])
            continue;
        json_t *now = json_incref(widget->values[i]);
        pj_widget_notify(widget, &(pj_widget_event){.kind = PJ_WIDGET_CHANGE,
                                                    .widget = widget,
                                                    .key = widget->model->traits[i].key,
                                                    .before = old->values[i],
                                                    .now = now,
                                                    .by_front_end = by_front_end});
        json_decref(now);
    }
}

/// A layout or style that was made for the widget and that it mentions no more.
static void close_replaced(pj_widget *widget, const pj_widget_draft *old, const bool *changed)
{
    for (size_t i = 0; i < widget->model->trait_count; i++) {
        bool reference = widget->model->traits[i].type == PJ_TRAIT_REFERENCE;
        const char *id = reference && changed[i] ? pj_trait_value_reference(old->values[i]) : NULL;
        pj_widget *replaced = id ? pj_widgets_find(widget->home, id) : NULL;
        if (replaced && replaced->maker == widget)
            pj_widget_close(replaced);
    }
}

static bool take_over(pj_widget_draft *draft, bool by_front_end, pj_err *err)
{
    pj_widget *widget = draft->widget;
    bool changed[PJ_MODEL_MOST_TRAITS], unknown[PJ_MODEL_MOST_TRAITS];
    bool news = compare(draft, by_front_end, changed, unknown);
    keep(widget, draft);
    if (news)
        pj_widget_send_update(widget, unknown);
    close_replaced(widget, draft, changed);
    bool linked = pj_widget_follow_links(widget, changed, err);
    tell_watchers(widget, draft, changed, by_front_end);
    return linked;
}

bool pj_widget_apply(pj_widget *widget, json_t *traits, bool by_front_end, pj_err *err)
{
    pj_widgets *home = widget->home;
    if (widget->closed)
        return pj_fail(err, PJ_E_USAGE, NULL, 0, "this " PJ_STR_FMT " is closed",
                       PJ_STR_ARG(pj_model_title(widget->model)));
    if (home->nested >= MOST_NESTED)
        return pj_fail(err, PJ_E_USAGE, NULL, 0,
                       "changes of widgets cause one another without end; look at the handlers of "
                       "this " PJ_STR_FMT,
                       PJ_STR_ARG(pj_model_title(widget->model)));
    home->nested++;
    pj_widgets_enter(home);
    pj_widget_draft draft;
    draft_open(&draft, widget);
    bool good = draft_take(&draft, traits, err) && change_references(&draft, traits, err) &&
                take_over(&draft, by_front_end, err);
    draft_close(&draft);
    pj_widgets_leave(home);
    home->nested--;
    return good;
}

bool pj_widget_set(pj_widget *widget, json_t *traits, pj_err *err)
{
    return pj_widget_apply(widget, traits, false, err);
}

bool pj_widget_set_one(pj_widget *widget, const char *key, json_t *value, pj_err *err)
{
    json_t *traits = json_object();
    json_object_set_nocheck(traits, key, value);
    bool good = pj_widget_set(widget, traits, err);
    json_decref(traits);
    return good;
}

json_t *pj_widget_get(const pj_widget *widget, const char *key, pj_err *err)
{
    pj_dialect dialect = widget->home->opts.dialect;
    const pj_trait *trait = pj_model_trait(widget->model, key, dialect);
    if (!trait)
        trait = pj_model_no_trait(widget->model, key, dialect, err);
    return trait ? widget->values[pj_widget_place(widget, trait)] : NULL;
}

json_t *pj_widget_traits(const pj_widget *widget)
{
    json_t *traits = json_object();
    for (size_t i = 0; i < widget->model->trait_count; i++)
        if (widget->values[i])
            json_object_set(traits, widget->model->traits[i].key, widget->values[i]);
    return traits;
}

static void mark(pj_widget *widget)
{
    widget->marked = true;
    for_made(widget, mark);
}

static bool is_unmarked(void *context, const char *id)
{
    const pj_widget *other = pj_widgets_find(context, id);
    return !other || !other->marked;
}

/// A link in the browser ends with either of its ends.
static void mark_cut_links(pj_widgets *widgets)
{
    for (pj_widget *widget = widgets->first; widget; widget = widget->after)
        for (size_t i = 0; i < widget->model->trait_count && !widget->marked; i++)
            if (widget->model->traits[i].type == PJ_TRAIT_END &&
                !pj_trait_value_references(&widget->model->traits[i], widget->values[i],
                                           is_unmarked, widgets))
                mark(widget);
}

static bool is_open(void *context, const char *id)
{
    return pj_widgets_find(context, id) != NULL;
}

static json_t *without_closed(pj_widgets *widgets, const json_t *mentions)
{
    json_t *kept = json_array();
    for (size_t i = 0; i < json_array_size(mentions); i++) {
        json_t *one = json_array_get(mentions, i);
        if (is_open(widgets, pj_trait_value_reference(one)))
            json_array_append(kept, one);
    }
    return kept;
}

/// What a widget must change because others are closed; NULL = nothing. A layout or style that was
/// another's is replaced by a new one.
static json_t *mended(const pj_widget *widget)
{
    json_t *traits = NULL;
    for (size_t i = 0; i < widget->model->trait_count; i++) {
        const pj_trait *trait = &widget->model->traits[i];
        if (pj_trait_value_references(trait, widget->values[i], is_open, widget->home))
            continue;
        if (!traits)
            traits = json_object();
        json_object_set_new(traits, trait->key,
                            trait->type == PJ_TRAIT_WIDGETS
                                ? without_closed(widget->home, widget->values[i])
                                : json_object());
    }
    return traits;
}

static void mend(pj_widgets *widgets)
{
    for (pj_widget *widget = widgets->first; widget; widget = widget->after) {
        json_t *traits = widget->closed ? NULL : mended(widget);
        if (traits)
            pj_ignore(pj_widget_apply(widget, traits, false, NULL));
        json_decref(traits);
    }
}

static void end_widget(pj_widget *widget, const pj_widget *silent)
{
    if (widget->opened && widget != silent)
        pj_widget_send_close(widget);
    pj_widget_notify(widget, &(pj_widget_event){.kind = PJ_WIDGET_CLOSE, .widget = widget});
    pj_widget_end_watches(widget);
}

/// Closes all that are marked: parents before what they were made with, so that no view on the
/// page loses its layout first.
static void close_marked(pj_widgets *widgets, const pj_widget *silent)
{
    pj_widgets_enter(widgets);
    mark_cut_links(widgets);
    size_t count = 0, cap = 0;
    pj_widget **closing = NULL;
    for (pj_widget *widget = widgets->last, *before; widget; widget = before) {
        before = widget->before;
        if (!widget->marked)
            continue;
        closing = pj_grow_array((void *)closing, &cap, count + 1, sizeof *closing);
        closing[count++] = widget;
        pj_widgets_remove(widget);
    }
    mend(widgets);
    for (size_t i = 0; i < count; i++)
        end_widget(closing[i], silent);
    free((void *)closing);
    pj_widgets_leave(widgets);
}

void pj_widget_shut(pj_widget *widget, bool silent)
{
    if (widget->closed)
        return;
    mark(widget);
    close_marked(widget->home, silent ? widget : NULL);
}

void pj_widget_close(pj_widget *widget)
{
    pj_widget_shut(widget, false);
}

void pj_widgets_close_owner(pj_widgets *widgets, const char *owner)
{
    for (pj_widget *widget = widgets->first; widget; widget = widget->after)
        if (widget->owner && strcmp(widget->owner, owner) == 0)
            mark(widget);
    close_marked(widgets, NULL);
}
