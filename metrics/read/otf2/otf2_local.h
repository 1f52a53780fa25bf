// The definitions of one location (.def) where they are plain: one little-endian chunk that holds
// nothing but id maps and clock offsets. libotf2 clears a chunk of definitions, mostly 4 MB, for
// each location; it is asked for all others. Format: that of event files (otf2_evt.h); record 5 is
// a map (kind, pairs, dense or sparse, ids), record 6 an offset (time, offset, deviation).
#ifndef PJ_OTF2_LOCAL_H
#define PJ_OTF2_LOCAL_H

#include "metrics/read/otf2/otf2_lib.h"

/// The same definitions in the same order as lib->local gives; false, and none, when the file is
/// not plain or cannot be read.
bool pj_otf2_local_read(const char *path, pj_otf2_define *define, void *self);
/// Over its bytes.
bool pj_otf2_local_take(const void *bytes, size_t size, pj_otf2_define *define, void *self);

#endif
