// The parts of a run by name. Ownership: borrow; a part lives as long as its run.
#ifndef PJ_RUN_PARTS_H
#define PJ_RUN_PARTS_H

#include "metrics/base/err.h"
#include "metrics/run/run.h"

/// The part, or the run itself by the name of its whole (pj_run_origin). NULL with PJ_E_MISSING,
/// which names what there is.
PJ_CHECKED pj_run *pj_run_parts_named(pj_run *run, const char *name, pj_err *err);

#endif
