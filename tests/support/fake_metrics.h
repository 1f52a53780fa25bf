// Metrics with made-up values for tests of tables and plots: no trace is read.
// Ownership: new metrics; pj_metrics_release.
#ifndef PJ_FAKE_METRICS_H
#define PJ_FAKE_METRICS_H

#include "metrics/pop/metrics.h"

typedef struct pj_fake_run {
    uint32_t ranks, threads; // threads per rank
    const char *name;        // NULL = "run_<ranks>x<threads>"
    const char *tag;         // NULL = none
} pj_fake_run;

typedef struct pj_fake_opts {
    const char *set; // key of a built-in set; NULL = "mpi"
    const char *title;
    pj_key by;
    bool missing; // instructions and cycles are not there: n/a
    bool above;   // IPC scaling passes 1
    bool remarks; // one of each severity
} pj_fake_opts;

/// Efficiencies fall with the number of threads, each metric at its own pace.
pj_metrics *pj_fake_metrics(const pj_fake_run *runs, size_t count, pj_fake_opts opts);

#endif
