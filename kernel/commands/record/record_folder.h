// The folder of a recording: its name, and what becomes of one that is there. Ownership: arena.
#ifndef PJ_RECORD_FOLDER_H
#define PJ_RECORD_FOLDER_H

#include "kernel/command/command.h"
#include "metrics/base/arena.h"
#include "metrics/base/err.h"

#include <stdbool.h>

/// What a command line runs, as a name of files: "app" of `mpirun -n 4 python3 app.py`.
const char *pj_record_folder_name(const pj_texts *words, pj_arena *arena);
/// Gives a folder that is there with something in it another name: `aside`, an absolute path whose
/// folder is made, and its date.
PJ_CHECKED bool pj_record_folder_aside(const char *path, const char *aside, pj_err *err);
/// Where a recording goes: `wanted`, else the name with date and time, of a study "NAME-study";
/// absolute. NULL with an error.
PJ_CHECKED const char *pj_record_folder_path(const char *wanted, const char *name, bool study,
                                             pj_arena *arena, pj_err *err);
/// With the folders above it; it may be there already.
PJ_CHECKED bool pj_record_folder_make(const char *path, pj_err *err);

#endif
