// An AI run at a glance: the tree of its devices, what costs most, its steps. Ownership: borrow;
// output is appended.
#ifndef PJ_WIZARD_GLANCE_H
#define PJ_WIZARD_GLANCE_H

#include "metrics/base/buf.h"
#include "metrics/run/run.h"
#include "widgets/figure/palette.h"

/// What stands below the bars of devices, as HTML; the run has an account.
void pj_wizard_glance(pj_run *run, pj_palette palette, pj_buf *out);

#endif
