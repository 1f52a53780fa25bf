// A run cut along time: equal slices, or iterations, whose borders every rank has for itself.
// Sums of all slices are those of the run (DEFINITIONS 12). Ownership: the run's arena.
#ifndef PJ_SLICES_H
#define PJ_SLICES_H

#include "metrics/base/err.h"
#include "metrics/run/run.h"
#include "metrics/run/sums.h"

enum {
    PJ_SLICES_MOST = 4096, // of equal length
    PJ_SLICES_USUAL = 32,
    PJ_SLICES_LANES = 64,     // groups of ranks whose useful share is kept
    PJ_SLICES_COLUMNS = 1024, // slices beyond which it is not
    PJ_SLICES_PARTS = 512,    // slices beyond which they are no parts of the run
};

/// Where a run is cut: slice i of rank r lasts from at[r * stride + i] to at[r * stride + i + 1],
/// in ns of the trace.
typedef struct pj_borders {
    uint64_t *at;
    uint32_t count;  // of slices
    uint32_t ranks;  // that have borders, where each has its own
    uint32_t stride; // 0 = all ranks have the same borders
} pj_borders;

static inline const uint64_t *pj_borders_of(const pj_borders *borders, uint32_t rank)
{
    return borders->at + (size_t)rank * borders->stride;
}

typedef struct pj_run_slice {
    uint64_t start_ns, end_ns; // the earliest begin and the latest end of a rank
    uint64_t length_ns;        // of the rank that takes longest
    pj_sums sums;              // what single ranks and threads tell; the rest is no number
    uint64_t outside_ns;       // outside MPI, whatever the state: over first threads of ranks
    uint64_t outside_max_ns;   // the same of the rank that has most
    double ideal_ns;           // on the ideal network
    uint64_t wait_ns;          // in MPI calls, over all ranks
    uint64_t mpi_ns;           // the same with the rest of these calls
} pj_run_slice;

typedef struct pj_slices {
    const char *what; // "slice", "iteration"
    pj_run_slice *items;
    uint32_t count;
    const char *ideal_lacks;   // why there are no ideal times and waits; NULL = there are
    bool instructions, cycles; // were counted
    uint32_t first;            // number of the first one: what is shown
    uint32_t lanes;            // groups of neighbouring ranks
    float *useful; // part of time that is useful: [lane * count + slice]; NULL = not kept
} pj_slices;

/// Makes a part of the run of each slice.
void pj_slices_make_parts(pj_run *run, const pj_slices *slices);
/// Which ranks make a lane: from its first one to before that of the next.
uint32_t pj_slices_lane_rank(const pj_slices *slices, uint32_t ranks, uint32_t lane);

#endif
