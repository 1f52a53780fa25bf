// A figure: a display list of marks in figure units with hover texts. Plots make figures; only
// figure_cairo.c draws them. Ownership: new/free; everything inside is arena.
#ifndef PJ_FIGURE_H
#define PJ_FIGURE_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"

#define PJ_FONT_SIZE 12.0

/// Colours are 0xRRGGBBAA.
typedef uint32_t pj_colour;

typedef enum pj_anchor { PJ_ANCHOR_START, PJ_ANCHOR_MIDDLE, PJ_ANCHOR_END } pj_anchor;

typedef enum pj_mark_kind {
    PJ_MARK_RECT,
    PJ_MARK_LINE,
    PJ_MARK_PATH,
    PJ_MARK_DISC,
    PJ_MARK_TEXT,
    PJ_MARK_IMAGE
} pj_mark_kind;

typedef struct pj_point {
    double x, y;
} pj_point;

typedef struct pj_mark {
    pj_mark_kind kind;
    double x, y, w,
        h; // rect, image; x, y .. w, h is from .. to of a line; disc: centre, w = radius
    const pj_point *points; // path
    size_t point_count;
    bool closed;            // path
    pj_colour fill, stroke; // alpha 0 = none
    double stroke_width;
    double dash;      // 0 = solid
    double radius;    // rounded corners
    bool hatch;       // diagonal hatching over the fill (values above 1)
    const char *text; // text; UTF-8
    double size;      // text, in px
    bool bold, italic;
    double angle; // text, degrees counter-clockwise
    pj_anchor anchor;
    const pj_colour *pixels; // image, row by row, each opaque or 0; the figure's arena or longer
    size_t pixel_columns, pixel_rows;
    const char *hover; // shown when the pointer is over the mark's bounds; NULL = none
    const char *key;   // stable name for tests and selection ("cell:2:load_balance")
} pj_mark;

typedef struct pj_figure {
    pj_arena *arena;
    double width, height; // px at 1x; 1 px = 0.75 pt in PDF
    double pixels;        // of a PNG per px; 0 = 2
    bool light;           // a PNG has few colours: see pj_figure_round
    pj_colour background; // drawn first; figures are opaque so that they read on dark themes too
    const char *title;    // for screen readers: <title>, alt
    const char *summary;  // one or two sentences that say what is seen: <desc>
    const char *dot;      // the same as a graph in graphviz's language; NULL = none
    const char *alive;    // data for alive.js, an object of JSON without < > &; NULL = none
    bool searched;        // where scripts run its hover texts are searched, and reached by keys
    const char *lack;     // why there is nothing but `dot`; NULL = there is a picture
    /// Of pictures over time: where their axis begins and ends, in px and in ns; to_ns 0 = none.
    double time_left, time_right;
    uint64_t from_ns, to_ns;
    pj_mark *marks;
    size_t mark_count, mark_cap;
} pj_figure;

pj_figure *pj_figure_new(double width, double height, const char *title);
void pj_figure_free(pj_figure *figure);
static inline void pj_figure_drop(pj_figure **figure)
{
    pj_figure_free(*figure);
}
#define pj_auto_figure __attribute__((cleanup(pj_figure_drop))) pj_figure *

/// Copies texts and points; returns the mark, valid until the next one is added.
pj_mark *pj_figure_add(pj_figure *figure, pj_mark mark);

/// What users say of the size of a picture; 0 = not said.
typedef struct pj_picture_size {
    double width, height; // px
    double font_size;     // px of ordinary text, which is 12
    double pixels;        // of a PNG per px
} pj_picture_size;

/// How much larger than usual everything is.
static inline double pj_picture_zoom(pj_picture_size size)
{
    return size.font_size > 0 ? size.font_size / PJ_FONT_SIZE : 1;
}
/// Brings a figure that was laid out for width and height divided by the zoom to its size; returns
/// how much smaller all of it is since it needed more room, 1 = not at all.
double pj_figure_zoom(pj_figure *figure, pj_picture_size size);
/// Brings a figure of any size to a width and a height, else to a size of its text.
void pj_figure_fit(pj_figure *figure, pj_picture_size size);

#endif
