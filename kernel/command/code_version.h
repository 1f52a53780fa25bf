// Which version of a program is measured: what continuous integration says, else the repository of
// the working folder. Ownership: arena.
#ifndef PJ_CODE_VERSION_H
#define PJ_CODE_VERSION_H

#include "metrics/base/arena.h"
#include "metrics/run/run.h"

#include <stdatomic.h>

/// Commit, branch and the time of the commit, as far as they can be found (NULL = not told); never
/// fails. Runs git, for at most a few seconds.
pj_run_origin pj_code_version(pj_arena *arena, const atomic_bool *stop);

#endif
