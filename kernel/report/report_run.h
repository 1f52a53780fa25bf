// The cells of a notebook run in this process, as a front end would have it: for reports, which so
// need no Jupyter. Ownership: the notebook is borrowed and changes.
#ifndef PJ_REPORT_RUN_H
#define PJ_REPORT_RUN_H

#include "kernel/report/report.h"
#include "metrics/base/err.h"

/// Replaces the outputs of all code cells. Fails with PJ_E_SCRIPT and the traceback of the first
/// cell that fails, or PJ_E_STOPPED.
PJ_CHECKED bool pj_report_run(pj_report *report, json_t *notebook, pj_err *err);

#endif
