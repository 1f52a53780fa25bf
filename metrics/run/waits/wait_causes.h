// Which efficiencies the waits of a run cost how much: exact parts of what load balance,
// serialisation and transfer lose (DEFINITIONS 9). Ownership: arena.
#ifndef PJ_WAIT_CAUSES_H
#define PJ_WAIT_CAUSES_H

#include "metrics/base/arena.h"
#include "metrics/run/run.h"

typedef struct pj_wait_cause {
    const char *metric; // "load_balance", "serialisation_efficiency", "transfer_efficiency"
    const char *cause;  // a pattern, "end", the name of an MPI call, "outside_mpi_not_useful"
    const char *metric_title, *cause_title; // for people; all constants
    double loss_ns;                         // of all ranks; those of a metric sum up to its loss
} pj_wait_cause;

/// In the order of the metrics, the largest loss first. The run has ideal waits
/// (pj_waits.has_ideal). `useful`: ranks compute as far as they are useful, which is what
/// efficiencies count, and lose what else they do outside MPI; else all time outside MPI counts.
const pj_wait_cause *pj_wait_causes(const pj_run *run, bool useful, pj_arena *arena,
                                    uint32_t *count);

#endif
