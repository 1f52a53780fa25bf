// Models of the parts of a program in one picture: which of them becomes the runtime.
// Ownership: new figure.
#ifndef PJ_PLOT_MODEL_PARTS_H
#define PJ_PLOT_MODEL_PARTS_H

#include "metrics/base/err.h"
#include "metrics/pop/part_series.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/plot.h"

/// The parts that take most of the time in the largest runs or are foretold to. Errors as of
/// pj_part_models_table.
PJ_CHECKED pj_figure *pj_plot_model_parts(const pj_part_study *parts, pj_plot_opts opts,
                                          const pj_draw *draw, pj_err *err);

#endif
