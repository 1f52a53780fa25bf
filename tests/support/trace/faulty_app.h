// A program with one fault, planted by its parameters: what an analysis has to find first. Ranks
// compute, exchange with both neighbours on a ring and meet in MPI_Allreduce, step by step. Times
// in ns. Ownership: plain data.
#ifndef PJ_FAULTY_APP_H
#define PJ_FAULTY_APP_H

#include "tests/support/trace/trace_writer.h"

typedef enum pj_slow_by { PJ_SLOW_WORK, PJ_SLOW_IPC, PJ_SLOW_FREQUENCY } pj_slow_by;

/// Zero is a program without the fault.
typedef struct pj_faulty_app {
    const char *name;    // of the fault
    const char *finding; // its key; NULL = there is none
    const char *where;   // part of what is said of its place; NULL = anything
    uint32_t ranks;      // default 8, four on a node
    uint32_t threads;    // of a rank, 2 or more: the work of a step is a parallel region
    double lock;         // of the work of a thread, done under a lock
    double slow;         // ranks from slow_first on need so much more of the time, slow_ranks many
    uint32_t slow_first, slow_ranks;
    pj_slow_by slow_by;
    double ramp;   // the last rank has so much more work than the first
    double moving; // rank `step % ranks` has so much more work, and the one opposite less
    double spike;  // one rank needs so much more of the time, in every spike_every-th step
    uint32_t spike_every, spike_first, spike_ranks; // one of these by turns
    double serial; // of a step, done by serial_rank alone before a broadcast
    uint32_t serial_rank;
    double start_up; // in the first start_up_steps all ranks need so much more of the time
    uint32_t start_up_steps;
    double initial;       // times the work of a step, done by all before the first one
    uint32_t meets_every; // steps, in which all ranks meet; default 1, more than all steps: never
    uint32_t pauses;  // collectives in a step beyond its last one, with hardly any work before them
    bool posted;      // MPI_Irecv, MPI_Isend and MPI_Waitall in place of MPI_Sendrecv
    bool serial_once; // `serial` times the work of all steps, before the first one only
    double chain;     // of a step, done rank after rank
    bool late_sender, late_receiver; // every second rank is late for a large message
    uint32_t messages;               // a step; default 1
    uint64_t message_bytes, message_ns, collective_ns;
} pj_faulty_app;

/// Writes every record; the caller frees the writer.
pj_trace_writer *pj_faulty_write(const pj_faulty_app *app);

/// Planted faults with their truth; NULL past the end.
const pj_faulty_app *pj_faulty_app_at(size_t index);

#endif
