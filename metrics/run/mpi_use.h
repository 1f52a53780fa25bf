// What a run did in MPI: how long it was in which call, how often, and what it sent. Ownership:
// the run's arena.
#ifndef PJ_MPI_USE_H
#define PJ_MPI_USE_H

#include "metrics/trace/mpi_call.h"

/// One MPI function, summed over all threads; within the region of interest.
typedef struct pj_mpi_sum {
    const char *name;    // "MPI_Send"; "unknown MPI call"
    pj_mpi_class class_; // of its row, or as the trace says
    uint64_t calls;      // that were entered
    uint64_t time_ns;
    uint64_t bytes;      // of collectives, as each caller tells; else 0
    uint64_t longest_ns; // of the rank that was in it longest
    uint32_t rank;       // that one
} pj_mpi_sum;

typedef struct pj_mpi_use {
    pj_mpi_sum *sums; // in the order of class and name
    uint32_t count;
    uint64_t messages, bytes; // sent from one thread to another
    uint64_t begun_ns;        // when the last thread came out of MPI_Init; 0 = none did
    uint64_t ended_ns;        // when the first one went into MPI_Finalize; UINT64_MAX = none did
    uint64_t input_ns;        // of I/O that ends in the first half of the run, over all threads
    uint64_t input_end_ns;    // when the last of it ended; 0 = there is none
} pj_mpi_use;

/// "Point-to-point": of the class, for people; "p2p": for machines. NULL for none.
const char *pj_mpi_class_title(pj_mpi_class class_);
const char *pj_mpi_class_key(pj_mpi_class class_);

#endif
