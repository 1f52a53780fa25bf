// Files that are one run, a file each rank, among files that were named. Ownership: arena.
#ifndef PJ_RANK_RUNS_H
#define PJ_RANK_RUNS_H

#include "metrics/base/arena.h"

#include <stddef.h>

/// Files of ranks that lie in one folder become one path (read/rank_files.h), in the place of the
/// first of them; the others become NULL.
void pj_rank_runs_join(const char **paths, size_t count, pj_arena *arena);

#endif
