// Metric sets defined at run time, from formula texts or callbacks; shown, plotted and exported
// like the built-in ones. Ownership: new/free by counted reference; texts are copied.
#ifndef PJ_METRICSET_DEFINE_H
#define PJ_METRICSET_DEFINE_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/pop/metricset.h"
#include "metrics/table/table.h"

/// Gives the value of row scope->row, or a reason (borrowed until the next call, then copied).
/// False fails the whole evaluation.
typedef bool (*pj_metric_call)(void *context, const pj_metric_scope *scope, pj_metric_value *out,
                               pj_err *err);

typedef struct pj_metric_spec {
    const char *key;         // lower case letters, digits and underscores
    const char *parent;      // key of a row before this one; NULL = top
    const char *title;       // NULL = made from the key
    const char *formula;     // text; its names: see pj_metric_set_define. NULL = `call`
    const char *explanation; // may be NULL
    pj_metric_kind kind;
    pj_combine combine;
    pj_unit unit;
    pj_metric_call call;
    void *context; // of `call`
} pj_metric_spec;

typedef struct pj_metric_set_spec {
    const char *key;
    const char *title;      // NULL = the key
    const char *convention; // may be NULL
    const pj_metric_spec *rows;
    size_t count;
    /// Called with `context` once the set is freed; not when the definition fails. May be NULL.
    void (*released)(void *context);
    void *context;
} pj_metric_set_spec;

/// A set that holds one reference; speedup and runtime_s are added. A formula may name measures
/// ("useful_max"), those of the reference run ("ref.useful_max"), other metrics of the set, and
/// columns of the statistics inside sum, mean, max, min ("max(useful_ns)",
/// "sum(ref.instructions)"). Callbacks see the rows before their own. Fails with PJ_E_SCRIPT
/// when the key is that of a built-in set, and naming the row: bad or repeated key, unknown parent,
/// bad formula or one that leads back to itself, a row with neither or both of formula and call.
PJ_CHECKED const pj_metric_set *pj_metric_set_define(const pj_metric_set_spec *spec, pj_err *err);

/// Values of a run by row for a defined set; reasons are copied into `arena`.
PJ_CHECKED bool pj_metric_set_evaluate(const pj_metric_scope *scope, pj_arena *arena,
                                       pj_metric_value *values, pj_err *err);

/// Nothing happens to built-in sets.
const pj_metric_set *pj_metric_set_hold(const pj_metric_set *set);
void pj_metric_set_release(const pj_metric_set *set);

#endif
