// Which efficiencies the waits of a run cost how much: exact parts of what load balance,
// serialisation and transfer lose (DEFINITIONS 9). Ownership: arena.
#ifndef PJ_WAIT_CAUSES_H
#define PJ_WAIT_CAUSES_H

#include "metrics/base/arena.h"
#include "metrics/run/run.h"

typedef struct pj_wait_cause {
    const char *metric; // "load_balance", "serialisation_efficiency", "transfer_efficiency"
    const char *cause;  // a pattern, "begin", "end", the name of an MPI call,
                        // "outside_mpi_not_useful", "outside_mpi"
    const char *metric_title, *cause_title; // for people; all constants
    double loss_ns;                         // of all ranks; those of a metric sum up to its loss
    uint32_t culprit;                       // the rank waited for; PJ_NO_CULPRIT = no one alone
} pj_wait_cause;

#define PJ_NO_CULPRIT (UINT32_MAX - 1) // UINT32_MAX: PJ_CULPRIT_OTHERS

/// What an efficiency counts as computation; what else is done outside MPI is lost to it.
typedef enum pj_cause_work {
    PJ_WORK_OUTSIDE,   // all outside MPI, on the ideal network: nothing is lost
    PJ_WORK_COMPUTING, // of first threads: in OpenMP, and useful outside it
    PJ_WORK_USEFUL,    // of first threads
    PJ_WORK_THREADS,   // useful time of each thread; those of a rank wait with their first one
    PJ_WORK_MEASURED,  // of first threads: all outside MPI, also behind their end; each rank counts
                       // as often as it has threads
} pj_cause_work;

/// What the cause "begin" is.
extern const char pj_wait_begin_note[];

/// In the order of the metrics, the largest loss first. The run has ideal waits
/// (pj_waits.has_ideal). Load balance is that of `balance`; serialisation lies between the most of
/// `serial` and the ideal runtime.
const pj_wait_cause *pj_wait_causes(const pj_run *run, pj_cause_work balance, pj_cause_work serial,
                                    pj_arena *arena, uint32_t *count);

/// The same with all time outside MPI as computation, waits of load balance and serialisation apart
/// by the rank waited for.
const pj_wait_cause *pj_wait_causes_by_culprit(const pj_run *run, pj_arena *arena, uint32_t *count);

/// Whether threads that have no account of waits, all but the first ones, call MPI.
bool pj_wait_others_call(const pj_run *run);

/// What first threads did longer outside MPI than on the ideal network, where they wait otherwise
/// for their threads, in ns of all ranks. The run has ideal waits.
double pj_wait_outside_lost(const pj_run *run);

#endif
