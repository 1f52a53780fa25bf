// Parts that recorded processes have left, as one OTF2 archive. Ownership: plain values.
#ifndef PJ_MERGE_PARTS_H
#define PJ_MERGE_PARTS_H

#include "metrics/base/err.h"

#include <stdint.h>

typedef struct pj_merge_parts_opts {
    bool keep; // the parts stay
    /// Told of each part that is left out, and of each that ended without closing.
    void (*tell)(void *self, const pj_err *what);
    void *self;
} pj_merge_parts_opts;

typedef struct pj_merged_parts {
    uint64_t processes, locations, events;
    bool profile;           // DIR/profile.cubex was written
    uint64_t visits, paths; // in it
    uint64_t short_calls;   // that were left out
    uint64_t switched_off;  // functions, each process for itself
    unsigned left_out;      // parts: still running, of a newer version, damaged
} pj_merged_parts;

/// Whether the folder holds parts of a recording.
bool pj_merge_parts_are(const char *folder);
/// Writes `folder`/traces.otf2 last, so that the archive is there whole or not at all; then the
/// parts go, unless some were left out. A merge that was ended is done again. Errors: no part, no
/// disk, another merge at work, an archive whose parts are gone.
PJ_CHECKED bool pj_merge_parts(const char *folder, pj_merge_parts_opts opts, pj_merged_parts *out,
                               pj_err *err);

#endif
