// The iterations that ranks agree on, and which of them are steady (DEFINITIONS 12).
// Ownership: arena.
#ifndef PJ_ITERATIONS_H
#define PJ_ITERATIONS_H

#include "metrics/base/arena.h"
#include "metrics/run/parts/anchors.h"
#include "metrics/run/parts/slices.h"
#include "metrics/run/run.h"

enum { PJ_STEADY_LEAST = 3 }; // iterations in turn that are a steady state

typedef struct pj_iterations {
    const char *lack;   // why there are none; NULL = there are
    pj_borders borders; // of every rank
    uint32_t voted;     // ranks that were asked, and those that agree
    uint32_t asked;
    double agreement;      // part of the ranks asked that agree
    double score;          // median part of the time from MPI_Init to MPI_Finalize
    double period_ns;      // median over these ranks
    const char *anchor;    // what begins an iteration
    bool by_calls;         // it comes at even distances in calls, else in time
    const char *looked_at; // in what they are looked for: "the MPI calls of its ranks"
    double correlation; // of the useful share with that a period later, which tells them; 0 = calls
                        // or functions do
    bool mpi, openmp;   // the run has MPI calls; parallel regions stand for the few it has
    uint32_t inner;     // of loops with another period; 0 = there are none
    double inner_ns;    // their period
    uint32_t steady_first, steady_last; // iterations of the steady state; all where none are
    bool unsteady;                      // never PJ_STEADY_LEAST in turn
    bool *outlier;                      // by iteration
    uint64_t *starts;                   // where the first rank begins each, and a next one; of runs
    uint64_t end_ns;                    // of the trace
    uint64_t work_from_ns, work_to_ns;  // between MPI_Init and MPI_Finalize of all ranks asked
    bool cut_short;                     // not all MPI calls were looked at
} pj_iterations;

/// The number that most ranks have, if they agree; 0 with a `lack` when they do not. `chains`: one
/// of each rank asked.
uint32_t pj_iterations_vote(const pj_chain *chains, uint32_t count, pj_iterations *out,
                            pj_arena *arena);
/// Outliers and steady state, from the longest length of a rank in each iteration.
void pj_iterations_judge(pj_iterations *iterations, uint32_t ranks, pj_arena *arena);
/// "iteration 3", "iterations 3 to 8".
const char *pj_iterations_text(uint32_t first, uint32_t last, pj_arena *arena);
/// "MPI_Allreduce + MPI_Send", "a burst of 33.6 ms or more", "function step".
const char *pj_anchor_text(const pj_loop_anchor *anchor, const pj_run *run, pj_arena *arena);

#endif
