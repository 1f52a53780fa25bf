// Definitions of OTF2 made by hand for tests of event files.
#ifndef PJ_MADE_DEFS_H
#define PJ_MADE_DEFS_H

#include "metrics/base/arena.h"
#include "metrics/read/otf2/otf2_defs.h"

/// Adds communicator 0 of ranks 0 and 1, and metric 0 with the first two counters.
void made_defs_complete(pj_otf2_defs *defs, pj_arena *arena);

#endif
