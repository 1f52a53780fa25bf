// Opens the event files of an archive. Ownership: locations are the reader's.
#ifndef PJ_OTF2_OPEN_H
#define PJ_OTF2_OPEN_H

#include "metrics/base/err.h"
#include "metrics/read/otf2/otf2_anchor.h"
#include "metrics/read/otf2/otf2_read.h"

/// What is to be read again of a run that was read before (pj_pass.known). PJ_E_FORMAT: the archive
/// has changed since.
PJ_CHECKED bool pj_otf2_open_parts(pj_otf2_read *r, pj_err *err);
/// Whether this process reads the event file of a location.
bool pj_otf2_open_reads(const pj_otf2_read *r, uint32_t location);
void pj_otf2_open_locations(pj_otf2_read *r, const pj_otf2_anchor *anchor);
/// The sizes of the event files, for the account and the progress.
void pj_otf2_open_sizes(pj_otf2_read *r);

#endif
