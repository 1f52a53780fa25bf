// The processes that mpirun (or srun) has started together, as a crew. MPI is a module of its own:
// a program that runs alone does not load it, and a machine without it needs none.
// Ownership: join/leave.
#ifndef PJ_RANKS_H
#define PJ_RANKS_H

#include "metrics/base/crew.h"

/// All processes together. NULL without an error when this one runs alone; PJ_E_MISSING when it
/// does not but MPI is missing.
pj_crew *pj_ranks_join(pj_err *err);
/// All together, at the end; NULL is allowed.
void pj_ranks_leave(pj_crew *crew);

static inline void pj_ranks_drop(pj_crew **crew)
{
    pj_ranks_leave(*crew);
}
#define pj_auto_ranks __attribute__((cleanup(pj_ranks_drop))) pj_crew *

/// What popinjay-mpi.so offers under the name pj_ranks_mpi.
typedef struct pj_ranks_module {
    /// Fills rank, size, carry and self; once in a process.
    bool (*join)(pj_crew *crew, pj_err *err);
    void (*leave)(pj_crew *crew);
} pj_ranks_module;

#endif
