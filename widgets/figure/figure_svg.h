// A figure as SVG: shapes as they are, text as text that can be selected and searched. Ownership:
// the text is the caller's.
#ifndef PJ_FIGURE_SVG_H
#define PJ_FIGURE_SVG_H

#include "metrics/base/buf.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"

/// Adds the file without hover texts; two equal figures give equal bytes.
void pj_figure_svg(const pj_figure *figure, const pj_draw *draw, pj_buf *out);
/// Adds the file with title, description and hover texts; `alive`: with its script.
void pj_figure_svg_hover(const pj_figure *figure, const pj_draw *draw, bool alive, pj_buf *out);

#endif
