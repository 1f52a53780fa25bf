// Calls that do not go from all to all, by name; the non-blocking ones are named after them.
#include "metrics/trace/mpi_flow.h"

#include "metrics/base/str.h"

static const struct {
    const char *name;
    pj_mpi_flow flow;
} flows[] = {
    {"barrier", PJ_FLOW_BARRIER}, {"bcast", PJ_FLOW_FROM}, {"scatter", PJ_FLOW_FROM},
    {"scatterv", PJ_FLOW_FROM},   {"reduce", PJ_FLOW_TO},  {"gather", PJ_FLOW_TO},
    {"gatherv", PJ_FLOW_TO},      {"scan", PJ_FLOW_SCAN},  {"exscan", PJ_FLOW_SCAN},
};

/// "barrier" of MPI_Barrier and MPI_Ibarrier.
static bool is_called(const char *call, const char *name)
{
    const char *at = call + (sizeof "MPI_" - 1);
    if (*at == 'I')
        return strcmp(at + 1, name) == 0;
    return *at == name[0] - 'a' + 'A' && strcmp(at + 1, name + 1) == 0;
}

pj_mpi_flow pj_mpi_flow_of(pj_mpi_call call)
{
    const pj_mpi_call_row *row = pj_mpi_call_at(call);
    if (!row)
        return PJ_FLOW_ALL;
    if (row->role == PJ_ROLE_INIT)
        return PJ_FLOW_INIT;
    if (row->role == PJ_ROLE_FENCE || row->role == PJ_ROLE_WINDOW)
        return PJ_FLOW_FENCE;
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++)
        if (is_called(row->name, flows[i].name))
            return flows[i].flow;
    return PJ_FLOW_ALL;
}
