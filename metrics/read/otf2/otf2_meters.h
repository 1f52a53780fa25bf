// Metrics of energy and power in the definitions of an archive. Ownership: borrow.
#ifndef PJ_OTF2_METERS_H
#define PJ_OTF2_METERS_H

#include "metrics/read/otf2/otf2_defs.h"
#include "metrics/read/otf2/otf2_gather.h"
#include "metrics/run/run.h"

/// Fills run->meters, and in `defs` where their readings are. After the layout.
void pj_otf2_meters_resolve(pj_otf2_defs *defs, const pj_otf2_gathered *all, pj_run *run);

#endif
