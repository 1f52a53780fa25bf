// Files that a word of the user names: a path, a glob, a folder. Ownership: the list is malloc, its
// texts arena.
#ifndef PJ_PATHS_H
#define PJ_PATHS_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"

typedef struct pj_paths {
    const char **items;
    size_t count, cap;
} pj_paths;

/// What is looked for in a folder, where files are not named one by one.
typedef enum pj_want {
    PJ_WANT_TRACES,
    PJ_WANT_PROFILES, // traces where there are none
    PJ_WANT_ANY,
} pj_want;

/// Adds what a file, folder or glob names, each run once, names in natural order. A folder that is
/// itself a profile is a path like a file; one without runs gives those of a study below it
/// (*/traces.otf2), unless profiles are wanted. Errors: PJ_E_MISSING (nothing is there), PJ_E_USAGE
/// (a folder of profiles where traces are wanted), PJ_E_IO.
PJ_CHECKED bool pj_paths_expand(const char *text, pj_want want, pj_arena *arena, pj_paths *paths,
                                pj_err *err);
/// The same for people who choose: traces, or profiles where all that is named are, of a folder
/// both; without the files that belong to traces. PJ_E_USAGE where nothing else is named.
PJ_CHECKED bool pj_paths_runs(const char *text, pj_arena *arena, pj_paths *paths, pj_err *err);
/// Whether `text` names files: a path that exists, a glob, or what only a trace can be called.
bool pj_paths_is_path(const char *text);
/// Whether what it names are profiles and no traces.
bool pj_paths_are_profiles(const char *text);

#endif
