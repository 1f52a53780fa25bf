// Pieces that every HTML output shares. Colours are inherited and rules half transparent, so that
// light and dark pages both read well. Ownership: borrow; output is appended.
#ifndef PJ_HTML_PAGE_H
#define PJ_HTML_PAGE_H

#include "metrics/base/buf.h"
#include "metrics/base/str.h"

/// Opens and closes a whole document around a fragment.
void pj_html_page_open(pj_buf *out, pj_str title);
void pj_html_page_close(pj_buf *out);
/// <div> with a bold title; nothing when it is empty.
void pj_html_title(pj_buf *out, pj_str title);
/// A muted line under a table.
void pj_html_note(pj_buf *out, const char *mark, pj_str text);
/// Appends ` title="..."` with the text escaped; nothing when it is empty.
void pj_html_tooltip(pj_buf *out, pj_str text);

#define PJ_HTML_FONT                                                                               \
    "font-family:system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;font-size:13px;"      \
    "font-variant-numeric:tabular-nums"
#define PJ_HTML_RULE "rgba(128,128,128,.35)"
/// Blocks that stand side by side (metrics/table/spread.h).
#define PJ_HTML_BLOCKS "font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:10px"

#endif
