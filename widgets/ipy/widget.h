// The kernel's side of ipywidgets (protocol 2.1.0, WIDGETS of any model in traits.def): widgets by
// comm id, their traits, observers and links. A front end is reached through a channel alone.
// All calls come from one thread at a time (the holder of the language's lock).
// Ownership: new/free for pj_widgets. A pj_widget is a borrow that ends when it is closed by either
// side; who keeps one across calls keeps its id instead. JSON arguments are borrowed; bytes are
// JSON strings that may hold anything (json_stringn_nocheck).
#ifndef PJ_WIDGET_H
#define PJ_WIDGET_H

#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "widgets/ipy/channel.h"
#include "widgets/ipy/traits.h"

typedef struct pj_widget pj_widget;
typedef struct pj_widgets pj_widgets;

typedef struct pj_widgets_opts {
    pj_comm_channel channel;
    pj_dialect dialect;
    bool echo; // send each change of a front end back at once (pj_widgets_echo)
} pj_widgets_opts;

/// What JUPYTER_WIDGETS_ECHO means: on in ipywidgets 8 and off in 7 unless the text says otherwise;
/// off: no, n, false, off, 0, 0.0. NULL = not set.
bool pj_widgets_echo(const char *text, pj_dialect dialect);

pj_widgets *pj_widgets_new(pj_widgets_opts opts);
/// Forgets every widget without a message.
void pj_widgets_free(pj_widgets *widgets);
size_t pj_widgets_count(const pj_widgets *widgets);
pj_dialect pj_widgets_dialect(const pj_widgets *widgets);
/// NULL when no open widget has this comm id.
pj_widget *pj_widgets_find(const pj_widgets *widgets, const char *id);
/// In order of opening; NULL after the last.
pj_widget *pj_widgets_next(const pj_widgets *widgets, const pj_widget *widget);

/// Who makes the widgets from now on (a cell); NULL = nobody. Handlers of a front end's messages
/// make widgets for the owner of the widget that was touched.
void pj_widgets_own(pj_widgets *widgets, const char *owner);
/// Closes all of them: the cell runs again.
void pj_widgets_close_owner(pj_widgets *widgets, const char *owner);

/// `model` as "IntSlider"; `traits` (may be NULL) is an object of traits by name. `layout` and
/// `style` are made unless they are given as references; given as an object they are made with
/// these traits. Sent children first. NULL with PJ_E_USAGE, and then nothing was sent.
PJ_CHECKED pj_widget *pj_widget_new(pj_widgets *widgets, const char *model, json_t *traits,
                                    pj_err *err);
/// Takes the widget, what was made with it, and every mention of it in others off both sides.
void pj_widget_close(pj_widget *widget);

const char *pj_widget_id(const pj_widget *widget);
const pj_model *pj_widget_model(const pj_widget *widget);
const char *pj_widget_owner(const pj_widget *widget); // NULL = nobody
/// New reference: "IPY_MODEL_<id>", as other widgets' traits mention it.
json_t *pj_widget_reference(const pj_widget *widget);

/// Borrowed until the next change; NULL with PJ_E_USAGE for an unknown trait.
PJ_CHECKED json_t *pj_widget_get(const pj_widget *widget, const char *key, pj_err *err);
/// All or nothing, in one message and only what really changed. Values that min and max bound are
/// clamped; `layout` and `style` given as objects change those widgets in place.
PJ_CHECKED bool pj_widget_set(pj_widget *widget, json_t *traits, pj_err *err);
PJ_CHECKED bool pj_widget_set_one(pj_widget *widget, const char *key, json_t *value, pj_err *err);
/// Every trait by name; new reference.
json_t *pj_widget_traits(const pj_widget *widget);

/// A message of the widget's own kind to its views.
void pj_widget_send(pj_widget *widget, json_t *content, const pj_str *buffers, size_t count);

typedef enum pj_widget_event_kind {
    PJ_WIDGET_CHANGE,  // a trait got another value, whoever set it
    PJ_WIDGET_MESSAGE, // a custom message: {"event": "click"} of a Button
    PJ_WIDGET_CLOSE,   // by either side; the last event
} pj_widget_event_kind;

typedef struct pj_widget_event {
    pj_widget_event_kind kind;
    pj_widget *widget;
    const char *key;      // change
    json_t *before, *now; // change; borrowed
    bool by_front_end;    // change
    json_t *content;      // message; borrowed, NULL when it came without
    const pj_str *buffers;
    size_t buffer_count;
} pj_widget_event;

typedef struct pj_widget_watch {
    pj_widget_event_kind kind;
    const char *key;                                           // change: the trait, NULL = any
    void (*call)(void *context, const pj_widget_event *event); // may be NULL
    void (*release)(void *context); // once, when the watch ends; may be NULL
    void *context;
} pj_widget_watch;

/// A number for pj_widget_unobserve, 0 with PJ_E_USAGE for an unknown trait. A watch ends with its
/// widget. Watchers may do everything, also close the widget.
PJ_CHECKED unsigned pj_widget_observe(pj_widget *widget, pj_widget_watch watch, pj_err *err);
void pj_widget_unobserve(pj_widget *widget, unsigned number);

/// Sets the target now and whenever the source changes; `both`: also the other way round. Ends
/// with either widget. A number for pj_widgets_unlink, 0 with an error when the value does not fit.
typedef struct pj_widget_end {
    pj_widget *widget;
    const char *key;
} pj_widget_end;
PJ_CHECKED unsigned pj_widget_link(pj_widget_end source, pj_widget_end target, bool both,
                                   pj_err *err);
void pj_widgets_unlink(pj_widgets *widgets, unsigned number);

#endif
