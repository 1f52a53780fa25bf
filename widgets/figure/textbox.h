// Text in figures: measured, elided, wrapped. Ownership: texts are arena.
#ifndef PJ_TEXTBOX_H
#define PJ_TEXTBOX_H

#include "metrics/base/arena.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"

/// How a text looks. A zeroed style is body text in PJ_INK, anchored at its start.
typedef struct pj_style {
    double size; // px; 0 = 12
    bool bold, italic;
    pj_colour colour; // 0 = PJ_INK
    pj_anchor anchor;
    double angle; // degrees counter-clockwise
    bool halo;    // a rim of the paper's colour, for text over lines
} pj_style;

double pj_textbox_width(const pj_draw *draw, const char *text, pj_style style);
/// Cut with an ellipsis so that it is at most `width` px wide.
const char *pj_textbox_elide(const pj_draw *draw, pj_arena *arena, const char *text, pj_style style,
                             double width);
/// The same with the ellipsis in the middle: ends tell names of runs apart.
const char *pj_textbox_squeeze(const pj_draw *draw, pj_arena *arena, const char *text,
                               pj_style style, double width);
/// Breaks at blanks into `*lines`; returns their number.
size_t pj_textbox_wrap(const pj_draw *draw, pj_arena *arena, const char *text, pj_style style,
                       double width, const char ***lines);
/// Adds a text mark with its baseline at y.
pj_mark *pj_textbox_put(pj_figure *figure, double x, double y, const char *text, pj_style style);
/// Adds a heading of at most three lines whose first baseline is at y; of a longer one the last
/// line is cut and the whole hovers. Returns the baseline after the last line.
double pj_textbox_heading(pj_figure *figure, const pj_draw *draw, pj_point at, double width,
                          const char *text, pj_style style);
/// Adds the title of a table, a heading `margin` px from the edges of a figure whose width is
/// known; returns where the table begins.
double pj_textbox_title(pj_figure *figure, const pj_draw *draw, double margin, const char *text);
/// Adds wrapped text whose first baseline is at y; returns the baseline after the last line.
double pj_textbox_paragraph(pj_figure *figure, const pj_draw *draw, pj_point at, double width,
                            const char *text);

/// Size, line height and style of a paragraph.
#define PJ_TEXTBOX_SMALL 11.0
#define PJ_TEXTBOX_LINE 16.0
/// Space between lines of a heading.
#define PJ_TEXTBOX_LEADING 6.0
static const pj_style pj_textbox_title_style = {.size = 15, .bold = true};
static const pj_style pj_textbox_note = {.size = PJ_TEXTBOX_SMALL, .colour = PJ_MUTED};

#endif
