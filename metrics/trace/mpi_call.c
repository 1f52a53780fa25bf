// The rows of mpi_calls.def as data.
#include "metrics/trace/mpi_call.h"

static const pj_mpi_call_row rows[] = {
#define CALL(name, value, class_, role) {name, value, PJ_MPI_##class_, PJ_ROLE_##role},
#include "metrics/trace/mpi_calls.def"
#undef CALL
};

enum { ROWS = sizeof rows / sizeof *rows };

const pj_mpi_call_row *pj_mpi_call_at(pj_mpi_call call)
{
    return call >= 1 && call <= ROWS ? &rows[call - 1] : NULL;
}

pj_mpi_call pj_mpi_call_by_name(pj_str name)
{
    for (pj_mpi_call i = 0; i < ROWS; i++)
        if (pj_str_equal(pj_str_of(rows[i].name), name))
            return i + 1;
    return PJ_MPI_UNKNOWN;
}

pj_mpi_call pj_mpi_call_by_extrae(uint64_t value)
{
    if (value == 0)
        return PJ_MPI_NONE;
    for (pj_mpi_call i = 0; i < ROWS; i++)
        if (rows[i].extrae == value)
            return i + 1;
    return PJ_MPI_UNKNOWN;
}
