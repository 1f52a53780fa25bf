// An executed notebook as one HTML file that refers to nothing else. Ownership: output is appended
// to the caller's buffer; the notebook is borrowed.
#ifndef PJ_REPORT_PAGE_H
#define PJ_REPORT_PAGE_H

#include "metrics/base/buf.h"
#include "metrics/base/str.h"

#include <jansson.h>

/// Texts of files that every page takes in.
typedef struct pj_report_page_parts {
    pj_str style, script, logo; // CSS, JavaScript, an <svg> element
} pj_report_page_parts;

/// Cells as the report's templates show them: no code unless metadata.popinjay.report.code, hidden
/// ones left out, captions numbered. Without scripts it reads as well; they sort and filter tables,
/// link pictures and change the theme.
void pj_report_page(const json_t *notebook, const pj_report_page_parts *parts, pj_buf *out);

#endif
