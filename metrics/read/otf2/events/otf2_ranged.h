// Reads of an event file only the parts that a look at some times needs, by the marks that an
// earlier reading of the whole file has left. States and messages come out as then; counters and
// collectives do not. Ownership: new/free.
#ifndef PJ_OTF2_RANGED_H
#define PJ_OTF2_RANGED_H

#include "metrics/read/otf2/events/otf2_index.h"
#include "metrics/read/otf2/events/otf2_location.h"
#include "metrics/read/otf2/otf2_reach.h"

typedef struct pj_otf2_ranged {
    const pj_otf2_index *index;
    const pj_otf2_range *ranges; // of time
    size_t range_count;
    pj_otf2_flows flows;
    size_t next;    // mark that is looked at next
    uint32_t jumps; // so far
} pj_otf2_ranged;

/// Index and ranges outlive the location, which must have no records yet.
void pj_otf2_ranged_begin(pj_otf2_location *location, const pj_otf2_index *index,
                          const pj_otf2_range *ranges, size_t range_count);
void pj_otf2_ranged_free(pj_otf2_ranged *ranged);
/// The location has come to the end of a part: it goes to the next one that is needed, or ends.
void pj_otf2_ranged_on(pj_otf2_location *location);
/// The number of a message in its flow.
uint32_t pj_otf2_ranged_number(pj_otf2_ranged *ranged, const pj_otf2_op *op);
/// Bytes of the file that are needed.
uint64_t pj_otf2_ranged_bytes(const pj_otf2_ranged *ranged);

#endif
