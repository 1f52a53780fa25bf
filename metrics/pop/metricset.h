// Metric sets: trees of efficiencies as rows of data, and their evaluation over a study.
// Ownership: built-in sets are constants; results are new/free by counted reference.
#ifndef PJ_METRICSET_H
#define PJ_METRICSET_H

#include "metrics/model/study.h"
#include "metrics/model/table.h"
#include "metrics/pop/measures.h"

typedef enum pj_metric_kind {
    PJ_METRIC_EFFICIENCY,   // 1 is perfect, small is bad
    PJ_METRIC_INEFFICIENCY, // 0 is perfect, large is bad: mirrored colours
    PJ_METRIC_SCALING,      // relative to the reference run; coloured as an efficiency
    PJ_METRIC_PLAIN,        // speedup, seconds, IPC, GHz: not coloured
} pj_metric_kind;

/// How the children of a metric combine to it: the residual row is what they leave.
typedef enum pj_combine { PJ_COMBINE_NONE, PJ_COMBINE_SUM, PJ_COMBINE_PRODUCT } pj_combine;

typedef struct pj_metric_value {
    double value;       // meaningless when there is a reason
    const char *reason; // NULL, or why there is no value
} pj_metric_value;

typedef struct pj_metric {
    const char *key;
    const char *parent; // key of the parent, NULL at the top
    const char *title;
    const char *formula_text; // for people and LaTeX-free output: "<U>_P / max U"
    const char *explanation;  // what it means, typical causes when low, what to look at next
    pj_metric_kind kind;
    pj_combine combine; // of its children
    pj_unit unit;
    pj_metric_value (*value)(const pj_measures *run, const pj_measures *reference);
    const void *context; // of sets defined in a notebook; see pj_metric_set.evaluate
} pj_metric;

typedef struct pj_metric_set {
    const char *key;        // "mpi-mult"
    const char *title;      // "MPI (multiplicative)"
    const char *convention; // one sentence, shown under every table
    const pj_metric *rows;  // a parent stands before its children; speedup and runtime_s last
    size_t count;
    /// Of sets defined in a notebook: gives row `row` in place of rows[row].value. NULL otherwise.
    pj_metric_value (*evaluate)(const struct pj_metric_set *set, size_t row, const pj_measures *run,
                                const pj_measures *reference);
} pj_metric_set;

/// Built-in sets in the order of metricsets.def; NULL past the end.
const pj_metric_set *pj_metric_set_at(size_t index);
const pj_metric_set *pj_metric_set_by_key(pj_str key);
/// The fitting set of a study: hybrid, openmp or mpi (INTERFACE, Defaults).
const pj_metric_set *pj_metric_set_default(const pj_study *study);
/// Row of a metric in a set, or -1. Accepts both spellings (serialisation, serialization).
int pj_metric_row(const pj_metric_set *set, pj_str key);
/// Levels below the top of row `row`: indentation.
unsigned pj_metric_depth(const pj_metric_set *set, size_t row);

/// A set evaluated over a study: values[run * set->count + row].
typedef struct pj_metrics {
    pj_arena *arena;
    _Atomic uint32_t references;
    const pj_metric_set *set;
    pj_study *study; // held
    const char *title;
    pj_key by; // grouping of the runs; PJ_BY_NONE
    pj_metric_value *values;
    pj_metric_value *residuals; // same shape: what children leave of row; reason set where none
    bool *has_residual;         // by row: any run whose children leave more than 1e-9
    pj_remark *remarks;         // of the result and of all its runs, each said once
    size_t remark_count;
    const char *note; // convention, reference run, scaling: the line under the table
} pj_metrics;

typedef struct pj_metrics_opts {
    const char *title; // NULL = "POP efficiencies"
    pj_key by;
} pj_metrics_opts;

pj_metrics *pj_metrics_new(const pj_metric_set *set, pj_study *study, pj_metrics_opts opts);
pj_metrics *pj_metrics_hold(pj_metrics *metrics);
void pj_metrics_release(pj_metrics *metrics);

static inline pj_metric_value pj_metrics_at(const pj_metrics *metrics, size_t run, size_t row)
{
    return metrics->values[run * metrics->set->count + row];
}

/// The CSV shape of INTERFACE.md: one row per run; trace, ranks, threads_per_rank, threads,
/// layout, tag, then the keys. New table.
pj_table *pj_metrics_table(const pj_metrics *metrics);

#endif
