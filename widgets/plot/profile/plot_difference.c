// What changed between two profiles by call path: as wide as now, coloured by the change.
#include "metrics/base/err.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/plot.h"
#include "widgets/plot/profile/call_rows.h"

static pj_figure *make(pj_plot_data data, pj_plot_opts opts, const pj_draw *draw, pj_err *err)
{
    if (opts.profile.before)
        return pj_call_rows(data.profile, &opts, true, draw, err);
    pj_fail(err, PJ_E_USAGE, NULL, 0,
            "two profiles are wanted, what was and what is: plot difference BEFORE AFTER");
    return NULL;
}

const pj_plot pj_plot_difference = {
    .name = "difference",
    .title = "Difference of two profiles",
    .help = "What changed from one profile to another by call path: red takes more, blue less.",
    .source = PJ_PLOT_PROFILE,
    .pair = true,
    .make = make,
};
