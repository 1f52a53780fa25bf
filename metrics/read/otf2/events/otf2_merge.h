// The events of all locations of an OTF2 archive in one stream: filled in parallel, given to the
// sinks in the order of time (or one location after another), with bounded memory.
// Ownership: borrow.
#ifndef PJ_OTF2_MERGE_H
#define PJ_OTF2_MERGE_H

#include "metrics/base/err.h"
#include "metrics/read/otf2/events/otf2_location.h"
#include "metrics/read/otf2/events/otf2_match.h"
#include "metrics/read/otf2/otf2_share.h"
#include "metrics/read/pass.h"

typedef struct pj_otf2_merge {
    pj_pass *pass;
    pj_otf2_location **locations; // by location
    uint32_t count;
    pj_otf2_match *match;
    unsigned workers;
    pj_otf2_share *share; // the leader of a process group; NULL = alone
} pj_otf2_merge;

PJ_CHECKED bool pj_otf2_merge_run(const pj_otf2_merge *merge, pj_err *err);

#endif
