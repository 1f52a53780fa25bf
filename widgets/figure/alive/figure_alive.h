// What makes a figure alive where scripts run: alive.js with the figure's data (pj_figure.alive),
// else search.js with its hover texts (pj_figure.searched). Ownership: output is appended to the
// caller's buffer.
#ifndef PJ_FIGURE_ALIVE_H
#define PJ_FIGURE_ALIVE_H

#include "metrics/base/buf.h"
#include "widgets/figure/figure.h"

/// link.js, alive.js, search.js; made by embed.cmake.
extern const char pj_figure_link_script[], pj_figure_alive_script[], pj_figure_search_script[];

/// <script> of link.js alone, for lists of calls that stand without a picture.
void pj_figure_link_html(pj_buf *out);
/// <script> behind the element with that id, whose parent is the picture as it is without scripts;
/// nothing when the figure is to be neither.
void pj_figure_alive_html(const pj_figure *figure, const char *id, pj_buf *out);
/// The same inside of an <svg> that is a file of its own.
void pj_figure_alive_svg(const pj_figure *figure, pj_buf *out);

#endif
