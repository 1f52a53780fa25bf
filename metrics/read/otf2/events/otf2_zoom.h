// Reads of an event file only the parts that a look at some times needs, by the marks that an
// earlier reading of the whole file has left. States and messages come out as then; counters and
// collectives do not. Ownership: new/free.
#ifndef PJ_OTF2_ZOOM_H
#define PJ_OTF2_ZOOM_H

#include "metrics/read/otf2/events/otf2_trail.h"

typedef struct pj_otf2_zoom {
    const pj_otf2_trail *trail;
    const pj_otf2_range *ranges; // of time
    size_t range_count;
    pj_otf2_flows flows;
    size_t next;    // mark that is looked at next
    uint32_t jumps; // so far
} pj_otf2_zoom;

/// Trail and ranges outlive the place, which must have no records yet.
void pj_otf2_zoom_begin(pj_otf2_place *place, const pj_otf2_trail *trail,
                        const pj_otf2_range *ranges, size_t range_count);
void pj_otf2_zoom_free(pj_otf2_zoom *zoom);
/// The place has come to the end of a part: it goes to the next one that is needed, or ends.
void pj_otf2_zoom_on(pj_otf2_place *place);
/// The number of a message in its flow.
uint32_t pj_otf2_zoom_number(pj_otf2_zoom *zoom, const pj_otf2_op *op);
/// Bytes of the file that are needed.
uint64_t pj_otf2_zoom_bytes(const pj_otf2_zoom *zoom);

#endif
