// Lines over any column.
#include "metrics/base/err.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/plot.h"
#include "widgets/plot/plot_points.h"

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    return pj_plot_points(data.table, opts, true, draw, err);
}

const pj_plot pj_plot_line = {
    .name = "line",
    .title = "Lines",
    .help = "Columns of a table over another, as lines; `by` splits them into one line per value.",
    .source = PJ_PLOT_TABLE,
    .make = make,
};
