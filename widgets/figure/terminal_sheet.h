// Cells of a terminal: each is two by four dots of area, and above them lines, a marker or a
// letter. Colours are opaque, 0 is the paper. What lies outside is not drawn. Ownership: new/free.
#ifndef PJ_TERMINAL_SHEET_H
#define PJ_TERMINAL_SHEET_H

#include "metrics/base/buf.h"
#include "widgets/figure/figure.h"

enum { PJ_CELL_WIDTH = 7, PJ_CELL_HEIGHT = 14 }; // px
static const double PJ_DOT = PJ_CELL_WIDTH / 2.0;

typedef struct pj_terminal_sheet pj_terminal_sheet;

/// For the size and background of `figure`.
pj_terminal_sheet *pj_terminal_sheet_new(const pj_figure *figure, bool colour);
void pj_terminal_sheet_free(pj_terminal_sheet *sheet);

/// A colour on the figure's background; 0 where nobody could tell them apart.
pj_colour pj_terminal_seen(const pj_terminal_sheet *sheet, pj_colour colour);
/// A dot of an area; the lines below it vanish.
void pj_terminal_area(pj_terminal_sheet *sheet, long x, long y, pj_colour colour);
/// A dot of a line.
void pj_terminal_dot(pj_terminal_sheet *sheet, long x, long y, pj_colour colour);
/// A line along a row or a column, in px.
void pj_terminal_rule(pj_terminal_sheet *sheet, pj_point from, pj_point to, bool dashed);
void pj_terminal_marker(pj_terminal_sheet *sheet, pj_point at, uint32_t glyph, pj_colour ink);
/// A text mark. It gives way to those before it by a few cells, or is left out; a turned one stands
/// letter below letter.
void pj_terminal_text(pj_terminal_sheet *sheet, const pj_mark *mark);

void pj_terminal_sheet_write(const pj_terminal_sheet *sheet, pj_buf *out);

#endif
