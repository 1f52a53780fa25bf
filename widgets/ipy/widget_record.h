// What the files widget*.c share: the records behind widget.h.
// Ownership: pj_widgets owns its widgets; a closed one is freed when no call is using it any more.
#ifndef PJ_WIDGET_RECORD_H
#define PJ_WIDGET_RECORD_H

#include "metrics/base/err.h"
#include "widgets/ipy/traits.h"
#include "widgets/ipy/widget.h"
#include "widgets/ipy/widget_pack.h"

typedef struct pj_widget_watcher {
    pj_widget_watch watch;
    const pj_trait *trait; // NULL = any
    unsigned number;       // 0 = ended
} pj_widget_watcher;

struct pj_widget {
    pj_widgets *home;
    const pj_model *model;
    char *id;
    char *owner;          // NULL = nobody
    json_t **values;      // by position in the model's traits; NULL where the dialect has none
    pj_widget *maker;     // the widget that this layout or style was made for
    pj_widget *before;    // in order of opening
    pj_widget *after;     // kept when closed, so that a walk can go on
    pj_widget *in_bucket; // the next of the bucket, or of the closed ones
    pj_widget_watcher *watchers;
    size_t watcher_count, watcher_cap;
    bool opened, closed, marked;
    bool adopted; // made by a front end
};

typedef struct pj_widget_bond {
    pj_widget *source, *target;
    const pj_trait *source_trait, *target_trait;
    bool both;
    unsigned number; // 0 = ended
} pj_widget_bond;

struct pj_widgets {
    pj_widgets_opts opts;
    char *owner;
    pj_widget *first, *last;
    size_t count;
    pj_widget **buckets;
    size_t bucket_count; // a power of two
    pj_widget_bond *bonds;
    size_t bond_count, bond_cap;
    json_t *controls;  // open comms of jupyter.widget.control
    unsigned numbers;  // of watches and links
    unsigned busy;     // calls in progress; nested ones come from watchers
    unsigned nested;   // changes that caused one another
    pj_widget *closed; // waiting for busy to become 0
};

/// Values that a widget may get: the present ones with changes over them, not yet its own.
typedef struct pj_widget_draft {
    pj_widget *widget;
    json_t *values[PJ_MODEL_MOST_TRAITS];
    json_t *given[PJ_MODEL_MOST_TRAITS]; // as the change said it; NULL = untouched
} pj_widget_draft;

/// The rules of the model's rows on a draft (widget_rules.c).
PJ_CHECKED bool pj_widget_rules(pj_widget_draft *draft, pj_err *err);

/// widget_registry.c: a record in no order yet, with a new id for NULL.
pj_widget *pj_widgets_add(pj_widgets *widgets, const pj_model *model, const char *id);
/// Puts it last in the order of opening.
void pj_widgets_append(pj_widget *widget);
/// Takes it out of the registry; it is freed when no call is in progress.
void pj_widgets_remove(pj_widget *widget);
/// Between these no closed widget is freed.
void pj_widgets_enter(pj_widgets *widgets);
void pj_widgets_leave(pj_widgets *widgets);

/// Makes the widget and what it needs without a message; `id` NULL = a new one.
PJ_CHECKED pj_widget *pj_widget_build(pj_widgets *widgets, const pj_model *model, const char *id,
                                      json_t *traits, pj_err *err);
/// Sends the comm_opens of what was made with it, and then of itself unless the front end made it.
void pj_widget_open(pj_widget *widget, bool by_front_end);
PJ_CHECKED bool pj_widget_apply(pj_widget *widget, json_t *traits, bool by_front_end, pj_err *err);
/// The front end has closed it already when `silent`.
void pj_widget_shut(pj_widget *widget, bool silent);

/// widget_watch.c
void pj_widget_notify(pj_widget *widget, const pj_widget_event *event);
void pj_widget_end_watches(pj_widget *widget);
PJ_CHECKED bool pj_widget_follow_links(pj_widget *widget, const bool *changed, pj_err *err);

/// widget_comm.c; `which` by position in the model's traits, NULL = all.
void pj_widget_send_open(pj_widget *widget);
void pj_widget_send_update(pj_widget *widget, const bool *which);
void pj_widget_send_close(pj_widget *widget);
/// The whole state into the pack; `css`: also nulls that every browser assumes.
void pj_widget_pack_state(const pj_widget *widget, pj_widget_pack *pack, bool css);
/// New reference: {model_name, model_module, model_module_version, state}.
json_t *pj_widget_model_entry(const pj_widget *widget, json_t *state);

static inline size_t pj_widget_place(const pj_widget *widget, const pj_trait *trait)
{
    return (size_t)(trait - widget->model->traits);
}

#endif
