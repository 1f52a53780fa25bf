// Definitions of all processes as those of one archive. Ownership: arena.
#ifndef PJ_UNITE_H
#define PJ_UNITE_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/record/merge/part_clock.h"
#include "metrics/record/merge/part_log.h"
#include "metrics/record/merge/part_tree.h"
#include "metrics/record/merge/recorded.h"
#include "metrics/record/merge/recover.h"

/// A thread with events.
typedef struct pj_united_thread {
    uint32_t number;
    pj_recovered recovered;
} pj_united_thread;

typedef struct pj_united_part {
    pj_part_log *log;
    pj_part_clock clock;
    bool in_world; // a process of MPI
    uint32_t rank, world_size;
    pj_united_thread *threads;
    size_t thread_count, thread_cap;
    pj_part_tree *trees; // of threads that have counted call paths
    size_t tree_count, tree_cap;
    uint32_t place; // its rank, or behind the ranks; pj_unite_places fills it in
} pj_united_part;

/// `parts` in the order of processes: those of MPI by rank first. Gives the size of the world.
uint32_t pj_unite_places(pj_united_part *parts, size_t count);
/// The same parts, with their places.
PJ_CHECKED bool pj_unite(pj_united_part *parts, size_t count, pj_arena *arena, pj_recorded *out,
                         pj_err *err);

#endif
