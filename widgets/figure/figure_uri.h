// Pictures inside of HTML: an SVG as the address of an <img>, and found there again. Ownership:
// output is appended to the caller's buffer.
#ifndef PJ_FIGURE_URI_H
#define PJ_FIGURE_URI_H

#include "metrics/base/buf.h"
#include "metrics/base/str.h"

/// Adds a file of pj_figure_svg as a data: URI for an attribute in double quotes. A fifth shorter
/// than Base64, and only what HTML, XML and URIs would misread is escaped.
void pj_figure_uri(pj_str svg, pj_buf *out);
/// Adds the first SVG that an <img> of `html` holds as a data: URI, of this or another program;
/// false when there is none.
bool pj_figure_uri_read(pj_str html, pj_buf *out);

#endif
