// Files that come with the program: beside it where it is installed, in the source tree where it
// was built. Ownership: paths are arena.
#ifndef PJ_DATADIR_H
#define PJ_DATADIR_H

#include "metrics/base/arena.h"

/// The absolute path of the running program.
const char *pj_datadir_program(pj_arena *arena);
/// `installed` is relative to the prefix ("share/popinjay/traces"), `source` to the source tree
/// ("notebooks/traces"); NULL when neither exists.
const char *pj_datadir_find(pj_arena *arena, const char *installed, const char *source);

#endif
