// What a run keeps of its archive, to read parts of it again or to cut it: pj_run.kept.
// Ownership: the run's arena.
#ifndef PJ_OTF2_KEPT_H
#define PJ_OTF2_KEPT_H

#include "metrics/read/otf2/otf2_clock.h"
#include "metrics/run/run.h"

struct pj_otf2_indices;

typedef struct pj_otf2_kept {
    pj_otf2_clocks clocks;                 // as they were used
    const struct pj_otf2_indices *indices; // NULL = it has to be read whole
} pj_otf2_kept;

/// Of a run that was read from an archive; NULL = nothing was kept.
static inline const pj_otf2_kept *pj_otf2_kept_of(const pj_run *run)
{
    return run->kept;
}

#endif
