// The frame every plot stands in: title, legend, axes, grid, notes, and labels beside lines.
// Ownership: the chart's figure is new; everything else is in its arena.
#ifndef PJ_CHART_H
#define PJ_CHART_H

#include "metrics/base/arena.h"
#include "widgets/figure/axis.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/textbox.h"

typedef struct pj_chart_key {
    const char *name;
    pj_colour colour;
} pj_chart_key;

typedef struct pj_chart_opts {
    const char *title, *subtitle, *note; // NULL = none
    double width, height;                // 0 = the default, higher when labels are turned
    pj_axis x, y;                        // ranges and titles; px are filled in
    double room;                         // px on the right for labels beside lines
    const pj_chart_key *keys;            // of the legend
    size_t key_count;
} pj_chart_opts;

typedef struct pj_chart {
    pj_figure *figure;
    const pj_draw *draw;
    pj_arena *arena; // the figure's
    pj_axis x, y;
    double left, right, top, bottom; // of the plot area
} pj_chart;

/// Draws the frame; marks are added afterwards with pj_chart_x and pj_chart_y.
pj_chart pj_chart_new(pj_chart_opts opts, const pj_draw *draw);
static inline double pj_chart_x(const pj_chart *chart, double value)
{
    return pj_axis_at(&chart->x, value);
}
static inline double pj_chart_y(const pj_chart *chart, double value)
{
    return pj_axis_at(&chart->y, value);
}

/// A line through points in px, cut at the plot area's top and bottom by the caller.
void pj_chart_line(pj_chart *chart, const pj_point *points, size_t count, pj_mark look);
/// A point of a series with its hover text; PJ_NONE hovers without being seen.
void pj_chart_dot(pj_chart *chart, pj_point at, pj_colour colour, double radius, const char *hover);

/// A text beside the right end of a line.
typedef struct pj_chart_label {
    double y; // px where the line ends
    const char *text;
    pj_colour colour;
    bool bold;
} pj_chart_label;

/// px needed right of the plot area.
double pj_chart_label_room(const pj_draw *draw, pj_arena *arena, const pj_chart_label *labels,
                           size_t count);
/// Writes labels so that none covers another; sorts them.
void pj_chart_labels(pj_chart *chart, pj_chart_label *labels, size_t count);

/// Readable colour for text in a series' colour.
pj_colour pj_chart_ink(pj_colour colour);

#define PJ_CHART_WIDTH 660.0

#endif
