// Options of reading as people write them, in a shell, a cell or the fields of a page: which part
// of a trace, what network, what of a timeline. Ownership: borrowed texts; NULL = not given.
#ifndef PJ_LOAD_TEXTS_H
#define PJ_LOAD_TEXTS_H

#include "metrics/analyse/load.h"
#include "metrics/base/err.h"
#include "metrics/replay/network.h"
#include "metrics/run/timeline.h"

typedef struct pj_load_texts {
    const char *roi, *roi_cut, *clock;
    const char *latency, *bandwidth, *eager, *memory;
    const char *range, *ranks; // of a timeline
} pj_load_texts;

/// Each leaves as it is what no text speaks of. Errors: PJ_E_USAGE.
PJ_CHECKED bool pj_load_texts_part(const pj_load_texts *texts, pj_load_opts *opts, pj_err *err);
PJ_CHECKED bool pj_load_texts_network(const pj_load_texts *texts, pj_network *network, pj_err *err);
PJ_CHECKED bool pj_load_texts_timeline(const pj_load_texts *texts, pj_timeline_opts *timeline,
                                       pj_err *err);
PJ_CHECKED bool pj_load_texts_memory(const pj_load_texts *texts, uint64_t *bytes, pj_err *err);

#endif
