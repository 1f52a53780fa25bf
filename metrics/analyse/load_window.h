// Which part of a run counts. Ownership: plain data.
#ifndef PJ_LOAD_WINDOW_H
#define PJ_LOAD_WINDOW_H

#include "metrics/base/err.h"
#include "metrics/run/run.h"
#include "metrics/stat/bracket.h"
#include "metrics/trace/roi.h"

#include <stdint.h>

/// One end of the range that the user gave, in ns of a run that ends at `end_ns`.
uint64_t pj_load_border(double value, bool percent, uint64_t end_ns);
/// The range of a run that is asked for. Errors: PJ_E_MISSING when it has nothing of it.
PJ_CHECKED bool pj_load_range(const pj_run *run, const pj_roi_request *request, pj_roi *roi,
                              pj_err *err);
/// The region of interest of a run that was read once; not set = the whole trace, and a remark says
/// why. `found`: the marks in the trace. Errors: PJ_E_MISSING: nothing lies in it.
PJ_CHECKED bool pj_load_window(pj_run *run, const pj_roi_request *request, const pj_bracket *found,
                               pj_roi *roi, pj_err *err);

#endif
