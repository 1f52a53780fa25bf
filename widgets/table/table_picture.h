// A plain table (statistics, facts, oddities) as a figure, to be exported as a picture. Ownership:
// new figure.
#ifndef PJ_TABLE_PICTURE_H
#define PJ_TABLE_PICTURE_H

#include "metrics/table/table.h"
#include "widgets/figure/draw.h"
#include "widgets/figure/figure.h"

#include <stdatomic.h>

/// A picture has an end: more rows are named under the table, not drawn; so are columns that do
/// not fit in PJ_PICTURE_WIDTH px.
enum { PJ_PICTURE_ROWS = 500, PJ_PICTURE_WIDTH = 4000 };

/// Laying out ends where `stop` is raised (NULL = never); the figure is of no use then.
pj_figure *pj_table_picture(const pj_table *table, const pj_draw *draw, const atomic_bool *stop);

#endif
