// Texts beside the points of a chart, placed where they cover no line, no marker and no other text.
// Ownership: begin/free; texts are the figure's.
#ifndef PJ_CALLOUT_H
#define PJ_CALLOUT_H

#include "widgets/figure/chart.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/textbox.h"

typedef struct pj_callout_box {
    double left, top, right, bottom; // px
} pj_callout_box;

typedef struct pj_callouts {
    pj_chart *chart;
    pj_point *lines; // pairs: ends of pieces
    size_t line_count, line_cap;
    pj_callout_box *boxes; // markers and texts
    size_t box_count, box_cap;
} pj_callouts;

void pj_callouts_free(pj_callouts *callouts);
/// A line that is drawn through points in px.
void pj_callouts_avoid_line(pj_callouts *callouts, const pj_point *points, size_t count);
void pj_callouts_avoid_disc(pj_callouts *callouts, pj_point at, double radius);
/// Writes a text near a point; false when there is no room for it. `above`: rather there than
/// below.
bool pj_callouts_put(pj_callouts *callouts, pj_point at, const char *text, pj_style style,
                     bool above);

#endif
