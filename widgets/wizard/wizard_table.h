// The efficiency table of the wizard as pieces of HTML around the buttons of its names.
// Ownership: borrow; output is appended.
#ifndef PJ_WIZARD_TABLE_H
#define PJ_WIZARD_TABLE_H

#include "metrics/base/buf.h"
#include "widgets/figure/palette.h"
#include "widgets/table/metrics_grid.h"

enum { PJ_WIZARD_ROW_PX = 28, PJ_WIZARD_STEP_PX = 16 };

/// Numbers in rows of PJ_WIZARD_ROW_PX, in the order of the names; `turned`: runs are rows.
void pj_wizard_table_values(const pj_grid *grid, pj_palette palette, bool turned, pj_buf *out);
/// What stands above the names, as high as the heads of the columns.
void pj_wizard_table_head(const pj_grid *grid, bool turned, pj_buf *out);
/// Lines from names to those of their parts, which begin PJ_WIZARD_STEP_PX further each.
void pj_wizard_table_tree(const pj_grid *grid, pj_buf *out);
/// The colours and what they stand for.
void pj_wizard_table_legend(pj_palette palette, pj_buf *out);

#endif
