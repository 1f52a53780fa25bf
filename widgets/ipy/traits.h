// The models of ipywidgets as data: one row of traits.def per model, with its traits in it.
// Ownership: everything is constant.
#ifndef PJ_TRAITS_H
#define PJ_TRAITS_H

#include "metrics/base/err.h"
#include "metrics/base/str.h"

/// Whose versions and names go over the wire: base 2.0.0 and controls 2.0.0 (ipywidgets 8), or
/// base 1.2.0 and controls 1.5.0 (ipywidgets 7). Names in the program are those of 8 in both.
typedef enum pj_dialect { PJ_WIDGETS_8, PJ_WIDGETS_7 } pj_dialect;

typedef enum pj_trait_type {
    PJ_TRAIT_BOOL,
    PJ_TRAIT_INT,
    PJ_TRAIT_FLOAT,
    PJ_TRAIT_TEXT,
    PJ_TRAIT_INT_OR_TEXT,
    PJ_TRAIT_FLOAT_OR_TEXT,
    PJ_TRAIT_BYTES,    // a JSON string that may hold any byte; a buffer on the wire
    PJ_TRAIT_DATE,     // {year, month, date}; months count from 0 as in JavaScript
    PJ_TRAIT_DATETIME, // {year, month, date, hours, minutes, seconds, milliseconds}
    PJ_TRAIT_TIME,     // {hours, minutes, seconds, milliseconds}
    PJ_TRAIT_TEXTS,    // arrays from here on
    PJ_TRAIT_INTS,
    PJ_TRAIT_FLOATS,
    PJ_TRAIT_INT_PAIR, // [lower, upper]
    PJ_TRAIT_FLOAT_PAIR,
    PJ_TRAIT_OBJECTS,
    PJ_TRAIT_BYTES_LIST,
    PJ_TRAIT_UPLOADS,   // [{name, type, size, last_modified, content}], content as in BYTES
    PJ_TRAIT_WIDGETS,   // ["IPY_MODEL_<id>"]
    PJ_TRAIT_END,       // ["IPY_MODEL_<id>", "trait"] of a link in the browser, or []
    PJ_TRAIT_REFERENCE, // "IPY_MODEL_<id>" of the model named by the row
} pj_trait_type;

/// What ties a trait to others of the same widget (widget_rules.c).
typedef enum pj_trait_rule {
    PJ_RULE_NONE,
    PJ_RULE_CLAMPED,     // stays within the traits min and max
    PJ_RULE_CLAMPED_LOG, // stays within base^min and base^max
    PJ_RULE_INDEX,       // counts into _options_labels; the first one when these change
    PJ_RULE_PAGE,        // counts into children
    PJ_RULE_FIRST_PAGE,  // the same; the first page is shown when none was chosen
    PJ_RULE_TITLES,      // at least as many as children
    PJ_RULE_TAGS,        // among allowed_tags, unique unless allow_duplicates
    PJ_RULE_OPTION,      // among `options` when ensure_option is true
    PJ_RULE_UPLOAD_7,    // made from the traits data and metadata of ipywidgets 7
} pj_trait_rule;

typedef enum pj_trait_only { PJ_ALWAYS, PJ_ONLY_8, PJ_ONLY_7 } pj_trait_only;

typedef struct pj_trait {
    const char *key;
    pj_trait_type type;
    const char *initial;   // default as JSON text; NULL = a new widget of `model`
    const char *initial_7; // where ipywidgets 7 differs
    const char *choices;   // "a|b|c"; an empty choice is the empty text
    const char *model;     // REFERENCE: "LayoutModel"
    const char *wire_7;    // name in ipywidgets 7; "" = not sent
    const char *sets;      // "a|b": the traits it stands for in the dialect that lacks it
    pj_trait_rule rule;
    pj_trait_only only;
    bool null;    // may be null
    bool css;     // null is what the browser assumes: left out when a widget opens
    bool input;   // a front end may change it
    bool no_echo; // never sent back to the front end that changed it
} pj_trait;

typedef enum pj_module { PJ_MODULE_CONTROLS, PJ_MODULE_BASE, PJ_MODULE_OUTPUT } pj_module;

typedef struct pj_model {
    const char *name; // "IntSliderModel"
    const char *view; // NULL = never shown
    pj_module module, view_module;
    const char *model_7; // the model that stands for it in ipywidgets 7; "" = none
    const pj_trait *traits;
    size_t trait_count;
} pj_model;

enum { PJ_MODEL_MOST_TRAITS = 64 };

/// By position, NULL at the end.
const pj_model *pj_model_at(size_t index);
/// By "IntSlider" or "IntSliderModel": what stands for it in the dialect. PJ_E_USAGE with the
/// nearest name, or when ipywidgets 7 has no such model.
PJ_CHECKED const pj_model *pj_model_find(const char *name, pj_dialect dialect, pj_err *err);
/// Trait of the dialect by its name, NULL when there is none.
const pj_trait *pj_model_trait(const pj_model *model, const char *key, pj_dialect dialect);
/// The same by the name that goes over the wire.
const pj_trait *pj_model_wire_trait(const pj_model *model, const char *wire, pj_dialect dialect);
/// Fills `err` for a name that the model lacks, with the nearest one; returns NULL.
const pj_trait *pj_model_no_trait(const pj_model *model, const char *key, pj_dialect dialect,
                                  pj_err *err);
/// "IntSlider" of "IntSliderModel".
pj_str pj_model_title(const pj_model *model);

/// "@jupyter-widgets/controls" and the version that the dialect speaks.
const char *pj_module_name(pj_module module);
const char *pj_module_version(pj_module module, pj_dialect dialect);

bool pj_trait_in(const pj_trait *trait, pj_dialect dialect);
/// NULL when the trait does not go over the wire.
const char *pj_trait_wire(const pj_trait *trait, pj_dialect dialect);
const char *pj_trait_initial(const pj_trait *trait, pj_dialect dialect);

#endif
