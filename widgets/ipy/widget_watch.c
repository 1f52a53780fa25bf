// Watchers of widgets and links between them on the kernel's side. Both may end, or close widgets,
// while they are being told: entries are marked as ended and swept when no call is in progress.
#include "widgets/ipy/widget_record.h"

#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "widgets/ipy/traits.h"
#include "widgets/ipy/widget.h"

static unsigned next_number(pj_widgets *widgets)
{
    if (++widgets->numbers == 0)
        widgets->numbers = 1;
    return widgets->numbers;
}

static void sweep(pj_widget *widget)
{
    size_t kept = 0;
    for (size_t i = 0; i < widget->watcher_count; i++)
        if (widget->watchers[i].number)
            widget->watchers[kept++] = widget->watchers[i];
    widget->watcher_count = kept;
}

unsigned pj_widget_observe(pj_widget *widget, pj_widget_watch watch, pj_err *err)
{
    pj_dialect dialect = widget->home->opts.dialect;
    const pj_trait *trait = NULL;
    if (watch.key) {
        trait = pj_model_trait(widget->model, watch.key, dialect);
        if (!trait) {
            pj_model_no_trait(widget->model, watch.key, dialect, err);
            return 0;
        }
        watch.key = trait->key;
    }
    if (!widget->home->busy)
        sweep(widget);
    pj_grow(widget->watchers, &widget->watcher_cap, widget->watcher_count + 1);
    unsigned number = next_number(widget->home);
    widget->watchers[widget->watcher_count++] =
        (pj_widget_watcher){.watch = watch, .trait = trait, .number = number};
    return number;
}

static void end_watch(pj_widget_watcher *watcher)
{
    pj_widget_watch watch = watcher->watch;
    watcher->number = 0;
    if (watch.release)
        watch.release(watch.context);
}

void pj_widget_unobserve(pj_widget *widget, unsigned number)
{
    for (size_t i = 0; i < widget->watcher_count; i++)
        if (number && widget->watchers[i].number == number)
            end_watch(&widget->watchers[i]);
}

void pj_widget_end_watches(pj_widget *widget)
{
    for (size_t i = 0; i < widget->watcher_count; i++)
        if (widget->watchers[i].number)
            end_watch(&widget->watchers[i]);
    pj_widgets *home = widget->home;
    for (size_t i = 0; i < home->bond_count; i++)
        if (home->bonds[i].source == widget || home->bonds[i].target == widget)
            home->bonds[i].number = 0;
}

void pj_widget_notify(pj_widget *widget, const pj_widget_event *event)
{
    size_t count = widget->watcher_count; // those that come now hear of the next event
    for (size_t i = 0; i < count; i++) {
        const pj_widget_watcher watcher = widget->watchers[i];
        if (!watcher.number || !watcher.watch.call || watcher.watch.kind != event->kind)
            continue;
        if (!watcher.trait || strcmp(watcher.trait->key, event->key) == 0)
            watcher.watch.call(watcher.watch.context, event);
    }
}

static bool follow(pj_widget *from, const pj_trait *trait, pj_widget *to, const pj_trait *same,
                   pj_err *err)
{
    json_t *value = json_incref(from->values[pj_widget_place(from, trait)]);
    bool good = to->closed || pj_widget_set_one(to, same->key, value, err);
    json_decref(value);
    return good;
}

bool pj_widget_follow_links(pj_widget *widget, const bool *changed, pj_err *err)
{
    pj_widgets *home = widget->home;
    bool good = true;
    for (size_t i = 0; i < home->bond_count && !widget->closed; i++) {
        const pj_widget_bond bond = home->bonds[i];
        if (!bond.number)
            continue;
        if (bond.source == widget && changed[pj_widget_place(widget, bond.source_trait)])
            good &= follow(widget, bond.source_trait, bond.target, bond.target_trait, err);
        else if (bond.both && bond.target == widget &&
                 changed[pj_widget_place(widget, bond.target_trait)])
            good &= follow(widget, bond.target_trait, bond.source, bond.source_trait, err);
    }
    return good;
}

static const pj_trait *trait_of(pj_widget_end end, pj_err *err)
{
    pj_dialect dialect = end.widget->home->opts.dialect;
    const pj_trait *trait = pj_model_trait(end.widget->model, end.key, dialect);
    return trait ? trait : pj_model_no_trait(end.widget->model, end.key, dialect, err);
}

unsigned pj_widget_link(pj_widget_end source, pj_widget_end target, bool both, pj_err *err)
{
    pj_widgets *home = source.widget->home;
    const pj_trait *from = trait_of(source, err), *to = from ? trait_of(target, err) : NULL;
    unsigned number = 0;
    pj_widgets_enter(home);
    bool fits = to && follow(source.widget, from, target.widget, to, err);
    if (fits && !source.widget->closed && !target.widget->closed) {
        number = next_number(home);
        pj_grow(home->bonds, &home->bond_cap, home->bond_count + 1);
        home->bonds[home->bond_count++] =
            (pj_widget_bond){source.widget, target.widget, from, to, both, number};
    }
    pj_widgets_leave(home);
    return number;
}

void pj_widgets_unlink(pj_widgets *widgets, unsigned number)
{
    pj_widgets_enter(widgets);
    for (size_t i = 0; i < widgets->bond_count; i++)
        if (number && widgets->bonds[i].number == number)
            widgets->bonds[i].number = 0;
    pj_widgets_leave(widgets);
}
