// Whether repetitions of a run are as good as those of one before. Ownership: a new table.
#ifndef PJ_REPEATED_GATE_H
#define PJ_REPEATED_GATE_H

#include "metrics/base/err.h"
#include "metrics/pop/metrics.h"
#include "metrics/table/table.h"

typedef struct pj_repeated_gate_opts {
    const bool *is_new; // by case of the study; else it is of the baseline
    double max_drop;    // that is allowed: of efficiencies as they are, of plain numbers relative
    const char *metric; // the only one that is judged; NULL = efficiencies and runtime_s
} pj_repeated_gate_opts;

typedef struct pj_repeated_verdict {
    pj_table *table; // metric, median and interval of both, shift, chance, verdict
    size_t regressed;
    const char *lack; // why a judged metric has no value; NULL = all have
} pj_repeated_verdict;

/// A metric has regressed when the median of all differences (Hodges-Lehmann) is worse by more than
/// is allowed, and that is less likely by chance than 0.05 (Mann-Whitney, one-sided); of one run
/// each, or groups too small to tell, the first alone decides, which the note says. PJ_E_USAGE: no
/// such metric, or no runs on one side.
PJ_CHECKED bool pj_repeated_gate(const pj_metrics *metrics, pj_repeated_gate_opts opts,
                                 pj_repeated_verdict *out, pj_err *err);

#endif
