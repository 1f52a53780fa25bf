// Region of interest: what the user asks for and what it means on a trace (DEFINITIONS 7).
// Ownership: plain data.
#ifndef PJ_ROI_H
#define PJ_ROI_H

#include "metrics/base/err.h"
#include "metrics/base/str.h"

typedef enum pj_roi_kind {
    PJ_ROI_AUTO,       // tracing on/off events when the trace has them
    PJ_ROI_OFF,        // the whole trace
    PJ_ROI_RANGE,      // from .. to
    PJ_ROI_ITERATIONS, // first .. last, or those of the steady state
} pj_roi_kind;

typedef struct pj_roi_request {
    pj_roi_kind kind;
    double from, to; // ns, or percent of the trace's length
    bool from_percent, to_percent;
    uint32_t first, last; // iterations
    bool steady;
    bool drop; // --roi-cut=drop: leave out states that cross a border instead of clipping them
} pj_roi_request;

/// "auto", "off", "1.5s..20s", "10%..90%"; either end may be left out. "iterations",
/// "iterations:3..8", "iterations:3", of AI runs also "steps:3..8", where PJ_ROI_ITERATIONS can be
/// served.
PJ_CHECKED bool pj_roi_parse(pj_str text, pj_roi_request *out, pj_err *err);

#endif
