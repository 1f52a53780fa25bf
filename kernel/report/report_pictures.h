// Pictures that the text of a notebook shows, files beside it and attachments of cells, taken along
// into a report. Ownership: borrow.
#ifndef PJ_REPORT_PICTURES_H
#define PJ_REPORT_PICTURES_H

#include "kernel/report/report.h"
#include "metrics/base/err.h"

/// Rewrites the references of all text cells of `notebook`, whose relative ones begin in `from`:
/// HTML holds its pictures itself; for other formats they become files of the private folder, in
/// its folder `files` (NULL = itself). What a PDF cannot print is said and stands there as its
/// text; what cannot be read stays as it is elsewhere. Errors: PJ_E_IO, PJ_E_STOPPED.
PJ_CHECKED bool pj_report_pictures(pj_report *report, json_t *notebook, const char *from,
                                   const char *files, pj_err *err);

#endif
