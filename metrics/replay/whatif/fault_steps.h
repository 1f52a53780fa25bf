// Faults in the work of ranks between two collectives of all or borders of iterations: read off its
// times alone. Ownership: arena.
#ifndef PJ_FAULT_STEPS_H
#define PJ_FAULT_STEPS_H

#include "metrics/base/arena.h"
#include "metrics/base/str.h"
#include "metrics/replay/whatif/play.h"
#include "metrics/run/run.h"

#include <stdbool.h>
#include <stddef.h>

/// The work by step and rank, and the factors that have been applied to it.
typedef struct pj_fault_steps {
    const pj_run *run;
    pj_arena *arena;
    const double *work;    // ns
    const uint32_t *calls; // by step: what its ranks wait for, but for collectives of all
    double *factors;
    uint32_t steps, ranks;
    pj_step_borders kind;
} pj_fault_steps;

/// With factors of 1. Steps lie between collectives of all ranks, and where ranks meet in few
/// iterations between these too.
pj_fault_steps pj_fault_steps_of(const pj_run *run, const pj_bursts *bursts, pj_arena *arena);

typedef struct pj_fault_found {
    double loss_ns;    // of all ranks
    const char *where; // NULL = nothing was found
    uint32_t rank;     // the one it is about; UINT32_MAX = several
    const bool *ranks; // all that it is about, by rank
    bool node;         // all ranks of a node
    bool initial;      // not the first of steps that are alike, but what comes before them
    double lasts_ns;   // what it takes from the begin of the run on, or less; 0 = not said
} pj_fault_found;

/// Steps in which one rank computes alone: shared by all ranks.
pj_fault_found pj_fault_serial(pj_fault_steps *steps);
/// Ranks that need longer than the others in nearly every step, and are few or those of a node; not
/// where they have more work, as far as instructions say it. They become like the others.
pj_fault_found pj_fault_slow(pj_fault_steps *steps);
/// Work that takes longer than the same of others and at other times, in few steps: cut to that.
pj_fault_found pj_fault_noise(pj_fault_steps *steps);

/// First steps in which the ranks compute longer than in any later one but one: cut to that. It is
/// initialisation where they have fewer calls than later steps, unless their IPC is much lower.
pj_fault_found pj_fault_start_up(pj_fault_steps *steps);
/// Work over all steps, shared equally.
pj_fault_found pj_fault_imbalance(pj_fault_steps *steps);
/// Work shared equally in each step.
pj_fault_found pj_fault_imbalance_per_step(pj_fault_steps *steps);

/// Faults of the work by the names that findings have; NULL = there is none, or past the end.
typedef struct pj_work_fault {
    const char *key;
    pj_fault_found (*mend)(pj_fault_steps *steps);
} pj_work_fault;
const pj_work_fault *pj_work_fault_at(size_t index);
const pj_work_fault *pj_work_fault_of(pj_str key);

#endif
