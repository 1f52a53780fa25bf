// Parts of one run in the plot of scaling: along time those that follow each other, as bars those
// that do not. Ownership: arena; figures are new.
#ifndef PJ_PLOT_PARTS_H
#define PJ_PLOT_PARTS_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/pop/metrics.h"
#include "metrics/pop/metricset.h"
#include "metrics/run/parts/slices.h"
#include "metrics/run/run.h"
#include "metrics/run/study/study.h"
#include "widgets/figure/axis.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/plot.h"

#include <stddef.h>

/// The slices or iterations that all cases but the run itself are; NULL when there are others.
const pj_slices *pj_parts_along(const pj_study *study);
/// The number of the iteration that `part` is, or the middle of the slice in s.
double pj_parts_along_place(const pj_slices *along, const pj_run *part);
/// "Time", "Iterations".
const char *pj_parts_along_title(const pj_slices *along);
/// From the first part of a run to its last; iterations have ticks at their numbers.
pj_axis pj_parts_along_axis(const pj_slices *along, pj_arena *arena);

typedef struct pj_named_part {
    const char *name;
    pj_metric_value value;
} pj_named_part;

/// A bar of each part.
PJ_CHECKED pj_figure *pj_plot_parts_bars(const pj_metric *metric, const pj_named_part *parts,
                                         size_t count, pj_plot_opts opts, const pj_draw *draw,
                                         pj_err *err);

#endif
