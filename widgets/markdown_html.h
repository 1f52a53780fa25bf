// Markdown as HTML: headings, paragraphs, lists, tables, code, emphasis, links, pictures. What is
// no Markdown of this kind is shown as it stands; raw HTML is text and comments vanish, so that a
// page is safe whatever the text. Ownership: output is appended to the caller's buffer.
#ifndef PJ_MARKDOWN_HTML_H
#define PJ_MARKDOWN_HTML_H

#include "metrics/base/buf.h"

/// `anchor` (may be NULL) begins the ids of headings, which are numbered from `*headings` on.
void pj_markdown_html(pj_buf *out, pj_str markdown, const char *anchor, unsigned *headings);
/// Text without its marks: a heading for a table of contents.
void pj_markdown_html_line(pj_buf *out, pj_str line);
/// Level of the heading that a line is, 0 = none; `*text` becomes what follows the marks.
unsigned pj_markdown_heading(pj_str line, pj_str *text);

#endif
