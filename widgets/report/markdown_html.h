// Markdown (CommonMark with tables, strikethrough and mathematics) as HTML, read by md4c. Raw HTML
// is shown as text, comments vanish and links lead to no scripts, so that a page is safe whatever
// the text. Ownership: output is appended to the caller's buffer.
#ifndef PJ_MARKDOWN_HTML_H
#define PJ_MARKDOWN_HTML_H

#include "metrics/base/buf.h"
#include "metrics/base/str.h"

/// `anchor` (may be NULL) begins the ids of headings, which are numbered from `*headings` on.
void pj_markdown_html(pj_buf *out, pj_str markdown, const char *anchor, unsigned *headings);

/// `html` (borrow) is the heading's text, without links.
typedef void pj_markdown_found(void *user, unsigned level, pj_str html);
/// The headings in their order, as pj_markdown_html numbers them.
void pj_markdown_headings(pj_str markdown, pj_markdown_found *found, void *user);

#endif
