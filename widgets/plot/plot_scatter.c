// Points of any two columns.
#include "metrics/base/err.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/plot.h"
#include "widgets/plot/plot_points.h"

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    return pj_plot_points(data.table, opts, false, draw, err);
}

const pj_plot pj_plot_scatter = {
    .name = "scatter",
    .title = "Points",
    .help = "Columns of a table against another, as points; `by` gives each value its colour.",
    .source = PJ_PLOT_TABLE,
    .make = make,
};
