// Definitions of an archive that is copied. Ownership: borrow.
#ifndef PJ_OTF2_COPY_DEFINITIONS_H
#define PJ_OTF2_COPY_DEFINITIONS_H

#include "metrics/read/otf2/cut/otf2_copy_state.h"

/// Those of a location, with the clock of the part.
void pj_otf2_copy_local(pj_otf2_copying *c, OTF2_Reader *reader, const pj_otf2_copy_location *p);

/// The global ones: first finds the locations and what of strings is no name, then writes.
void pj_otf2_copy_global(pj_otf2_copying *c, OTF2_Reader *reader, bool find);

#endif
