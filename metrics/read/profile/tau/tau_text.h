// One text file of TAU: functions, user events, metadata of a thread, for one metric.
// Ownership: borrow.
#ifndef PJ_TAU_TEXT_H
#define PJ_TAU_TEXT_H

#include "metrics/base/str.h"
#include "metrics/read/profile/tau/trial.h"

typedef struct pj_tau_text {
    pj_trial *trial;
    uint32_t location;
    size_t metric;    // calls, user events and metadata are those of metric 0
    const char *what; // why it could not be read whole, a constant; NULL = it could
    uint64_t line;    // where
} pj_tau_text;

/// The metric that the file says it is of; a view of `bytes` or a constant.
pj_str pj_tau_text_metric(pj_str bytes);
/// Adds what the file holds; false with `what` and `line` set when functions are missing.
bool pj_tau_text_read(pj_tau_text *text, pj_str bytes);

#endif
