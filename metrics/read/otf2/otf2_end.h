// The end of a pass over an archive. Ownership: what it leaves is the run's.
#ifndef PJ_OTF2_END_H
#define PJ_OTF2_END_H

#include "metrics/read/otf2/otf2_read.h"

void pj_otf2_end_run(pj_otf2_read *r);

#endif
