// Clocks of other nodes against that of the first process. Ownership: none.
#ifndef PJ_REC_MPI_CLOCKS_H
#define PJ_REC_MPI_CLOCKS_H

/// Collective over the world, in MPI_Init and in MPI_Finalize. Where processes are on several nodes
/// (boots of a system), one of each node measures how far its clock is from the first process's,
/// and all of the node write it into their logs. Processes of one node have one clock.
void pj_rec_mpi_clocks_measure(void);

#endif
