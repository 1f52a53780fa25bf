// Where time goes by call path: callees below their callers, as wide as their time.
#include "metrics/base/err.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/plot.h"
#include "widgets/plot/profile/call_rows.h"

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    return pj_call_rows(data.profile, &opts, false, draw, err);
}

const pj_plot pj_plot_icicle = {
    .name = "icicle",
    .title = "Icicle",
    .help = "Where the time of a profile goes by call path, callees below their callers.",
    .source = PJ_PLOT_PROFILE,
    .topic = "functions",
    .make = make,
};
