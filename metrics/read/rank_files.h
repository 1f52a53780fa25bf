// Several files that are one run, a file each rank, as one path: "runs/rank{0,1}.json".
// Ownership: arena.
#ifndef PJ_RANK_FILES_H
#define PJ_RANK_FILES_H

#include "metrics/base/arena.h"

#include <stdbool.h>
#include <stddef.h>

/// One path for files of one folder, which pj_rank_files_of takes apart again; the file's own where
/// it is the only one.
const char *pj_rank_files_join(const char *const *paths, size_t count, pj_arena *arena);
/// The files that such a path names; 0 = it is none, or the file of one.
size_t pj_rank_files_of(const char *path, pj_arena *arena, const char ***files);

#endif
