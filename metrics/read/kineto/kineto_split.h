// Files that somebody made of those of several ranks: their processes are called by ranks.
// Ownership: a zeroed struct is empty; freed with pj_kineto_split_free.
#ifndef PJ_KINETO_SPLIT_H
#define PJ_KINETO_SPLIT_H

#include "metrics/base/map.h"
#include "metrics/base/str.h"

#include <stdint.h>

enum { PJ_KINETO_RANKS_MOST = 4096 };

/// Which rank each process of the file is of.
typedef struct pj_kineto_split {
    pj_map index_of;  // of a process (hash of its number as text): of `numbers`
    int64_t *numbers; // of ranks, each once, in the order of the file
    size_t count, cap;
} pj_kineto_split;

/// A process and what it is called, or one of its labels: "rank 3 python", "GPU 0 of rank3".
void pj_kineto_split_note(pj_kineto_split *split, pj_str process, pj_str name);
/// The index of a process's rank; `count` where its name does not tell.
size_t pj_kineto_split_of(const pj_kineto_split *split, pj_str process);
void pj_kineto_split_free(pj_kineto_split *split);

#endif
