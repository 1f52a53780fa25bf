// The hover layer of a figure: its hot spots as an SVG overlay and as HTML that works with scripts
// and styles removed. Ownership: output is appended to the caller's buffer.
#ifndef PJ_FIGURE_HOVER_H
#define PJ_FIGURE_HOVER_H

#include "metrics/base/buf.h"
#include "metrics/base/str.h"
#include "widgets/figure/figure.h"

typedef struct pj_hover_area {
    double x, y, w, h; // px, at least a fingertip wide
    const char *text;  // borrowed from the figure
} pj_hover_area;

/// Bounds of a mark with hover text, grown to at least 8 px; false when it has none.
bool pj_hover_spot(const pj_mark *mark, pj_hover_area *out);
size_t pj_hover_count(const pj_figure *figure);
/// Transparent rectangles with <title>, to be put before </svg>.
void pj_hover_svg(const pj_figure *figure, pj_buf *out);
/// The picture (`src` is a URL) with an image map and titled boxes over it; `id` is unique in the
/// page. A wide picture scrolls; with scripts it zooms (Ctrl + wheel, drag, double click).
void pj_hover_html(const pj_figure *figure, const char *id, pj_str src, pj_buf *out);

#endif
