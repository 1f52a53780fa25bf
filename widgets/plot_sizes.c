// How many messages have which size, in powers of two.
#include "widgets/plot.h"

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    opts.x = opts.x ? opts.x : "from";
    opts.title = opts.title ? opts.title : data.table->title;
    opts.y[0] = opts.y[0] ? opts.y[0] : "count";
    return pj_plot_bar.make(data, opts, draw, err);
}

const pj_plot pj_plot_sizes = {
    .name = "sizes",
    .title = "Sizes of messages",
    .help = "Messages by their size in bytes, in powers of two.",
    .source = PJ_PLOT_TABLE,
    .question = PJ_PLOT_SIZES,
    .most_y = 1,
    .make = make,
};
