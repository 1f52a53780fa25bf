// Call paths of a trace: what every location did in which chain of functions, MPI calls and OpenMP
// constructs, exact. Memory is bounded by call paths x locations. Ownership: new/free.
#ifndef PJ_CALL_PATHS_H
#define PJ_CALL_PATHS_H

#include "metrics/base/err.h"
#include "metrics/base/job.h"
#include "metrics/profile/profile.h"
#include "metrics/run/run.h"
#include "metrics/trace/sink.h"

typedef struct pj_call_paths pj_call_paths;

/// Trees that are filled from events are on the account of `job`, which outlives them.
pj_call_paths *pj_call_paths_new(pj_job *job);
void pj_call_paths_free(pj_call_paths *paths);
static inline void pj_call_paths_drop(pj_call_paths **paths)
{
    pj_call_paths_free(*paths);
}
#define pj_auto_call_paths __attribute__((cleanup(pj_call_paths_drop))) pj_call_paths *

/// Takes the threads each for itself. Regions that are open at the end of the trace end with the
/// last event of their thread; of a region of interest counts what is inside, and visits that begin
/// there.
pj_sink pj_call_paths_sink(pj_call_paths *paths);
/// Whether a process group could not say where teams of threads were made: one process can.
bool pj_call_paths_are_apart(const pj_call_paths *paths);
/// After the pass over `run`: a tree with times and visits of all locations. Errors: PJ_E_MISSING
/// (the trace names neither functions nor calls), PJ_E_MEMORY.
PJ_CHECKED pj_profile *pj_call_paths_profile(const pj_call_paths *paths, const pj_run *run,
                                             pj_job *job, pj_err *err);

#endif
