// An archive while it is read: what the files around the reader share.
// Ownership: everything belongs to the reader, for one pass.
#ifndef PJ_OTF2_READ_H
#define PJ_OTF2_READ_H

#include "metrics/read/otf2/events/otf2_location.h"
#include "metrics/read/otf2/events/otf2_match.h"
#include "metrics/read/otf2/otf2_defs.h"
#include "metrics/read/otf2/otf2_lib.h"
#include "metrics/read/otf2/otf2_reach.h"
#include "metrics/read/otf2/otf2_share.h"
#include "metrics/read/otf2/otf2_sync.h"
#include "metrics/read/pass.h"
#include "metrics/run/run.h"

typedef struct pj_otf2_read {
    pj_pass *pass;
    pj_run *run;
    const pj_otf2_lib *lib;
    pj_otf2_archive *archive;
    pj_otf2_defs *defs;
    pj_otf2_location **locations;
    uint32_t count;
    uint32_t recorders; // of these, the last ones, which hold readings of meters alone
    pj_otf2_sync *sync;
    pj_otf2_match *match;
    pj_otf2_share *share;  // in a process group
    const char *folder;    // of the event files
    pj_otf2_range *ranges; // that are looked at; NULL = all is read
    size_t range_count;
    uint64_t *sizes; // of the event files, bytes; where all is read
} pj_otf2_read;

#endif
