// Who starts processes together tells each of them in its environment.
#include "metrics/base/ranks.h"

#include "metrics/base/arena.h"
#include "metrics/base/module.h"

#include <stdlib.h>

typedef struct ranks {
    pj_crew crew; // first: a crew is its ranks
    const pj_ranks_module *module;
} ranks;

/// Open MPI, MPICH and its kin, MVAPICH; PMIx names no number, but nobody has a place in it alone.
static bool is_one_of_several(void)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const char *text = getenv(sizes[i]);
        if (text)
            return strtoul(text, NULL, 10) > 1;
    }
    return getenv("PMIX_RANK") != NULL;
}

pj_crew *pj_ranks_join(pj_err *err)
{
    if (!is_one_of_several())
        return NULL;
    const pj_ranks_module *module = pj_module_open("popinjay-mpi.so", "pj_ranks_mpi",
                                                   "several processes need MPI (libopenmpi3)", err);
    if (!module)
        return NULL;
    ranks *r = pj_take_memory(sizeof *r);
    *r = (ranks){.module = module};
    if (!module->join(&r->crew, err)) {
        free(r);
        return NULL;
    }
    pj_crew_begin(&r->crew);
    return &r->crew;
}

void pj_ranks_leave(pj_crew *crew)
{
    if (!crew)
        return;
    ranks *r = (ranks *)crew;
    pj_crew_end(crew);
    r->module->leave(crew);
    free(r);
}
