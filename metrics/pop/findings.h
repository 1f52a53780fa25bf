// What an analyst would say about a result at first sight: the lowest part at each level of the
// tree, the course of a metric, where most is to be had. Ownership: arena; metrics are borrowed.
#ifndef PJ_FINDINGS_H
#define PJ_FINDINGS_H

#include "metrics/pop/metrics.h"

/// A row of advice.def.
typedef struct pj_advice {
    const char *keys;    // separated by blanks
    const char *meaning; // a clause after "the usual reason is that"
    const char *look;    // whole sentences
} pj_advice;

/// NULL past the end.
const pj_advice *pj_advice_at(size_t index);
/// Of an efficiency, inefficiency or scaling; NULL when there is none.
const pj_advice *pj_advice_of(pj_str key);

typedef struct pj_finding {
    size_t row;     // of the set
    double value;   // in the run that was asked for
    double quality; // the value; of an inefficiency 1 - value
    const char *sentence;
    const pj_advice *advice; // may be NULL
} pj_finding;

typedef struct pj_findings {
    pj_finding *items;
    size_t count;
} pj_findings;

/// From the top down, at each level the part that is lowest in `run`; ends above a part of 0.95.
pj_findings pj_findings_path(const pj_metrics *metrics, size_t run, pj_arena *arena);
/// Metrics without parts, the lowest first; those of 0.95 and better are left out.
pj_findings pj_findings_ranked(const pj_metrics *metrics, size_t run, pj_arena *arena);
/// From the first run to the last as a sentence: "Load balance falls from 1.000 (1x1) to 0.901
/// (64x1); its lowest value is 0.879 (8x1)." or why there is no value.
const char *pj_findings_course(const pj_metrics *metrics, size_t row, pj_arena *arena);

#endif
