// Names of the classes of MPI calls.
#include "metrics/run/mpi_use.h"

#include <stddef.h>

static const struct {
    const char *key, *title;
} names[] = {
    [PJ_MPI_P2P] = {"p2p", "Point-to-point"},
    [PJ_MPI_COLLECTIVE] = {"collective", "Collective"},
    [PJ_MPI_OTHER] = {"other", "Other calls"},
    [PJ_MPI_ONE_SIDED] = {"one_sided", "One-sided"},
    [PJ_MPI_IO] = {"io", "Files"},
};

const char *pj_mpi_class_title(pj_mpi_class class_)
{
    return (size_t)class_ < sizeof names / sizeof *names ? names[class_].title : NULL;
}

const char *pj_mpi_class_key(pj_mpi_class class_)
{
    return (size_t)class_ < sizeof names / sizeof *names ? names[class_].key : NULL;
}
