// Communicators: each has a name that is the same in all its processes. Ownership: none.
#ifndef PJ_REC_MPI_COMMS_H
#define PJ_REC_MPI_COMMS_H

#include <mpi.h>

#include <stdbool.h>
#include <stdint.h>

enum { PJ_REC_MPI_COMM_NAME = 64 };

/// What the recorder knows of a communicator; id 0 = it does not know it.
typedef struct pj_rec_mpi_comm {
    MPI_Comm handle;
    uint32_t id;
    int rank, size; // between two groups: the own one's rank, the other one's size
    bool between;
    unsigned dups; // that were begun by MPI_Comm_idup
    char maker[PJ_REC_MPI_COMM_NAME], number[PJ_REC_MPI_COMM_NAME]; // its name in all processes
} pj_rec_mpi_comm;

/// The world and the process itself, in MPI_Init.
void pj_rec_mpi_comms_begin(void);
pj_rec_mpi_comm pj_rec_mpi_comms_find(MPI_Comm comm);
/// Its id alone, which each message asks for.
uint32_t pj_rec_mpi_comms_id(MPI_Comm comm);
/// A new communicator with all its processes here; `maker` is the function's name.
void pj_rec_mpi_comms_add(MPI_Comm parent, MPI_Comm made, const char *maker);
/// The number of a copy of `parent` that is begun: processes begin them in one order.
unsigned pj_rec_mpi_comms_begin_dup(MPI_Comm parent);
/// That copy is there. Nothing is sent for its name.
void pj_rec_mpi_comms_add_dup(MPI_Comm parent, MPI_Comm made, unsigned number);
void pj_rec_mpi_comms_remove(MPI_Comm comm);

#endif
