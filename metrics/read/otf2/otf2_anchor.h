// The anchor file of an OTF2 archive (.otf2): what the decoder needs of it, and whether the library
// may be trusted with it. Ownership: arena.
#ifndef PJ_OTF2_ANCHOR_H
#define PJ_OTF2_ANCHOR_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/str.h"

typedef struct pj_otf2_anchor {
    const char *path;     // as the library wants it
    const char *folder;   // of the event files
    uint64_t chunk_bytes; // of event files
    const char *packing;  // that the library must have been built for; NULL = plain files
} pj_otf2_anchor;

/// Whether bytes begin an anchor file.
bool pj_otf2_anchor_sniff(pj_str head);
/// Errors: PJ_E_IO, PJ_E_FORMAT (damaged, or its folder is not beside it).
PJ_CHECKED bool pj_otf2_anchor_read(const char *path, pj_arena *arena, pj_otf2_anchor *out,
                                    pj_err *err);

#endif
