// The call tree as rows of boxes: icicles hang from their root, flames stand on it.
// Ownership: new figures.
#ifndef PJ_CALL_ROWS_H
#define PJ_CALL_ROWS_H

#include "metrics/base/err.h"
#include "metrics/profile/profile.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/plot.h"

/// `upwards`: the root lies at the bottom. Errors: those of pj_call_view_new.
PJ_CHECKED pj_figure *pj_call_rows(const pj_profile *profile, const pj_plot_opts *opts,
                                   bool upwards, const pj_draw *draw, pj_err *err);

#endif
