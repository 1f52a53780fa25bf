// A metric set evaluated over a study. Ownership: new/free by counted reference; it holds the
// study and the set; values, remarks and texts are arena.
#ifndef PJ_METRICS_H
#define PJ_METRICS_H

#include "metrics/base/arena.h"
#include "metrics/base/buf.h"
#include "metrics/base/err.h"
#include "metrics/pop/metricset.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"

/// What a wait or a call costs a row, of the runtime: part of its loss (run/wait_causes.h).
typedef struct pj_metric_cause {
    size_t row;              // of the set
    const char *key;         // "late_sender"
    const char *title;       // "Late sender"
    pj_metric_value *values; // by run
} pj_metric_cause;

typedef struct pj_metrics {
    pj_arena *arena;
    _Atomic uint32_t references;
    const pj_metric_set *set;
    pj_study *study;
    const char *title;
    pj_key by;               // grouping of the runs; PJ_BY_NONE
    pj_metric_value *values; // [run * set->count + row]
    /// Same shape: the further child that would complete the sum or product of row's children, a
    /// value of the row's own kind (efficiency: 1 = nothing is left, inefficiency: 0).
    pj_metric_value *residuals;
    pj_combine *combine; // by row: what its residuals are taken from; never AUTO
    bool *absent;        // by row: about something that no run did (devices, input and output)
    bool *has_residual;  // by row: in some run the children leave more than 1e-9
    const pj_metric_cause *causes; // of some rows, those of each together; where they are wanted
    size_t cause_count;
    pj_remark *remarks; // of the result and of all its runs, each said once; severest first
    size_t remark_count;
    size_t urgent;    // the first of them: said before the table, as it may compare nothing
    const char *note; // convention, reference run, scaling: the line under the table
} pj_metrics;

typedef struct pj_metrics_opts {
    const char *title; // NULL = the set's title, behind "POP efficiencies: " where they are
    pj_key by;
    bool causes;                             // rows with what their losses come from
    bool bare;                               // without remarks: only the values are wanted
    const struct pj_repeated_runs *repeated; // what is said of repetitions; NULL = nothing
    bool compared; // of two runs, side by side: where they have one size, scaling is no question
} pj_metrics_opts;

/// NULL only when a formula of a set defined at run time fails (PJ_E_SCRIPT, PJ_E_STOPPED).
PJ_CHECKED pj_metrics *pj_metrics_new(const pj_metric_set *set, pj_study *study,
                                      pj_metrics_opts opts, pj_err *err);
pj_metrics *pj_metrics_hold(pj_metrics *metrics);
void pj_metrics_release(pj_metrics *metrics);
static inline void pj_metrics_drop(pj_metrics **metrics)
{
    pj_metrics_release(*metrics);
}
#define pj_auto_metrics __attribute__((cleanup(pj_metrics_drop))) pj_metrics *

static inline pj_metric_value pj_metrics_at(const pj_metrics *metrics, size_t run, size_t row)
{
    return metrics->values[run * metrics->set->count + row];
}
static inline pj_metric_value pj_metrics_residual(const pj_metrics *metrics, size_t run, size_t row)
{
    return metrics->residuals[run * metrics->set->count + row];
}

/// Appends the note and a line for each remark beyond notes: "warning: a: the trace may be cut".
void pj_metrics_add_note(const pj_metrics *metrics, pj_buf *out);
/// What CSV exports have: one row per run in study order; trace, ranks, threads_per_rank,
/// threads, layout, tag, then the keys; the note with its lines. New table.
pj_table *pj_metrics_table(const pj_metrics *metrics);

#endif
