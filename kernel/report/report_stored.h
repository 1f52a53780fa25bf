// Pictures that a notebook keeps in its outputs, made fit for documents. Ownership: borrow.
#ifndef PJ_REPORT_STORED_H
#define PJ_REPORT_STORED_H

#include "kernel/report/report.h"
#include "metrics/base/err.h"

/// A notebook keeps its pictures once, as SVG inside of HTML. Beside each that has no part for
/// documents this puts one: image/svg+xml for Markdown, application/pdf for PDF, which takes
/// rsvg-convert; without it that is said once, and the report has what else the outputs hold. A
/// picture that cannot be converted is left as it is. Errors: PJ_E_STOPPED, PJ_E_IO.
PJ_CHECKED bool pj_report_stored(pj_report *report, json_t *notebook, pj_err *err);

#endif
