// What is in a folder, for people who choose traces from it. Ownership: arena.
#ifndef PJ_FOLDER_LIST_H
#define PJ_FOLDER_LIST_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"

#include <stddef.h>
#include <stdint.h>

/// What all formats of profiles are called, which files are by their content.
#define PJ_FOLDER_PROFILE "Profile"

typedef struct pj_folder_entry {
    const char *name;
    const char *format; // title, by the name: "Paraver trace"; PJ_FOLDER_PROFILE; NULL = neither
    uint64_t bytes;     // of a trace that is several files: of all of them
    bool folder;
} pj_folder_entry;

typedef struct pj_folder {
    pj_folder_entry *entries;
    size_t count;
} pj_folder;

/// Files and folders but hidden ones, folders first, names in natural order. Error: PJ_E_IO.
PJ_CHECKED bool pj_folder_list(const char *path, pj_arena *arena, pj_folder *out, pj_err *err);

#endif
