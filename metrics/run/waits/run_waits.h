// What MPI calls waited for, and for whom: in the run as it was measured, and on the ideal network.
// Rules: DEFINITIONS 9. Ownership: the run's arena.
#ifndef PJ_RUN_WAITS_H
#define PJ_RUN_WAITS_H

#include "metrics/trace/mpi_call.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum pj_wait_pattern {
#define PATTERN(key, title, sentence) PJ_WAIT_##key,
#include "metrics/run/waits/wait_patterns.def"
#undef PATTERN
    PJ_WAIT_PATTERNS // number of patterns
} pj_wait_pattern;

typedef struct pj_wait_pattern_row {
    const char *key;      // "late_sender"
    const char *title;    // "Late sender"
    const char *sentence; // what it is
} pj_wait_pattern_row;

extern const pj_wait_pattern_row pj_wait_pattern_rows[PJ_WAIT_PATTERNS];

/// "Others": culprits of a rank that has very many of them.
#define PJ_CULPRIT_OTHERS UINT32_MAX

/// Threads of a run below which its summary says who waited for whom: then one process finds that
/// as quickly as a group that shares the replay, which cannot.
enum { PJ_FEW_WAITS = 4096 };

/// All waits of a rank for the same one, of a pattern, in calls of a function.
typedef struct pj_wait_sum {
    uint32_t rank, culprit;
    pj_wait_pattern pattern;
    pj_mpi_call call;
    uint64_t instances; // that waited
    uint64_t wait_ns;
    uint64_t longest_ns, longest_at_ns; // the longest of them, and when it began, as far as known
    uint64_t unknown_ns;                // that one is unknown, but no longer than this; 0 = known
    uint64_t ideal_ns;                  // on the ideal network
} pj_wait_sum;

/// In the order of pattern, rank, culprit, call: for qsort.
int pj_wait_sum_order(const void *a, const void *b);
/// A wait that begins at `at_ns` is kept if it is the longest, the first of equal ones.
void pj_wait_sum_keep_longest(pj_wait_sum *sum, uint64_t ns, uint64_t at_ns);

/// A single wait of so many ns from `begin` on in the trace.
typedef struct pj_one_wait {
    uint32_t rank, culprit;
    pj_wait_pattern pattern;
    pj_mpi_call call;
    uint64_t begin, ns;
} pj_one_wait;

enum { PJ_WORST_WAITS = 100 }; // that a run keeps one by one

/// All calls of an MPI function but file access.
typedef struct pj_wait_call {
    pj_mpi_call call;
    uint64_t calls;
    uint64_t time_ns, wait_ns, ideal_ns;
} pj_wait_call;

/// One rank: its parts make up the runtime.
typedef struct pj_wait_rank {
    uint64_t mpi_ns;     // in MPI calls but file access
    uint64_t wait_ns;    // of it
    uint64_t outside_ns; // the rest until its last event
    uint64_t end_ns;     // from there to the end of the run
    // Of the ideal network: how long before the last rank it comes to the region of interest. The
    // parts take that longer than the region.
    uint64_t ahead_ns;
} pj_wait_rank;

typedef struct pj_waits {
    pj_wait_sum *sums; // in the order of pattern, rank, culprit, call
    uint32_t sum_count;
    pj_one_wait *worst; // the longest ones, the longest first, then the earliest
    uint32_t worst_count;
    pj_wait_call *calls; // in the order of their names
    uint32_t call_count;
    pj_wait_rank *ranks;
    // Of barriers and N x N: from when all were there and the first one left until calls ended.
    // No wait, but part of transfer; by the pattern of their waits.
    uint64_t completion_ns[PJ_WAIT_PATTERNS];
    uint64_t late_complete_ns; // of early waits: after the last operation of the origin
    uint64_t contradictions;   // releases after the end of the call: clocks disagree
    uint64_t contradictions_of[PJ_WAIT_PATTERNS];
    uint64_t contradiction_ns;      // the largest
    bool locks_unknown;             // windows are locked, but which ones nobody says
    bool cut;                       // the replay stopped before all calls had been looked at
    bool ideal;                     // these are those of the ideal network (ideal_waits.h)
    bool has_ideal;                 // ideal_ns are known
    const char *ideal_lacks;        // why not; NULL when they are
    const struct pj_delays *delays; // NULL = not asked for
} pj_waits;

#endif
