// Whether this process is one of several, and the module that ties them together.
// Who starts processes together tells each of them in its environment.
#include "metrics/base/ranks.h"

#include "metrics/base/arena.h"
#include "metrics/base/err.h"
#include "metrics/base/module.h"
#include "metrics/base/process_group.h"

#include <stdlib.h>

typedef struct ranks {
    pj_process_group group; // first: a process group is its ranks
    const pj_ranks_module *module;
} ranks;

/// Open MPI, MPICH and its kin, MVAPICH; PMIx names no number, but nobody has a place in it alone.
bool pj_ranks_several(void)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const char *text = getenv(sizes[i]);
        if (text)
            return strtoul(text, NULL, 10) > 1;
    }
    return getenv("PMIX_RANK") != NULL;
}

pj_process_group *pj_ranks_join(pj_err *err)
{
    if (!pj_ranks_several())
        return NULL;
    const pj_ranks_module *module = pj_module_open("popinjay-mpi.so", "pj_ranks_mpi",
                                                   "several processes need MPI (libopenmpi3)", err);
    if (!module)
        return NULL;
    ranks *r = pj_take_memory(sizeof *r);
    *r = (ranks){.module = module};
    if (!module->join(&r->group, err)) {
        free(r);
        return NULL;
    }
    pj_process_group_begin(&r->group);
    return &r->group;
}

void pj_ranks_leave(pj_process_group *group)
{
    if (!group)
        return;
    ranks *r = (ranks *)group;
    pj_process_group_end(group);
    r->module->leave(group);
    free(r);
}
