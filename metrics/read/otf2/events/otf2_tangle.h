// The regions that are open on a location where they are left in another order than that of their
// nesting: as many steps as the logarithm of their number for each, however far down it lies.
// Ownership: new/free.
#ifndef PJ_OTF2_TANGLE_H
#define PJ_OTF2_TANGLE_H

#include "metrics/read/otf2/events/otf2_location.h"
#include "metrics/read/otf2/events/otf2_region.h"

enum { PJ_OTF2_STATE_BASE = UINT8_MAX }; // of a frame that does not say what the thread does

typedef struct pj_otf2_tangle pj_otf2_tangle;

/// What a region makes of the state below it; `in_call`: MPI calls are open.
uint8_t pj_otf2_state_above(const pj_otf2_region *region, uint8_t below, bool in_call);

/// Of frames from the outermost on; `regions` is borrowed until the tangle is freed.
pj_otf2_tangle *pj_otf2_tangle_new(const pj_otf2_region *regions, const pj_otf2_frame *frames,
                                   size_t count);
void pj_otf2_tangle_free(pj_otf2_tangle *tangle);
/// Opens one; false when there is no room for it.
bool pj_otf2_tangle_push(pj_otf2_tangle *tangle, pj_otf2_frame frame);
/// Of the innermost frame.
uint8_t pj_otf2_tangle_state(const pj_otf2_tangle *tangle);
/// The place of the innermost frame, and of that of a region; false = there is none.
size_t pj_otf2_tangle_top(const pj_otf2_tangle *tangle);
bool pj_otf2_tangle_find(const pj_otf2_tangle *tangle, uint32_t region, size_t *at);
/// Takes the frame out, which is the innermost one of its region; gives the region.
uint32_t pj_otf2_tangle_take(pj_otf2_tangle *tangle, size_t at);
/// The states of the frames above are those that their regions now make of the ones below.
void pj_otf2_tangle_restate(pj_otf2_tangle *tangle, size_t at, bool in_call);
/// Whether most frames have been taken.
bool pj_otf2_tangle_is_sparse(const pj_otf2_tangle *tangle);
/// Fills `frames` with all that are open, from the outermost on; gives their number.
size_t pj_otf2_tangle_frames(pj_otf2_tangle *tangle, pj_otf2_frame *frames);
/// Bytes in use; 0 of NULL.
size_t pj_otf2_tangle_bytes(const pj_otf2_tangle *tangle);
/// The location's frames, if they are in a tangle, stand in its stack again.
void pj_otf2_tangle_end(pj_otf2_location *location);

#endif
