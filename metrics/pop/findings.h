// What an analyst would say about a result at first sight: the lowest part at each level of the
// tree, the course of a metric. Ownership: arena; metrics are borrowed.
#ifndef PJ_FINDINGS_H
#define PJ_FINDINGS_H

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
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
} pj_finding;

typedef struct pj_findings {
    pj_finding *items;
    size_t count;
} pj_findings;

/// From here on nothing is said about an efficiency.
#define PJ_FINDINGS_GOOD 0.95
/// The value as an efficiency (of an inefficiency 1 - value); false when there is none.
bool pj_findings_quality(const pj_metrics *metrics, size_t run, size_t row, double *quality);
/// "MPI load balance" within a sentence: "global efficiency".
const char *pj_findings_title(const pj_metrics *metrics, size_t row, pj_arena *arena);

/// From the top down, at each level the part that is lowest in `run`, near ties named; ends above a
/// part of PJ_FINDINGS_GOOD.
pj_findings pj_findings_path(const pj_metrics *metrics, size_t run, pj_arena *arena);
/// From the first run to the last as a sentence: "Load balance falls from 1.000 (1x1) to 0.901
/// (64x1); its lowest value is 0.879 (8x1)." or why there is no value. Above 1 nothing is lost,
/// which it says.
const char *pj_findings_course(const pj_metrics *metrics, size_t row, pj_arena *arena);

#endif
