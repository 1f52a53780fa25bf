// Metric sets: trees of efficiencies as rows of data. Ownership: built-in sets are constants; sets
// defined at run time (metricset_define.h) are new/free by counted reference.
#ifndef PJ_METRICSET_H
#define PJ_METRICSET_H

#include "metrics/base/err.h"
#include "metrics/base/str.h"
#include "metrics/pop/measures.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"

typedef enum pj_metric_kind {
    PJ_METRIC_EFFICIENCY,   // 1 is perfect, small is bad
    PJ_METRIC_INEFFICIENCY, // 0 is perfect, large is bad: mirrored colours
    PJ_METRIC_SCALING,      // relative to the reference run; coloured as an efficiency
    PJ_METRIC_PLAIN,        // speedup, seconds, IPC, GHz: not coloured
} pj_metric_kind;

/// How the children of a metric combine to it. SUM is 1 - sum(1 - child) for efficiencies and the
/// plain sum for inefficiencies.
/// How the children of a row make it up; AUTO = as what leaves less over all runs, as long as all
/// of them are efficiencies or scalings.
typedef enum pj_combine {
    PJ_COMBINE_NONE,
    PJ_COMBINE_SUM,
    PJ_COMBINE_PRODUCT,
    PJ_COMBINE_AUTO
} pj_combine;

typedef struct pj_metric_value {
    double value;       // meaningless when there is a reason
    const char *reason; // NULL, or why there is no value
} pj_metric_value;

typedef struct pj_metric {
    const char *key;
    const char *parent; // key of the parent, NULL at the top
    const char *title;
    const char *formula_text; // for people: "mean X / max X"
    const char *explanation;  // what it means, typical causes when low, what to look at next
    pj_metric_kind kind;
    pj_combine combine; // of its children
    pj_unit unit;
    unsigned needs; // PJ_NEEDS_*, of the run and, for a scaling, of the reference run too
} pj_metric;

struct pj_metric_set;

/// What a formula of a set defined at run time may look at.
typedef struct pj_metric_scope {
    const struct pj_metric_set *set;
    size_t row;
    const pj_measures *run;
    const pj_measures *reference;
    const pj_metric_value *earlier; // this run's values by row; a reason where not known yet
    const char *alone;              // why PJ_NEEDS_REFERENCE cannot be served, as pj_study.alone
} pj_metric_scope;

typedef struct pj_metric_set {
    const char *key;        // "mpi-mult"
    const char *title;      // "MPI (multiplicative)"
    const char *convention; // one sentence, shown under every table
    bool pop;               // its efficiencies are those of POP
    bool by_threads;        // means weigh every thread alike, not every rank
    const pj_metric *rows;  // a parent stands before its children; speedup and runtime_s last
    size_t count;
    /// Value of a row; may be NaN or infinite, of which the evaluation makes a reason. NULL in sets
    /// defined at run time.
    double (*value)(size_t row, const pj_measures *run, const pj_measures *reference);
    struct pj_metric_definition *definition; // of sets defined at run time, else NULL
} pj_metric_set;

/// Built-in sets in the order of metricsets.def; NULL past the end.
const pj_metric_set *pj_metric_set_at(size_t index);
const pj_metric_set *pj_metric_set_by_key(pj_str key);
/// The fitting set of a study: gpu with devices, talp of sums without a trace, openmp without MPI,
/// hybrid when a rank has several threads, else mpi.
const pj_metric_set *pj_metric_set_default(const pj_study *study);
/// What has to be found in a trace for all rows of a set: PJ_WANT(...) (run/aspect.h).
unsigned pj_metric_set_aspects(const pj_metric_set *set);
/// Whether rows want to know how many iterations there are.
bool pj_metric_set_steps(const pj_metric_set *set);
/// Row of a metric in a set, or -1. Accepts both spellings (serialisation, serialization).
int pj_metric_row(const pj_metric_set *set, pj_str key);
/// False with PJ_E_USAGE: what was asked for, what may have been meant, what the set has.
PJ_CHECKED bool pj_metric_unknown(const pj_metric_set *set, const char *key, pj_err *err);
/// Row of the parent of row `row`, or -1 at the top.
int pj_metric_parent(const pj_metric_set *set, size_t row);
/// Levels below the top of row `row`: indentation.
unsigned pj_metric_depth(const pj_metric_set *set, size_t row);

#endif
