// Text made safe inside a format. Ownership: borrow; all append valid UTF-8 to `out`,
// without controls that a terminal would obey.
#ifndef PJ_ESCAPE_H
#define PJ_ESCAPE_H

#include "metrics/base/buf.h"
#include "metrics/base/str.h"

/// For element content and double-quoted attributes of HTML and XML; line ends become &#10;.
void pj_escape_html(pj_buf *out, pj_str text);
/// The same of a sentence: names that are written from right to left leave its numbers in their
/// places.
void pj_escape_sentence(pj_buf *out, pj_str text);
/// For LaTeX text mode, also inside a cell: line ends become blanks.
void pj_escape_tex(pj_buf *out, pj_str text);
/// For a cell of a Markdown table (GitHub's dialect): one line, no cell ends, no raw HTML; options
/// (`--jobs`) keep both dashes.
void pj_escape_md(pj_buf *out, pj_str text);
/// One field of RFC 4180: quoted when it holds a comma, a quote, a line end, or a blank at an end.
/// A text that a spreadsheet would compute (it begins with = + - @) gets an apostrophe before it.
void pj_escape_csv(pj_buf *out, pj_str text);

#endif
