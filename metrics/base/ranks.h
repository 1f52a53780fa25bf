// The processes that mpirun (or srun) has started together, as a process group. MPI is a module of
// its own: a program that runs alone does not load it, and a machine without it needs none.
// Ownership: join/leave.
#ifndef PJ_RANKS_H
#define PJ_RANKS_H

#include "metrics/base/err.h"
#include "metrics/base/process_group.h"

/// Whether this process was started together with others.
bool pj_ranks_several(void);
/// All processes together. NULL without an error when this one runs alone; PJ_E_MISSING when it
/// does not but MPI is missing.
PJ_CHECKED pj_process_group *pj_ranks_join(pj_err *err);
/// All together, at the end; NULL is allowed.
void pj_ranks_leave(pj_process_group *group);

static inline void pj_ranks_drop(pj_process_group **group)
{
    pj_ranks_leave(*group);
}
#define pj_auto_ranks __attribute__((cleanup(pj_ranks_drop))) pj_process_group *

/// What popinjay-mpi.so offers under the name pj_ranks_mpi.
typedef struct pj_ranks_module {
    /// Fills rank, size, carry and self; once in a process.
    bool (*join)(pj_process_group *group, pj_err *err);
    void (*leave)(pj_process_group *group);
} pj_ranks_module;

#endif
