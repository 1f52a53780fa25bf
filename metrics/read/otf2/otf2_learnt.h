// What one pass over an archive leaves to the next: shifts of clocks, and receives to be inferred.
// Ownership: one piece of memory, which the pass leaves to its caller (pj_pass.learnt).
#ifndef PJ_OTF2_LEARNT_H
#define PJ_OTF2_LEARNT_H

#include "metrics/read/otf2/events/otf2_location.h"
#include "metrics/read/otf2/events/otf2_match.h"
#include "metrics/read/otf2/otf2_read.h"
#include "metrics/read/otf2/otf2_sync.h"

/// What a pass leaves to the next one: one piece of memory, the arrays behind it.
typedef struct pj_otf2_learnt {
    pj_otf2_violations before;
    bool shifted;  // the shifts are to be used
    bool inferred; // some receives are to be inferred
    bool counted;  // some of these by their number, which another pass has still to confirm
    bool uneven;   // some messages have one end only
    uint32_t ranks, locations;
    size_t traffic_count;
    int64_t lacks_ns;         // what shifts without rates would leave contradicted
    pj_otf2_shift *shifts;    // by rank
    pj_otf2_traffic *traffic; // to ranks whose receives are inferred
    uint32_t *waits;          // by rank
    bool *infer;              // by location
} pj_otf2_learnt;

/// That of a rank's clock in this pass.
pj_otf2_shift pj_otf2_learnt_shift(const pj_otf2_read *r, uint32_t rank);
/// Tells the matcher of the receives that are to be inferred.
void pj_otf2_learnt_use(const pj_otf2_read *r);
/// Whether a location posts receives and never completes one (eztrace).
bool pj_otf2_learnt_lacks_completions(const pj_otf2_location *location);
/// After a pass: remarks on the clocks, and whether another pass would do better.
void pj_otf2_learnt_take(pj_otf2_read *r);
/// In a process group: what the leader knows of the end of the run and of another pass.
void pj_otf2_learnt_tell(const pj_otf2_read *r);
void pj_otf2_learnt_hear(pj_otf2_read *r);

#endif
