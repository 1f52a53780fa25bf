// Several runs below each other, each drawn as it is alone. Ownership: new figures and tables.
#ifndef PJ_PLOT_PANELS_H
#define PJ_PLOT_PANELS_H

#include "metrics/base/err.h"
#include "metrics/run/study/study.h"
#include "metrics/table/table.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/plot.h"

/// PJ_E_USAGE: too many runs to be seen; else errors of `plot`, which draws one of them.
PJ_CHECKED pj_figure *pj_plot_panels(const pj_plot *plot, const pj_study *study, pj_plot_opts opts,
                                     const pj_draw *draw, pj_err *err);

/// The numbers of all runs, behind the name of each.
pj_table *pj_plot_panels_table(const pj_plot *plot, const pj_study *study);

#endif
