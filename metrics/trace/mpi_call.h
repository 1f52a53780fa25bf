// MPI calls by name, class and the number that Extrae gives them. Ownership: constants.
#ifndef PJ_MPI_CALL_H
#define PJ_MPI_CALL_H

#include "metrics/base/str.h"

#include <stdint.h>

typedef enum pj_mpi_class {
    PJ_MPI_P2P = 1,    // Extrae event type 50000001
    PJ_MPI_COLLECTIVE, // 50000002
    PJ_MPI_OTHER,      // 50000003
    PJ_MPI_ONE_SIDED,  // 50000004
    PJ_MPI_IO,         // 50000005
} pj_mpi_class;

/// What a call means to the replay (DEFINITIONS 6); a property of its row.
typedef enum pj_mpi_role {
    PJ_ROLE_NONE = 0, // no dependency
    PJ_ROLE_SEND,     // blocking send
    PJ_ROLE_ISEND,    // non-blocking send
    PJ_ROLE_RECV,     // blocking receive
    PJ_ROLE_IRECV,    // posts a receive
    PJ_ROLE_WAIT,     // Wait*, Test*: completes receives
    PJ_ROLE_SENDRECV, // posts, sends, waits
    PJ_ROLE_START,    // Start, Startall: blocking send or post
    PJ_ROLE_PROBE,
    PJ_ROLE_BARRIER,     // blocking collective: all leave at the last arrival
    PJ_ROLE_REDUCE,      // root leaves at the last arrival, the others at once
    PJ_ROLE_ICOLLECTIVE, // non-blocking collective: completed by a Wait
    PJ_ROLE_IREDUCE,     // the same of a Reduce
    PJ_ROLE_INIT,        // MPI_Init, MPI_Init_thread: barrier of communicator 1 at its end
    PJ_ROLE_FENCE,       // MPI_Win_fence: barrier of its window, where the trace tells its ranks
    PJ_ROLE_WINDOW,      // makes or frees a window: the same
    PJ_ROLE_EPOCH,       // post, complete, wait of general active target: signals of its window
} pj_mpi_role;

/// 1-based index of a row of mpi_calls.def; 0 = no call. Calls without a row are PJ_MPI_UNKNOWN.
typedef uint32_t pj_mpi_call;
enum { PJ_MPI_NONE = 0, PJ_MPI_UNKNOWN = 0xffff };

typedef struct pj_mpi_call_row {
    const char *name; // "MPI_Send"
    uint32_t extrae;  // value of Extrae's event types 50000001..5
    pj_mpi_class class_;
    pj_mpi_role role;
} pj_mpi_call_row;

/// NULL for 0 and for unknown calls.
const pj_mpi_call_row *pj_mpi_call_at(pj_mpi_call call);
pj_mpi_call pj_mpi_call_by_name(pj_str name);
pj_mpi_call pj_mpi_call_by_extrae(uint64_t value);

#endif
