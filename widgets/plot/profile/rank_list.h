// The functions of one rank or thread, those with most time of their own first: names, bars,
// numbers.
#ifndef PJ_RANK_LIST_H
#define PJ_RANK_LIST_H

#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/plot/plot.h"
#include "widgets/plot/profile/rank_values.h"

/// Of the values of a single location. NULL = no function has time of its own.
pj_figure *pj_rank_list(const pj_rank_values *values, pj_plot_opts opts, const pj_draw *draw);

#endif
