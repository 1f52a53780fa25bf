// What comes again and again in the MPI calls of a rank, in its functions or, where it has next to
// no calls, in its parallel regions: the anchors of its iterations (DEFINITIONS 12). Ownership:
// what is found is arena; lists are new/free.
#ifndef PJ_ANCHORS_H
#define PJ_ANCHORS_H

#include "metrics/base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pj_call_mark {
    uint64_t enter, leave; // ns
    uint64_t key;          // pj_mpi_call; of parallel regions what is in them; low bits: a function
    bool synchronises;     // may wait for others
} pj_call_mark;

/// Where a function of the program is entered: before which call, and by which visit of its caller.
typedef struct pj_entry {
    uint64_t time;
    uint32_t call;
    uint32_t caller; // 0 = it has none
} pj_entry;

typedef struct pj_entries { // of one function, in their order
    uint64_t key;           // as PJ_FUNCTION events have it, or 1 + the region
    pj_entry *items;
    size_t count, cap;
    bool often; // more than are kept: none is
} pj_entries;

/// Calls of a rank in their order, and its functions.
typedef struct pj_call_list {
    pj_call_mark *items;
    size_t count, cap;
    const pj_entries *functions; // borrow
    size_t function_count;
    bool few;                // MPI calls: the run has its iterations elsewhere
    bool openmp;             // then the calls are the parallel regions of its first thread
    uint64_t from_ns, to_ns; // from the end of MPI_Init to the begin of MPI_Finalize
} pj_call_list;

typedef enum pj_anchor_kind {
    PJ_ANCHOR_CALLS,
    PJ_ANCHOR_BURST,
    PJ_ANCHOR_FUNCTION, // keys[0] is entered, each time by the same visit of its caller
} pj_anchor_kind;

enum { PJ_ANCHOR_CALLS_MOST = 4, PJ_CHAIN_LEAST = 4 };

#define PJ_SCORE_LEAST 0.2 // of iterations

/// Something that happens: so many calls with these keys one after another, or a burst of at least
/// 2^length ns, which begins.
typedef struct pj_loop_anchor {
    pj_anchor_kind kind;
    bool openmp; // what it calls calls are parallel regions
    uint32_t length;
    uint64_t keys[PJ_ANCHOR_CALLS_MOST];
} pj_loop_anchor;

/// Where it happened: time, and the number of the call.
typedef struct pj_anchor_mark {
    uint64_t time;
    uint32_t call;
} pj_anchor_mark;

/// Occurrences of an anchor at even distances.
typedef struct pj_chain {
    pj_loop_anchor anchor;
    bool by_calls;         // the distance is even in calls, else in time
    const uint64_t *times; // of its occurrences
    uint32_t count;        // of them: one more than iterations; 0 = nothing was found
    uint32_t occurrences;  // of the anchor, in the chain or not
    uint32_t first;        // of them, in the chain
    double period_ns;      // median distance
    double deviation;      // of distances: standard deviation / mean
    double score;          // part of the time between MPI_Init and MPI_Finalize
    bool loose;            // a parallel region each: only where there is nothing else
} pj_chain;

/// The best chain of a rank; `second`: the best one with another period (nested loops), or none.
pj_chain pj_anchors_find(const pj_call_list *calls, pj_arena *arena, pj_chain *second);
/// The entries of a function by that visit of its caller which spans most time, as a loop has them.
/// `marks`: room for all of them.
size_t pj_anchors_by_one_visit(const pj_entries *entries, pj_anchor_mark *marks);
/// The chain of an anchor that another rank has.
pj_chain pj_anchors_apply(const pj_call_list *calls, const pj_loop_anchor *anchor, bool by_calls,
                          pj_arena *arena);
/// The occurrences that make a chain of another rank, where this one has as many of its anchor: the
/// same iterations, however even they are here. Those that follow call by call count once: a rank
/// may have more neighbours. None where it has not as many.
pj_chain pj_anchors_like(const pj_call_list *calls, const pj_chain *model, pj_arena *arena);
pj_chain pj_anchors_chain_like(const pj_chain *model, const pj_anchor_mark *marks, size_t count,
                               pj_arena *arena);
/// The chain of one anchor, by its occurrences.
pj_chain pj_anchors_chain(const pj_loop_anchor *anchor, bool by_calls, const pj_anchor_mark *marks,
                          size_t count, const pj_call_list *calls, pj_arena *arena);

#endif
