// Whom the data of a collective call go from and to: who has to wait for whom. After the MPI
// standard; other collectives count as all to all.
#ifndef PJ_MPI_FLOW_H
#define PJ_MPI_FLOW_H

#include "metrics/trace/mpi_call.h"

typedef enum pj_mpi_flow {
    PJ_FLOW_ALL,     // from all to all
    PJ_FLOW_BARRIER, // no data, but all wait for all
    PJ_FLOW_FROM,    // from the root
    PJ_FLOW_TO,      // to the root
    PJ_FLOW_SCAN,    // from the ranks before
    PJ_FLOW_INIT,    // MPI_Init, MPI_Init_thread
    PJ_FLOW_FENCE,   // all who share a window wait for each other
} pj_mpi_flow;

pj_mpi_flow pj_mpi_flow_of(pj_mpi_call call);

#endif
