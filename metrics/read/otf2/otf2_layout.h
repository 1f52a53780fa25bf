// From locations, location groups and communicators of an OTF2 archive to ranks and threads.
// Ownership: borrow.
#ifndef PJ_OTF2_LAYOUT_H
#define PJ_OTF2_LAYOUT_H

#include "metrics/base/err.h"
#include "metrics/read/otf2/otf2_defs.h"
#include "metrics/read/otf2/otf2_gather.h"
#include "metrics/run/run.h"

/// Fills locations and communicators of `defs`, layout and communicators of `run`.
PJ_CHECKED bool pj_otf2_layout_resolve(pj_otf2_defs *defs, const pj_otf2_gathered *all, pj_run *run,
                                       pj_err *err);

#endif
