// Points of a table's columns with or without lines: the common part of line and scatter plots.
// Ownership: new figure.
#ifndef PJ_PLOT_POINTS_H
#define PJ_PLOT_POINTS_H

#include "metrics/base/err.h"
#include "metrics/table/table.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/plot.h"

PJ_CHECKED pj_figure *pj_plot_points(const pj_table *table, pj_plot_opts opts, bool lines,
                                     const pj_draw *draw, pj_err *err);

#endif
