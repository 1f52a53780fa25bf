// Processes and threads of a profile by the names that its file has for them; numbered as they
// appear, for such names are numbers of the system. Ownership: new/free; a zeroed struct with its
// builder is empty.
#ifndef PJ_THREADMAP_H
#define PJ_THREADMAP_H

#include "metrics/base/map.h"
#include "metrics/base/str.h"
#include "metrics/profile/build/profile_build.h"

typedef struct pj_threadmap {
    pj_build *build;
    pj_map processes; // by the text of the name: rank
    pj_map threads;   // by the texts of both: location
    int64_t *counts;  // threads of each rank
    size_t count, cap;
} pj_threadmap;

/// The location of a thread, made when it appears first. A thread without a name ("") stands for
/// all of a process.
uint32_t pj_threadmap_find(pj_threadmap *map, pj_str process, pj_str thread);
/// At the end: a file of one process does not tell which rank that was.
void pj_threadmap_finish(pj_threadmap *map);
void pj_threadmap_free(pj_threadmap *map);
#define pj_auto_threadmap __attribute__((cleanup(pj_threadmap_free))) pj_threadmap

#endif
