// Communicators: each has a name that is the same in all its processes. Ownership: none.
#ifndef PJ_REC_MPI_COMMS_H
#define PJ_REC_MPI_COMMS_H

#include <mpi.h>

#include <stdint.h>

/// What the recorder knows of a communicator; id 0 = it does not know it.
typedef struct pj_rec_mpi_comm {
    MPI_Comm handle;
    uint32_t id;
    int rank, size;
} pj_rec_mpi_comm;

/// The world and the process itself, in MPI_Init.
void pj_rec_mpi_comms_begin(void);
pj_rec_mpi_comm pj_rec_mpi_comms_find(MPI_Comm comm);
/// A new communicator with all its processes here; `maker` is the function's name.
void pj_rec_mpi_comms_add(MPI_Comm parent, MPI_Comm made, const char *maker);
void pj_rec_mpi_comms_remove(MPI_Comm comm);

#endif
