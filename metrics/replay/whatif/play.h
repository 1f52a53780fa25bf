// A tape played again, with changes: what the run would take. Rules: DEFINITIONS 6. Ownership:
// arena.
#ifndef PJ_PLAY_H
#define PJ_PLAY_H

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/replay/network.h"
#include "metrics/replay/whatif/tape.h"
#include "metrics/run/run.h"

/// What steps lie between.
typedef enum pj_step_borders {
    PJ_STEPS_COLLECTIVES, // of all ranks
    PJ_STEPS_ITERATIONS,
    PJ_STEPS_PIECES, // either
} pj_step_borders;

/// What is not as it was. Zeroed: nothing. Factors multiply times of computation, all that apply to
/// a burst are multiplied; NULL = 1.
typedef struct pj_change {
    pj_network network;    // its eager limit is that of the tape
    const double *of_rank; // in a region of interest, as of_step
    const double *of_region;
    const double *of_step; // by step and rank
    uint32_t steps;
    pj_step_borders step_kind;
    double of_all;    // 0 = 1
    uint64_t long_ns; // bursts of at least this length
    double of_long;   // 0 = 1
    unsigned without; // bits of pj_wait_pattern that hold nobody
} pj_change;

typedef struct pj_played {
    double runtime_ns;
    double *compute_ns; // by rank: its bursts
    double compute_mean, compute_max;
} pj_played;

/// False when there is no tape or the job was stopped.
PJ_CHECKED bool pj_play(const pj_run *run, const pj_change *change, pj_job *job, pj_arena *arena,
                        pj_played *out, pj_err *err);

/// Work by steps, ns.
typedef struct pj_step_work {
    double *of;      // by step and rank, first threads only; in a region of interest
    uint32_t *calls; // by step: what its ranks wait for, but for collectives of all
    uint32_t count;
} pj_step_work;

/// What the bursts of the tape consist of, ns.
typedef struct pj_bursts {
    double *of_region;       // by region, all ranks
    pj_step_work steps;      // between collectives of all ranks
    pj_step_work iterations; // with what lies before and behind them; none where they are unknown
    pj_step_work pieces;     // what collectives of all ranks and iterations cut the run into
    uint64_t long_ns;  // half of the computation or more is in bursts of this length or longer
    unsigned patterns; // bits of pj_wait_pattern: what may hold somebody
} pj_bursts;

PJ_CHECKED bool pj_play_bursts(const pj_run *run, pj_job *job, pj_arena *arena, pj_bursts *out,
                               pj_err *err);

#endif
