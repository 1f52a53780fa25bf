// The efficiency table as a figure. Ownership: new figure.
#ifndef PJ_TABLE_FIGURE_H
#define PJ_TABLE_FIGURE_H

#include "metrics/pop/metrics.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"
#include "widgets/figure/palette.h"

pj_figure *pj_table_figure(const pj_metrics *metrics, pj_palette palette, const pj_draw *draw);

#endif
