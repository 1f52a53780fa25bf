// Requests between their begin and their completion. Ownership: none.
#ifndef PJ_REC_MPI_REQUESTS_H
#define PJ_REC_MPI_REQUESTS_H

#include <mpi.h>

#include <stdbool.h>
#include <stdint.h>

typedef enum pj_rec_mpi_request_kind {
    PJ_REC_REQUEST_SEND,
    PJ_REC_REQUEST_RECEIVE,
    PJ_REC_REQUEST_COLLECTIVE
} pj_rec_mpi_request_kind;

typedef struct pj_rec_mpi_request {
    MPI_Request handle;
    pj_rec_mpi_request_kind kind;
    bool persistent, active;
    uint64_t id;   // counts up, for each start anew
    uint32_t comm; // id; 0 = not known: nothing is recorded
    MPI_Comm on;
    int peer, tag;           // of a send
    int operation, root;     // of a collective
    uint64_t sent, received; // bytes
    MPI_Comm *made;          // the communicator that is there then, the copy `dup` of `on`; or NULL
    unsigned dup;
    struct pj_rec_mpi_request *next;
} pj_rec_mpi_request;

uint64_t pj_rec_mpi_requests_number(void);
void pj_rec_mpi_requests_add(pj_rec_mpi_request request);
/// The request that is completed, or false when it is not known. A persistent one stays.
bool pj_rec_mpi_requests_take(MPI_Request handle, pj_rec_mpi_request *out);
/// Starts a persistent request again, under a new number.
bool pj_rec_mpi_requests_start(MPI_Request handle, pj_rec_mpi_request *out);
/// What is known of it; it stays.
bool pj_rec_mpi_requests_find(MPI_Request handle, pj_rec_mpi_request *out);
/// It is freed, whatever it is.
bool pj_rec_mpi_requests_remove(MPI_Request handle, pj_rec_mpi_request *out);

#endif
