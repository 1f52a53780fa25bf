// Time from left to right, one lane for each rank or thread: the frame of the region plot and of
// the timeline. What lanes show is painted by pixel, so that a picture costs the same however much
// there is to see. Ownership: everything is in the figure's arena.
#ifndef PJ_LANES_H
#define PJ_LANES_H

#include "widgets/figure/chart.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"

typedef struct pj_lanes_opts {
    const char *title, *subtitle, *note; // NULL = none
    double width, height;                // 0 = the default
    const pj_chart_key *keys;            // of the legend
    size_t key_count;
    const char *lane_title;   // "Rank"
    const char *const *names; // of the lanes
    size_t lane_count;
    uint64_t from_ns, to_ns; // the whole axis
} pj_lanes_opts;

typedef struct pj_lanes {
    pj_chart chart;
    uint64_t from_ns, to_ns;
    size_t lane_count;
    size_t rows;    // of pixels that are told apart; several lanes share one when there are many
    size_t columns; // of pixels
    double row_px;  // height of a row
    size_t high;    // pixels of a row, of which `body` are painted
    size_t body;
    pj_colour *pixels;
} pj_lanes;

/// Rows and columns that a picture of so many lanes has; opts.width and height 0 = the default.
void pj_lanes_size(double width, double height, size_t lane_count, size_t *rows, size_t *columns);
pj_lanes pj_lanes_new(pj_lanes_opts opts, const pj_draw *draw);
static inline size_t pj_lanes_row(const pj_lanes *lanes, size_t lane)
{
    return lanes->lane_count ? lane * lanes->rows / lanes->lane_count : 0;
}
/// px of a time.
double pj_lanes_x(const pj_lanes *lanes, double ns);
/// px of the middle of a lane.
double pj_lanes_y(const pj_lanes *lanes, size_t lane);
/// Column of a time, as a real number.
double pj_lanes_column(const pj_lanes *lanes, uint64_t ns);
/// Paints a column of a row from one part of its height to another (0 = bottom, 1 = top).
void pj_lanes_paint(pj_lanes *lanes, size_t row, size_t column, double from, double to,
                    pj_colour colour);
/// Puts what was painted into the figure; hover texts and messages come on top of it.
void pj_lanes_finish(pj_lanes *lanes);
/// Hatches the lane in the middle of which `y` is, in px, between two places: pale lines beside
/// dark ones, so that some stand out whatever the colour, in dark themes too. `hover` may be NULL.
void pj_lanes_hatch_between(pj_lanes *lanes, double y, double from, double to, const char *hover);
/// Hatches part of a row, between two columns.
void pj_lanes_hatch(pj_lanes *lanes, size_t row, size_t from_column, size_t to_column);
/// A hover text over part of a row, between two columns.
void pj_lanes_hover(pj_lanes *lanes, size_t row, double from_column, double to_column,
                    const char *text);

#endif
