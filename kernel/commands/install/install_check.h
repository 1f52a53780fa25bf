// Whether Jupyter can start the kernel here, and what is not to be had. Ownership: new table.
#ifndef PJ_INSTALL_CHECK_H
#define PJ_INSTALL_CHECK_H

#include "metrics/table/table.h"

/// Columns check, outcome (ok, missing, poorer), detail: what there is, or what to do. `broken` is
/// raised where the kernel would not start.
pj_table *pj_install_check(bool *broken);

#endif
