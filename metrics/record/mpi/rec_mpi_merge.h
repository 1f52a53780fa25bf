// The archive of a job that nobody else merges. Ownership: none.
#ifndef PJ_REC_MPI_MERGE_H
#define PJ_REC_MPI_MERGE_H

/// Starts popinjay merge and waits for it, unless $POPINJAY_RECORD_MERGE says "later" or no
/// popinjay is installed with this library. To be called by one process when all parts are closed.
void pj_rec_mpi_merge(void);

#endif
