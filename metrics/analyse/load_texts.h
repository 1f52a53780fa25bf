// What people write beside the options of load_how.def: what network, how much memory, what of a
// timeline. Ownership: borrowed texts; NULL = not given.
#ifndef PJ_LOAD_TEXTS_H
#define PJ_LOAD_TEXTS_H

#include "metrics/analyse/load.h"
#include "metrics/analyse/load_how.h"
#include "metrics/base/err.h"
#include "metrics/replay/network.h"
#include "metrics/run/timeline.h"

typedef struct pj_load_texts {
    pj_load_how how;
    const char *latency, *bandwidth, *eager, *memory;
    const char *range, *ranks; // of a timeline
} pj_load_texts;

/// Each leaves as it is what no text speaks of. Errors: PJ_E_USAGE.
PJ_CHECKED bool pj_load_texts_network(const pj_load_texts *texts, pj_network *network, pj_err *err);
PJ_CHECKED bool pj_load_texts_timeline(const pj_load_texts *texts, pj_timeline_opts *timeline,
                                       pj_err *err);
PJ_CHECKED bool pj_load_texts_memory(const pj_load_texts *texts, uint64_t *bytes, pj_err *err);

/// What the timeline that is asked for needs beside it: of waits the longest ones of its range.
void pj_load_ask_timeline(pj_load_opts *opts);

#endif
